# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions can name, by their code.

An object may be handed on, so attributes are looked for under the names of all functions that can be reached; variables under those of the code that has them.
"""

import dis
import functools
import opcode
import re
import types
from typing import NamedTuple

#: A function that names one of these may have attributes by their text.
_BY_TEXT = {"getattr", "hasattr", "vars", "__dict__", "AttributeError", "attrgetter", "methodcaller"}
#: What code names, and the instructions that it has, where elements of arrays may become Python's numbers.
_READERS = {"float", "int", "bool", "complex", "round", "range", "item", "tolist", "math"}
_TESTS = {number for name, number in opcode.opmap.items() if re.search("TRUE|FALSE|COMPARE|CONTAINS|UNARY_NOT", name)}


class CodeNames(NamedTuple):
    """What the code of a function names, and that of functions in it."""

    variables: frozenset
    attributes: frozenset
    #: Modules that it imports when it runs.
    imports: frozenset
    #: Texts that may be names.
    texts: frozenset
    #: Whether elements of arrays may become Python's numbers.
    reads: bool

    @property
    def is_by_text(self):
        return not _BY_TEXT.isdisjoint(self.variables | self.attributes)

    def find_variables(self):
        return self.variables | self.texts if self.is_by_text else self.variables


@functools.lru_cache(4096)
def read_code(code):
    """The CodeNames of a code object."""
    variables, attributes, imports = set(), set(), set()
    for each in dis.get_instructions(code):
        if each.opcode not in dis.hasname:
            continue
        if each.opname == "IMPORT_NAME":
            imports.add(each.argval)
        elif "GLOBAL" in each.opname or each.opname.endswith("_NAME"):
            variables.add(each.argval)
        else:
            attributes.add(each.argval)
    texts = {part for each in code.co_consts if isinstance(each, str) for part in split_text(each)}
    names = variables | attributes
    reads = not names.isdisjoint(_READERS) or not _TESTS.isdisjoint(code.co_code[::2])
    parts = [CodeNames(*map(frozenset, (variables, attributes, imports, texts)), reads)]
    parts += [read_code(each) for each in code.co_consts if isinstance(each, types.CodeType)]
    unions = [frozenset().union(*each) for each in list(zip(*parts, strict=True))[:-1]]
    return CodeNames(*unions, any(each.reads for each in parts))


def split_text(text):
    """The names in a text, which operator.attrgetter takes with dots."""
    parts = text.split(".")
    return parts if all(map(str.isidentifier, parts)) else []


def get_code(function):
    """The code of a function of Python's, also if it is wrapped; None of anything else."""
    function = getattr(function, "__func__", function)
    return function.__code__ if isinstance(function, types.FunctionType) else None


class Names:
    """What all functions that were looked at can name; it grows."""

    def __init__(self):
        self._variables, self._attributes, self._texts = set(), set(), set()

    def add(self, code):
        """The names of a CodeNames."""
        self._variables |= code.variables
        self._attributes |= code.attributes
        self._texts |= code.texts

    def add_attributes(self, names):
        self._attributes.update(names)

    @property
    def count(self):
        return len(self._variables), len(self._attributes), len(self._texts)

    @property
    def has_super(self):
        """Whether methods may be those of a class behind the first one that has them."""
        return "super" in self._variables

    @property
    def texts(self):
        """What attributes may be asked for by; nothing if none are."""
        named = self._variables | self._attributes
        if named.isdisjoint(_BY_TEXT):
            return frozenset()
        return frozenset(self._texts | self._attributes if "AttributeError" in named else self._texts)

    @property
    def attributes(self):
        return frozenset(self._attributes | self.texts)
