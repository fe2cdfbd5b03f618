# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program's ops and NumPy differ: names of element types, Python's integers beside arrays whose type does not hold them, elements of empty arrays, and
remainders by 0."""

import operator

from .._frameworks import cast_as_torch
from .._program import Operand, Results, find_caller, get_bits, get_element, get_range, is_integer
from ._promotion import promote_integers, refuse_integer

#: Names that NumPy has for other types than the text of programs has: its count bytes.
_IN_BYTES = {"i1": "int8", "i8": "int64"}


def read_dtype(dtype):
    """What a function that is traced calls an element type: a name is NumPy's where it has that name, too."""
    if not isinstance(dtype, str):
        return dtype
    if dtype == "f16":
        raise TypeError(
            "expected an element type, got 'f16', which has 16 bytes in NumPy and 16 bits in a program's text: write 'float16'"
        )
    return _IN_BYTES.get(str(dtype), dtype)


def cast(builder, x, dtype):
    """x in another element type, of PyTorch's tensors as PyTorch's `Tensor.to` has it. builder: also one of torch.compile."""
    element = get_element(dtype)
    if element not in ("ui8", "f8E4M3FN"):
        return builder.astype(x, element)
    builder._program.tells_torch = True
    return cast_as_torch(builder, x, element) if getattr(builder, "is_of_torch", True) else builder.astype(x, element)


def check_operands(name, operands):
    """Raises a TypeError for what is neither an array nor a number."""
    for each in operands:
        if isinstance(each, (tuple, list, dict, str, type(None))):
            raise TypeError(f"{name}: expected an array or a number, got {_describe(each)}")


def _describe(value):
    if hasattr(value, "indices"):
        return "the values and indices that PyTorch's max, min, sort and topk give: write x.max(dim).values"
    if isinstance(value, (tuple, list)) and all(isinstance(each, (int, float, complex)) for each in value):
        name = type(value).__name__
        return f"a {name} of numbers, which are constants: numpy.asarray(x) as an argument is an array, and fuser.numpy.constant(x, ({len(value)},)) in the function"
    if isinstance(value, Results):
        return value.describe()
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__}: fuser.numpy.stack makes an array of arrays, fuser.numpy.constant(numbers, shape) of a few numbers"
    return repr(value)


#: Of comparisons of an array and a number that its type does not hold: the one with the greatest element of the type that gives the same if the number is above
#: all, and the one with the least if it is below.
_COMPARISONS = {
    "lt": ("le", "lt"),
    "le": ("le", "lt"),
    "gt": ("gt", "ge"),
    "ge": ("gt", "ge"),
    "eq": ("gt", "lt"),
    "ne": ("le", "ge"),
}
_OPPOSITE = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
#: Ops for which PyTorch takes the lowest bits of the number, as it does for comparisons, and all for which NumPy refuses it.
_OF_BITS = {*"add sub mul div floor_div remainder fmod and or xor shl shr".split(), *_COMPARISONS}
_REFUSED = _OF_BITS | {"full", "gcd", "max", "min", "pow"}


def _find_element(program, operands, attributes):
    """The element type that numbers get beside the arrays of an op, or as those of a new one; None if it is not one of integers."""
    types = [program.type(each) for each in operands if isinstance(each, Operand)]
    elements = {element for element, sizes in types if sizes is not None}
    if "shape" in attributes:
        elements = {attributes.get("type")}
    # Of several types the one that they are promoted to may hold it.
    element = elements.pop() if len(elements) == 1 else None
    return element if is_integer(element) else None


def _convert(operand):
    """An operand as a builder takes it, whose integers have 64 bits with a sign: of an unsigned one these are the same."""
    return operand - 2**64 if type(operand) is int and 2**63 <= operand < 2**64 else operand


def _wrap(name, operand, least, greatest):
    """An operand of an op of PyTorch's. Where it checks numbers the compiler does."""
    if type(operand) is not int or name not in _OF_BITS or not -(2**63) <= operand < 2**64:
        return operand
    return (operand - least) % (greatest - least + 1) + least


