# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of fuser's of some nodes of a graph."""

import itertools
import operator
import re

import torch

import fuser

from .._frameworks import cast_as_torch
from .._program import ELEMENTS, Program, get_element, make_error
from ..builder import Builder, Value
from ._check import find_location, get_device, get_target
from ._ops import TABLE, Unsupported
from ._sizes import Sizes, get_expression, get_stride_order

#: Executables by text and device: the blocks of a model are often the same program.
_executables = {}
_MAX_EXECUTABLES = 1024
_numbers = itertools.count()
#: Stands among the symbols for a new seed at each run.
SEED = "seed"


class Refused(Exception):
    """A node that fuser does not take after all."""

    def __init__(self, node, reason):
        super().__init__(reason)
        self.node = node
        self.reason = reason


class _Located(Program):
    """A program whose ops stand where PyTorch says."""

    location = (None, 0)

    def find_location(self):
        return self.location


class FusedProgram:
    """What the nodes of one stage compute.

    inputs: nodes whose tensors it takes. symbols: sizes that it takes after them, and SEED. outputs: nodes whose tensors it gives.
    """

    def __init__(self, nodes, outputs):
        self.inputs = []
        self.outputs = outputs
        self.builder = Builder("graph")
        self._program = self.builder._program = _Located("graph", Value)
        self._sizes = Sizes(self.builder)
        self._seed = None
        self._num_offsets = 0
        self._values = {}
        self._device = get_device(nodes[0])
        self._places = [place for place in map(find_location, nodes) if place[0]]
        for node in nodes:
            for each in node.all_input_nodes:
                if each not in self._values and isinstance(each.meta["val"], torch.Tensor) and each not in nodes:
                    self._add_input(each)
        for node in nodes:
            self._lower(node)
        for node in outputs:
            self._add_output(node)

    @property
    def symbols(self):
        return self._sizes.symbols

    @property
    def seed(self):
        """The seed of the program's random numbers: a number that it takes, in the place of the symbol SEED."""
        if self._seed is None:
            self._seed = self.builder.scalar("int64", "seed")
            self.symbols.append(SEED)
        return self._seed

    def take_offset(self):
        """Another offset for each op, so that their numbers are different."""
        self._num_offsets += 1
        return self._num_offsets - 1

    def _add_input(self, node):
        tensor = node.meta["val"]
        expressions = map(get_expression, tensor.shape)
        sizes = [each if isinstance(each, int) else None for each in expressions]
        self._program.location = find_location(node)
        value = self.builder.input(sizes, get_element(tensor.dtype), node.name)
        self._values[node] = value
        self._sizes.add_tensor(value, tensor.shape)
        self.inputs.append(node)

    def _get(self, argument):
        """An argument of a node as a lowering takes it."""
        if isinstance(argument, torch.fx.Node):
            if argument in self._values:
                return self._values[argument]
            return self._sizes.get(argument.meta["val"])
        if isinstance(argument, (list, tuple)):
            return [self._get(each) for each in argument]
        return argument

    def _lower(self, node):
        self._program.location = find_location(node)
        if node.target is operator.getitem:
            self._values[node] = self._values[node.args[0]][node.args[1]]
            return
        args = [self._get(each) for each in node.args]
        kwargs = {name: self._get(each) for name, each in node.kwargs.items()}
        try:
            result = TABLE[node.target](Lowering(self, node), *args, **kwargs)
            self._values[node] = self._finish(node.meta["val"], result)
        except (Unsupported, fuser.Error) as error:
            # The place is said before it.
            raise Refused(node, re.sub(r"^[^\n]*?:\d+: error: ", "", str(error))) from error

    def _finish(self, tensor, result):
        """The result in the type that PyTorch says."""
        if isinstance(result, tuple):
            return tuple(self._finish(*each) for each in zip(tensor, result, strict=True))
        expected = [get_expression(size) for size in tensor.shape]
        pairs = list(zip(result.shape, expected, strict=False))
        if len(result.shape) != len(expected) or any(isinstance(b, int) and a not in (b, None) for a, b in pairs):
            raise Unsupported(f"its result is {result!r}, not of the shape {expected} that PyTorch says")
        if any(isinstance(b, int) and a is None for a, b in pairs):
            result = self._make_known(result, tensor.shape)
        element = get_element(tensor.dtype)
        if result.dtype == ELEMENTS[element]:
            return result
        return cast_as_torch(self.builder, result, element)

    def _make_known(self, result, shape):
        """The result with the sizes that PyTorch knows: an open one is taken for no size of 1."""
        known = [get_expression(size) for size in shape]
        sizes = [
            size if isinstance(size, int) and own is None else -1 for own, size in zip(result.shape, known, strict=True)
        ]
        try:
            return self.builder.broadcast_to(result, sizes)
        except fuser.Error:
            # Among other open sizes that no input has it takes a reshape.
            return result.reshape([self._sizes.get(size) for size in shape])

    def _add_output(self, node):
        self._program.location = find_location(node)
        order = get_stride_order(node.meta["val"])
        if order is None:
            raise Refused(node, f"its result has gaps or overlaps in memory: strides {node.meta['val'].stride()}")
        self.builder.output(self._values[node], node.name, stride_order=order)

    def _locate(self, error, places):
        """An error of a run, where names are those of PyTorch's graph, with the lines of the user's code that the program is of. places: those of what was compiled,
        which may be of other code that gives the same program."""
        text, known = str(error), [f"{file}:{line}: " for file, line in places]
        own = next(filter(text.startswith, known), "")
        if not self._places or (own and places == self._places):
            return error
        text = text.removeprefix(own)
        first, last = (f"{file}:{line}" for file, line in (self._places[0], self._places[-1]))
        rest = f" (in a program of what is up to {last})" if last != first else ""
        return make_error(f"{first}: error: {text}{rest}", error.code)

    def compile(self, target):
        """The program as a function of the inputs' tensors and the symbols' numbers."""
        code = self._program.finish()
        key = (self.builder.text(), *get_target(self._device, target))
        if key not in _executables:
            if len(_executables) >= _MAX_EXECUTABLES:
                del _executables[next(iter(_executables))]
            _executables[key] = fuser._fuser.Executable(fuser._default_context(*key[1:]), code), self._places
        executable, places = _executables[key]

        # PyTorch compiles anew for inputs with another negative or conjugate bit, of which DLPack knows nothing.
        values = [node.meta["val"] for node in self.inputs]
        negated = [number for number, value in enumerate(values) if value.is_neg() or value.is_conj()]

        def call(*args):
            # What requires a gradient is not exported by DLPack.
            args = [each.detach() if getattr(each, "requires_grad", False) else each for each in args]
            for number in negated:
                args[number] = args[number].resolve_neg().resolve_conj()
            try:
                return executable(*args)
            except fuser.Error as error:
                raise self._locate(error, places) from None

        call.executable = executable
        call.__name__ = call.__qualname__ = f"program_{next(_numbers)}"
        call.__module__ = "fuser.torch"
        return call


