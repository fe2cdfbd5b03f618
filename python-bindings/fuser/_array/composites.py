# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of models, and their gradients: what a builder and the ops of a FusionDefinition share."""

import numbers

from .._program import (
    Operand,
    get_axes,
    get_dim,
    get_element,
    is_integer,
    read_arrays,
    read_axis,
    read_flag,
    read_integer,
    read_integers,
    split_sizes,
    take_given,
)
from .names import REQUIRED, name_calls, takes


def _take_out(options, *names):
    """Takes options by their names out of others, which attributes of an op are; None where there is none."""
    return {name: options.pop(name, None) for name in names}


def _take_all(function, argument, given, *parts):
    """What a tuple or list has that is to have all these parts, of an argument of a function."""
    is_list = isinstance(given, (tuple, list))
    if not is_list or len(given) != len(parts):
        got = f"a {type(given).__name__} of length {len(given)}" if is_list else repr(given)
        raise TypeError(f"{function}: expected {argument}=({', '.join(parts)}), got {got}")
    return given


def _read_shift(shift):
    """An integer, or a scalar of the program that is one."""
    expected = "an integer, or an integer scalar of the program, as shift"
    try:
        return read_integer(shift, expected)
    except TypeError:
        element, sizes = shift._program.type(shift) if isinstance(shift, Operand) else ("", ())
        if sizes is not None or not is_integer(element):
            raise TypeError(f"roll: expected {expected}, got {shift!r}") from None
    return shift


_LOSS = {"weight": None, "label_smoothing": None, "reduction": "mean", "ignore_index": -100}
_ATTENTION = {"bias": None, "mask": None, "scale": None, "is_causal": False, "causal": None, "dropout": None}
#: What ops call operands that have PyTorch's names here.
_OPERANDS = {"label_smoothing": "smoothing"}
_PRODUCT = {"alpha": None, "bias": None, "beta": None, "dtype": None}


