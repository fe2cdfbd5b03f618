# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the two ways to build a program share: its values with Python's operators, and where the user's code stands.

No rule of shapes or types is here: the compiler has them (fuser/Frontend/LenientOps.h).
"""

import dis
import functools
import operator
import os
import re
import sys
import types

from . import _fuser

_RAISE = dis.opmap["RAISE_VARARGS"]  # Of a `raise` with an error.
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

#: Names of element types in the program's text, and what NumPy and PyTorch call them.
ELEMENTS = _fuser.ELEMENTS
_BY_NAME = {name: element for element, name in ELEMENTS.items()}
_BY_NAME |= {"double": "f64", "float": "f64", "half": "f16", "bool_": "i1", "int": "i64", "long": "i64"}
_BY_NAME |= {"complex": "complex<f64>", "cfloat": "complex<f32>", "cdouble": "complex<f64>"}
# Of elements; PyTorch's type is of two.
_BY_NAME |= {name.removesuffix("_x2"): element for name, element in _BY_NAME.items() if name.endswith("_x2")}
#: Their kinds and bits.
_INFO = {element: _fuser._element_info(element) for element in ELEMENTS}
#: Nothing writes to it.
NO_ATTRIBUTES = {}
#: A bound of a slice that is not given: the end.
END = 2**63 - 1


def get_element(dtype):
    """The element type of a dtype of NumPy, PyTorch or ml_dtypes, of one of Python's types, or by its name."""
    dtype = getattr(dtype, "value", dtype)  # Of a DataType.
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype)
    name = name.rsplit(".", 1)[-1]
    # A name that means nothing is an error of the compiler's, which says what does.
    return _BY_NAME.get(name) or (name if name in ELEMENTS else _find_numpys(dtype) or name)


def get_kind(element):
    """ "float", "signed", "unsigned", "bool" or "complex"; "" of what is no element type."""
    return _INFO.get(element, ("", 0))[0]


def is_float(element):
    """Whether elements of this type are floats; complex numbers are none."""
    return get_kind(element) == "float"


def is_integer(element):
    """Whether they are integers, with a sign or without; booleans are none."""
    return get_kind(element) in ("signed", "unsigned")


def is_unsigned(element):
    """Whether they are integers without a sign."""
    return get_kind(element) == "unsigned"


def is_bool(element):
    """Whether they are booleans."""
    return get_kind(element) == "bool"


def is_complex(element):
    """Whether they are complex numbers."""
    return get_kind(element) == "complex"


def get_bits(element):
    """How many bits one of these has."""
    return _INFO[element][1]


def get_range(element):
    """The least and the greatest integer of a type of these."""
    bits = get_bits(element)
    return (0, 2**bits - 1) if is_unsigned(element) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _find_numpys(dtype):
    """The element type of what NumPy has another name for ("f4", "d", numpy.longlong); None if it has none. Nothing imports NumPy here."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(dtype, (str, type, numpy.dtype)):
        return None
    try:
        found = numpy.dtype(dtype)
    except (TypeError, ValueError):
        return None
    # Elements in the other order of bytes are none of a program's.
    return _BY_NAME.get(found.name) if found.isnative else None


class ElementName(str):
    """The name of an element type, which is also equal to what frameworks call it: `x.dtype == torch.float16`, `x.dtype == "f2"`.

    In a set and as a key of a dict it is its text, which is all that NumPy takes where it asks for a type.
    """

    __slots__ = ()

    def __eq__(self, other):
        if isinstance(other, str):
            return str.__eq__(self, other) or str.__eq__(self, ELEMENTS.get(_find_numpys(other), ""))
        return str.__eq__(self, ELEMENTS.get(get_element(other), ""))

    def __ne__(self, other):
        return not self == other

    # Types of NumPy's and PyTorch's that it is equal to have other ones, which differ among themselves.
    __hash__ = str.__hash__


def count_elements(sizes, element):
    """The sizes of a tensor in a program that a framework has in these: of packed floats an element of a framework is two."""
    if not sizes or not ELEMENTS.get(element, "").endswith("_x2"):
        return tuple(sizes)
    return (*sizes[:-1], None if sizes[-1] is None else 2 * sizes[-1])


def _list_own():
    """What the names of files begin with that are not the user's: of this package, and of PyTorch, whose functions call it, too."""
    torch = sys.modules.get("torch")
    return _list_own_beside(torch.__file__) if torch else _ALONE


