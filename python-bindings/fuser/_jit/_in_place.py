# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments (`y += 1`, `y[0] = 1`, `y.add_(1)`) to arrays of a function that is traced, which in NumPy and PyTorch change the elements of an array under all of
its names.

Values of a program do not change. So an array that the function has made becomes another value, under all of its names: `h += bias` means what it says. What it
shares elements with (a view of it, or what it is a view of) would have to become another one, too: to use that afterwards is an error, not the old elements. An
array of the caller's would have to change itself: an error at once.
"""

import itertools
from typing import NamedTuple

from .._program import END, Operand, find_caller, get_kind

#: Operators by their sign, and what they are called.
_SIGNS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "@": "matmul",
}
#: Ops whose results are views of their first operand in NumPy or PyTorch.
_VIEWS = set(
    "atleast bitcast broadcast chunk conj expand flip imag moveaxis permute real reshape rot90 select slice split squeeze swapaxes unstack view_as_complex"
    " view_as_real".split()
)
#: The same, of which each result is one of the operand of its number.
_VIEWS_OF_EACH = {"broadcast_tensors", "meshgrid"}
#: Views that are several parts, of which no two have an element in common.
_PARTS = ("chunk", "split", "unstack")


class _Memory:
    """What an array and its views share."""

    def __init__(self, is_callers):
        self.is_callers = is_callers
        #: What assignments have changed, in order.
        self.changes = []


class _Change(NamedTuple):
    """What an assignment has changed."""

    path: tuple
    #: What it is called, and what to write instead.
    name: str
    instead: str
    #: (file, line)
    where: tuple


class _Place(NamedTuple):
    """Where a value has its elements."""

    memory: _Memory
    #: Which of the memory: of all, of that which, and so on.
    path: tuple
    #: How many of the changes it has.
    num_changes: int


def _find_bounds(name, attributes, number):
    """Between which elements a part is of those that an op makes of a dimension; None of what is not known."""
    if name == "unstack":
        return number, number + 1
    if "length" in attributes:
        return number * attributes["length"], (number + 1) * attributes["length"]
    bounds = attributes.get("indices") or [*itertools.accumulate(attributes.get("sizes", [None]))]
    return None if None in bounds else ([0, *bounds][number], [*bounds, END][number])


def _is_view(name, operands, attributes):
    """Whether results have elements of the operands."""
    if name != "einsum" or len(operands) != 1:
        return name in _VIEWS or name in _VIEWS_OF_EACH
    # Nothing is summed.
    left, arrow, right = attributes["equation"].replace(" ", "").partition("->")
    return set(left) == set(right) if arrow else len(set(left) - {"."}) == len(left.replace(".", ""))


def _find_part(name, operands, attributes, number):
    """Which part of its operand a result of a view has, so that equal ones are the same. number: that of the result."""
    if name in ("split", "unstack"):
        dim = attributes["dim"] % len(operands[0]._program.type(operands[0])[1])
        bounds = None if None in attributes.get("sizes", ()) else _find_bounds(name, attributes, number)
        if bounds is not None:
            return "slice", ((0, END),) * dim + (bounds,)
    if name in _PARTS:
        # Which parts there are open numbers do not say.
        is_open = any(isinstance(each, (list, tuple)) and None in each for each in attributes.values())
        return name, number, *attributes.items(), is_open and object()
    if name == "select":
        (index,) = attributes["index"]
        start = ("value", operands[1]._value) if index is None else index
        stop = END if index in (None, -1) else index + 1
        return name, (((0, END),) * attributes["dim"] if attributes["dim"] >= 0 else ()) + ((start, stop),)
    if name == "slice":
        values = iter(operands[1:])
        starts, stops, _ = (
            [("value", next(values)._value) if each is None else each for each in attributes[key]]
            for key in ("starts", "stops", "steps")
        )
        return name, tuple(zip(starts, stops, strict=True))
    if name == "flip":
        return name, tuple(attributes["dims"])
    return name, object()  # The same elements in another order.


def _ends_before(stop, start):
    """Whether nothing below the one bound can be at or above the other one. Negative numbers count from the end, of which it is not known where it is."""
    if isinstance(stop, int) and isinstance(start, int):
        return stop <= start and (stop < 0) == (start < 0)
    return stop == start


def _are_apart(first, second):
    """Whether two parts of the same have no element in common."""
    if first[0] == second[0] and first[0] in _PARTS:
        return first[2:] == second[2:]
    if {first[0], second[0]} - {"select", "slice"}:
        return False
    return any(
        _ends_before(stop, start) or _ends_before(end, begin)
        for (begin, stop), (start, end) in zip(first[1], second[1], strict=False)
    )


def _may_overlap(first, second):
    for one, other in zip(first, second, strict=False):
        if one != other:
            return not _are_apart(one, other)
    return True


class Changes:
    """Which values of a program share elements, and which of them have been changed."""

    def __init__(self):
        self._places = {}
        self._has_any = False

    def add_input(self, value):
        """An array of the caller's."""
        self._places[value] = _Place(_Memory(True), (), 0)

    def _find(self, value):
        if value not in self._places:
            self._places[value] = _Place(_Memory(False), (), 0)
        return self._places[value]

    def note(self, name, operands, attributes, results):
        """An op that is added."""
        if not _is_view(name, operands, attributes):
            return
        sources = operands if name in _VIEWS_OF_EACH else operands[:1] * len(results)
        for number, (source, result) in enumerate(zip(sources, results, strict=True)):
            # What is there already is the operand itself.
            if isinstance(source, Operand) and result._value not in self._places:
                place = self._find(source._value)
                part = _find_part(name, operands, attributes, number)
                self._places[result._value] = _Place(place.memory, (*place.path, part), len(place.memory.changes))

    def share(self, result, operand):
        """A value that has all elements of another one."""
        self._places[result._value] = self._find(operand._value)

    def check(self, operands):
        """Raises a TypeError for a value whose elements an assignment to another one has changed."""
        if not self._has_any:
            return
        for operand in operands:
            place = self._places.get(operand._value) if isinstance(operand, Operand) else None
            if place is None:
                continue
            for path, name, instead, (file, line) in place.memory.changes[place.num_changes :]:
                if _may_overlap(path, place.path):
                    raise TypeError(
                        f"expected an array that stays as it is, got one that {name} of {file}:{line} changes by another name, of a view or of what it is a"
                        f" view of: write {instead} there, which makes another array"
                    )

    def check_own(self, array, name, instead):
        """Raises a TypeError for an array of the caller's, or a view of one. name: what would change it. instead: what to write."""
        place = self._places.get(array._value)
        if place is not None and place.memory.is_callers:
            raise TypeError(
                f"expected an array that stays as it is, got {name}, which would change the caller's: write {instead}, or"
                " x = fuser.numpy.copy(x) before"
            )

    def settle(self, array, value):
        """Lets an array be read that is changed in the one part that `value` is, and that is assigned to it next, as of `h[0] += 1`: (that part, the place that
        the array had) for `finish`; None of others."""
        place = self._places.get(array._value)
        own = self._places.get(value._value) if isinstance(value, Operand) else None
        if place is None or own is None or own.memory is not place.memory or own.num_changes < len(own.memory.changes):
            return None
        changes = place.memory.changes[place.num_changes :]
        if not all(
            each.path[: len(own.path)] == own.path or not _may_overlap(each.path, place.path) for each in changes
        ):
            return None
        self._places[array._value] = place._replace(num_changes=len(place.memory.changes))
        return own.path, place

    def finish(self, array, part, settled):
        """Raises the error of an array that was read if another part of it is assigned to."""
        if settled is not None and (part is None or self._find(part._value).path != settled[0]):
            self._places[array._value] = settled[1]
            self.check((array,))

    def assign(self, array, result, name, instead, part=None):
        """Makes `array` the value that an assignment has computed of it. part: the view of it that has been changed, by default all. name, instead: as of a
        change."""
        place = self._find(array._value)
        path = place.path if part is None else self._find(part._value).path
        place.memory.changes.append(_Change(path, name, instead, find_caller()))
        self._has_any = True
        self._places[result._value] = place._replace(num_changes=len(place.memory.changes))
        array._value = result._value


