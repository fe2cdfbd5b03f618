# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a FusionDefinition, with nvFuser's names and orders of arguments."""

import enum
import functools
import inspect

from . import _program
from ._array.names import REQUIRED, explain_arguments, takes
from ._program import (
    ELEMENTS,
    Operand,
    find_near,
    get_axes,
    get_element,
    name_elementwise,
    read_flag,
    read_integer,
    read_integers,
)
from .builder import Composites


class _Names(enum.EnumMeta):
    """Says which type is meant by a name that other libraries have for one."""

    def __getattr__(cls, name):
        members = cls.__dict__.get("_member_map_", {})
        if name in members or name.startswith("_"):
            return members[name] if name in members else super().__getattribute__(name)
        value = get_element(name.lower())
        own = next((each for each in members if members[each].value == value), None)
        advice = f": write DataType.{own}" if own else find_near(name, members) or f" among {', '.join(members)}"
        raise AttributeError(f"expected a DataType, got '{name}'{advice}")


class DataType(enum.Enum, metaclass=_Names):
    """Element types, as nvFuser names them. The value is the name in the program's text; of those without one there are no tensors."""

    Double = "f64"
    Float = "f32"
    Half = "f16"
    BFloat16 = "bf16"
    Int = "i64"
    Int32 = "i32"
    Short = "i16"
    Char = "i8"
    Byte = "ui8"
    UInt16 = "ui16"
    UInt32 = "ui32"
    Bool = "i1"
    Index = "i64 index"
    UInt64 = "ui64"
    Float8_e4m3fn = "f8E4M3FN"
    Float8_e5m2 = "f8E5M2"
    Float8_e8m0fnu = "f8E8M0FNU"
    Float4_e2m1fn = "f4E2M1FN"
    Float4_e2m1fn_x2 = "f4E2M1FN x2"
    ComplexFloat = "complex<f32>"
    ComplexDouble = "complex<f64>"
    Null = "null"

    def __repr__(self):
        return f"DataType.{self.name}"


def get_element_of(dtype):
    """The element type of a DataType."""
    if not isinstance(dtype, DataType):
        raise TypeError(f"expected a DataType, got {dtype!r}")
    element = dtype.value.removesuffix(" index")
    if element not in ELEMENTS:
        names = ", ".join(each.name for each in DataType if each.value in ELEMENTS)
        raise NotImplementedError(f"DataType.{dtype.name}: fuser has no tensors of it; there are {names}")
    return element


_UNARY = name_elementwise(
    1, "nvfuser", "erfcinv erfinv frac isneginf isposinf logical_not reciprocal relu signbit real imag"
)
# As in C++ `div` truncates integers. `fmod` has two names, the second of which a program prints.
_BINARY = {"mod": "fmod"} | name_elementwise(
    2,
    "nvfuser",
    "eq ge gt le lt ne logical_and logical_or",
    hidden={"floor_div", "fmax", "fmin"},  # nvFuser has none of these.
)
#: What the compiler's ops are called in nvFuser.
NAMES = {op: name for name, op in (_UNARY | _BINARY).items()}
#: How a scan goes on from a number before the first element.
_SCANS = {"cumsum": "add", "cumprod": "mul", "cummax": "max", "cummin": "min"}

#: What nvFuser schedules a tensor with, and reads of its schedule.
_SCHEDULING = (
    "axis cache_after cache_before definition domain get_logical_domain get_loop_domain get_root_domain has_root inner_split is_symbolic merge"
    " outer_split reorder rfactor set_allocation_domain set_device_mesh set_memory_type split swizzle uses"
).split()
BY_HAND = "a schedule by hand is an attribute of the program's text here (docs/rationale/scheduling.md)"


def split_sizes(*lists):
    """The same as in _program. Sizes that are computed as floats are cast, as nvFuser does it."""

    def convert(size):
        if isinstance(size, Operand) and "f" in size._program.type(size)[0]:
            return size._program.op("cast", (size,), {"type": "i64"})
        return size

    return _program.split_sizes(*(map(convert, sizes) for sizes in lists))