_ALONE = (_PACKAGE,)


@functools.cache
def _list_own_beside(torch):
    return _PACKAGE, os.path.dirname(torch) + os.sep


def _locate(frame):
    return (name_file(frame.f_code.co_filename), frame.f_lineno) if frame else (None, 0)


def find_caller():
    """(file, line) of the innermost call that is the user's."""
    own, frame = _list_own(), sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(own):
        frame = frame.f_back
    return _locate(frame)


class Files(dict):
    """Of each file what its name is, None if it is not the user's: what is known while a function is traced, as each of its ops asks."""

    def __init__(self):
        self.own = _list_own()

    def __missing__(self, file):
        self[file] = name = None if file.startswith(self.own) else name_file(file)
        return name


def find_callers(entry, files):
    """((file, line) of the innermost call that is the user's, that of the outermost one in what the code object `entry` calls, or None if it is the same)."""
    if files.own is not _list_own():  # PyTorch has been imported since.
        files.clear()
        files.own = _list_own()
    frame, inner, outer = sys._getframe(1), None, None
    while frame is not None and frame.f_code is not entry:
        if files[frame.f_code.co_filename] is not None:
            inner, outer = inner or frame, frame
        frame = frame.f_back
    if inner is None:
        return find_caller(), None  # The user's code does not run yet.
    place = files[inner.f_code.co_filename], inner.f_lineno
    if outer is inner or not frame:
        return place, None
    other = files[outer.f_code.co_filename], outer.f_lineno
    return place, other if other != place else None


def _list_frames(traceback):
    """The parts of a traceback, from the outermost one on."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_in(traceback, own):
    return traceback.tb_frame.f_code.co_filename.startswith(own)


def _is_raised(traceback):
    """Whether a `raise` statement of the innermost frame made the error, and not what it computes or calls."""
    return traceback.tb_frame.f_code.co_code[traceback.tb_lasti] == _RAISE


def end_in_users(function):
    """The function, whose errors show the user's lines last, without what calls these and what they call."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            own, users, frames = _list_own(), None, [*_list_frames(error.__traceback__)]
            for each in reversed(frames):
                if not _is_in(each, own):
                    users = types.TracebackType(users, each.tb_frame, each.tb_lasti, each.tb_lineno)
            # What Python says of the package's own lines is an error of the package, which is to be found.
            if not _is_in(frames[-1], own) or isinstance(error, _fuser.Error) or _is_raised(frames[-1]):
                error.__traceback__ = users
            raise

    return call


