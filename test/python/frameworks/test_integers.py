# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of integers of 8 to 64 bits, with and without a sign, against NumPy and, where it is installed, PyTorch."""

import fuser
import numpy as np
import pytest

DTYPES = [np.dtype(kind + str(bits)) for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
EACH = pytest.mark.parametrize("dtype", DTYPES, ids=str)
TARGETS = pytest.mark.parametrize("target", ["cpu", "sim", pytest.param("cuda", marks=pytest.mark.cuda)])
BOOL = np.dtype(np.bool_)
# Pairs of all numbers below, and a few more than vectors have.
ODD = 4099


def run(build, *arrays, target="cpu"):
    """What `build(builder, *inputs)` makes of the arrays, of any size."""
    b = fuser.Builder()
    results = build(b, *(b.input([None] * each.ndim, each.dtype) for each in arrays))
    for result in results if isinstance(results, tuple) else (results,):
        b.output(result)
    executable = b.compile(target)
    if target != "cuda":
        return executable(*arrays)
    torch = pytest.importorskip("torch")
    got = executable(*(torch.from_numpy(each).cuda() for each in arrays))
    return tuple(each.cpu().numpy() for each in got) if isinstance(got, (tuple, list)) else got.cpu().numpy()


def assert_same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def special(dtype):
    """The ends, their neighbours, the places where a sign begins, small numbers and any."""
    info = np.iinfo(dtype)
    numbers = {0, 1, 2, 3, 7, -1, -2, -7, info.bits - 1, info.bits, info.bits + 1}
    numbers |= {info.min, info.min + 1, info.max, info.max - 1, info.max // 2, info.max // 2 + 1}
    numbers |= set(np.random.default_rng(1).integers(info.min, info.max, 20, dtype).tolist())
    return np.array(sorted(n for n in numbers if info.min <= n <= info.max), dtype)


def pairs(dtype):
    x, y = np.meshgrid(special(dtype), special(dtype))
    return np.resize(x, ODD), np.resize(y, ODD)


def exact(function, *arrays):
    """A function of Python's integers, of which the bits of the type are left."""
    dtype = arrays[0].dtype
    info = np.iinfo(dtype)
    values = [function(*numbers) for numbers in zip(*(each.tolist() for each in arrays), strict=True)]
    return np.array([(n - info.min) % (1 << info.bits) + info.min for n in values], dtype)


def shift(function, beyond):
    return lambda bits: lambda x, places: function(x, places) if 0 <= places < bits else beyond(x)


@TARGETS
@EACH
def test_arithmetic(dtype, target):
    x, y = pairs(dtype)
    bits = np.iinfo(dtype).bits
    left = shift(lambda x, n: x << n, lambda x: 0)(bits)
    right = shift(lambda x, n: x >> n, lambda x: -1 if x < 0 else 0)(bits)
    # PyTorch fails where an integer is divided by 0.
    ops = {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: x - y,
        "multiply": lambda x, y: x * y,
        "maximum": max,
        "minimum": min,
        "floor_divide": lambda x, y: x // y if y else 0,
        "remainder": lambda x, y: x % y if y else x,
        "bitwise_and": lambda x, y: x & y,
        "bitwise_or": lambda x, y: x | y,
        "bitwise_xor": lambda x, y: x ^ y,
        "bitwise_left_shift": left,
        "bitwise_right_shift": right,
    }
    results = run(lambda b, x, y: tuple(getattr(b, name)(x, y) for name in ops), x, y, target=target)
    for got, function in zip(results, ops.values(), strict=True):
        assert_same(got, exact(function, x, y))
    unary = {
        "negative": lambda x: -x,
        "abs": abs,
        "sign": lambda x: (x > 0) - (x < 0),
        "bitwise_invert": lambda x: ~x,
        "copy": lambda x: x,
    }
    results = run(lambda b, x: (-x, *(getattr(b, name)(x) for name in list(unary)[1:])), x, target=target)
    for got, function in zip(results, unary.values(), strict=True):
        assert_same(got, exact(function, x))


@TARGETS
@EACH
def test_comparisons(dtype, target):
    x, y = pairs(dtype)

    def build(b, x, y):
        return x < y, x <= y, x > y, x >= y, x == y, x != y, b.where(x < y, x, y)

    expected = x < y, x <= y, x > y, x >= y, x == y, x != y, np.where(x < y, x, y)
    for got, each in zip(run(build, x, y, target=target), expected, strict=True):
        assert_same(got, each)


@TARGETS
@EACH
def test_numbers(dtype, target):
    """A number is one of the type; a negative one is unsigned by its bits, as in PyTorch."""
    x = np.resize(special(dtype), 77)
    info = np.iinfo(dtype)
    low = -1 if info.min == 0 else info.min
    top = min(info.max, 2**63 - 1)  # As much as C's integers say.
    numbers = {low: np.array(low).astype(dtype), top: np.array(top).astype(dtype)}
    for number, own in numbers.items():
        got, full = run(lambda b, x, n=number: (x + n, b.full((3,), n, dtype)), x, target=target)
        with np.errstate(over="ignore"):
            assert_same(got, x + own)
        assert_same(full, np.full(3, own))
    b = fuser.Builder()
    value = b.input((3,), dtype)
    if info.bits < 64:
        with pytest.raises(fuser.Error, match="expected a number that '.*' holds, got"):
            value + (info.max + 1)
        with pytest.raises(fuser.Error, match="expected a number that '.*' holds, got"):
            value + (info.min - (1 if info.min else info.max + 1))


@TARGETS
@EACH
def test_casts(dtype, target):
    x = np.resize(special(dtype), ODD)
    floats = [np.dtype(name) for name in ("float64", "float32", "float16")]
    results = run(lambda b, x: tuple(x.astype(to) for to in (*DTYPES, *floats, BOOL)), x, target=target)
    with np.errstate(over="ignore"):
        for got, to in zip(results, (*DTYPES, *floats, BOOL), strict=True):
            # NumPy may round an integer twice on its way to a float16.
            expected = (
                np.array([np.float16(n) if abs(n) < 2048 else np.nan for n in x.tolist()], to)
                if to.kind == "f" and to.itemsize == 2
                else x.astype(to)
            )
            known = ~np.isnan(expected) if to.kind == "f" else np.full(x.shape, True)
            assert_same(got[known], expected[known])


@TARGETS
@EACH
@pytest.mark.parametrize("source", ["float64", "float32", "float16"])
def test_casts_of_floats(dtype, source, target):
    """Truncated; the nearest end beyond the range, and 0 of NaN."""
    info = np.iinfo(dtype)
    numbers = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        0.99,
        -0.99,
        1.5,
        -1.5,
        -1.0,
        127.9,
        128,
        -128.9,
        -129,
        255.5,
        256,
        32767.5,
        32768,
        65504,
    ]
    numbers += [float(2**31), float(2**31 - 1), -float(2**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e30, -1e30]
    with np.errstate(over="ignore"):
        x = np.resize(np.array([*numbers, np.nan, np.inf, -np.inf], source), 1001)
    expected = [
        0 if np.isnan(n) else info.max if n > info.max else info.min if n < info.min else int(n) for n in x.tolist()
    ]
    assert_same(run(lambda b, x: x.astype(dtype), x, target=target), np.array(expected, dtype))


@TARGETS
@EACH
def test_reductions(dtype, target):
    random = np.random.default_rng(2)
    info = np.iinfo(dtype)
    x = random.integers(info.min, info.max, (7, 259), dtype, endpoint=True)
    x[3] = x[3, 0]  # Of equal ones the first counts.

    def build(b, x):
        own = {"dtype": dtype}
        wide = x.sum(axis=1), x.prod(axis=0)
        rows = x.max(axis=1), x.min(axis=1), x.argmax(axis=1), x.argmin(axis=1), x.sum(axis=1, **own)
        return (
            *rows,
            x.max(axis=0),
            x.min(axis=0),
            x.argmax(axis=0),
            x.sum(axis=0, **own),
            x.prod(axis=1, **own),
            x.max(),
            *wide,
        )

    with np.errstate(over="ignore"):
        wide = x.astype(np.int64)
        rows = x.max(1), x.min(1), x.argmax(1), x.argmin(1), x.sum(1, dtype)
        columns = x.max(0), x.min(0), x.argmax(0), x.sum(0, dtype), x.prod(1, dtype), x.max()
        expected = *rows, *columns, wide.sum(1), wide.prod(0)
    for got, each in zip(run(build, x, target=target), expected, strict=True):
        assert_same(got, np.asarray(each))
    # Of none the ends of the type.
    empty = np.zeros((3, 0), dtype)
    low, high = run(lambda b, x: (x.max(axis=1), x.min(axis=1)), empty, target=target)
    assert_same(low, np.full(3, info.min, dtype))
    assert_same(high, np.full(3, info.max, dtype))


@TARGETS
@EACH
def test_scans_and_sorts(dtype, target):
    random = np.random.default_rng(3)
    info = np.iinfo(dtype)
    x = random.integers(info.min, info.max, (5, 130), dtype, endpoint=True)
    x[:, ::3] = x[:, :1]

    def build(b, x):
        ordered, places = b.sort(x, axis=1)
        most, where = b.topk(x, 5, axis=1)
        return (
            x.cumsum(axis=1, dtype=dtype),
            x.cumsum(axis=0),
            b.cummax(x, axis=1),
            b.cummin(x, axis=0),
            ordered,
            places,
            b.argsort(x, axis=0, descending=True),
            most,
            where,
        )

    with np.errstate(over="ignore"):
        backwards = 4 - np.argsort(x[::-1], axis=0, kind="stable")[::-1]
        places = np.argsort(x, axis=1, kind="stable")
        first = 129 - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1][:, :5]
        expected = (
            np.cumsum(x, 1, dtype),
            np.cumsum(x, 0, np.int64),
            np.maximum.accumulate(x, 1),
            np.minimum.accumulate(x, 0),
            np.sort(x, 1),
            places,
            backwards,
            np.take_along_axis(x, first, 1),
            first,
        )
    for got, each in zip(run(build, x, target=target), expected, strict=True):
        assert_same(got, each)


@TARGETS
@EACH
def test_moves(dtype, target):
    """Scatters, takes, pads, parts and what makes tensors; indices are of any integer type."""
    x = np.resize(special(dtype), (9, 33))
    at = np.array([3, 0, 8, 3, 1, 200 if dtype == np.uint8 else 9], dtype)
    updates = np.resize(special(dtype)[::-1], (6, 33))

    def build(b, x, at, u):
        return (
            b.take(x, at, axis=0),
            b.scatter(x, b.broadcast_to(at.reshape(6, 1), (6, 33)), u, axis=0, reduce="amax"),
            b.index_add(x, at, u, axis=0),
            b.pad(x, ((1, 2), (0, 3)), constant_values=1),
            b.concat([x, u], axis=0),
            b.permute_dims(x, (1, 0)) + 1,
            b.iota((40, 3), 0, dtype, start=5, step=7),
            b.constant([1, 2, 3], (3,), dtype),
        )

    inside = at < 9
    taken = np.where(inside[:, None], x[np.where(inside, at, 0).astype(int)], np.iinfo(dtype).min).astype(dtype)
    most, sums = x.copy(), x.copy()
    with np.errstate(over="ignore"):
        for row, place in enumerate(at.tolist()):
            if place < 9:
                most[place] = np.maximum(most[place], updates[row])
                sums[place] += updates[row]
        progression = (5 + 7 * np.arange(40)).astype(dtype)
        expected = (
            taken,
            most,
            sums,
            np.pad(x, ((1, 2), (0, 3)), constant_values=1),
            np.concatenate([x, updates]),
            x.T + np.array(1, dtype),
            np.broadcast_to(progression[:, None], (40, 3)),
            np.array([1, 2, 3], dtype),
        )
    for got, each in zip(run(build, x, at, updates, target=target), expected, strict=True):
        assert_same(got, each)


@TARGETS
@pytest.mark.parametrize("offset", [0, 1, 5, 16])
def test_bytes_anywhere(offset, target):
    """Vectors of 16 bytes where they are aligned, and every tail."""
    whole = np.arange(5000, dtype=np.uint8)
    for count in (0, 1, 15, 16, 17, 255, 4096, 4111):
        x = whole[offset : offset + count]
        assert_same(run(lambda b, x: x + 200, x, target=target), x + np.uint8(200))


def test_promotion():
    b = fuser.Builder()
    inputs = {dtype.name: b.input((3,), dtype) for dtype in DTYPES}
    expected = {
        ("uint8", "int8"): "int16",
        ("uint8", "int16"): "int16",
        ("uint8", "uint16"): "uint16",
        ("int8", "uint32"): "int64",
        ("uint16", "int16"): "int32",
        ("uint32", "int64"): "int64",
        ("uint64", "uint8"): "uint64",
    }
    for (left, right), result in expected.items():
        assert (inputs[left] + inputs[right]).dtype == result == np.promote_types(left, right).name
        assert (inputs[right] * inputs[left]).dtype == result
    for name, value in inputs.items():
        assert (value + 1).dtype == name and (value * 0.5).dtype == "float32" and (value / value).dtype == "float32"
    for signed in ("int8", "int64"):
        with pytest.raises(
            fuser.Error, match="tensors of one element type beside one of 'ui64', which is not promoted, got"
        ):
            inputs["uint64"] + inputs[signed]
    with pytest.raises(
        fuser.Error, match="expected the type of a scalar, which has no unsigned and no complex ones, got 'ui8'"
    ):
        b.scalar("uint8")
    # A scalar is cast to a tensor: it has no sign to remember.
    point = b.astype(b.scalar("int64"), "uint8")
    assert point.dtype == "uint8" and point.shape == ()


def test_fusion_definition():
    with fuser.FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=[True], dtype=fuser.DataType.Byte)
        y = fd.ops.cast(x, dtype=fuser.DataType.Short)
        fd.add_output(fd.ops.sub(fd.ops.neg(y), x))
        fd.add_output(fd.ops.max(x, [0]))
        fd.add_output(fd.ops.sum(x, [0]))
    x = np.arange(300).astype(np.uint8)
    first, most, total = fd.execute([x])
    assert_same(np.asarray(first), -2 * x.astype(np.int16))
    assert_same(np.asarray(most), np.array(255, np.uint8))
    assert_same(np.asarray(total), np.array(x.astype(np.int64).sum()))