class Lowering:
    """What a lowering of an op sees: the builder, the tensors of the node as PyTorch describes them, sizes."""

    def __init__(self, program, node):
        self.builder = program.builder
        self.node = node
        self._program = program
        self._sizes = program._sizes
        self.take_offset = program.take_offset

    @property
    def seed(self):
        """The seed of random numbers, a scalar; `take_offset` gives each op an offset of its own."""
        return self._program.seed

    @property
    def device(self):
        """The device of the node's results."""
        return get_device(self.node)

    @property
    def result(self):
        """The node's result, a fake tensor or a tuple of them."""
        return self.node.meta["val"]

    def operand(self, number):
        """The fake tensor of the operand with that number."""
        return self.node.args[number].meta["val"]

    def get_size(self, size):
        """A size of a fake tensor, or computed of such, as an int or a scalar."""
        return self._sizes.get(size)

    def get_shape(self, sizes):
        """Sizes as ints and scalars; a single one that is not known is -1 if the others are not 0, which says the same and asks for less."""
        known = [get_expression(size) for size in sizes]
        unknown = [dim for dim, size in enumerate(known) if not isinstance(size, int)]
        if len(unknown) == 1 and 0 not in known:
            return [-1 if dim in unknown else size for dim, size in enumerate(known)]
        return [self.get_size(size) for size in sizes]
