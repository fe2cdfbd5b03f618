# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What errors of names and arguments say: what other libraries' names are here, and what a function takes."""

import functools
import inspect

from .._program import ELEMENTS, explain_family, find_near, find_nearest, get_other_names

#: What the compiler's ops element by element are called here.
_NAMES = {own: name for name, own in get_other_names("array_api", 1, 2).items()}


def _name(others):
    return {other: _NAMES.get(own, own) for other, own in others.items()}


#: NumPy's names of what has another one here.
OF_NUMPY = {
    **_name(get_other_names("numpy", 1, 2)),
    "amax": "max",
    "amin": "min",
    "concatenate": "concat",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "transpose": "permute_dims",
    "true_divide": "divide",
}
#: The same of PyTorch and of JAX, for errors alone.
_OF_OTHERS = {
    **_name(get_other_names("torch", 0)),
    "cat": "concat",
    "clamp": "clip",
    "dim": "ndim",
    "div": "divide",
    "eq": "equal",
    "expand": "broadcast_to",
    "gather": "take_along_axis",
    "ge": "greater_equal",
    "gt": "greater",
    "index_select": "take",
    "le": "less_equal",
    "lt": "less",
    "mul": "multiply",
    "ne": "not_equal",
    "neg": "negative",
    "permute": "permute_dims",
    "repeat_interleave": "repeat",
    "sub": "subtract",
    "to": "astype",
    "unsqueeze": "expand_dims",
}
#: What to write in place of functions that are not here; {0} is what the others are called by.
INSTEAD = {
    "addmm": "c + {0}.matmul(a, b)",
    "apply_along_axis": "the function with an axis (x.sum(axis)), or of a known size {0}.stack([f(row) for row in x])",
    "append": "{0}.concat([a, b], axis)",
    "argpartition": "{0}.argsort(x, axis), or {0}.topk(x, k, axis)",
    **dict.fromkeys(
        ("argwhere", "compress", "extract", "flatnonzero", "nonzero"),
        "{0}.where: the number of results would not be known",
    ),
    **dict.fromkeys(
        ("array", "asanyarray", "asarray", "tensor"),
        "{0}.constant(values, shape) for a few numbers, {0}.input(shape, dtype) for an array",
    ),
    **dict.fromkeys(("array_equal", "array_equiv"), "{0}.all(a == b), an array without dimensions"),
    "average": "x.mean(axis), or (x * w).sum(axis) / w.sum(axis)",
    "bincount": "{0}.index_add of ones to {0}.zeros",
    **dict.fromkeys(("blackman", "hamming", "hanning"), "a formula of {0}.arange(n)"),
    "block": "{0}.concat of rows, each of which is a {0}.concat",
    "choose": "{0}.select([i == 0, i == 1], [a, b])",
    **dict.fromkeys(("ascontiguousarray", "asfortranarray", "clone", "contiguous", "detach"), "x, which no op changes"),
    **dict.fromkeys(("copyto", "place", "putmask"), "{0}.where(mask, values, x)"),
    "corrcoef": "d @ d.T of d = y / {0}.vector_norm(y, 2, 1, True), y = x - x.mean(1, keepdims=True)",
    "cov": "d @ d.T / (n - 1) of d = x - x.mean(1, keepdims=True), n = x.shape[1]",
    **dict.fromkeys(("cpu", "cuda"), "target= of compile, which says where the program runs"),
    **dict.fromkeys(("delete", "insert"), "{0}.concat of the parts before and behind"),
    **dict.fromkeys(("diag", "diagonal"), "x[i, i] of i = {0}.arange(n)"),
    "diagflat": "{0}.eye(n) * x.reshape(-1)",
    "digitize": "(bins <= x[..., None]).sum(-1)",
    "dsplit": "{0}.split(x, indices_or_sections, 2)",
    "ediff1d": "{0}.diff(x.reshape(-1))",
    "fabs": "{0}.abs(x)",
    "fill_diagonal": "{0}.where({0}.eye(n) == 1, value, x)",
    "fix": "{0}.trunc(x)",
    **dict.fromkeys(("flatten", "ravel"), "x.reshape(-1)"),
    "float_power": "{0}.pow(x.astype('float64'), y)",
    "fromfunction": "a formula of {0}.iota(shape, axis) of each dimension",
    "geomspace": "{0}.exp({0}.linspace(math.log(start), math.log(stop), num))",
    "glu": "a * {0}.sigmoid(b) of a, b = {0}.chunk(x, 2, -1)",
    "gradient": "(x[2:] - x[:-2]) / 2 of dimension 0, and x[1:2] - x[:1] and x[-1:] - x[-2:-1] at its ends",
    **dict.fromkeys(("hard_tanh", "hardtanh"), "{0}.clip(x, -1, 1)"),
    "histogram": (
        "((edges[:-1] <= y) & (y < edges[1:])).sum(0) of y = x.reshape(-1, 1), edges = {0}.linspace(low, high, n + 1)"
        " (of which the last bin is without `high`)"
    ),
    "histogram_bin_edges": "{0}.linspace(low, high, n + 1)",
    "hsplit": "{0}.split(x, indices_or_sections, 1)",
    "identity": "{0}.eye(n)",
    **dict.fromkeys(("in1d", "isin"), "(x[..., None] == values).any(-1)"),
    "indices": "{0}.iota(shape, axis) of each dimension",
    **dict.fromkeys(
        ("intersect1d", "setdiff1d", "setxor1d", "trim_zeros", "union1d"),
        "{0}.where: the number of results would not be known",
    ),
    "interp": (
        "fp[i] + (fp[i + 1] - fp[i]) * (y - xp[i]) / (xp[i + 1] - xp[i])"
        " of i = {0}.clip((xp <= x[..., None]).sum(-1) - 1, 0, n - 2), y = {0}.clip(x, xp[0], xp[-1])"
    ),
    "iscomplex": "x.imag != 0",
    "isreal": "x.imag == 0",
    **dict.fromkeys(("item", "numpy", "tolist"), "x as an output: elements are known when the program runs"),
    "lcm": "{0}.abs(a * b) // {0}.gcd(a, b)",
    "ldexp": "x * {0}.exp2(n)",
    "lexsort": "{0}.argsort by one key after the other: it keeps the order of equal ones",
    "logspace": "10 ** {0}.linspace(start, stop, num)",
    "matvec": "{0}.matmul(a, x[..., None])[..., 0]",
    "modf": "{0}.frac(x), {0}.trunc(x)",
    "multinomial": (
        "{0}.argmax({0}.log(p) - {0}.log(-{0}.log(u)), -1) of u = {0}.uniform(p.shape, seed, offset), or {0}.topk of the same for several of a row"
    ),
    "nanargmax": "{0}.argmax({0}.where({0}.isnan(x), -math.inf, x), axis)",
    "nanargmin": "{0}.argmin({0}.where({0}.isnan(x), math.inf, x), axis)",
    "nancumprod": "{0}.cumprod({0}.where({0}.isnan(x), 1, x), axis)",
    "nancumsum": "{0}.cumsum({0}.where({0}.isnan(x), 0, x), axis)",
    "nanprod": "{0}.prod({0}.where({0}.isnan(x), 1, x), axis)",
    "ndim": "x.ndim",
    "numel": "the product of {0}.size(x, axis) of each dimension",
    "one_hot": "x[..., None] == {0}.arange(n)",
    "partition": "{0}.sort(x, axis): what is in order is a partition, too; or {0}.topk(x, k, axis)",
    "piecewise": "{0}.select(conditions, arrays)",
    "polyval": "(a * x + b) * x + c",
    "put": "{0}.index_put(x.reshape(-1), [i], values)",
    "put_along_axis": "{0}.scatter(x, indices, values, axis)",
    "ravel_multi_index": "i * columns + j",
    "relu6": "{0}.clip(x, 0, 6)",
    "rollaxis": "{0}.moveaxis(x, source, destination)",
    "row_stack": "{0}.vstack(arrays)",
    "scatter_add": "{0}.scatter(x, indices, updates, axis, reduce='sum')",
    "searchsorted": "(a < v[..., None]).sum(-1), with side='right' (a <= v[..., None]).sum(-1)",
    "shape": "x.shape",
    "sinc": "{0}.where(x == 0, 1, {0}.sin(math.pi * x) / (math.pi * x))",
    "softmin": "{0}.softmax(-x)",
    "t": "x.T",
    "transpose": "x.permute_dims(axes), or {0}.swapaxes(x, axis1, axis2)",
    **dict.fromkeys(("trapezoid", "trapz"), "((y[1:] + y[:-1]) * {0}.diff(x)).sum() / 2"),
    "tri": "{0}.tril({0}.ones((rows, columns)), k)",
    **dict.fromkeys(
        ("tril_indices", "triu_indices"), "{0}.tril or {0}.triu, or a mask: {0}.arange(n)[:, None] >= {0}.arange(m)"
    ),
    **dict.fromkeys(
        ("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
        "{0}.sort: the number of results would not be known",
    ),
    "unfold": "x[..., i] of i = step * {0}.arange(n)[:, None] + {0}.arange(size), for each dimension that windows go along",
    "unravel_index": "{0}.divmod(i, columns)",
    "vander": "x[:, None] ** {0}.arange(n)[::-1]",
    "vecmat": "{0}.matmul({0}.conj(x)[..., None, :], a)[..., 0, :]",
    "vsplit": "{0}.split(x, indices_or_sections, 0)",
}
#: Methods of PyTorch's tensors that are a type.
CASTS = {
    "bfloat16": "bf16",
    "bool": "i1",
    "cdouble": "complex<f64>",
    "cfloat": "complex<f32>",
    "double": "f64",
    "float": "f32",
    "half": "f16",
    "int": "i32",
    "long": "i64",
}
#: Names of arguments that other frameworks have.
KEYWORDS = {"keepdim": "keepdims", "dim": "axis", "dims": "axis", "ddof": "correction", "a_min": "min", "a_max": "max"}
#: What else NumPy's and PyTorch's names of arguments may be called here, for errors alone: nvFuser's names are others than the array API's.
_KEYWORDS_OF_OTHERS = {
    "a": ("arg", "x"),
    "arrays": ("tensors",),
    "axes": ("axis", "dims"),
    "axis": ("dims", "dim"),
    "dim": ("dims",),
    "dims": ("dim",),
    "indices": ("index",),
    "input": ("arg", "x"),
    "newshape": ("new_shape", "shape"),
    "other": ("rhs", "arg2", "x2"),
    "shape": ("new_shape",),
    "size": ("new_shape", "shape"),
    "tensors": ("arrays",),
    "unbiased": ("correction",),
    "x": ("arg", "input"),
    "x1": ("lhs", "arg1"),
    "x2": ("rhs", "arg2"),
}


#: What NumPy calls operands that the array API standard has as x or x1, and as x2.
_OPERANDS = {"a": ("x", "x1"), "b": ("x2",)}


def name_operands(parameters, kwargs):
    """Keywords of a function with these parameters, with NumPy's names of its operands as they are here."""

    def find(keyword):
        own = () if keyword in parameters else _OPERANDS.get(keyword, ())
        # What is given by its own name, too, stays an error.
        return next((each for each in own if each in parameters and each not in kwargs), keyword)

    return {find(keyword): value for keyword, value in kwargs.items()}


def find_other(name):
    """What is here of a name of another library's; the name itself of others."""
    return OF_NUMPY.get(name) or _OF_OTHERS.get(name, name)


def _list_names(kind):
    return [each for each in dir(kind) if not each.startswith("_")]


def _describe(name, places):
    """How a name of one of the classes is written; None if none has it. places: pairs of what its objects are called, and the class."""
    owner, kind = next((each for each in places if name in _list_names(each[1])), (None, None))
    own = getattr(kind, name, None)
    if not inspect.isfunction(own):
        return owner and f"{owner}.{name}"
    parameters = list(inspect.signature(own).parameters.values())[1:]
    return f"{owner}.{name}{inspect.Signature(parameters)}"


def explain_name(name, *places):
    """What to write in place of a name that is not there, as the end of an error. places: as of _describe, of the class that was asked first."""
    if name.startswith("_"):
        return ""
    if name in INSTEAD:
        return f": write {INSTEAD[name].format('b')}"
    if name in CASTS:
        return f": write x.astype('{ELEMENTS[CASTS[name]]}')"
    own = _describe(find_other(name), places)
    if own:
        return f": write {own}"
    family = explain_family(name)
    if family:
        return f": {family}"
    near = find_nearest(name, [each for _, kind in places for each in _list_names(kind)])
    return f"; did you mean {_describe(near, places)}?" if near else ""


#: The default of an option that has to be given.
REQUIRED = inspect.Parameter.empty


def takes(kind=inspect.Parameter.KEYWORD_ONLY, *, fill=False, **defaults):
    """Writes the options of a function into its signature, in place of `**options`, and refuses others.

    fill: whether the function gets those that are not given, too. None is as if an option were not given whose default it is.
    """

    def add(function):
        own = list(inspect.signature(function).parameters.values())[:-1]
        own += [inspect.Parameter(name, kind, default=default) for name, default in defaults.items()]
        signature = inspect.Signature(own)

        @functools.wraps(function)
        def call(*args, **kwargs):
            given = {
                name: value for name, value in kwargs.items() if value is not None or defaults.get(name, "") is not None
            }
            bound = signature.bind(*args, **given)
            if fill:
                bound.apply_defaults()
            return function(**bound.arguments)

        # The signature is the function's own.
        del call.__wrapped__
        call.__signature__ = signature
        return call

    return add


def _find_keyword(name, parameters):
    """What a function with these parameters calls an argument of another library's name; the name itself if nothing is known of it."""
    own = (KEYWORDS.get(name), *_KEYWORDS_OF_OTHERS.get(name, ()))
    return next((each for each in own if each in parameters), name)


def explain_binding(error, signature, keywords):
    """What is wrong with arguments of which `signature.bind` says this. Of several reasons its own is the last one."""
    if any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values()):
        return str(error)
    unknown = [each for each in keywords if each not in signature.parameters]
    others = [_find_keyword(each, signature.parameters) for each in unknown]
    near = "".join(find_near(each, signature.parameters, cutoff=0.6) for each in others)
    return f"got an unexpected keyword argument '{min(unknown)}'{near}" if unknown else str(error)