def name_file(file):
    """A file's name, or what a notebook calls the cell whose code it stands for."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    compiler = getattr(shell, "compile", None)
    # As IPython's own tracebacks do.
    name = getattr(compiler, "format_code_name", lambda name: None)(file)
    return " ".join(name) if name else file


def make_error(text, code=1):
    """A fuser.Error as the compiler raises it; by default that of an argument."""
    error = (NoElementError if _NO_ELEMENT.search(text) else _fuser.Error)(text)
    error.code = code
    return error


class NoElementError(_fuser.Error, IndexError):
    """Of an index that is no element, as other arrays have it."""


#: What the compiler says of such an index.
_NO_ELEMENT = re.compile(r"expected (an|no) index of |expected indices of (-[0-9]|the [0-9]|0 to )")


def find_nearest(name, names, cutoff=0.75):
    """Of names that look like this one the nearest; None if there is none."""
    import difflib  # For messages alone.

    return next(iter(difflib.get_close_matches(name, names, 1, cutoff=cutoff)), None)


def find_near(name, names, cutoff=0.75):
    """ "; did you mean NAME?" of names that look like this one."""
    near = find_nearest(name, names, cutoff)
    return f"; did you mean '{near}'?" if near else ""


def check_keywords(function, given, *known):
    """Raises a TypeError for the first keyword that a function does not take."""
    wrong = next((name for name in given if name not in known), None)
    if wrong is not None:
        near = find_near(wrong, known, cutoff=0.6)
        raise TypeError(f"{function}: expected keywords among {', '.join(known)}, got '{wrong}'{near}")


#: What an error of the compiler's begins with: where it is, and the op that is wrong, of the dialect or of those that are made of its.
_OF_OP = re.compile(r"((?:.*?: )?error: )(?:'\w+': (?='fusion\.))?'(?:fusion\.)?\w+'(?: op|:) ")


def name_op(text, name):
    """An error of the compiler's that names what the user has called, and no op of the dialect."""
    found = _OF_OP.match(text)
    if found is None:
        return text
    message, newline, notes = text[found.end() :].partition("\n")
    message = re.sub(r"\bfusion\.(\w+)", r"\1", message)
    return f"{found[1]}'{name}': {message}{newline}{notes}"


#: Functions that there are none of, by what is in their names in NumPy and PyTorch.
_FAMILIES = {
    r"fft": "Fourier transforms",
    r"pool": "pooling",
    r"conv(\d|_|ol)|correlate": "convolutions",
    r"upsample|interpolate|grid_sample": "resampling of images",
    r"(^|[._])(p?inv(erse)?|(slog|log)?det|solve|lstsq|eig(h|vals|valsh)?|svd(vals)?|qr|cholesky|lu|matrix_(exp|rank))(_|$)": (
        "factorisations, inverses and eigenvalues of matrices"
    ),
}


def explain_family(name):
    """ "fuser has no ..." of a function that is one of several of a kind; None of others."""
    family = next((family for pattern, family in _FAMILIES.items() if re.search(pattern, name)), None)
    return family and f"fuser has no {family}"


def read_integer(value, what="an integer"):
    """`value` as an int; a TypeError if it is none. what: what is expected."""
    try:
        return operator.index(value)
    except TypeError:
        if isinstance(value, Operand) and hasattr(value._program, "builder"):  # An array that is traced.
            is_array = value._program.type(value)[1] is not None
            reason = ": a number of Python's or NumPy's (2, numpy.int64(2)), or a size, is known" if is_array else ""
            reason = reason or value._program.builder.explain_size(value)
            got = f"an array, {value!r}" if is_array else "one that the program computes"
            raise TypeError(f"expected {what} that is known while the function is traced, got {got}{reason}") from None
        raise TypeError(f"expected {what}, got {value!r}") from None


def read_flag(value, name):
    """A bool: what is given for something else is none. name: of the argument."""
    is_one = value is True or value is False or (isinstance(value, int) and value in (0, 1))
    if is_one or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")):
        return bool(value)
    raise TypeError(f"expected True or False as {name}, got {value!r}")


def read_arrays(arrays):
    """Several arrays as a tuple."""
    if isinstance(arrays, Operand) or not hasattr(arrays, "__iter__"):
        raise TypeError(f"expected a list of arrays, got {arrays!r}")
    return tuple(arrays)


def read_axis(axis):
    """A dimension as an int. A bool is none, as in NumPy: it is what was meant for another argument."""
    return _refuse_flag(read_integer(axis, "a dimension as axis"), axis)


def _refuse_flag(number, given):
    if isinstance(given, bool) or type(given).__name__ in ("bool", "bool_"):
        raise TypeError(f"expected a dimension as axis, got {given!r}")
    return number