def _record(method):
    """An op that its definition remembers, so that it can print itself."""
    signature = inspect.signature(method)
    signature = signature.replace(parameters=list(signature.parameters.values())[1:])

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        program = self._definition._program
        program.is_recording, before = False, program.is_recording
        try:
            result = program.call(method.__name__, method, self, *args, **kwargs)
        except TypeError:
            # Python names what is within, and not what is near. Composites explain theirs.
            is_own = method.__module__ == __name__
            explained = is_own and explain_arguments(f"fd.ops.{method.__name__}", signature, args, kwargs)
            if not explained:
                raise
            raise explained from None
        finally:
            program.is_recording = before
        if before:
            self._definition._remember(f"fd.ops.{method.__name__}", args, kwargs, result)
        return result

    return call


class Absent(NotImplementedError, AttributeError):
    """A name of nvFuser's that is not here, which hasattr takes for none."""


def _find_near(value, name):
    """ "; did you mean NAME?" of the public attributes of a value; Python itself asks for private ones."""
    return "" if name.startswith("_") else find_near(name, [each for each in dir(value) if not each.startswith("_")])


#: What the ops' arguments behind the operands are: the ops get all, with their defaults.
_takes = functools.partial(takes, inspect.Parameter.POSITIONAL_OR_KEYWORD, fill=True)


def _get_product_options(given):
    """What scaled_mm and grouped_mm say of their result."""
    if given.pop("output_block_scale_size") or given.pop("output_gamma"):
        raise NotImplementedError("fd.ops: fuser does not have yet products that are scaled by block; others are there")
    given.pop("output_block_scale_dtype")
    return given | {"dtype": get_element_of(given.pop("dtype") or DataType.BFloat16)}


#: What products of scaled matrices take beside the scales.
_PRODUCT = {
    **dict.fromkeys(("alpha", "bias", "beta")),
    "dtype": DataType.BFloat16,
    "output_block_scale_size": 0,
    "output_block_scale_dtype": DataType.BFloat16,
    "output_gamma": False,
}
#: Where random numbers come from.
_RANDOM = {"rng_seed": None, "rng_offset": None, "dtype": DataType.Float}