def _compare(name, operands, least, greatest):
    """(the op, its operands) for a comparison of an array of NumPy's and a number, which is that of the numbers."""
    if not isinstance(operands[0], Operand):
        name, operands = _OPPOSITE[name], operands[::-1]
    x, number = operands
    above, below = _COMPARISONS[name]
    return (above, (x, greatest)) if number > greatest else (below, (x, least))


def _clip(operands, attributes, least, greatest):
    """The operands of NumPy's `clip`, whose bounds may be beyond all elements; what would be no element is left as it is."""
    x, *bounds = operands
    names = [name for name in ("has_min", "has_max") if attributes[name]]
    for place, (name, bound) in enumerate(zip(names, bounds, strict=True)):
        if type(bound) is int:
            bounds[place] = max(bound, least) if name == "has_min" else min(bound, greatest)
    return x, *bounds


def _read(operand):
    """A number of NumPy's or Python's integers as an int, anything else as it is."""
    is_integer = hasattr(operand, "__index__") and not isinstance(operand, (bool, Operand))
    return operator.index(operand) if is_integer else operand


def _widen(program, operands):
    """Operands of a comparison of NumPy's in which a number that the program computes, such as a size, is no less than it is."""
    types = [program.type(each) if isinstance(each, Operand) else ("", ()) for each in operands]
    if not any(sizes is None and is_integer(element) for element, sizes in types):
        return operands
    program.tells_torch = True
    if program.builder.is_of_torch:
        return operands
    is_narrow = [sizes is not None and is_integer(element) and get_bits(element) < 64 for element, sizes in types]
    return [
        program.op("cast", (each,), {"type": "i64"}) if narrow else each
        for each, narrow in zip(operands, is_narrow, strict=True)
    ]


def fit_numbers(program, name, operands, attributes):
    """(the op, its operands) that mean what an op does whose integers the type of the arrays may not hold; an OverflowError where NumPy has one."""
    name, operands = promote_integers(program, name, operands, attributes)
    if name not in _REFUSED and name != "clamp":
        return name, operands
    if name in _COMPARISONS:
        operands = _widen(program, operands)
    given = [*map(_read, operands)]
    element = _find_element(program, operands, attributes) if int in map(type, given) else None
    if element is None:
        return name, operands
    least, greatest = get_range(element)

    def find_wrong(operands):
        return next((each for each in operands if type(each) is int and not least <= each <= greatest), None)

    if find_wrong(given) is not None:
        program.tells_torch = True
        if program.builder.is_of_torch:
            given = [_wrap(name, each, least, greatest) for each in given]
        elif name in _COMPARISONS:
            name, given = _compare(name, given, least, greatest)
        else:
            given = _clip(given, attributes, least, greatest) if name == "clamp" else given
            wrong = find_wrong(given)
            if wrong is not None:
                raise refuse_integer(name, element, wrong)
    return name, [_convert(each) for each in given]


def check_reduction(program, name, operands, attributes):
    """Raises a ValueError for the greatest or least element along a dimension that is known to have none."""
    kind = attributes["kind"] if name == "reduce" else None
    if kind not in ("max", "min"):
        return
    sizes = program.type(operands[0])[1]
    dims = attributes.get("dims", range(len(sizes)))
    empty = next((dim for dim in dims if -len(sizes) <= dim < len(sizes) and sizes[dim] == 0), None)
    if empty is not None:
        file, line = find_caller()
        raise ValueError(
            f"{file}:{line}: {kind}: expected an element at least along dimension {empty}, got {operands[0]!r}, of which there is no {kind}"
        )


def finish_remainder(program, name, operands, result):
    """The remainder of integers, which by 0 is 0 in NumPy; where that is an error of PyTorch's, too. The compiler's is the dividend."""
    if name not in ("remainder", "fmod"):
        return result
    element, sizes = program.type(result)
    divisor = operands[1]
    if sizes is None or not is_integer(element) or (not isinstance(divisor, Operand) and divisor):
        return result
    if not isinstance(divisor, Operand):
        return program.builder.zeros_like(result)
    return program.op("where", (program.op("ne", (divisor, 0)), result, 0))