def read_integers(value, what="an integer, or several"):
    """The same of one or several, as a list."""
    return [read_integer(each, what) for each in (value if isinstance(value, (tuple, list)) else (value,))]


def get_other_names(library, *counts):
    """What ops are called in the compiler, by their names in a library. counts: of the operands of ops element by element; 0 of all the others."""
    names = " ".join(_fuser._other_names(library, count) for count in counts).split()
    return dict(zip(names[::2], names[1::2], strict=True))


def name_elementwise(num_operands, library, others, hidden=()):
    """Ops element by element by what a library calls them: those of the dialect that have no other name there by their own, and others that follow from these.

    hidden: those of the dialect that are not called so.
    """
    own, renamed = _fuser._elementwise_names(num_operands).split(), get_other_names(library, num_operands)
    left_out = {*renamed.values(), *hidden}
    return renamed | {name: name for name in (*own, *others.split()) if name not in left_out}


class Operand:
    """A tensor or scalar of a program that is being built, with Python's operators.

    Operands of an operator are broadcast and promoted as PyTorch's are; one may be a number.
    """

    __slots__ = ("_program", "_value")
    #: How other elements are written.
    _CAST = "x.astype(dtype)"
    # NumPy's arrays and scalars leave operators to this class.
    __array_ufunc__ = None

    def __init__(self, program, value):
        self._program = program
        self._value = value

    def _refuse(self, what, instead):
        """Raises a TypeError where Python needs to know a value. instead: what to write."""
        text = f"expected {what} that is known while the program is built, got {self!r}, which it computes: write {instead}"
        raise TypeError(text)

    def __bool__(self):
        self._refuse("a value", "where(condition, x, y), or a & b, a | b and ~a for 'and', 'or' and 'not'")

    def __float__(self):
        self._refuse(
            "a number", f"x itself in arithmetic, {self._CAST}, or exp(x) of the program in place of math.exp(x)"
        )

    def __int__(self):
        self._refuse("an integer", f"x itself in arithmetic, or {self._CAST}")

    def __iter__(self):
        raise TypeError("expected a sequence, got a value of a program that is being built")

    def __contains__(self, value):
        raise TypeError(
            f"expected a value that is known while the program is built, got whether an array has an element: write (x == {value!r}).any(), which the program"
            " computes"
        )

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "expected an array, got a value of a program that is being built: np.asarray(x) is x itself, np.array(x) fuser.numpy.copy(x), and np.float32(x) x.astype('float32');"
            " NumPy's other functions take arrays that fuser.jit traces, but neither their open sizes nor lists of them; fuser.numpy's do (fnp.arange(x.shape[0]), fnp.stack), and parts of what it makes are assigned"
            " to (h = fnp.zeros(4), h[0] = x[0])"
        )

    def __eq__(self, other):
        return self._program.op("eq", (self, other))

    def __ne__(self, other):
        return self._program.op("ne", (self, other))

    __hash__ = object.__hash__


def refuse_modulo(power):
    """Python's `pow` of two operands alone."""

    @functools.wraps(power)
    def function(self, exponent, modulo=None):
        if modulo is not None:
            raise TypeError(f"pow: expected two operands, got {modulo!r} as a third one: write x**y % z")
        return power(self, exponent)

    return function


#: What errors call ops of operators that Python has other names for.
_SIGNS = {
    "and": "&",
    "floor_div": "//",
    "not": "~",
    "or": "|",
    "remainder": "%",
    "shl": "<<",
    "shr": ">>",
    "true_divide": "/",
    "xor": "^",
}