def explain_arguments(name, signature, args, kwargs):
    """The error of a call whose arguments are not those of the function; None if they are."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return TypeError(f"{name}: expected {signature}: {explain_binding(error, signature, kwargs)}")
    return None


def _explain_call(method, args, kwargs):
    """The same of a method."""
    name, parameters = method.__name__, list(inspect.signature(method).parameters.values())[1:]
    explained = explain_arguments(name, inspect.Signature(parameters), args, kwargs)
    is_other = explained and find_other(name) != name
    return TypeError(f"{explained}; PyTorch's {name} is {find_other(name)} here") if is_other else explained


def _read_first(method, self, /, *args, **kwargs):
    """What a function of an array x gives, of which it is a value of the program."""
    if args:
        args = (self._program.read_operand(args[0]), *args[1:])
    elif "x" in kwargs:
        kwargs["x"] = self._program.read_operand(kwargs["x"])
    return method(self, *args, **kwargs)


def _name_call(method, is_read):
    """The method, whose errors name it. is_read: whether its first argument is x, an operand."""
    given = (_read_first, method) if is_read else (method,)

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if not kwargs.keys().isdisjoint(_OPERANDS):
            kwargs = name_operands(inspect.signature(method).parameters, kwargs)
        try:
            return self._program.call(method.__name__, *given, self, *args, **kwargs)
        except TypeError as error:
            # Python names what is within, and not what is near.
            explained = _explain_call(method, args, kwargs)
            if explained is None:
                if self._program.called is None and str(error).startswith("expected "):
                    raise TypeError(f"{method.__name__}: {error}") from None
                raise
            raise explained from None

    return call


def name_calls(kind):
    """Has the public methods of a class named in errors of the ops that they add, and explains arguments that they do not take.

    The first argument x of a function is a value of the program there.
    """
    for name, method in [*vars(kind).items()]:
        if inspect.isfunction(method) and not name.startswith("_"):
            is_read = [*inspect.signature(method).parameters][1:2] == ["x"]
            setattr(kind, name, _name_call(method, is_read))
    return kind