@name_calls
class Composites:
    """What a Builder has, and the ops of a FusionDefinition have beside nvFuser's: functions of models, and their gradients, among them.

    These compute in float32, of float64 in float64, and round each result once. `gradient` is that of the first result. What is computed says the op of
    that name in docs/spec/builder-ops.md.
    """

    def _soften(self, name, x, axis):
        return self._program.op(name, (x,), {"dim": read_axis(axis)})

    def softmax(self, x, axis=-1):
        """exp(x), divided by its sum along `axis`."""
        return self._soften("softmax", x, axis)

    def log_softmax(self, x, axis=-1):
        """The logarithm of the softmax."""
        return self._soften("log_softmax", x, axis)

    def softmax_backward(self, gradient, y, axis=-1):
        """The gradient of x. y: the softmax."""
        return self._program.op("softmax_backward", (gradient, y), {"dim": read_axis(axis)})

    def log_softmax_backward(self, gradient, y, axis=-1):
        """The gradient of x. y: the logarithm of the softmax."""
        return self._program.op("log_softmax_backward", (gradient, y), {"dim": read_axis(axis)})

    def _norm(self, name, x, eps, weight=None, bias=None, **options):
        operands, flags = take_given({"weight": weight, "bias": bias})
        return self._program.op(name, (x, eps, *operands), flags | options)

    def _norm_backward(self, name, operands, weight, options):
        flags = {} if weight is None else {"has_weight": True}
        flags |= {"has_bias": True} if options.pop("bias", False) else {}
        return self._program.op(name, operands if weight is None else (*operands, weight), flags | options)

    def layer_norm(self, x, weight=None, bias=None, ndim=1, eps=1e-5):
        """(y, mean, rstd): x less its mean, times the reciprocal of its standard deviation, over the last `ndim` dimensions; times weight, plus bias."""
        return self._norm("layer_norm", x, eps, weight, bias, ndim=ndim)

    @takes(bias=False, ndim=1)
    def layer_norm_backward(self, gradient, x, statistics, weight=None, **options):
        """The gradients of x, of weight if there is one, and of bias with bias=True. statistics: (mean, rstd)."""
        name = "layer_norm_backward"
        operands = gradient, x, *_take_all(name, "statistics", statistics, "mean", "rstd")
        return self._norm_backward(name, operands, weight, options)

    def rms_norm(self, x, weight=None, ndim=1, eps=1e-6):
        """(y, rrms): x times the reciprocal root of the mean of its squares over the last `ndim` dimensions, times weight."""
        return self._norm("rms_norm", x, eps, weight, ndim=ndim)

    @takes(ndim=1)
    def rms_norm_backward(self, gradient, x, rrms, weight=None, **options):
        """The gradients of x, and of weight if there is one."""
        return self._norm_backward("rms_norm_backward", (gradient, x, rrms), weight, options)

    @takes(dim=1, training=True, eps=1e-5, momentum=0.1)
    def batch_norm(self, x, weight=None, bias=None, running=None, **options):
        """(y, mean, rstd) over all dimensions but `dim`; with running=(mean, variance) these behind, moved by `momentum`. training=False: by the running ones."""
        operands, flags = take_given({"weight": weight, "bias": bias})
        eps, momentum = options.pop("eps", 1e-5), options.pop("momentum", 0.1)
        if running is not None:
            running = _take_all("batch_norm", "running", running, "mean", "variance")
            operands, flags["has_running"] = (*operands, *running, momentum), True
        return self._program.op("batch_norm", (x, eps, *operands), flags | options)

    @takes(bias=False, dim=1, training=True)
    def batch_norm_backward(self, gradient, x, statistics, weight=None, **options):
        """The gradients of x, of weight if there is one, and of bias with bias=True. statistics: (mean, rstd)."""
        name = "batch_norm_backward"
        operands = gradient, x, *_take_all(name, "statistics", statistics, "mean", "rstd")
        return self._norm_backward(name, operands, weight, options)

    def group_norm(self, x, num_groups, weight=None, bias=None, eps=1e-5):
        """(y, mean, rstd) over each of `num_groups` groups of channels, dimension 1, and all dimensions behind; weight and bias are of channels."""
        return self._norm("group_norm", x, eps, weight, bias, groups=num_groups)

    @takes(bias=False, num_groups=REQUIRED)
    def group_norm_backward(self, gradient, x, statistics, weight=None, **options):
        """The gradients of x, of weight if there is one, and of bias with bias=True. statistics: (mean, rstd)."""
        options["groups"] = options.pop("num_groups")
        name = "group_norm_backward"
        operands = gradient, x, *_take_all(name, "statistics", statistics, "mean", "rstd")
        return self._norm_backward(name, operands, weight, options)

    def instance_norm(self, x, weight=None, bias=None, eps=1e-5):
        """A group norm in which each channel is a group."""
        return self._norm("instance_norm", x, eps, weight, bias)

    @takes(bias=False)
    def instance_norm_backward(self, gradient, x, statistics, weight=None, **options):
        """The gradients of x, of weight if there is one, and of bias with bias=True. statistics: (mean, rstd)."""
        name = "instance_norm_backward"
        operands = gradient, x, *_take_all(name, "statistics", statistics, "mean", "rstd")
        return self._norm_backward(name, operands, weight, options)

    def _cross_entropy(self, name, operands, options, *optional):
        named = _take_out(options, *optional, "weight", "label_smoothing")
        smoothing = named["label_smoothing"]
        if isinstance(smoothing, numbers.Real) and not 0 <= smoothing <= 1:
            raise ValueError(f"{name}: expected a number from 0 to 1 as label_smoothing, got {smoothing}")
        given, flags = take_given({_OPERANDS.get(name, name): value for name, value in named.items()})
        return self._program.op(name, (*operands, *given), flags | options)

    @takes(**_LOSS, dim=None)
    def cross_entropy(self, logits, target, **options):
        """(loss, the logarithm of the sum of exponentials of each row), of rows along `dim`: by default 1, of one dimension that. PyTorch's gives the loss alone.

        weight: of each class. label_smoothing: what all classes share of the target. reduction: "mean", "sum" or "none". ignore_index: a target that does not count.
        """
        return self._cross_entropy("cross_entropy", (logits, target), options)

    @takes(**_LOSS, dim=None)
    def cross_entropy_backward(self, gradient, logits, target, logsumexp, **options):
        """The gradient of the logits, with the options of the loss."""
        return self._cross_entropy("cross_entropy_backward", (gradient, logits, target, logsumexp), options)

    @takes(bias=None, **_LOSS)
    def linear_cross_entropy(self, x, matrix, target, **options):
        """The cross entropy of linear(x, matrix, bias), with the options that it has."""
        return self._cross_entropy("linear_cross_entropy", (x, matrix, target), options, "bias")

    def gelu(self, x, approximate="none"):
        """x times the probability that a normal number is less than x. approximate: "tanh"."""
        return self._program.op("gelu", (x,), {"approximate": approximate})

    def gelu_backward(self, gradient, x, approximate="none"):
        """The gradient of x."""
        return self._program.op("gelu_backward", (gradient, x), {"approximate": approximate})

    def silu_backward(self, gradient, x):
        """The gradient of x."""
        return self._program.op("silu_backward", (gradient, x))

    def dropout_backward(self, gradient, mask, scale=1.0):
        """The gradient times the mask and `scale`, rounded once."""
        return self._program.op("dropout_backward", (gradient, mask, scale))

    def lstm(self, cell, input_gate, forget_gate, new_cell, output_gate):
        """(cell, hidden) of a step of a long short-term memory: sigmoid(forget_gate) * cell + sigmoid(input_gate) * tanh(new_cell), and
        sigmoid(output_gate) times the hyperbolic tangent of that."""
        return self._program.op("lstm", (cell, input_gate, forget_gate, new_cell, output_gate))

    def ceil_div(self, x1, x2):
        """x1 / x2 of integers, rounded up."""
        return self._program.op("ceil_div", (x1, x2))

    def bit_ceil(self, x):
        """The least power of two that is not below x, of integers; 1 of what is less."""
        return self._program.op("bit_ceil", (x,))

    def sigmoid_backward(self, gradient, y):
        """The gradient of x, of y = sigmoid(x)."""
        return self._program.op("sigmoid_backward", (gradient, y))

    def tanh_backward(self, gradient, y):
        """The gradient of x, of y = tanh(x)."""
        return self._program.op("tanh_backward", (gradient, y))

    def leaky_relu(self, x, negative_slope=0.01):
        """x, times `negative_slope` where it is negative."""
        return self._program.op("leaky_relu", (x, negative_slope))

    def softplus(self, x, beta=1.0, threshold=20.0):
        """log(1 + exp(beta * x)) / beta; x where beta * x is above the threshold."""
        return self._program.op("softplus", (x, beta, threshold))

    def dropout(self, x, rate, seed, offset=0):
        """(y, mask): elements of x times 1 / (1 - rate) where the mask is true, which it is with this probability, else 0. seed, offset: as of `uniform`."""
        return self._program.op("dropout", (x, rate, seed, offset))

    def _attend(self, name, operands, options):
        given, flags = take_given(_take_out(options, "bias", "mask", "scale", "causal"))
        dropout = options.pop("dropout", None)
        if dropout is not None:
            dropout = _take_all(name, "dropout", dropout, "rate", "seed", "offset")
            given, flags["has_dropout"] = (*given, *dropout), True
        return self._program.op(name, (*operands, *given), flags | options)

    @takes(**_ATTENTION)
    def sdpa(self, query, key, value, **options):
        """(softmax(query * key^T * scale) * value, the logarithm of the sum of exponentials of each row of scores).

        bias: what scores get more. mask: the same, or booleans: which scores count. scale: by default 1 / root of the size of a query. is_causal: a query sees
        the keys up to its own place alone. causal: the same as a scalar of the program. dropout: (rate, seed, offset).
        """
        return self._attend("sdpa", (query, key, value), options)

    @takes(**_ATTENTION)
    def sdpa_backward(self, gradient, inputs, results, **options):
        """The gradients of inputs=(query, key, value). results: those of sdpa, whose options these are."""
        inputs = _take_all("sdpa_backward", "inputs", inputs, "query", "key", "value")
        results = _take_all("sdpa_backward", "results", results, "y", "logsumexp")
        return self._attend("sdpa_backward", (gradient, *inputs, *results), options)

    def _multiply(self, name, operands, options):
        given, flags = take_given(_take_out(options, "alpha", "bias", "beta"))
        if "dtype" in options:
            options["type"] = get_element(options.pop("dtype"))
        return self._program.op(name, (*operands, *given), flags | options)

    @takes(**_PRODUCT, swizzled_block=None)
    def scaled_mm(self, a, b, scale_a, scale_b, **options):
        """alpha * ((a * scale_a) @ (b * scale_b)) + beta * bias. A scale is one number, or of blocks along what is summed over. dtype: of the result, by default that of the factors.

        swizzled_block: the size of blocks whose scales are as swizzle_scales makes them of (rows of a, blocks) and (columns of b, blocks).
        """
        return self._multiply("scaled_mm", (a, b, scale_a, scale_b), options | {"has_scales": True})

    @takes(**_PRODUCT)
    def grouped_mm(self, a, b, offsets, scales=None, **options):
        """Products of groups, which end at `offsets`: of rows of a and matrices of b, of matrices of a and columns of b, or of parts of what is summed over.

        scales: (of a, of b). The options are those of scaled_mm.
        """
        if scales is None:
            return self._multiply("grouped_mm", (a, b, offsets), options)
        scales = _take_all("grouped_mm", "scales", scales, "of a", "of b")
        return self._multiply("grouped_mm", (a, b, offsets, *scales), options | {"has_scales": True})

    @takes(scales="float8_e8m0fnu", global_scale=None)
    def block_quantize(self, x, dtype="float8_e4m3fn", block_size=None, rounding=None, **options):
        """(data, scales) of blocks of the last dimension, so that data * scales is about x.

        dtype: of data; "float4_e2m1fn" has two elements in a byte. rounding: of scales that are powers of two, "floor" as OCP MX has it, where the greatest
        elements may become the greatest number of dtype, or "ceil", where none has to. scales: their type; of powers of two, "float8_e8m0fnu",
        each is of 32 elements (mxfp8, mxfp4), of "float8_e4m3fn", which 4-bit floats alone have, of 16 (nvfp4). global_scale: a tensor of one number that
        scales of nvfp4 are divided by.
        """
        operands, flags = take_given(_take_out(options, "global_scale"))
        given = {"block_size": block_size, "rounding": rounding}
        attributes = {name: value for name, value in given.items() if value is not None}
        attributes |= {"type": get_element(dtype), "scale_type": get_element(options.pop("scales", "float8_e8m0fnu"))}
        return self._program.op("block_quantize", (x, *operands), attributes | flags | options)

    def block_dequantize(self, data, scales, dtype="float32", block_size=None, global_scale=None):
        """Each element times the scale of its block of the last dimension, and the global scale; of 32 elements or, with scales of float8_e4m3fn, of 16."""
        operands, flags = take_given({"global_scale": global_scale})
        attributes = flags | {"type": get_element(dtype)} | ({} if block_size is None else {"block_size": block_size})
        return self._program.op("block_dequantize", (data, scales, *operands), attributes)

    @takes(dtype=None)
    def block_scaled_grouped_mm(self, a, b, scales, alpha, groups, **options):
        """alpha * ((a * scale_a) @ (b * scale_b)), each row of a (M, K) by the matrix of its group of b (G, K, N), with scales of 16 or 32 elements in tiles.

        scales: (of a, of b), as swizzle_scales makes them of pad_groups of (M, blocks), and of (G, N, blocks): of float8_e4m3fn, of 16 elements, or
        float8_e8m0fnu, of 32. alpha: a number for each group. groups: their sizes (G, 3), (rows, N, K) of each, where they begin among rows of a, one behind
        the other, and where among rows of its scales. dtype: of the result.
        """
        if "dtype" in options:
            options["type"] = get_element(options.pop("dtype"))
        name = "block_scaled_grouped_mm"
        scales = _take_all(name, "scales", scales, "of a", "of b")
        groups = _take_all(name, "groups", groups, "sizes", "starts", "starts of scales")
        return self._program.op(name, (a, b, *scales, alpha, *groups), options)

    def swizzle_scales(self, scales):
        """Scales (..., rows, columns) of blocks as tensor cores of Blackwell read them: in tiles of 128 rows and 4 columns, with zeros behind the last ones."""
        return self._program.op("swizzle_scales", (scales,))

    def unswizzle_scales(self, tiles, rows, columns):
        """The first (..., rows, columns) scales of tiles."""
        (shape,), values = split_sizes([rows, columns])
        return self._program.op("unswizzle_scales", (tiles, *values), {"shape": shape})

    def pad_groups(self, x, starts, padded_starts, multiple=128):
        """Rows in groups, which begin at `starts`, moved to where they begin at `padded_starts`, numbers of which each is a multiple; between them are zeros.

        Of m rows in g groups there are as many as they may take, m + g * (multiple - 1) rounded down to a multiple.
        """
        attributes = {"multiple": read_integer(multiple, "a number of rows")}
        return self._program.op("pad_groups", (x, starts, padded_starts), attributes)

    def unpad_groups(self, x, starts, padded_starts, rows):
        """The first `rows` rows that pad_groups moved."""
        (shape,), values = split_sizes([rows])
        return self._program.op("unpad_groups", (x, starts, padded_starts, *values), {"shape": shape})

    def tile(self, x, repetitions):
        """x so many times along each dimension; of more numbers than dimensions the first are of new ones."""
        return self._program.op("tile", (x,), {"repeats": read_integers(repetitions)})

    def repeat(self, x, repeats, axis=None):
        """Each element of `axis`, by default of all in row-major order, `repeats` times in a row."""
        value, dim = get_dim(x, axis)
        return self._program.op(
            "repeat_interleave", (value,), {"repeats": read_integer(repeats, "a number of repeats"), "dim": dim}
        )

    def _read_indices(self, x, indices, dim):
        """Indices along a dimension of x as ops take them."""
        return indices

    def eye(self, rows, columns=None, k=0, dtype="float32"):
        """Ones on the diagonal `k` of a matrix, zeros elsewhere."""
        (sizes,), values = split_sizes([rows, rows if columns is None else columns])
        return self._program.op("eye", (k, *values), {"shape": sizes, "type": get_element(dtype)})

    def _index(self, name, x, indices, *others, axes=None, **attributes):
        indices = read_arrays(indices)
        axes = [*range(len(indices))] if axes is None else [*map(read_axis, axes)]
        if len(axes) != len(indices):
            raise ValueError(f"expected an axis for each of the indices, got {len(indices)} of {axes}")
        read = [self._read_indices(x, index, dim) for index, dim in zip(indices, axes, strict=True)]
        return self._program.op(name, (x, *read, *others), {"dims": axes, **attributes})

    def index(self, x, indices, axes=None):
        """x[indices]: tensors of indices, which are broadcast, of ascending axes, by default the first ones."""
        return self._index("index", x, indices, axes=axes)

    def index_put(self, x, indices, values, axes=None, accumulate=False):
        """x with `values`, which are broadcast, in place of x[indices], or with `accumulate` plus all of them for a place."""
        return self._index("index_put", x, indices, values, axes=axes, accumulate=read_flag(accumulate, "accumulate"))

    def tril(self, x, k=0):
        """The elements on and below a diagonal of the last two dimensions, zeros above it; k is the diagonal, a number or a scalar."""
        return self._program.op("tril", (x, k))

    def flip(self, x, axis=None):
        """x backwards along `axis`, by default all dimensions."""
        axes = get_axes(axis) or {"dims": list(range(x.ndim))}
        return self._program.op("flip", (x,), axes)

    def chunk(self, x, chunks, axis=0):
        """The parts of x along an axis as a tuple, all but the last ones of one length, which is rounded up.

        Of a known size there may be fewer than `chunks`, as in PyTorch; of an open one there are as many, the last ones perhaps empty.
        """
        chunks = read_integer(chunks, "an integer as chunks")
        return self._program.ops("chunk", (x,), {"chunks": chunks, "dim": read_axis(axis)})

    def roll(self, x, shift, axis=None):
        """x with its elements `shift` places further along `axis`, both numbers or lists; what leaves at one end comes in at the other.

        Shifts may be integer scalars of the program. Without an axis the elements move in row-major order.
        """
        shifts = [_read_shift(each) for each in (shift if isinstance(shift, (list, tuple)) else [shift])]
        # In the list the least number stands for one of the operands.
        values = [each for each in shifts if isinstance(each, Operand) or each == -(2**63)]
        numbers = [None if isinstance(each, Operand) or each == -(2**63) else each for each in shifts]
        axes = axis if axis is None or isinstance(axis, (list, tuple)) else [axis] * len(shifts)
        return self._program.op("roll", (x, *values), {"shifts": numbers} | get_axes(axes))
