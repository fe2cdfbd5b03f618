# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's ops that read or write whole fibres of a tensor: scans, sorts, and what is written to computed places. (The others: _ops.py.)"""

import math

import torch

from .._jit._torch_functions import COMBINE
from ._ops import compute, lowers, require
from ._sizes import get_expression, get_hint, is_same

_aten = torch.ops.aten

#: The longest fibre, of which PyTorch's kernels are not faster (docs/performance.md).
_LONGEST = {"cuda": {"scan": 1024, "topk": 1024, "write": 1024}, "cpu": {"topk": 65536, "write": 1024}}
#: So many first elements of rows are found sooner than by PyTorch on a GPU, whose way does not depend on their number.
_FEW_FIRST = 64
#: Of so many elements that go to rows of a tensor on a GPU the sort of the rows' numbers is a small part.
_MANY_WRITES = 2**22
LONG = "of long fibres PyTorch has faster kernels"


def _check_fibre(g, kind, *sizes):
    """Refuses fibres that are too long. kind: "scan", "topk" or "write"."""
    longest = _LONGEST[g.device.type].get(kind)
    require(longest is None or sum(map(get_hint, sizes)) <= longest, LONG)


def _check_scan(g, dim):
    """On a GPU fuser is slower with one row of 8-byte elements, and with one column."""
    tensor = g.operand(0)
    if not tensor.dim():
        return
    dim %= tensor.dim()
    before, after = (math.prod(map(get_hint, sizes)) for sizes in (tensor.shape[:dim], tensor.shape[dim + 1 :]))
    is_last = dim + 1 == tensor.dim()
    scanned = g.result[0] if isinstance(g.result, tuple) else g.result
    if (is_last and before == 1 and scanned.dtype.itemsize == 8) or (not is_last and after == 1):
        _check_fibre(g, "scan", tensor.shape[dim])


def _check_write(g, source, *sizes):
    """source: what is written to whole rows."""
    is_large = math.prod(map(get_hint, source.shape)) >= _MANY_WRITES
    if g.device.type != "cuda" or not is_large:
        _check_fibre(g, "write", *sizes)


def _get_size(g, dim):
    """The size of the first operand along a dimension, of which a tensor without dimensions has one element."""
    shape = g.operand(0).shape
    return shape[dim] if len(shape) else 1


# Scans


def _add_scans():
    def make(name):
        def lower(g, x, dim, dtype=None):
            _check_scan(g, dim)
            return compute(g, name, x, dim, dtype)

        return lower

    for name in ("cumsum", "cumprod"):
        lowers(getattr(_aten, name).default)(make(name))


_add_scans()


def _scan_extreme(g, kind, x, dim):
    """(elements, indices): of equal ones, the last; once there is a NaN, its own."""
    _check_scan(g, dim)
    extremes = getattr(g.builder, kind)(x, dim)
    if not x.ndim:
        return extremes, g.builder.full((), 0, "int64")
    position = g.builder.iota([g.get_size(size) for size in g.operand(0).shape], dim % x.ndim)
    is_one = x == extremes
    if g.operand(0).dtype.is_floating_point:
        is_one = g.builder.logical_or(is_one, g.builder.isnan(x))
    return extremes, g.builder.cummax(g.builder.where(is_one, position, 0), dim)


@lowers(_aten.cummax.default)
def _cummax(g, x, dim):
    return _scan_extreme(g, "cummax", x, dim)


@lowers(_aten.cummin.default)
def _cummin(g, x, dim):
    return _scan_extreme(g, "cummin", x, dim)


# Sorts


@lowers(_aten.sort.default)
def _sort(g, x, dim=-1, descending=False):
    return g.builder.sort(x, dim, descending)


@lowers(_aten.sort.stable)
def _sort_stable(g, x, *, stable=False, dim=-1, descending=False):
    return _sort(g, x, dim, descending)


@lowers(_aten.topk.default)
def _topk(g, x, k, dim=-1, largest=True, sorted=True):
    size = _get_size(g, dim)
    is_few = isinstance(k, int) and k <= _FEW_FIRST
    if g.device.type != "cuda" or not is_few:
        _check_fibre(g, "topk", size)
    require(isinstance(k, int), "an open number of elements")
    return g.builder.topk(x, k, dim, largest)


# Writes to a place for each element


def _is_part(inner, outer):
    """Whether sizes are the same, or both known."""
    return is_same(inner, outer) or all(isinstance(get_expression(size), int) for size in (inner, outer))


def _scatter(g, x, dim, index, source, combine=None):
    """source: a value of the program or a number."""
    tensor, indices = g.operand(0), g.operand(2)
    require(tensor.dim() and indices.dim(), "a tensor without dimensions has no indices")
    require(tensor.dtype != torch.bool or combine is None, "fuser combines no booleans")
    dim %= tensor.dim()
    others = [d for d in range(tensor.dim()) if d != dim]
    same = [is_same(indices.shape[d], tensor.shape[d]) for d in others]
    wide = g.operand(3).shape if isinstance(g.node.args[3], torch.fx.Node) else indices.shape
    is_whole = all(map(is_same, wide, indices.shape))
    if get_expression(indices.shape[dim]) == 1 and all(same) and is_whole and combine in (None, "sum"):
        # One index along the dimension is a choice for each element, which is fused.
        place = g.builder.iota([g.get_size(size) for size in tensor.shape], dim)
        source = source if combine is None else g.builder.add(x, source)
        return g.builder.where(place == index, source, x)
    known = [_is_part(indices.shape[d], tensor.shape[d]) for d in others]
    require(all(known) and all(map(_is_part, wide, indices.shape)), "sizes of indices and elements that are open")
    _check_fibre(g, "write", tensor.shape[dim], indices.shape[dim])
    return g.builder.scatter(x, index, source, dim, combine)


