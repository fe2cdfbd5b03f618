# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are not known while a graph is compiled: PyTorch's symbols, as scalars of a program."""

import functools
import operator

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils._sympy import functions


def get_expression(size):
    """A size, or a number that is computed of sizes, as an int or a float if it is known, else as an expression of symbols."""
    if isinstance(size, (int, float)):
        return size
    expression = size.node.expr
    if expression.is_Integer:
        return int(expression)
    # What is a number by what PyTorch asks of the inputs stays an expression there; but only a size that is known to be 1 is broadcast.
    hint = size.node.hint if isinstance(size, torch.SymInt) else None
    return hint if hint is not None and statically_known_true(size == hint) else expression


def is_same(first, second):
    """Whether sizes are known to be equal, as they are or by what PyTorch asks of the inputs before it runs the graph."""
    return get_expression(first) == get_expression(second) or statically_known_true(first == second)


#: Stands for a number that depends on elements, of which example inputs do not tell.
_LARGE = 8191


def get_hint(size):
    """The size that it has in the example inputs."""
    if isinstance(size, int):
        return size
    if size.node.hint is not None:
        return size.node.hint
    return int(size.node.expr.subs(dict.fromkeys(size.node.expr.free_symbols, _LARGE)))


def get_stride_order(tensor):
    """The dimensions from slowest to fastest in memory; None if they are not those of a tensor without gaps and overlaps."""
    sizes, strides = list(map(get_hint, tensor.shape)), list(map(get_hint, tensor.stride()))
    order = sorted(range(tensor.dim()), key=lambda dim: (-strides[dim], dim))
    expected = 1
    for dim in reversed(order):
        if sizes[dim] != 1 and get_hint(expected) != strides[dim] and 0 not in sizes:
            return None
        expected = expected * tensor.shape[dim]
    return order


class Sources(dict):
    """Where a graph has the value of each symbol: an input that is the number (and None), or a tensor with that size and the dimension."""

    def __init__(self, graph):
        super().__init__()
        inputs = [node for node in graph.nodes if node.op == "placeholder"]
        for node in inputs:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt):
                self._add(value, node, None)
        for node in inputs:
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                for dim, size in enumerate(value.shape):
                    self._add(size, node, dim)

    def _add(self, size, node, dim):
        expression = get_expression(size)
        if isinstance(expression, sympy.Symbol):
            self.setdefault(expression, (node, dim))

    def explain(self, size):
        """Why a size cannot be computed in a program; None if it can."""
        expression = get_expression(size)
        if isinstance(expression, int):
            return None
        unknown = expression.free_symbols - self.keys()
        if unknown:
            return f"the size {expression} is not known before the graph runs"
        if not all(_is_computed(each) for each in sympy.preorder_traversal(expression)):
            return f"the size {expression} is computed in a way that fuser does not have"
        return None


_OPERATORS = {
    sympy.Add: operator.add,
    sympy.Mul: operator.mul,
    functions.FloorDiv: operator.floordiv,
    functions.CleanDiv: operator.floordiv,
    functions.Mod: operator.mod,
    functions.PythonMod: operator.mod,
}


_QUOTIENTS = (functions.FloatTrueDiv, functions.IntTrueDiv)
_CASTS = {functions.ToFloat: "f64", functions.TruncToInt: "i64"}


def _is_computed(expression):
    if isinstance(expression, sympy.Pow):
        return expression.exp.is_Integer and expression.exp > 0
    if expression.is_Symbol or expression.is_Integer or expression.is_Float:
        return True
    return expression.func in _OPERATORS or expression.func in _CASTS or isinstance(expression, _QUOTIENTS)


class Sizes:
    """The sizes of one program, as ints and as scalars."""

    def __init__(self, builder):
        self._builder = builder
        self._dims = {}
        self._values = {}
        #: Symbols that the program takes as numbers.
        self.symbols = []

    def add_tensor(self, value, shape):
        """Takes sizes from an input of the program."""
        for dim, size in enumerate(shape):
            expression = get_expression(size)
            if isinstance(expression, sympy.Symbol):
                self._dims.setdefault(expression, (value, dim))

    def get(self, size):
        """An int, or a scalar."""
        expression = get_expression(size)
        return expression if isinstance(expression, (int, float)) else self._compute(expression)

    def _compute(self, expression):
        if expression.is_Integer:
            return int(expression)
        if expression.is_Float:
            return float(expression)
        if expression not in self._values:
            self._values[expression] = self._emit(expression)
        return self._values[expression]

    def _cast(self, number, element):
        if isinstance(number, (int, float)):
            return float(number) if element == "f64" else int(number)
        return self._builder._program.op("cast", (number,), {"type": element})

    def _emit(self, expression):
        if expression.is_Symbol:
            if expression in self._dims:
                return self._builder.size(*self._dims[expression])
            self.symbols.append(expression)
            return self._builder.scalar("int64", str(expression))
        if isinstance(expression, sympy.Pow):
            parts = [self._compute(expression.base)] * int(expression.exp)
            return functools.reduce(operator.mul, parts)
        parts = [self._compute(each) for each in expression.args]
        if expression.func in _CASTS:
            return self._cast(parts[0], _CASTS[expression.func])
        if isinstance(expression, _QUOTIENTS):
            return operator.truediv(*(self._cast(each, "f64") for each in parts))
        return functools.reduce(_OPERATORS[expression.func], parts)