def _add_operators():
    def add(method, function):
        # Errors of Python's name it.
        function.__name__, function.__qualname__ = method, f"Operand.{method}"
        setattr(Operand, method, function)

    def make_binary(name):
        if name not in _SIGNS:  # A call fewer.
            return lambda self, other: self._program.op(name, (self, other))
        return lambda self, other: self._program.call(_SIGNS[name], self._program.op, name, (self, other))

    def make_reflected(name):
        if name not in _SIGNS:
            return lambda self, other: self._program.op(name, (other, self))
        return lambda self, other: self._program.call(_SIGNS[name], self._program.op, name, (other, self))

    def make_unary(name):
        if name not in _SIGNS:
            return lambda self: self._program.op(name, (self,))
        return lambda self: self._program.call(_SIGNS[name], self._program.op, name, (self,))

    for method, name in {"neg": "neg", "abs": "abs", "invert": "not"}.items():
        add(f"__{method}__", make_unary(name))
    Operand.__pos__ = lambda self: self
    binary = {
        "add": "add",
        "sub": "sub",
        "mul": "mul",
        "truediv": "true_divide",
        "floordiv": "floor_div",
        "mod": "remainder",
        "pow": "pow",
        "and": "and",
        "or": "or",
        "xor": "xor",
        "lshift": "shl",
        "rshift": "shr",
    }
    for method, name in binary.items():
        add(f"__{method}__", make_binary(name))
        add(f"__r{method}__", make_reflected(name))
    for method in ("lt", "le", "gt", "ge"):
        add(f"__{method}__", make_binary(method))
    Operand.__pow__ = refuse_modulo(Operand.__pow__)


_add_operators()