@lowers(_aten.scatter.src, _aten.scatter.value)
def _scatter_plain(g, x, dim, index, source):
    if isinstance(source, float) and not g.operand(0).dtype.is_floating_point:
        source = int(source)
    return _scatter(g, x, dim, index, source)


@lowers(_aten.scatter.reduce, _aten.scatter.value_reduce)
def _scatter_old_reduce(g, x, dim, index, source, *, reduce):
    return _scatter(g, x, dim, index, source, COMBINE[reduce])


@lowers(_aten.scatter_add.default)
def _scatter_add(g, x, dim, index, source):
    return _scatter(g, x, dim, index, source, "sum")


@lowers(_aten.scatter_reduce.two)
def _scatter_reduce(g, *args, include_self=True):
    *operands, reduce = args
    require(include_self and reduce != "mean", "a mean, or elements that do not count themselves")
    return _scatter(g, *operands, reduce)


# Writes of parts


def _check_parts(g, dim):
    """Of an index of one dimension or none, and of elements with its size along `dim`."""
    require(g.operand(0).dim(), "a tensor without dimensions has no indices")
    _check_write(g, g.operand(3), _get_size(g, dim), *g.operand(2).shape)


@lowers(_aten.index_add.default)
def _index_add(g, x, dim, *others, **options):
    require(g.operand(0).dtype != torch.bool, "fuser combines no booleans")
    _check_parts(g, dim)
    return compute(g, "index_add", x, dim, *others, **options)


@lowers(_aten.index_copy.default)
def _index_copy(g, x, dim, *others):
    _check_parts(g, dim)
    return compute(g, "index_copy", x, dim, *others)


@lowers(_aten.embedding_dense_backward.default)
def _embedding_backward(g, gradient, indices, num_weights, padding_idx, scale_grad_by_freq):
    require(not scale_grad_by_freq, "gradients that are scaled by how often an index comes")
    shape = g.operand(1).shape
    if g.device.type != "cuda":  # There PyTorch's kernel takes several times as long, however small tensors are.
        _check_fibre(g, "write", *shape, num_weights if isinstance(num_weights, int) else g.result.shape[0])
    rows, width = g.get_size(g.result.shape[0]), g.get_size(g.result.shape[1])
    count = math.prod((g.get_size(size) for size in shape), start=1)
    indices = indices.astype("int64").reshape([count])
    indices = g.builder.where(indices == padding_idx, -1, indices) if padding_idx >= 0 else indices
    zeros = g.builder.full([rows, width], 0, "float32" if g.result.dtype.itemsize < 4 else g.result.dtype)
    return g.builder.index_add(zeros, indices, gradient.reshape([count, width]), 0)


# Tensors of indices, one for each of some dimensions


def _read_places(g, number, indices):
    """(Dimensions of the first operand that have indices, these without negative ones). number: of the node's argument."""
    fakes = [each.meta["val"] for each in g.node.args[number] if each is not None]
    require(all(fake.dtype != torch.bool for fake in fakes), "the size of its result depends on elements")
    dims, read = [], []
    for dim, index in enumerate(indices):
        if index is None:
            continue
        wide = index.astype("int64")
        dims.append(dim)
        read.append(g.builder.where(wide < 0, wide + g.get_size(g.operand(0).shape[dim]), wide))
    return dims, read


@lowers(_aten.index.Tensor, _aten._unsafe_index.Tensor)
def _index(g, x, indices):
    dims, read = _read_places(g, 1, indices)
    return g.builder.index(x, read, dims)


def _put(g, x, number, indices, values, accumulate):
    require(g.operand(0).dtype != torch.bool or not accumulate, "fuser combines no booleans")
    dims, read = _read_places(g, number, indices)
    places = torch.broadcast_shapes(*(each.meta["val"].shape for each in g.node.args[number] if each is not None))
    _check_fibre(g, "write", *(g.operand(0).shape[dim] for dim in dims), *places)
    return g.builder.index_put(x, read, values, dims, accumulate)


@lowers(_aten.index_put.default, _aten._unsafe_index_put.default)
def _index_put(g, x, indices, values, accumulate=False):
    mask = indices[0] if len(indices) == 1 else None
    if mask is not None and mask.dtype == "bool" and not accumulate and g.operand(2).dim() == 0:
        mask = mask.expand_dims(list(range(mask.ndim, x.ndim))) if mask.ndim < x.ndim else mask
        return g.builder.where(mask, values.astype(x.dtype), x)
    return _put(g, x, 1, indices, values, accumulate)


@lowers(_aten._unsafe_masked_index.default)
def _masked_index(g, x, mask, indices, fill):
    dims, read = _read_places(g, 2, indices)
    return g.builder.where(mask, g.builder.index(x, read, dims), fill)


@lowers(_aten._unsafe_masked_index_put_accumulate.default)
def _masked_put(g, x, mask, indices, values):
    return _put(g, x, 2, indices, g.builder.where(mask, values, 0), True)


# Products


@lowers(_aten.mm.default, _aten.bmm.default)
def _product(g, x, y):
    return g.builder.matmul(x, y)


@lowers(_aten._int_mm.default)
def _product_of_bytes(g, x, y):
    """In 32 bits, as the result is."""
    return g.builder.matmul(x.astype("int32"), y.astype("int32"))
