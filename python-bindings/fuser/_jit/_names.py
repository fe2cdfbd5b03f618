# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions can name, by their code.

An object may be handed on, so attributes are looked for under the names of all functions that can be reached; variables under those of the code that has them.
So are attributes of what installed packages have beside that of the function: all that may be reached there can be very much.
"""

import dis
import functools
import opcode
import re
import sys
import types
from typing import NamedTuple

#: Packages whose functions are not looked into.
_FOREIGN = {"fuser", "numpy", "torch", "builtins"} | sys.stdlib_module_names
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

    #: Whether attributes may be asked for by their text.
    is_by_text: bool
    #: The attributes, with those that may be asked for; and where one may be looked for in vain.
    named: frozenset
    asked: frozenset

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
    parts = [read_code(each) for each in code.co_consts if isinstance(each, types.CodeType)]
    for each in parts:
        variables |= each.variables
        attributes |= each.attributes
        imports |= each.imports
        texts |= each.texts
    names = variables | attributes
    reads = reads or any(each.reads for each in parts)
    is_by_text = not names.isdisjoint(_BY_TEXT)
    named = attributes | texts if is_by_text else attributes
    asked = () if not is_by_text else texts | attributes if "AttributeError" in names else texts
    return CodeNames(
        *map(frozenset, (variables, attributes, imports, texts)), reads, is_by_text, frozenset(named), frozenset(asked)
    )


def is_foreign(value):
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return is_foreign_package(str(name).partition(".")[0])


def is_foreign_package(name):
    return name in _FOREIGN


@functools.lru_cache(1024)
def is_installed(package):
    """Whether a package is neither the user's own, nor one that is not looked into."""
    module = sys.modules.get(package)
    paths = (getattr(module, "__file__", None), *getattr(module, "__path__", ()))
    return package not in _FOREIGN and any(re.search("site-packages|dist-packages", str(each)) for each in paths)


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
        #: Attributes that functions name, and those of them that the user's own functions do.
        self.attributes, self.own = set(), set()
        #: Whether methods may be those of a class behind the first one that has them.
        self.has_super = False
        #: How many functions of the user's there are.
        self.num_own = 0
        self._texts, self._is_by_text, self._is_by_error, self._known = set(), False, False, set()

    def add(self, code, is_own):
        """The names of a CodeNames. is_own: of a function of the user's."""
        if (code, is_own) in self._known:
            return
        self._known.add((code, is_own))
        self._is_by_text |= code.is_by_text
        self._is_by_error |= "AttributeError" in code.variables
        self.has_super |= "super" in code.variables
        self.attributes |= code.attributes
        if is_own:
            self.num_own += 1
            self.own |= code.attributes
            self._texts |= code.texts
        if self._is_by_text:
            self.attributes |= self._texts
            self.own |= self._texts

    @property
    def count(self):
        return len(self.attributes), len(self.own), len(self._known)

    @property
    def texts(self):
        """What attributes may be asked for by; nothing if none are."""
        if not self._is_by_text:
            return frozenset()
        return frozenset(self._texts | self.own if self._is_by_error else self._texts)
