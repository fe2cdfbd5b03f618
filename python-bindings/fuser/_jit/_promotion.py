# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of several types beside each other, as NumPy has them where PyTorch lets a number and an array without dimensions take the type of other arrays:

- NumPy's numbers and arrays without dimensions count as arrays do: uint8 with np.int16(300) is int16.
- An op of NumPy's numbers, and of Python's beside them, has NumPy's type, too: np.int8(3) + 1 is int8, np.float16(3) * 2.5 float16.
- Floats among NumPy's numbers have their type beside arrays of integers, as arrays of floats do.
- Sums and products of integers without a sign are uint64.
- Sizes, and what is computed of these, are Python's integers there, of which the array says the type: one that it does not hold is an error of the call.
"""

import sys

from .._program import (
    ELEMENTS,
    Operand,
    get_bits,
    get_element,
    get_range,
    is_bool,
    is_complex,
    is_float,
    is_integer,
    is_unsigned,
)
from ._captured import is_scalar

#: Ops whose operands, but for the condition of a `where`, are of one type.
_OF_ONE_TYPE = set(
    "add sub mul div floor_div remainder fmod and or xor shl shr gcd max min pow clamp where lt le gt ge eq ne dot inner kron outer".split()
)
_COMPARISONS = {"lt", "le", "gt", "ge", "eq", "ne"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_OF_BITS = {"and", "or", "xor", "shl", "shr", "gcd"}
#: Those whose result has the type of their operands; and of these the ones that NumPy has of its shortest integers and not of booleans.
_OF_NUMBERS = _OF_ONE_TYPE - _COMPARISONS - {"dot", "inner", "kron", "outer"} | {"square", "true_divide"}
_NOT_OF_BOOLS = {"floor_div", "fmod", "pow", "remainder", "shl", "shr", "square"}

#: Those that add or multiply the elements of an array; `reduce` has others, too.
_SUMS = {"reduce", "cumsum", "cumprod", "trace"}


class Integers:
    """Which scalars of a program are no integers of Python's, and which are sizes, and so not negative."""

    def __init__(self):
        self.numpys, self._sizes, self._counted = set(), set(), {}

    def note(self, name, operands, results, others):
        """Those that an op gives. others: arrays that stand for a number of NumPy's each."""
        values = [each._value for each in results]
        if name == "size":
            self._sizes.update(values)
            return
        if any(self.is_numpys(each, others) for each in operands):
            self.numpys.update(values)

    def is_numpys(self, operand, others=()):
        """Whether an operand is a number of NumPy's. others: arrays that stand for one each."""
        if isinstance(operand, Operand):
            return operand._value in self.numpys or operand._value in others
        return is_scalar(operand)

    def is_pythons(self, program, operand):
        """Whether the program computes it of sizes and numbers of Python's alone: of sizes that are known it is one of these."""
        return program.type(operand)[1] is None and operand._value not in self.numpys

    def is_size(self, operand):
        return operand._value in self._sizes

    def count_from_end(self, x, index, dim):
        """A number as an index along a dimension of x, from whose end it counts if it is negative. It is the same value each time, as in `h[n] += 1`."""
        if not isinstance(index, Operand) or self.is_size(index):
            return index
        b, size = x._program.builder, x._program.type(x)[1][dim]
        place = index._value, size if size is not None else (x._value, dim)
        if place not in self._counted:
            size = b.size(x, dim) if size is None else size
            if x._program.type(index)[0] in ("i8", "i16", "i32"):
                index = b.astype(index, "i64")  # Its own type may not hold the size.
            self._counted[place] = b.where(index < 0, index + size, index)
        return self._counted[place]


def _promote(elements):
    """The narrowest type that holds all of these; None if there is none, as of ui64 and one with a sign, which are floats in NumPy."""
    unsigned = max((get_bits(each) for each in elements if is_unsigned(each)), default=0)
    signed = max((get_bits(each) for each in elements if not is_unsigned(each)), default=0)
    if not signed:
        return f"ui{unsigned}"
    width = signed if unsigned < signed else 2 * unsigned
    return f"i{width}" if width <= 64 else None


def hold(program, number, element, name):
    """An integer that the program computes, as an array without dimensions of a type; an error of the call if the type does not hold it. name: of the op."""
    before, program.called = program.called, program.called or name
    try:
        return program.op("full", (number,), {"shape": [], "type": element, "checked": True})
    finally:
        program.called = before


def _find_integers(program, operands):
    """(types of arrays, and of NumPy's numbers, places of other integers that the program computes, and of all of these) among integers and booleans; None of
    others, or without an array."""
    strong, arrays, weak, scalars = set(), set(), [], []
    for place, each in enumerate(operands):
        if not isinstance(each, Operand) and not is_scalar(each):
            if isinstance(each, (float, complex)):
                return None
            continue  # A number of Python's has the type of the arrays.
        element, sizes = program.type(each) if isinstance(each, Operand) else (get_element(each.dtype), None)
        if not is_bool(element) and not is_integer(element):
            return None
        if sizes is not None:
            arrays.add(element)
        elif isinstance(each, Operand) and not is_bool(element):
            scalars.append(place)
            if each._value not in program.integers.numpys:
                weak.append(place)
                continue
        strong.add(element)
    return ({*filter(is_integer, arrays)}, {*filter(is_integer, strong)}, weak, scalars) if arrays else None