class Results(tuple):
    """The results of an op that has several, a tuple. Where they are used as one value an error says that there are several. of: the op."""

    def __new__(cls, values, of="an op"):
        results = super().__new__(cls, values)
        results.of = of
        return results

    def describe(self):
        """What they are, and what to write."""
        return f"the {len(self)} results of {self.of}, a tuple: the first one is y[0], or y, *others = {self.of}(...)"

    def __getattr__(self, name):
        reason = "" if name.startswith("__") or name == "of" else f", of {self.describe()}"
        raise AttributeError(f"'tuple' object has no attribute '{name}'{reason}")

    def __add__(self, other):
        return tuple(self) + other if isinstance(other, tuple) else self._refuse()

    def _refuse(self, *_):
        raise TypeError(f"expected a value of the program, got {self.describe()}")

    __mul__ = __rmul__ = __sub__ = __truediv__ = __pow__ = __matmul__ = _refuse
    __neg__ = __abs__ = __float__ = __int__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class Program:
    """A program that grows by inputs, ops and outputs; its values are of the type `wrap`."""

    def __init__(self, name, wrap):
        self.core = _fuser.Builder(name)
        self.wrap = wrap
        #: The name of the function that the user's code calls, which may add several ops: errors of all name it. None of an operator.
        self.called = None
        #: Of tensors that were lists of indices the least one.
        self.lists = {}
        self._has_outputs = False

    def find_location(self):
        """(file, line) of the user's code for what is added next."""
        return find_caller()

    def input(self, element, sizes, name=None, stride_order=None):
        """A tensor that the program takes, or a scalar if `sizes` is None."""
        return self.wrap(self, self.core.input(*self.find_location(), name, element, sizes, stride_order))

    def add_name(self, name):
        """Before an input of this name is added; programs of users' own names raise an error for one that another input has."""

    def number(self, value):
        return self.wrap(self, self.core.number(*self.find_location(), value))

    def call(self, name, function, /, *args, **kwargs):
        """What a function gives that adds ops, whose errors name it, unless it is a part of another one."""
        if self.called is not None:
            return function(*args, **kwargs)
        self.called = name
        try:
            return function(*args, **kwargs)
        finally:
            self.called = None

    def add_callers(self, text):
        """An error at the user's line with what led there, if it says that."""
        return text

    def make_error(self, text):
        """An error at the user's line, as the compiler's are."""
        file, line = self.find_location()
        return make_error(self.add_callers(f"{file}:{line}: error: {text}" if file else text))

    def explain(self, error, name):
        """An error of the compiler's of an op as users know it."""
        return make_error(self.add_callers(name_op(str(error), self.called or name)), error.code)

    def explain_type(self, text):
        """What is wrong with an operand that is no value, as users know it."""
        return text

    def read_operand(self, value, place="as x"):
        """A value of this program: it itself, or of a number one that is it. An error of anything else. place: where it is among the arguments."""
        if not isinstance(value, Operand):
            try:
                return self.number(value)
            except TypeError as error:
                raise TypeError(f"{self.called}: {_describe_operand(value, error, f' {place}')}") from None
            except OverflowError:
                raise OverflowError(f"{self.called}: {_describe_overflow((value,))}") from None
        if value._program is not self:
            text = f"expected operand 0 of '{self.called}' to be a value of this builder, got one of another"
            raise self.make_error(text)
        return value

    def op(self, name, operands, attributes=NO_ATTRIBUTES):
        """The result of an op, or a tuple of its results."""
        _check_options(self.called or name, attributes)
        try:
            results = self.core.op(*self.find_location(), name, operands, attributes)
        except _fuser.Error as error:
            raise self.explain(error, name) from None
        except TypeError as error:
            described = self.explain_type(_describe_type(error, name, operands, attributes))
            raise TypeError(f"{self.called or name}: {described}") from None
        except OverflowError:
            raise OverflowError(f"{self.called or name}: {_describe_overflow(operands, attributes)}") from None
        if len(results) == 1:
            return self.wrap(self, results[0])
        return Results((self.wrap(self, value) for value in results), self.called or name)

    def ops(self, name, operands, attributes=NO_ATTRIBUTES):
        """All results of an op whose number depends on what it is of, as a tuple."""
        results = self.op(name, operands, attributes)
        return results if isinstance(results, tuple) else (results,)

    def output(self, value, name=None, stride_order=None, alias=None):
        if not isinstance(value, Operand):
            got = value.describe() if isinstance(value, Results) else type(value).__name__
            raise TypeError(f"expected a value of the program as an output, got {got}")
        if alias is not None and not isinstance(alias, Operand):
            raise TypeError(f"expected an input of the program as alias, got {alias!r}")
        alias = None if alias is None else alias._value
        self.core.output(*self.find_location(), value._value, name, stride_order, alias)
        self._has_outputs = True

    def type(self, value):
        """(element, sizes): an open size is None, and so are the sizes of a scalar."""
        return self.core.type(value._value)

    def finish(self):
        """The program as bytes; nothing can be added to it any more."""
        if not self._has_outputs:
            raise self.make_error("expected a program with at least one output, got none")
        return self.core.finish()

    def text(self):
        """The text of the program, which ends it."""
        self.finish()
        return self.core.text()


#: What functions call attributes of ops that have another name there.
_OPTIONS = {"groups": "num_groups"}


def _is_known(value):
    """Whether an attribute is no value that the program computes; an argument of a traced function may stand for an integer of NumPy's, which is known."""
    if not isinstance(value, Operand):
        return True
    try:
        return operator.index(value) is not None
    except TypeError:
        return False


def _check_options(called, attributes):
    """Raises a TypeError for values of the program as attributes: read as lists they might have no end."""
    for key, value in attributes.items():
        if isinstance(value, (str, int)):
            continue
        given = value if isinstance(value, (list, tuple)) else (value,)
        wrong = next((each for each in given if not _is_known(each)), None)
        if wrong is not None:
            place = "in" if given is value else "as"
            raise TypeError(
                f"{called}: expected what is known while the program is built {place} '{_OPTIONS.get(key, key)}', got {wrong!r}, which the program computes"
            )