class Ops(Composites):
    """The ops of a FusionDefinition: `fd.ops.add(t0, t1)`.

    Operands are tensors, scalars of the definition and numbers; tensors are broadcast and promoted as PyTorch's are. Each op rounds to its
    result's type: of Half and BFloat16, too, in which nvFuser computes as Float. A program that casts to Float before it computes has the same results.
    What nvFuser has in C++ alone (`layer_norm`, `softmax`), and some of what it has not (`index_put`), is as in fuser.Builder: what has several
    results gives a tuple, `cross_entropy` the loss, which is PyTorch's, and the logarithm of sums.
    """

    def __init__(self, definition):
        self._definition = definition

    def __getattr__(self, name):
        from .builder import Builder

        is_builders = not name.startswith("_") and hasattr(Builder, name)
        hint = ", which nvFuser has not: programs of a fuser.Builder have it" if is_builders else _find_near(self, name)
        raise AttributeError(f"expected an op of nvFuser's, got '{name}'{hint}")

    @property
    def _program(self):
        return self._definition._program

    def _op(self, op, *operands, **attributes):
        return self._program.op(op, operands, attributes)

    def _get_random_state(self, rng_seed=None, rng_offset=None):
        if (rng_seed is None) != (rng_offset is None):
            raise ValueError("expected rng_seed and rng_offset, or neither of them, got one of them")
        return (self._definition._add_seed(), 0) if rng_seed is None else (rng_seed, rng_offset)

    @_record
    def cast(self, arg, dtype):
        """The elements in another element type."""
        return self._op("cast", arg, type=get_element_of(dtype))

    @_record
    def where(self, condition, x, y):
        """x where the condition is not 0, else y."""
        return self._op("where", condition, x, y)

    @_record
    def lerp(self, x, y, weight):
        """x + weight * (y - x), from the end that is nearer."""
        return self._op("lerp", x, y, weight)

    @_record
    def clamp(self, input, min=None, max=None):
        """The input between `min` and `max`, either of which may be None."""
        bounds = [bound for bound in (min, max) if bound is not None]
        return self._op("clamp", input, *bounds, has_min=min is not None, has_max=max is not None)

    @_record
    def threshold(self, input, threshold, value):
        """`value` where the input is no greater than `threshold`, else the input."""
        return self._op("threshold", input, threshold, value)

    @_record
    def addcmul(self, input1, input2, input3, alpha):
        """input1 + alpha * input2 * input3."""
        return self._op("addcmul", input1, input2, input3, alpha)

    def _reduce(self, kind, arg, dims, keepdim, dtype):
        if isinstance(dims, DataType):
            dims, dtype = None, dims
        attributes = {} if dtype is DataType.Null else {"type": get_element_of(dtype)}
        return self._op("reduce", arg, kind=kind, keep=bool(keepdim), **get_axes(dims), **attributes)

    # nvFuser has the dimensions as `dim` or as `dims`.

    @_record
    def sum(self, arg, dims=None, keepdim=False, dtype=DataType.Null, *, dim=None):
        """The sum over dimensions, by default all; of integers an Int."""
        return self._reduce("sum", arg, dims if dim is None else dim, keepdim, dtype)

    @_record
    def prod(self, arg, dims=None, keepdim=False, dtype=DataType.Null, *, dim=None):
        """The product over dimensions, by default all; of integers an Int."""
        return self._reduce("prod", arg, dims if dim is None else dim, keepdim, dtype)

    @_record
    def max(self, arg, dims=None, keepdim=False, dtype=DataType.Null, *, dim=None):
        """The greatest element over dimensions, by default all; NaN if one is."""
        return self._reduce("max", arg, dims if dim is None else dim, keepdim, dtype)

    @_record
    def min(self, arg, dims=None, keepdim=False, dtype=DataType.Null, *, dim=None):
        """The least element over dimensions, by default all; NaN if one is."""
        return self._reduce("min", arg, dims if dim is None else dim, keepdim, dtype)

    @_record
    def var(self, arg, dims, correction=1, keepdim=False):
        """Squares of differences from the mean, divided by the number of elements less `correction`."""
        return self._op("var", arg, correction=correction, keep=bool(keepdim), **get_axes(dims))

    @_record
    def var_mean(self, arg, dims, correction=1, keepdim=False):
        """(variance, mean)."""
        return self._op("var_mean", arg, correction=correction, keep=bool(keepdim), **get_axes(dims))

    @_record
    def std(self, arg, dims, correction=1, keepdim=False):
        """The root of the variance."""
        return self._op("std", arg, correction=correction, keep=bool(keepdim), **get_axes(dims))

    @_record
    def std_mean(self, arg, dims, correction=1, keepdim=False):
        """(root of the variance, mean)."""
        return self._op("std_mean", arg, correction=correction, keep=bool(keepdim), **get_axes(dims))

    @_record
    def welford(self, arg, dims):
        """(mean, sum of squares of differences from it, number of elements), in two walks over the elements."""
        return self._op("welford", arg, **get_axes(dims))

    @_record
    @_takes(**dict.fromkeys("bias mask dropout_p is_causal scale rng_seed rng_offset".split()))
    def sdpfa_fwd(self, query, key, value, **options):
        """(output, logsumexp, seed, offset) of attention, as products and a softmax. With a dropout_p each execution draws a seed, unless one is given with an
        offset. The last two results are both, or tensors of 0. mask: booleans, or what scores get more.
        """
        seed, offset, rate = options.pop("rng_seed"), options.pop("rng_offset"), options.pop("dropout_p")
        options["causal"] = options.pop("is_causal")
        if rate is not None and not (isinstance(rate, (int, float)) and rate == 0):
            seed, offset = self._get_random_state(seed, offset)
            options["dropout"] = (rate, seed, offset)
        else:
            seed = offset = self._op("full", 0, shape=[], type="i64")
        return (*self.sdpa(query, key, value, **options), *map(self._get_value, (seed, offset)))

    def _get_value(self, number):
        return number if isinstance(number, Operand) else self._program.number(number)

    @_record
    @_takes(
        **dict.fromkeys("output logsumexp dropout_p is_causal philox_seed philox_offset".split(), REQUIRED), scale=None
    )
    def sdpfa_bwd(self, grad_output, query, key, value, **given):
        """The gradients of query, key and value. Without dropout_p seed and offset are not read; with one they have to be scalars or numbers."""
        options = {"causal": given["is_causal"], "scale": given["scale"]}
        rate = given["dropout_p"]
        if rate is not None and not (isinstance(rate, (int, float)) and rate == 0):
            options["dropout"] = (rate, given["philox_seed"], given["philox_offset"])
        results = (given["output"], given["logsumexp"])
        return self.sdpa_backward(grad_output, (query, key, value), results, **options)

    @_record
    @_takes(scale1=REQUIRED, scale2=REQUIRED, **_PRODUCT)
    def scaled_mm(self, mat1, mat2, **given):
        """(alpha * (mat1 * scale1) (mat2 * scale2) + beta * bias, None, None). A scale is one number, or of the dimensions of its factor; of Float8_e4m3fn, of
        16 elements, and Float8_e8m0fnu, of 32, it is swizzled, and those of mat2 are of its transpose.
        """
        options = _get_product_options(given)
        scales = options.pop("scale1"), options.pop("scale2")
        options |= {"has_scales": True, "swizzled": True}
        return self._multiply("scaled_mm", (mat1, mat2, *scales), options), None, None

    @_record
    @_takes(scale1=None, scale2=None, **_PRODUCT)
    def grouped_mm(self, mat1, mat2, offsets, **given):
        """The products of groups that end at `offsets`. With scales a triple, as of scaled_mm; without, the product alone, in the type of the matrices."""
        scales = given.pop("scale1"), given.pop("scale2")
        is_given = [each is not None for each in scales]
        if not any(is_given) and all(value is _PRODUCT[name] for name, value in given.items()):
            return super().grouped_mm(mat1, mat2, offsets)
        if not all(is_given):
            raise TypeError("fd.ops.grouped_mm: expected scale1 and scale2, or no argument behind offsets, got others")
        options = _get_product_options(given)
        return super().grouped_mm(mat1, mat2, offsets, scales, **options), None, None

    @_record
    def nv_block_quantize(
        self, input, global_scale=None, swizzle_block_scales=False, block_size=16, dtype=DataType.Float4_e2m1fn
    ):
        """(data, scales) of blocks along the last dimension: of 16 Float4_e2m1fn, with scales of Float8_e4m3fn, which are times `global_scale`, or of 32
        Float8_e4m3fn, with scales of Float8_e8m0fnu, which are rounded up.
        """
        data, scales = self._quantize(input, global_scale, block_size, dtype)
        return data, super().swizzle_scales(scales) if swizzle_block_scales else scales

    def _quantize(self, input, global_scale, block_size, dtype):
        if (dtype, block_size) == (DataType.Float4_e2m1fn, 16):
            inverse = None if global_scale is None else self._op("reciprocal", global_scale)
            return super().block_quantize(input, "f4E2M1FN", block_size, scales="f8E4M3FN", global_scale=inverse)
        if (dtype, block_size) != (DataType.Float8_e4m3fn, 32):
            raise NotImplementedError(
                "expected dtype=DataType.Float4_e2m1fn and block_size=16, or DataType.Float8_e4m3fn and 32, "
                f"got {dtype} and {block_size}"
            )
        if global_scale is not None:
            raise NotImplementedError(f"expected no global_scale with {dtype}, got one, which is of 4-bit floats")
        return super().block_quantize(input, "f8E4M3FN", block_size, "ceil")

    @_record
    @_takes(global_scale=None, block_size=16, dtype=DataType.Float4_e2m1fn)
    def nv_grouped_block_quantize(self, input, input_offsets, output_offsets, **given):
        """nv_block_quantize of rows in groups, with scales as preprocess_grouped_matmul_input_sf makes them."""
        size, dtype = given["block_size"] or 16, given["dtype"] or DataType.Float4_e2m1fn
        data, scales = self._quantize(input, given["global_scale"], size, dtype)
        return data, self._swizzle_groups(scales, input_offsets, output_offsets)

    @_record
    def preprocess_grouped_matmul_input_sf(self, input, input_offsets, output_offsets):
        """Scales of rows in groups, which begin at `input_offsets`, swizzled: with the rows of each group at its number of `output_offsets`, a multiple of 128."""
        return self._swizzle_groups(input, input_offsets, output_offsets)

    def _swizzle_groups(self, scales, starts, padded_starts):
        return super().swizzle_scales(super().pad_groups(scales, starts, padded_starts))

    @_record
    @_takes(
        **dict.fromkeys("scale1 scale2 alpha problem_sizes expert_offsets sf_offsets".split(), REQUIRED),
        dtype=DataType.BFloat16,
    )
    def cutlass_nvfp4_grouped_mm(self, mat1, mat2, **given):
        """alpha * (mat1 * scale1) (mat2 * scale2): of mat1 (m, k), rows in groups, and mat2 (g, k, n), a matrix of each, of 4-bit floats.
        Groups begin at `expert_offsets` and have as many rows as the first of their (m, n, k), `problem_sizes`; their scales, swizzled as
        preprocess_grouped_matmul_input_sf does it, begin at `sf_offsets`. scale2 is that of the transposed matrices, swizzled.
        """
        groups = tuple(given[name] for name in ("problem_sizes", "expert_offsets", "sf_offsets"))
        dtype = get_element_of(given["dtype"] or DataType.BFloat16)
        scales = given["scale1"], given["scale2"]
        return super().block_scaled_grouped_mm(mat1, mat2, scales, given["alpha"], groups, dtype=dtype)

    @_record
    def complex(self, real, imag):
        """Complex numbers of their parts."""
        return self._op("complex", real, imag)

    @_record
    def matmul(self, arg1, arg2):
        """The product of matrices, as PyTorch has it."""
        return self._op("matmul", arg1, arg2)

    @_record
    def triu(self, arg, diagonal=0):
        """The elements on and above a diagonal of the last two dimensions, zeros below it."""
        return self._op("triu", arg, diagonal)

    @_record
    def linear(self, arg1, arg2, bias=None):
        """arg1 times the transpose of arg2, plus bias."""
        return self._op("linear", arg1, arg2, *(() if bias is None else (bias,)))

    @_record
    def broadcast(self, arg, is_broadcast_dim):
        """With a new dimension of size 1 where `is_broadcast_dim`, of the result's dimensions, is true."""
        try:
            flags = [bool(each) for each in is_broadcast_dim]
        except TypeError:
            raise TypeError(
                f"fd.ops.broadcast: expected a list of bools as is_broadcast_dim, one for each dimension of the result, got {is_broadcast_dim!r}"
            ) from None
        if flags.count(False) != arg.ndim:
            raise self._program.make_error(
                f"'broadcast': expected a False in 'is_broadcast_dim' for each of the {arg.ndim} dimensions of {arg!r}, got {flags.count(False)} of {len(flags)}"
            )
        return self._op("broadcast", arg, is_new=flags)

    @_record
    def broadcast_in_dim(self, arg, shape, broadcast_dims):
        """Dimension `d` of the operand is dimension `broadcast_dims[d]` of the result, of size 1 or of the size in `shape`."""
        (sizes,), values = split_sizes(shape)
        return self._op("broadcast_in_dim", arg, *values, shape=sizes, dims=list(broadcast_dims))

    @_record
    def reshape(self, arg, new_shape):
        """The same elements in row-major order in another shape, in which one size may be -1."""
        (sizes,), values = split_sizes(new_shape)
        return self._op("reshape", arg, *values, shape=sizes)

    @_record
    def permute(self, arg, dims):
        """Dimension `d` of the result is dimension `dims[d]` of the operand."""
        return self._op("permute", arg, dims=list(dims))

    @_record
    def expand(self, arg, shape):
        """The operand repeated to `shape`; a size of -1 is its own."""
        (sizes,), values = split_sizes(shape)
        return self._op("expand", arg, *values, shape=sizes)

    @_record
    def squeeze(self, arg, dims, squeeze_expanded=False):
        """The operand without `dims`, of size 1."""
        return self._op("squeeze", arg, dims=list(dims))

    @_record
    def slice(self, arg, start_indices, end_indices, strides=None, manual_normalization=False):
        """Bounds are clamped to the size."""
        (starts, stops), values = split_sizes(start_indices, end_indices)
        steps = [1] * len(starts) if strides is None else read_integers(list(strides), "integers as strides")
        return self._op("slice", arg, *values, starts=starts, stops=stops, steps=steps, cut=True)

    @_record
    def select(self, arg, index, dim):
        """The part of one index of `dim`, without that dimension. The index may be a scalar of the definition."""
        (places,), values = split_sizes([index])
        return self._op("select", arg, *values, dim=dim, index=places)

    # An index that is no element, a negative one too, gives NaN, the least integer or false.

    @_record
    def index_select(self, arg, index, dim):
        """The parts of `dim` whose numbers are `index`, a tensor of one dimension or none."""
        return self._op("index_select", arg, index, dim=dim)

    @_record
    def take_along_axis(self, arg, index, dim):
        """For each index the element that it says along `dim`; the other sizes of both are broadcast."""
        return self._op("take_along_axis", arg, index, dim=dim)

    @_record
    def gather(self, arg, index, dim):
        """The same, of the first elements where there are fewer indices in other dimensions than `dim`, as PyTorch has it."""
        return self._op("gather", arg, index, dim=dim)

    @_record
    def scatter(self, arg, index, src, dim):
        """`arg` with the elements of `src` at the places that `index` says along `dim`; the last one for a place counts."""
        return self._op("scatter", arg, index, src, dim=read_integer(dim, "a dimension as dim"))

    def _scan(self, name, arg, dim, init):
        result = self._op(name, arg, dim=read_integer(dim, "a dimension as dim"))
        if init is None:
            return result
        if isinstance(init, Operand) and init.is_tensor():
            text = f"expected a number or a scalar as init, got {init!r}: it is before the first element of every row"
            raise self._program.make_error(text)
        init = self._op("cast", init, type=self._program.type(result)[0])
        return self._op(_SCANS[name], result, init)

    # `init` is as if it were before the first element, in the type of the result.

    @_record
    def cumsum(self, arg, dim, init=None):
        """The sum of `init`, by default 0, and the elements up to each one along `dim`; of integers an Int."""
        return self._scan("cumsum", arg, dim, init)

    @_record
    def cumprod(self, arg, dim, init=None):
        """The product of `init`, by default 1, and the elements up to each one along `dim`; of integers an Int."""
        return self._scan("cumprod", arg, dim, init)

    @_record
    def cummax(self, arg, dim, init=None):
        """The greatest of `init`, by default none, and the elements up to each one along `dim`."""
        return self._scan("cummax", arg, dim, init)

    @_record
    def cummin(self, arg, dim, init=None):
        """The least of `init`, by default none, and the elements up to each one along `dim`."""
        return self._scan("cummin", arg, dim, init)

    @_record
    def argsort(self, arg, dim, descending=False, stable=False):
        """The indices that put the elements along `dim` in order. Equal ones stay in theirs, whatever `stable` is."""
        return self._op(
            "argsort", arg, dim=read_integer(dim, "a dimension as dim"), descending=read_flag(descending, "descending")
        )

    @_record
    def topk(self, arg, k, dim=-1, largest=True, sorted=False):
        """(elements, indices) of the k greatest, or least, elements along `dim`: in order, whatever `sorted` is."""
        return self._op(
            "topk",
            arg,
            k=read_integer(k, "an integer as k"),
            dim=read_integer(dim, "a dimension as dim"),
            largest=read_flag(largest, "largest"),
        )

    @_record
    @_takes(**dict.fromkeys("padding_idx max_norm norm_type scale_grad_by_freq sparse".split()))
    def embedding_fwd(self, input, weight, **given):
        """The rows of `weight` whose numbers are `input`, made shorter where they are longer than `max_norm`; the weight stays. Other arguments than norm_type
        change no result.
        """
        norm_type = 2.0 if given["norm_type"] is None else given["norm_type"]
        norm = () if given["max_norm"] is None else (given["max_norm"], norm_type)
        return self._op("embedding", input, weight, *norm)

    @_record
    def pad(self, arg, pad_widths, value=None):
        """More elements, 0 or `value`, before and behind the last dimensions: pairs of numbers, that of the last dimension first.

        A negative number takes elements away.
        """
        pad_widths = list(pad_widths)
        if len(pad_widths) % 2:
            raise ValueError(f"expected pairs of numbers as pad_widths, got {len(pad_widths)} numbers")
        (low, high), values = split_sizes(pad_widths[-2::-2], pad_widths[::-2])
        given = () if value is None else (value,)
        return self._op("pad", arg, *given, *values, mode="constant", low=low, high=high)

    @_record
    def cat(self, tensors, dim=0, manual_padding=False):
        """Tensors one after another along `dim`."""
        return self._op("cat", *tensors, dim=dim)

    @_record
    def size(self, arg, dim):
        """A size as a scalar of Int."""
        return self._op("size", arg, dim=dim)

    @_record
    def shape(self, arg):
        """All sizes, as `size` gives them."""
        return [self._op("size", arg, dim=dim) for dim in range(arg.ndim)]

    @_record
    def full(self, shape, fill_value, dtype):
        """A tensor of one value; sizes may be scalars of the definition."""
        (sizes,), values = split_sizes(shape)
        return self._op("full", fill_value, *values, shape=sizes, type=get_element_of(dtype))

    @_record
    def iota(self, length, start=None, step=None, dtype=DataType.Int):
        """`length` numbers from `start` on, by default 0, `step` apart, by default 1."""
        (sizes,), values = split_sizes([length])
        start, step = 0 if start is None else start, 1 if step is None else step
        return self._op("iota", start, step, *values, shape=sizes, type=get_element_of(dtype))

    @_record
    @takes(fill=True, **_RANDOM)
    def uniform(self, minval, maxval, shape, **given):
        """Random numbers from `minval` on, below `maxval`: the same for the same seed and offset. Without these each execution has others, of a seed that it
        takes from the generator of PyTorch (`torch.manual_seed`) or, if its tensors are others, of NumPy (`numpy.random.seed`).
        """
        state = self._get_random_state(given["rng_seed"], given["rng_offset"])
        (sizes,), values = split_sizes(shape)
        return self._op("uniform", minval, maxval, *state, *values, shape=sizes, type=get_element_of(given["dtype"]))

    @_record
    def rand_like(self, arg, *, rng_seed=None, rng_offset=None):
        """Random numbers from 0 on, below 1, of the shape and the type of `arg`, as `uniform` has them."""
        state = self._get_random_state(rng_seed, rng_offset)
        (sizes,), values = split_sizes(arg.shape())
        return self._op("uniform", 0, 1, *state, *values, shape=sizes, type=arg.dtype().value)

    @_record
    @takes(fill=True, **_RANDOM)
    def normal(self, mean, std, shape, **given):
        """Random numbers of a normal distribution: the same for the same seed and offset. Without a seed each execution draws one."""
        state = self._get_random_state(given["rng_seed"], given["rng_offset"])
        (sizes,), values = split_sizes(shape)
        return self._op("normal", mean, std, *state, *values, shape=sizes, type=get_element_of(given["dtype"]))

    @_record
    def randn_like(self, arg, *, rng_seed=None, rng_offset=None):
        """Random numbers of a normal distribution around 0 with deviation 1, of the shape and the type of `arg`, as `normal` has them."""
        state = self._get_random_state(rng_seed, rng_offset)
        (sizes,), values = split_sizes(arg.shape())
        return self._op("normal", 0, 1, *state, *values, shape=sizes, type=arg.dtype().value)

    @_record
    def stride_order(self, arg, stride_order):
        """A copy that is laid out so if it is an output: for each dimension its place among the strides, 0 the least."""
        result = self._op("set", arg)
        result._stride_order = convert_stride_order(stride_order)
        return result

    @_record
    def isreal(self, arg):
        """Whether the imaginary part is 0: of real numbers it is."""
        if arg.dtype() in (DataType.ComplexFloat, DataType.ComplexDouble):
            return self._op("eq", self._op("imag", arg), 0)
        (sizes,), values = split_sizes([self._op("size", arg, dim=dim) for dim in range(arg.ndim)])
        return self._op("full", True, *values, shape=sizes, type="i1")


