# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions of arrays that are traced: what fuser.numpy has under their names, with NumPy's keywords."""

import inspect
import sys

from .._array.names import INSTEAD, KEYWORDS, find_other
from .._program import ELEMENTS, explain_family, get_element
from ._torch_functions import count, near

_CONSTANT = "fuser.numpy.constant(values, shape) for a few numbers; arrays of any framework are operands as they are, and may be arguments"
#: What to write in place of functions of NumPy that are not there, beside what a builder says.
_INSTEAD = dict.fromkeys(("array", "asanyarray", "asarray", "tensor"), _CONSTANT)
# Of arrays that assignments change a copy is another one.
_INSTEAD |= dict.fromkeys(
    ("ascontiguousarray", "asfortranarray", "clone", "contiguous", "detach"), "fuser.numpy.copy(x)"
)
#: Where functions have the order in which they take elements, and what to write for columns first.
ORDERS = {
    "flatten": (1, "x.T.reshape(-1)"),
    "ravel": (1, "x.T.reshape(-1)"),
    "reshape": (2, "x.T.reshape(shape[::-1]).T"),
}
#: NumPy's functions of an array alone, where fuser.numpy's need an axis, too.
_ALONE = {
    "ndim": lambda x: x.ndim,
    "ravel": lambda x: x.reshape(-1),
    "shape": lambda x: x.shape,
    "size": count,
    "transpose": lambda x: x.T,
}

#: What to write in place of methods of NumPy's ufuncs.
_REDUCTIONS = {
    "add": "np.sum",
    "logaddexp": "fuser.numpy.logsumexp",
    "logical_and": "np.all",
    "logical_or": "np.any",
    "maximum": "np.max",
    "minimum": "np.min",
    "multiply": "np.prod",
}
_SCANS = {
    "add": "np.cumsum",
    "maximum": "fuser.numpy.cummax",
    "minimum": "fuser.numpy.cummin",
    "multiply": "np.cumprod",
}


def explain_method(name, method):
    """The error of a method of a ufunc."""
    own = {"reduce": _REDUCTIONS, "accumulate": _SCANS}.get(method, {}).get(name)
    instead = f"{own}(x, axis=0)" if own else None
    if method == "outer":
        instead = f"np.{name}(x[:, None], y)"
    elif method == "at" and name == "add":
        instead = "fuser.numpy.index_add(x, indices, y), which is another array"
    advice = f": write {instead}" if instead else ""
    return TypeError(f"expected a call of {name}, got its method '{method}'{advice}")


def _name_type(dtype):
    """What fuser.numpy calls an element type."""
    name = ELEMENTS[get_element(dtype)]
    return "bool_" if name == "bool" else name


def explain_missing(name):
    """What to write in place of a function of another library's that fuser.numpy does not have."""
    from .. import numpy

    instead = _INSTEAD.get(name) or INSTEAD.get(name, "").format("fuser.numpy")
    if not instead and find_other(name) in numpy.__all__:
        instead = f"fuser.numpy.{find_other(name)}"
    if instead:
        return f": write {instead}"
    family = explain_family(name)
    if family:
        return f": {family}"
    found = getattr(sys.modules.get("numpy"), name, None)
    if ELEMENTS.get(get_element(name)):
        return f": write fuser.numpy.{_name_type(name)}"
    if isinstance(found, type) and hasattr(found, "dtype"):  # Of NumPy's scalars.
        return f", a type that fuser has no arrays of: there are {', '.join(map(_name_type, ELEMENTS))}"
    if found is not None:
        return ""  # It is no misspelling: what looks like it is something else.
    return near(name, [each for each in numpy.__all__ if inspect.isfunction(getattr(numpy, each))])


#: Keywords of NumPy's that change nothing here: sorts are stable, how a product is computed is the program's, and arrays stay.
IDLE = {"kind", "optimize", "overwrite_input", "stable"}
#: Of reductions what takes the place of elements that do not count, and the function of a result and the number that it begins with.
_PARTS = {
    "sum": (0, "add"),
    "prod": (1, "multiply"),
    "any": (False, None),
    "all": (True, None),
    "max": (None, "maximum"),
    "min": (None, "minimum"),
}


def reduce_some(builder, name, x, *args, where=None, initial=None, **options):
    """A reduction by its name of the elements where a mask is true, and of a number: NumPy's `where=` and `initial=`."""
    if name not in _PARTS:
        instead = (
            f"fuser.numpy.nan{name} of NaN elsewhere"
            if name in ("mean", "std", "var")
            else "fuser.numpy.where of the result"
        )
        raise TypeError(
            f"np.{name}: expected neither where= nor initial=, which {', '.join(_PARTS)} have: write {instead}"
        )
    neutral, combine = _PARTS[name]
    neutral = initial if neutral is None else neutral
    if where is not None:
        if neutral is None:
            raise ValueError(f"np.{name}: expected a number as initial=, which is the {name} of no elements, got none")
        where = builder.capture(where)
        # In the type of x, whatever the number is.
        kept = builder.where(where, x, neutral)
        x = builder.astype(kept, x._program.type(x)[0]) if name in ("any", "all", "sum", "prod") else kept
    result = getattr(builder, name)(x, *args, **options)
    return result if initial is None or combine is None else getattr(builder, combine)(result, initial)