def test_jit():
    import fuser.numpy as fnp

    @fuser.jit
    def dequantize(q, scale, zero):
        return (q.astype(fnp.float32) - zero.astype(fnp.float32)) * scale, fnp.maximum(q, zero)

    q = np.arange(256, dtype=np.uint8).reshape(4, 64)
    zero = np.full((4, 1), 128, np.uint8)
    scale = np.float32([[0.5], [1], [2], [4]])
    # A number that may change, of NumPy's type.
    shifted = fuser.jit(lambda q, by: q + by)(q, np.uint8(200))
    assert_same(np.asarray(shifted), q + np.uint8(200))
    got, most = dequantize(q, scale, zero)
    assert_same(np.asarray(got), (q.astype(np.float32) - np.float32(128)) * scale)
    assert_same(np.asarray(most), np.maximum(q, zero))


@pytest.mark.parametrize("name", [dtype.name for dtype in DTYPES])
def test_pytorch_tensors(name):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(special(np.dtype(name)))
    b = fuser.Builder()
    b.output(b.input([None], getattr(torch, name)) + 1)
    (got,) = [b.compile("cpu")(x)]
    assert got.dtype == x.dtype
    with np.errstate(over="ignore"):
        assert_same(got.numpy(), x.numpy() + np.array(1, name))


