# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as arguments. NumPy's are inputs of a program: unsigned and complex ones, of which there are no scalars, by way of others. Each value of Python's is a constant of a program of its own, and a warning says so of an argument that has had several."""

import warnings

from .._program import Operand, find_caller, is_bool, is_complex, is_integer, is_unsigned
from ._structure import Static

#: How many values of an argument are compiled before the warning.
MAX_VALUES = 8
#: What is an input instead, by what the number is.
_INSTEAD = {
    float: "numpy.float32({0}) is an input, of one program for all values",
    int: "numpy.int64({0}) is an input, of one program for all values unless the function has to know it",
}
#: Of an object that holds arrays, which is not the same program as one that is equal to it.
_OF_OBJECTS = "it holds arrays that its class does not compare; arrays as arguments are inputs, of one program for all, and the same object has one program"
#: Ops whose operands after the first one, or all, are sizes, bounds and the like: scalars alone.
_OF_SIZES = set(
    "arange expand full iota linspace normal pad random_bits reshape roll select slice split triu uniform".split()
)


def add_number(builder, element, name):
    """What stands for a number of NumPy's in a program."""
    if is_complex(element):
        kind = element[len("complex<") : -1]
        return builder.complex(*(builder.full((), builder.scalar(kind, f"{name}_{part}")) for part in ("real", "imag")))
    scalar = builder.scalar("i64" if is_unsigned(element) else element, name)
    builder._program.integers.numpys.add(scalar._value)
    if not is_unsigned(element):
        return scalar
    result = builder.full((), scalar, element)
    builder._program.scalars[result._value] = scalar
    return result


def take_scalars(program, name, operands):
    """The operands of an op with the scalars of numbers without a sign that are sizes, or that are beside integers of another type: these keep their type, but
    for arrays of NumPy's."""
    types = [program.type(each) if isinstance(each, Operand) else (None, None) for each in operands]
    elements = [element for element, _ in types]
    has_array = any(
        sizes is not None and not is_bool(element) and each._value not in program.scalars
        for (element, sizes), each in zip(types, operands, strict=True)
    )
    result = [*operands]
    for place, each in enumerate(operands):
        scalar = program.scalars.get(each._value) if isinstance(each, Operand) else None
        others = {*filter(is_integer, elements)} - {elements[place]}
        program.tells_torch |= bool(scalar is not None and others)
        is_number = others and (not has_array or program.builder.is_of_torch)
        if scalar is not None and ((place and name in _OF_SIZES) or is_number):
            result[place] = scalar
    return result


def pass_numbers(leaves):
    """Arrays as they are, and numbers of NumPy's as scalars of a program: a complex one is two, and one of 64 bits without a sign has the same bits."""
    result = []
    for each in leaves:
        kind = each.dtype.kind if hasattr(each.dtype, "kind") else ""
        if kind == "c" and each.shape == () and not hasattr(each, "__dlpack__"):
            result += [each.real, each.imag]
        elif kind == "u" and each.dtype.itemsize == 8 and not hasattr(each, "__dlpack__"):
            result.append(int(each) - 2**64 if each >= 2**63 else each)
        else:
            result.append(each)
    return result


class Numbers:
    """The values that arguments of a function have had; nothing is kept once it has warned."""

    def __init__(self):
        self._values = {}

    @property
    def is_counting(self):
        return self._values is not None

    def add(self, name, arguments):
        """Those of a call that a program was made for. name: the function's; arguments: their structures by the names of parameters."""
        for parameter, each in arguments.items():
            if not isinstance(each, Static) or (type(each.value) not in _INSTEAD and not each.is_own):
                continue
            values = self._values.setdefault(parameter, set())
            values.add(each.let_go())
            if len(values) == MAX_VALUES:
                self._values = None
                _warn(name, parameter, _INSTEAD.get(type(each.value), _OF_OBJECTS).format(parameter))
                return


def _warn(name, parameter, instead):
    file, line = find_caller()
    text = f"{name}: '{parameter}' has had {MAX_VALUES} values, and for each a program was compiled, in which it is a constant: {instead}"
    warnings.warn_explicit(text, UserWarning, file or "fuser", line)


def add_numbers(key, places, leaves):
    """What tells a program apart, with the integers of NumPy's that it is for."""
    return (*key, *(int(leaves[place]) for place in places)) if places else key
