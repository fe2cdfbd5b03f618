# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of several types beside each other, as NumPy has them where PyTorch lets a number and an array without dimensions take the type of other arrays:

- NumPy's numbers and arrays without dimensions count as arrays do: uint8 with np.int16(300) is int16.
- Sizes, and what is computed of these, are Python's integers there, of which the array says the type: one that it does not hold is an error of the call.
"""

from .._program import Operand, get_bits, get_element, get_range, is_bool, is_integer, is_unsigned
from ._captured import is_scalar

#: Ops whose operands, but for the condition of a `where`, are of one type.
_OF_ONE_TYPE = set(
    "add sub mul div floor_div remainder fmod and or xor shl shr gcd max min pow clamp where lt le gt ge eq ne dot inner kron outer".split()
)
_COMPARISONS = {"lt", "le", "gt", "ge", "eq", "ne"}


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
        for each in operands:
            is_numpys = (
                each._value in self.numpys or each._value in others if isinstance(each, Operand) else is_scalar(each)
            )
            if is_numpys:
                self.numpys.update(values)

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


def promote_integers(program, name, operands, attributes):
    """The operands of an op in the type that NumPy computes these in."""
    if name == "full":
        return _fill(program, operands, attributes)
    first = int(name == "where")
    found = _find_integers(program, operands[first:]) if name in _OF_ONE_TYPE else None
    if found is None:
        return operands
    arrays, strong, weak, scalars = found
    if not strong or (len(strong) == 1 and not weak):
        return operands
    program.tells_torch = True
    element = _promote(strong)
    if element is None and arrays:
        # Floats in NumPy. Beside arrays of ui64 a number with a sign is one of these, if it is not negative.
        element, weak = _promote(arrays), scalars
    if element is None or program.builder.is_of_torch:
        return operands
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