def _read_number(program, operand):
    """(element type of a number, whether it is NumPy's); None of an array. The type of a number of Python's is the one that it has alone."""
    integers = program.integers
    if isinstance(operand, Operand):
        element, sizes = program.type(operand)
        is_numpys = integers.is_numpys(operand, program.scalars)
        # Of those without a sign there are no scalars.
        is_number = sizes is None or (not sizes and is_numpys and is_unsigned(element))
        return (element, is_numpys) if is_number else None
    if is_scalar(operand):
        return get_element(operand.dtype), True
    kinds = {bool: "i1", int: "i64", float: "f64"}
    return (kinds[type(operand)], False) if type(operand) in kinds else None


def _promote_as_numpy(strong, weak):
    """NumPy's type for its numbers of these types beside Python's of those; None if there is no such type, or it is one of no program."""
    try:
        element = get_element(sys.modules["numpy"].result_type(*(ELEMENTS[each] for each in strong)))
    except TypeError:  # A type that NumPy does not have itself.
        return None
    if is_complex(element) or element not in ELEMENTS:
        return None
    if any(map(is_float, weak)) and not is_float(element):
        return "f64"
    return "i64" if is_bool(element) and any(map(is_integer, weak)) else element


def refuse_integer(name, element, number):
    """The OverflowError for an integer of Python's that a type does not hold, and which one does."""
    least, greatest = get_range(element)
    wide = next((each for each in ("i64", "ui64") if get_range(each)[0] <= number <= get_range(each)[1]), None)
    advice = f"x.astype('{ELEMENTS[wide]}') has more room" if wide else "no integers have more than 64 bits"
    return OverflowError(
        f"{name}: expected an integer that {ELEMENTS[element]} holds, from {least} to {greatest}, got {number}: {advice}"
    )


def _check_literals(name, element, operands):
    """Raises an OverflowError for an integer of Python's that a type does not hold."""
    if not is_integer(element) or name == "clamp":
        return
    least, greatest = get_range(element)
    wrong = next((each for each in operands if type(each) is int and not least <= each <= greatest), None)
    if wrong is not None:
        raise refuse_integer(name, element, wrong)


def _promote_sum(program, operand, attributes):
    """uint64 for a sum or a product of integers without a sign, of which the compiler's has the same bits; None if it is the compiler's type."""
    is_summed = "type" not in attributes and attributes.get("kind", "sum") in ("sum", "prod")
    if not is_summed or not isinstance(operand, Operand) or not is_unsigned(program.type(operand)[0]):
        return None
    program.tells_torch = True
    return None if program.builder.is_of_torch else "ui64"


def promote_numbers(program, name, operands, attributes):
    """(the operands of an op, NumPy's type of its result) if all are numbers, and one of them is NumPy's, or of a sum; no type if it is the compiler's."""
    if name in _SUMS:
        return operands, _promote_sum(program, operands[0], attributes)
    first = int(name == "where")
    read = [_read_number(program, each) for each in operands] if name in _OF_NUMBERS else [None]
    if None in read:
        return _widen_integers(program, name, operands), None
    strong = {element for element, is_numpys in read[first:] if is_numpys}
    element = _promote_as_numpy(strong, [each for each, is_numpys in read[first:] if not is_numpys]) if strong else None
    if element is None or (name == "true_divide" and not any(map(is_float, strong))):
        return operands, None
    if element == "i1" and name in _NOT_OF_BOOLS:
        element = "i8"
    program.tells_torch = True
    if program.builder.is_of_torch:
        return operands, None
    _check_literals(name, element, operands[first:])
    result = [*operands]
    for place, (own, is_numpys) in enumerate(read[first:], first):
        if not isinstance(operands[place], Operand):
            continue
        if not is_numpys and own == "i64" and is_integer(element) and get_bits(element) < 32:
            result[place] = hold(program, operands[place], element, name)
        elif (is_float(element) or name in _NOT_OF_BOOLS) and own != element and is_numpys:
            result[place] = program.op("cast", (operands[place],), {"type": element})
    return result, element


def finish_numbers(program, result, element):
    """The result of an op of numbers in NumPy's type."""
    own, sizes = program.type(result)
    if own == element:
        return result
    if sizes is None and is_unsigned(element):
        # There are no such scalars.
        array = program.op("full", (result,), {"shape": [], "type": element})
        program.scalars[array._value] = result
        return array
    return program.op("cast", (result,), {"type": element})