def _describe_type(error, name, operands, attributes):
    """What is wrong where an operand or an attribute is no value that there can be."""
    for key, value in attributes.items():
        if not isinstance(value, (str, list, tuple, type(None))) and not hasattr(value, "__index__"):
            return f"expected an integer as '{_OPTIONS.get(key, key)}', got {value!r}"
    wrong = next((at for at, each in enumerate(operands) if isinstance(each, _NO_OPERANDS)), None)
    if wrong is not None:
        # Of other ops some arguments are no operands.
        place = f" as operand {wrong}" if name in _fuser._elementwise_names(len(operands)).split() else ""
        return _describe_operand(operands[wrong], error, place)
    array = next((each for each in operands if hasattr(each, "__dlpack__") and not isinstance(each, Operand)), None)
    return _describe_operand(array, error) if array is not None else str(error)


#: What is no operand, and shown as it is.
_NO_OPERANDS = (str, list, tuple, dict, type(None))
_OF_ARRAYS = ": an array is an input of the program, and given when it is called"


def _describe_operand(value, error, place=""):
    """What is wrong of an operand that is none. error: what the compiler says of it."""
    if isinstance(value, Results):
        return f"expected a value of the program or a number{place}, got {value.describe()}"
    if isinstance(value, _NO_OPERANDS):
        return f"expected a value of the program or a number{place}, got {value!r}"
    return f"{error}{_OF_ARRAYS}" if hasattr(value, "__dlpack__") else str(error)


def _describe_overflow(operands, attributes=NO_ATTRIBUTES):
    """What is wrong where an integer has more than 64 bits."""
    given = [*operands]
    for value in attributes.values():
        given += value if isinstance(value, (list, tuple)) else [value]
    numbers = [int(each) for each in given if hasattr(each, "__index__") and not isinstance(each, Operand)]
    wrong = [each for each in numbers if not -(2**63) <= each < 2**63]
    return f"expected integers of -2**63 to 2**63 - 1, or floats, got {', '.join(map(str, wrong))}"


def normalize_axis(axis, ndim):
    """The number of a dimension of `ndim`, where negative ones count from the end; a ValueError if there is none."""
    number = _refuse_flag(read_integer(axis, "a dimension"), axis)
    if not -ndim <= number < ndim:
        raise ValueError(
            f"expected a dimension from {-ndim} to {ndim - 1}, got {number}"
            if ndim
            else f"expected a dimension, got {number} of a scalar or of a tensor without any"
        )
    return number % ndim


def get_axes(axis):
    """`axis` as the attribute `dims`: none, one or some."""
    if axis is None:
        return {}
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return {"dims": [_refuse_flag(read_integer(each, "a dimension, or several"), each) for each in axes]}


def get_dim(x, axis):
    """A tensor and its dimension for `axis`; without one all elements of x in row-major order."""
    if axis is None:
        return x if x.ndim == 1 else x._program.op("reshape", (x,), {"shape": [-1]}), 0
    return x, read_axis(axis)


def take_given(named):
    """What is not None of named operands, in order, and for each whether it is, as the attribute has_NAME."""
    given = {name: value for name, value in named.items() if value is not None}
    return tuple(given.values()), {f"has_{name}": True for name in given}


def list_sizes(shape):
    """The sizes of a shape; one size alone is a shape of one dimension."""
    is_one = isinstance(shape, Operand) or not hasattr(type(shape), "__iter__")
    return [shape] if is_one else shape


#: What is said of None in place of a size.
OPEN_SIZE = ": an open size is a scalar, Builder.size(x, axis), and x.shape[axis] in a function that fuser.jit traces"


def split_sizes(*lists):
    """Lists of sizes or bounds for attributes, in which values of the program are None, and these values in order. One size alone is a list of one."""
    numbers, values = [], []
    for sizes in lists:
        numbers.append([])
        for size in list_sizes(sizes):
            if isinstance(size, Operand):
                values.append(size)
                numbers[-1].append(None)
            elif size is None:
                raise TypeError(f"expected an integer as a size or a bound, got None{OPEN_SIZE}")
            else:
                numbers[-1].append(read_integer(size, "an integer as a size or a bound"))
    return numbers, values