def _list_places(function):
    """The names of arguments that can be given without them, as fuser.numpy calls them, and the place of each."""
    own = inspect.signature(function).parameters.values()
    return {
        KEYWORDS.get(each.name, each.name): place
        for place, each in enumerate(own)
        if each.kind is each.POSITIONAL_OR_KEYWORD
    }


def _find_renamed(function, own):
    """What fuser.numpy calls the arguments of a function of NumPy's that have other names there at the same places, as operands have."""
    try:
        theirs, ours = _list_places(function), _list_places(own)
    except (TypeError, ValueError):
        return {}  # It does not say.
    by_place = {place: name for name, place in ours.items() if name not in theirs}
    return {name: by_place[place] for name, place in theirs.items() if name not in ours and place in by_place}


def _name_arguments(function, own, args):
    """(arguments, keywords): by their names those that NumPy has at other places than fuser.numpy, and what is before."""
    try:
        theirs = _list_places(function)
    except (TypeError, ValueError):
        return args, {}  # It does not say.
    ours = _list_places(own)
    moved = [min(theirs[each], ours[each]) for each in theirs if ours.get(each, theirs[each]) != theirs[each]]
    # What it has alone is at the place of another one here.
    moved += [theirs[each] for each in theirs if each in IDLE or each == "out"]
    first = min(moved, default=len(args))
    named = dict(zip([*theirs][first:], args[first:], strict=False))
    return args[:first], {
        each: value for each, value in named.items() if each in ours or (value is not None and each not in IDLE)
    }


def drop_order(name, shown, args, kwargs):
    """(arguments, keywords) without the order in which elements are taken, which is row-major here. shown: how messages call the function."""
    place, instead = ORDERS[name]
    order = args[place] if len(args) > place else kwargs.get("order")
    if not isinstance(order, str):
        return args, kwargs
    if order not in ("A", "C"):
        raise TypeError(f"{shown}: expected order='C', got {order!r}: write {instead} for columns first")
    return args[:place], {key: value for key, value in kwargs.items() if key != "order"}


def call_numpy(builder, name, function, args, kwargs):
    """Calls what fuser.numpy has under a name for a function of NumPy's."""
    from .. import numpy

    if name in ORDERS:
        args, kwargs = drop_order(name, f"np.{name}", args, kwargs)
    if function.__name__ in _ALONE and len(args) == 1 and not kwargs:
        return _ALONE[function.__name__](builder.capture(args[0]))
    if function.__name__ == "norm":
        return builder._linalg_norm(*map(builder.capture, args), **kwargs)
    if function.__name__ == "matrix_norm":
        return builder._linalg_norm(*map(builder.capture, args), **{"ord": "fro", "axis": (-2, -1)} | kwargs)
    if name == "round" and (len(args) > 1 or "decimals" in kwargs):
        name = "around"
    kwargs = {key: value for key, value in kwargs.items() if key not in IDLE}
    where, initial = (kwargs.pop(key, None) for key in ("where", "initial"))
    own = getattr(numpy, name, None) if name in numpy.__all__ else None
    if own is None:
        module = getattr(function, "__module__", None) or "numpy"
        shown = ".".join([*module.split(".")[1:], function.__name__])
        raise TypeError(f"expected a function that fuser.numpy has, too, got np.{shown}{explain_missing(shown)}")
    if kwargs.get("out") is not None:
        raise TypeError(
            f"np.{function.__name__}: expected arrays that stay as they are, got out=, as `w += x` of an array of NumPy's has it: write w = w + x"
        )
    args, named = _name_arguments(function, own, args)
    kwargs = {KEYWORDS.get(keyword, keyword): value for keyword, value in kwargs.items()}
    renamed = _find_renamed(function, own) if kwargs else {}
    given = named | {renamed.get(keyword, keyword): value for keyword, value in kwargs.items()}
    if given.get("copy") is True:
        del given["copy"]  # All arrays are new ones.
    signature = inspect.signature(own)
    try:
        bound = signature.bind(*args, **given)
    except TypeError as error:
        raise TypeError(
            f"np.{function.__name__}: expected {signature} as fuser.numpy.{own.__name__} has it: {error}"
        ) from None
    if where is not None or initial is not None:
        x = bound.arguments.get("x")
        options = {key: value for key, value in bound.arguments.items() if key != "x"}
        return reduce_some(builder, name, builder.capture(x), where=where, initial=initial, **options)
    return builder._program.call(function.__name__, own, *args, **given)