def _widen_integers(program, name, operands):
    """Operands with arrays of integers as floats of the type of NumPy's number beside them."""
    if name not in _OF_NUMBERS or len(operands) < 2:
        return operands
    first = int(name == "where")
    types = [program.type(each) if isinstance(each, Operand) else (None, None) for each in operands]
    read = [_read_number(program, each) for each in operands[first:]]
    floats = {each[0] for each in read if each is not None and each[1] and is_float(each[0])}
    arrays = {element for (element, _), each in zip(types[first:], read, strict=True) if each is None}
    if len(floats) != 1 or not all(is_integer(each) or is_bool(each) for each in arrays):
        return operands
    program.tells_torch = True
    if program.builder.is_of_torch:
        return operands
    element = floats.pop()
    return [
        program.op("cast", (each,), {"type": element}) if place >= first and types[place][0] in arrays else each
        for place, each in enumerate(operands)
    ]


def _fill(program, operands, attributes):
    """The operands of an op that makes an array of one number of a type that is given."""
    number, element = operands[0], attributes.get("type")
    is_own = (
        isinstance(number, Operand) and program.type(number)[1] is None and number._value not in program.integers.numpys
    )
    if not is_own or not is_integer(element) or not is_integer(program.type(number)[0]) or "checked" in attributes:
        return operands
    program.tells_torch = True
    return operands if program.builder.is_of_torch else [hold(program, number, element, "full"), *operands[1:]]


def _clamp(program, bound, is_least, element):
    """A bound of NumPy's `clip`, which may be beyond all elements on its side."""
    least, greatest = get_range(element)
    return (
        program.builder.maximum(bound, least) if is_least else program.builder.minimum(bound, min(greatest, 2**63 - 1))
    )


def _make_float(program, operand):
    if is_scalar(operand):
        return float(operand)
    return program.op("cast", (operand,), {"type": "f64"}) if isinstance(operand, Operand) else operand


def _compare_signs(program, name, x, y):
    """(the op, its operands) of a comparison of integers, of which those of one operand have a sign, and those of the other one are ui64."""
    if program.type(x)[0] == "ui64":
        name, x, y = _MIRRORED[name], y, x
    # What is negative is less than all others.
    own = program.op("cast", (program.op("max", (x, 0)),), {"type": "ui64"})
    of_others = program.op(name, (own, y))
    if name in ("lt", "le", "ne"):
        return "or", [program.op("lt", (x, 0)), of_others]
    return "and", [program.op("ge", (x, 0)), of_others]


def _mix_signs(program, name, operands):
    """(the op, its operands) of integers with a sign beside those of ui64, which have no type of integers in common: floats in NumPy."""
    if name in _COMPARISONS:
        is_number = not all(isinstance(each, Operand) for each in operands)
        return (name, operands) if is_number else _compare_signs(program, name, *operands)
    if name in _OF_BITS:
        raise TypeError(
            f"{program.called or name}: expected integers with a sign, or without, got both and uint64 among them, which are float64 together: x.astype(dtype)"
            " converts them"
        )
    first = int(name == "where")
    return name, [*operands[:first], *(_make_float(program, each) for each in operands[first:])]


def promote_integers(program, name, operands, attributes):
    """(the op, its operands) in the type that NumPy computes these in."""
    if name == "full":
        return name, _fill(program, operands, attributes)
    first = int(name == "where")
    found = _find_integers(program, operands[first:]) if name in _OF_ONE_TYPE or name == "true_divide" else None
    if found is None:
        return name, operands
    arrays, strong, weak, scalars = found
    if not strong or (len(strong) == 1 and not weak):
        return name, operands
    program.tells_torch = True
    element = _promote(strong)
    if program.builder.is_of_torch:
        return name, operands
    if element is None and any(not is_unsigned(each) for each in arrays):
        return _mix_signs(program, name, operands)
    if name == "true_divide":
        return name, operands
    if element is None and arrays:
        # Floats in NumPy. Beside arrays of ui64 a number with a sign is one of these, if it is not negative.
        element, weak = _promote(arrays), scalars
    if element is None:
        return name, operands
    return name, _convert(program, name, operands, attributes, element, weak)


def _convert(program, name, operands, attributes, element, weak):
    """The operands in a type of integers. weak: the places of those that the program computes of sizes."""
    first = int(name == "where")
    result = [*operands]
    for place, each in enumerate(operands[first:]):
        own, sizes = program.type(each) if isinstance(each, Operand) else (None, None)
        if sizes is not None and own != element and not is_bool(own):
            result[place + first] = program.op("cast", (each,), {"type": element})
    # Comparisons are of the numbers, whatever the type.
    for place in weak if name not in _COMPARISONS and element != "i64" else ():
        number = operands[place + first]
        if name == "clamp":
            number = _clamp(program, number, place == 1 and attributes["has_min"], element)
        result[place + first] = hold(program, number, element, name)
    return result
