# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that a function was traced to, once more with the sizes of a call, so that what does not fit is an error at the function's line.

Sizes that are open while a function is traced meet others when the program runs, which knows no lines there. The function is not run again: what it does
beside arrays would happen once more.
"""

import operator
import threading
from typing import NamedTuple

from .. import _fuser
from .._program import NO_ATTRIBUTES, Operand, count_elements, find_caller, get_range, is_bool, is_integer
from ..builder import OpByOp
from ._slices import Scatter, Slice, explain_scatter, explain_slice

#: What is known of scalars by what they are computed of.
_FOLDED = {
    "abs": abs,
    "add": operator.add,
    "eq": lambda x, y: int(x == y),
    "floor_div": operator.floordiv,
    "lt": lambda x, y: int(x < y),
    "max": max,
    "min": min,
    "mul": operator.mul,
    "neg": operator.neg,
    "remainder": operator.mod,
    "sub": operator.sub,
    "where": lambda condition, x, y: x if condition else y,
}
#: Ops whose operands are numbers that the size of the result is computed of.
_OF_NUMBERS = {"arange", "linspace"}


def _fold(name, numbers):
    """What an op gives for these numbers; None of a quotient that there is none of."""
    try:
        return _FOLDED[name](*numbers)
    except ZeroDivisionError:
        return None


class _Place(int):
    """A value, by its number in the program that was traced."""


class Origin(NamedTuple):
    """Where an op is from."""

    #: (file, line) of the user's code that added it.
    location: tuple = (None, 0)
    #: That of the call in the function itself that led there; None if it is the same.
    caller: tuple | None = None
    #: The name of what it is a part of.
    called: str | None = None

    def add_to(self, text):
        """An error at the location, with a note at the call that led there."""
        return f"{text}\n{self.caller[0]}:{self.caller[1]}: note: called from here" if self.caller else text


class _Step(NamedTuple):
    origin: Origin
    name: str
    operands: tuple
    attributes: dict
    results: tuple
    #: Of a slice or a scatter, as it was traced.
    bounds: Slice | Scatter | None


def _find_places(operands):
    return tuple(_Place(each._value) if isinstance(each, Operand) else each for each in operands)


class Tape:
    """What a program was made of."""

    def __init__(self):
        self._steps = []
        #: Whether the function has been traced.
        self.is_over = False
        #: The one that traces it: what others add would be in no order.
        self.thread = threading.get_ident()
        #: That of what is added next.
        self.origin = Origin()

    def _add(self, name, operands, attributes=NO_ATTRIBUTES, results=(), bounds=None):
        self._steps.append(_Step(self.origin, name, operands, attributes, results, bounds))

    def add_input(self, element, sizes, value):
        self._add("input", (element, sizes), results=(value._value,))

    def add_op(self, name, operands, attributes, results, bounds=None):
        self._add(name, _find_places(operands), attributes, tuple(each._value for each in results), bounds)

    @property
    def has_slices(self):
        """Whether there are slices that may be beyond their size."""
        return any(isinstance(each.bounds, Slice) for each in self._steps)

    def count(self):
        """How many steps there are."""
        return len(self._steps)

    def let_cut(self, first):
        """Lets slices from a step on end beyond their size: what is done with them has been cut there."""
        self._steps[first:] = [each._replace(bounds=None) for each in self._steps[first:]]

    def find_location(self, value):
        """(file, line) of the op that made a value."""
        found = (each.origin.location for each in self._steps if value._value in each.results)
        return next(found, (None, 0))

    def locate(self, name, wrap, leaves):
        """(the error of the first op that does not take what it gets in a call with these arrays and numbers, whether it is a slice that is beyond its size);
        None if there is no such op."""
        program = _Known(name, wrap, leaves)
        try:
            for step in self._steps:
                program.add(step)
        except _fuser.Error as error:
            return error, program.is_beyond
        except (OverflowError, TypeError, ValueError):
            pass  # Of known sizes it would have been other ops, with other attributes or as many results as there are parts.
        return None, False


def list_operands(values):
    """The operands among values, and in lists and tuples of them."""
    parts = [each if isinstance(each, (list, tuple)) else (each,) for each in values]
    return [each for own in parts for each in own if isinstance(each, Operand)]


def _refuse_thread(program):
    if program.tape.is_over or program.tape.thread == threading.get_ident():
        return
    file, line = find_caller()
    raise TypeError(
        f"{file}:{line}: expected the thread that traces the function, got another one, such as one of a pool: write a loop, or map, whose ops the program"
        " computes with all threads"
    )


def refuse_kept(program, operands):
    """Raises a TypeError for operands of a program that is not being traced, which the function has kept, or that another thread traces."""
    is_over = program.tape.is_over
    _refuse_thread(program)
    for each in operands:
        if not isinstance(each, Operand) or (each._program is program) is not is_over:
            continue
        _refuse_thread(each._program)
        (file, line), made = find_caller(), each._program.tape.find_location(each)
        place = f" at {made[0]}:{made[1]}" if made[0] else ""
        raise TypeError(
            f"{file}:{line}: expected an array of the function that is being traced, got an array that an earlier trace made{place} and that something has"
            " kept (lru_cache, an attribute): make it anew, or outside with NumPy; what is used outside of a function is what it returns"
        )


class _Known(OpByOp):
    """A program of known sizes. leaves: the arrays and numbers of a call."""

    def __init__(self, name, wrap, leaves):
        super().__init__(name, wrap)
        self._left = iter(leaves)
        self._origin = Origin()
        #: Whether there was a slice that is beyond its size.
        self.is_beyond = False
        #: By places in the program that was traced, the values, and what is known of scalars.
        self._values, self._numbers = {}, {}

    def find_location(self):
        return self._origin.location

    def add_callers(self, text):
        return self._origin.add_to(text)

    def add(self, step):
        self._origin, self.called = step.origin, step.origin.called
        if step.name == "input":
            self._add_input(step.results[0], *step.operands)
            return
        self._note_number(step)
        operands, attributes = self._fill(step)
        is_of_numbers = step.name in _OF_NUMBERS or "checked" in attributes
        operands = [*map(self._get_known if is_of_numbers else self._get, operands)]
        if step.name == "select":
            self._check_index(operands[0], step.attributes, attributes)
        if step.bounds is not None:
            self._check_bounds(step, operands, attributes)
        results = self.op(step.name, operands, attributes)
        results = results if isinstance(results, tuple) else (results,)
        self._values.update(zip(step.results, results, strict=True))

    def _check_bounds(self, step, operands, attributes):
        if step.name == "slice":
            reason = explain_slice(step.bounds, Slice(self.type(operands[0])[1], attributes))
            self.is_beyond = bool(reason) and "cut" not in step.attributes
        else:
            reason = explain_scatter(step.bounds, Scatter.make(self, operands, attributes))
        if reason:
            raise self.make_error(f"'{self.called or step.name}': {reason}")

    def _add_input(self, place, element, sizes):
        # Behind those of the call are arrays that the function has named, whose sizes are known.
        leaf = next(self._left, None)
        if sizes is not None and leaf is not None:
            sizes = count_elements(tuple(map(int, leaf.shape)), element)
        elif sizes is None and hasattr(leaf, "__index__") and not is_bool(element):
            self._numbers[place] = operator.index(leaf)
        self._values[place] = self.input(element, sizes)

    def _check_index(self, x, traced, known):
        """One that the program computes has been counted from the end: it is not, once more."""
        (number,), size = known["index"], self.type(x)[1][known["dim"]]
        if traced["index"] == [None] and number is not None and number < 0:
            raise self.make_error(
                f"'{self.called or 'select'}': expected an index of {-size} to {size - 1}, got {number - size}"
            )

    def _get(self, operand):
        return self._values[operand] if isinstance(operand, _Place) else operand

    def _get_known(self, operand):
        """The number if it is known, else the value."""
        known = self._numbers.get(operand) if isinstance(operand, _Place) else None
        return self._get(operand) if known is None else known

    def _note_number(self, step):
        """What is known of the result of an op of scalars."""
        known = None
        if step.name == "size":
            known = self.type(self._values[step.operands[0]])[1][step.attributes["dim"]]
        elif step.name == "cast" and is_integer(step.attributes["type"]):
            least, greatest = get_range(step.attributes["type"])
            number = self._get_known(step.operands[0])
            known = (number - least) % (greatest - least + 1) + least if type(number) is int else None
        elif step.name in _FOLDED:
            operands = [*map(self._get_known, step.operands)]
            known = _fold(step.name, operands) if all(type(each) is int for each in operands) else None
        if known is not None:
            self._numbers[step.results[0]] = known

    def _fill(self, step):
        """(operands, attributes), with numbers that are known in lists where there are operands for them, which are the last ones."""
        lists = {name: each for name, each in step.attributes.items() if isinstance(each, (list, tuple))}
        count = sum(each is None for own in lists.values() for each in own)
        if not count:
            return step.operands, step.attributes
        left, operands = iter(step.operands[-count:]), [*step.operands[:-count]]

        def fill(size):
            if size is not None:
                return size
            place = next(left, None)
            known = self._get_known(place)
            if type(known) is int:
                return known
            operands.append(place)
            return None

        return operands, step.attributes | {name: [*map(fill, own)] for name, own in lists.items()}