#: An assignment keeps one of these kinds, or a lesser one.
_ORDER = {"bool": 0, "signed": 1, "unsigned": 1, "float": 2, "complex": 3}


def _fit(array, result, name, instead):
    """What an assignment has computed, in the type of the array; a TypeError if that or its shape cannot keep it."""
    element, sizes = array._program.type(array)
    computed, shape = array._program.type(result)
    fits = len(shape) == len(sizes) and all(own in (None, new) for own, new in zip(sizes, shape, strict=True))
    if not fits or _ORDER[get_kind(computed)] > _ORDER[get_kind(element)]:
        raise TypeError(
            f"expected a result of {name} that fits into {array!r}, got {result!r}: write {instead}, which makes another array"
        )
    return result if computed == element else array._program.builder.astype(result, element)


def _is_number(array, sign, is_of_torch):
    """Whether it gets another value under this name alone: a number does, and of NumPy's what is computed without dimensions. PyTorch has no `@=`."""
    sizes = array._program.type(array)[1]
    if sizes == () or sign == "@":
        array._program.tells_torch = True
    return sizes is None or (sign == "@" if is_of_torch else not sizes)


def _make_assignment(sign, name):
    operator = f"__{name}__"

    def assign(self, other):
        program = self._program
        name, instead = f"'{sign}='", f"y = y {sign} z"
        program.changes.check_own(self, name, f"x = x {sign} y, which makes another one")
        result = getattr(self, operator)(other)
        if _is_number(self, sign, program.builder.is_of_torch):
            return result
        program.changes.assign(self, _fit(self, result, name, instead), name, instead)
        return self

    return assign


def change(array, name, compute):
    """The array, which becomes what `compute()` gives, as a method of PyTorch's that ends in "_" makes it. name: of the method without that."""
    changes = array._program.changes
    called = f"'{name}_'"
    changes.check_own(array, called, f"x = x.{name}(...), which makes another one")
    instead = f"y = y.{name}(...)"
    changes.assign(array, _fit(array, compute(), called, instead), called, instead)
    return array


def _make_positive(self):
    """Another array of the same elements, as NumPy's `+x`; of PyTorch's tensors the same one."""
    program = self._program
    if program.type(self)[1] is None:
        return self  # A number does not change.
    program.tells_torch = True
    return self if program.builder.is_of_torch else program.builder.copy(self)


def add_assignments(array):
    """Adds the operators to the class of arrays."""
    _make_positive.__name__, _make_positive.__qualname__ = "__pos__", "Array.__pos__"
    array.__pos__ = _make_positive
    for sign, name in _SIGNS.items():
        method = _make_assignment(sign, name)
        method.__name__, method.__qualname__ = f"__i{name}__", f"Array.__i{name}__"
        setattr(array, method.__name__, method)