def convert_stride_order(order):
    """Dimensions from slowest to fastest, from the place of each among the strides (0: the least); None for none."""
    if not order:
        return None
    if sorted(order) != list(range(len(order))):
        raise ValueError(f"expected a stride order that has each of 0 to {len(order) - 1} once, got {list(order)}")
    return sorted(range(len(order)), key=lambda dim: -order[dim])


def _add_ops():
    def make_unary(name, op):
        def call(self, arg):
            return self._op(op, arg)

        return call

    def make_binary(name, op):
        def call(self, lhs, rhs):
            return self._op(op, lhs, rhs)

        return call

    for table, make in ((_UNARY, make_unary), (_BINARY, make_binary)):
        for name, op in table.items():
            method = make(name, op)
            method.__name__, method.__qualname__ = name, f"Ops.{name}"
            method.__doc__ = f"{name}, element by element."
            setattr(Ops, name, _record(method))
    for name, method in vars(Composites).items():
        if not name.startswith("_") and name not in vars(Ops):
            setattr(Ops, name, _record(method))


_add_ops()


class TensorView(Operand):
    """A tensor or scalar of a FusionDefinition, with Python's operators."""

    __slots__ = ("_stride_order",)
    _CAST = "fd.ops.cast(x, dtype)"

    def __init__(self, program, value):
        super().__init__(program, value)
        self._stride_order = None

    def __getattr__(self, name):
        if name in _SCHEDULING:
            raise Absent(f"TensorView.{name}: {BY_HAND}")
        raise AttributeError(f"expected an attribute of a TensorView, got '{name}'{_find_near(self, name)}")

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self._program.type(self)[1] or ())

    def is_tensor(self):
        """False for a scalar."""
        return self._program.type(self)[1] is not None

    def dtype(self):
        """The DataType."""
        return next(each for each in DataType if each.value == self._program.type(self)[0])

    def size(self, dim):
        """A size as a scalar of Int."""
        return self._program.op("size", (self,), {"dim": dim})

    def shape(self):
        """All sizes, as `size` gives them."""
        return [self.size(dim) for dim in range(self.ndim)]

    def __repr__(self):
        element, sizes = self._program.type(self)
        if sizes is None:
            return f"<scalar {element}>"
        return f"<tensor {['?' if size is None else size for size in sizes]} {element}>"