@pytest.mark.parametrize("name", ["uint8", "int8", "int16"])
def test_torch_compile(name):
    torch = pytest.importorskip("torch")
    from compiling import check

    dtype = getattr(torch, name)
    x, y = (torch.from_numpy(each[:1024].copy()).reshape(32, 32) for each in pairs(np.dtype(name)))

    def arithmetic(x, y):
        return (
            x + y,
            x - y,
            x * y,
            -x,
            torch.maximum(x, y),
            torch.minimum(x, y),
            x < y,
            torch.where(x > y, x, y),
            x & 15,
            ~x,
        )

    def mixed(x, y):
        return (
            x + 1,
            x * 0.5,
            x / y,
            x + y.to(torch.int32),
            x.to(torch.float32).exp(),
            x.to(torch.bool),
            x + y.to(torch.int8),
        )

    def reduced(x):
        return (
            x.sum(1),
            x.amax(0),
            x.argmax(1),
            x.cumsum(1),
            x.sum(1, dtype=dtype),
            torch.sort(x, dim=1, stable=True)[1],
            x.prod(0),
        )

    check(arithmetic, x, y)
    check(mixed, x, y.clamp(min=1))
    check(reduced, x)


def test_torch_compile_quantizes():
    """As PyTorch does it, below 0 by the low bits of the int64."""
    torch = pytest.importorskip("torch")
    from compiling import check

    x = torch.linspace(-300, 700, 1001)
    check(lambda x: x.to(torch.uint8), x)
    check(lambda x: torch.clamp(torch.round(x * 0.5), -128, 127).to(torch.int8), x)
