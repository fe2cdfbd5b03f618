# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of 8-bit floats, against ml_dtypes and, where it is installed, PyTorch."""

import fuser
import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
BOTH = pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=lambda dtype: dtype.__name__)
TARGETS = pytest.mark.parametrize("target", ["cpu", "sim", pytest.param("cuda", marks=pytest.mark.cuda)])
FLOATS = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, E4M3, E5M2]


def run(build, *arrays, target="cpu"):
    """What `build(*inputs)` makes of the arrays, of any size."""
    return run_with(lambda _, *inputs: build(*inputs), *arrays, target=target)


def run_with(build, *arrays, target="cpu"):
    """The same of `build(builder, *inputs)`."""
    b = fuser.Builder()
    results = build(b, *(b.input([None] * each.ndim, each.dtype) for each in arrays))
    for result in results if isinstance(results, tuple) else (results,):
        b.output(result)
    executable = b.compile(target)
    return run_on_gpu(executable, arrays) if target == "cuda" else executable(*arrays)


def run_on_gpu(executable, arrays):
    """By way of PyTorch's tensors, and as integers where NumPy alone has no such type."""
    torch = pytest.importorskip("torch")

    def as_tensor(array):
        bits = torch.from_numpy(array.view(f"i{array.itemsize}"))
        return bits.view(getattr(torch, array.dtype.name)).cuda()

    def as_array(tensor):
        name = str(tensor.dtype).removeprefix("torch.")
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        bits = tensor.cpu().view(getattr(torch, f"int{8 * dtype.itemsize}"))
        return bits.numpy().view(dtype)

    results = executable(*map(as_tensor, arrays))
    return tuple(map(as_array, results)) if isinstance(results, (tuple, list)) else as_array(results)


def assert_same(got, expected):
    """To the bit, but that one NaN is as good as another."""
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(got.astype(np.float64)), np.isnan(expected.astype(np.float64)))
    numbers = ~np.isnan(expected.astype(np.float64))
    np.testing.assert_array_equal(got[numbers].view(np.uint8), expected[numbers].view(np.uint8))


def every(dtype):
    return np.arange(1 << 8 * np.dtype(dtype).itemsize).astype(f"u{np.dtype(dtype).itemsize}").view(dtype)


@TARGETS
@BOTH
def test_every_number_extends(dtype, target):
    x = every(dtype)
    results = run(lambda x: tuple(x.astype(to) for to in FLOATS), x, target=target)
    with np.errstate(all="ignore"):
        for got, to in zip(results, FLOATS, strict=True):
            assert_same(got, x.astype(np.float32).astype(to))


@TARGETS
@pytest.mark.parametrize("source", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
@BOTH
def test_every_half_rounds(dtype, source, target):
    x = every(source)
    with np.errstate(all="ignore"):
        expected = x.astype(np.float32).astype(dtype)
    assert_same(run(lambda x: x.astype(dtype), x, target=target), expected)


def between(dtype):
    """Numbers halfway between neighbours, as f64, and next to these: f32's neighbours, and f64's, which round to a tie of f32."""
    numbers = np.sort(every(dtype).astype(np.float64))
    numbers = np.unique(numbers[np.isfinite(numbers)])
    ties = [(numbers[1:] + numbers[:-1]) / 2, [464.0, -464.0, 61440.0, -61440.0, 480.0, 65536.0, 1e9, np.inf, -np.inf]]
    ties = np.concatenate(ties)
    singles = ties.astype(np.float32)
    near = [np.nextafter(singles, np.float32(np.inf)), np.nextafter(singles, np.float32(-np.inf))]
    return np.concatenate([ties, *near, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)])


@TARGETS
@BOTH
def test_rounds_once(dtype, target):
    x = between(dtype)
    with np.errstate(all="ignore"):
        single = x.astype(np.float32)
        expected = single.astype(dtype)
        assert_same(run(lambda x: x.astype(dtype), single, target=target), expected)
        # ml_dtypes may round f64 twice. What f32 does not hold is on the same side of a tie as it is.
        nearest, toward = single.astype(np.float64), np.where(x > single, np.inf, -np.inf)
        odd = np.where(nearest == x, single, np.nextafter(single, toward.astype(np.float32)))
        expected = odd.astype(np.float32).astype(dtype)
    assert_same(run(lambda x: x.astype(dtype), x, target=target), expected)


def test_integers():
    x = np.concatenate([np.arange(-500, 500), [60000, 61439, 61440, -(2**31), 2**31 - 1]]).astype(np.int32)
    for dtype in (E4M3, E5M2):
        with np.errstate(all="ignore"):
            assert_same(run(lambda x, dtype=dtype: x.astype(dtype), x), x.astype(np.float64).astype(dtype))
    back = run(lambda x: x.astype("int32"), every(E5M2)[:0x7C])
    np.testing.assert_array_equal(back, every(E5M2)[:0x7C].astype(np.float32).astype(np.int32))


@TARGETS
@BOTH
def test_computes_in_float32(dtype, target):
    random = np.random.default_rng(0)
    x, y = (random.normal(0, 3, (7, 33)).astype(dtype) for _ in range(2))
    wide = [each.astype(np.float32) for each in (x, y)]
    results = run(lambda x, y: (x + y, x * y, x / y, x * 0.3, x.sum(axis=1), x < y), x, y, target=target)
    expected = [wide[0] + wide[1], wide[0] * wide[1], wide[0] / wide[1], wide[0] * np.float32(dtype(0.3))]
    with np.errstate(all="ignore"):
        for got, want in zip(results, [*expected, wide[0].sum(axis=1)], strict=False):
            assert_same(got, want.astype(dtype))
    np.testing.assert_array_equal(results[-1], wide[0] < wide[1])


def test_promotion():
    b = fuser.Builder()
    x, y, z = b.input((3,), "float8_e4m3fn"), b.input((3,), "float8_e5m2"), b.input((3,), "float32")
    assert (x * 2.0).dtype == "float8_e4m3fn" and (x + 1).dtype == "float8_e4m3fn"
    for other in (y, z):
        with pytest.raises(
            fuser.Error, match=r"tensors of one element type beside one of 'f8E4M3FN', which is not promoted"
        ):
            x + other
        with pytest.raises(fuser.Error, match="which is not promoted"):
            b.matmul(x, other)
    scale = b.input((3,), "float8_e8m0fnu")
    with pytest.raises(fuser.Error, match="of floats of 8 bits f8E4M3FN or f8E5M2, got 'tensor<3xf8E8M0FNU>'"):
        b.matmul(scale, scale)


@BOTH
@TARGETS
@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 7), (7, 3)),
        ((2, 5, 7), (7, 3)),
        ((7,), (7, 3)),
        ((4, 7), (7,)),
        ((3, 0), (0, 2)),
        ((2, 4, 3, 5), (4, 5, 6)),
    ],
)
def test_products(dtype, target, shapes):
    """Sums are of f32 and rounded once; these are exact."""
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-4, 5, shape).astype(np.float32).astype(dtype) for shape in shapes)
    got = run_with(lambda b, x, y: (x @ y, b.matmul(x, y, "float32")), x, y, target=target)
    expected = x.astype(np.float32) @ y.astype(np.float32)
    assert_same(got[0], expected.astype(dtype))
    np.testing.assert_array_equal(got[1], expected)


@BOTH
@TARGETS
def test_linear(dtype, target):
    rng = np.random.default_rng(1)
    x, weight, bias = (rng.integers(-4, 5, shape).astype(np.float32).astype(dtype) for shape in ((5, 7), (3, 7), (3,)))
    got = run_with(lambda b, *inputs: b.linear(*inputs), x, weight, bias, target=target)
    x, weight, bias = (each.astype(np.float32) for each in (x, weight, bias))
    assert_same(got, (x @ weight.T + bias).astype(dtype))


@TARGETS
def test_scales(target):
    """Products of powers of two, of which none is 0 or infinite, and what is NaN."""
    scale = ml_dtypes.float8_e8m0fnu
    x = np.arange(256, dtype=np.uint8).view(scale)
    y = np.roll(x, 100)
    product, is_nan, is_finite = run_with(lambda b, x, y: (x * y, b.isnan(x), b.isfinite(x)), x, y, target=target)
    with np.errstate(all="ignore"):
        expected = np.where(
            np.isnan(x.astype(float)) | np.isnan(y.astype(float)), np.nan, x.astype(float) * y.astype(float)
        )
    inside = (expected >= 2.0**-127) & (expected <= 2.0**127)
    assert inside.sum() > 100
    np.testing.assert_array_equal(product.astype(float)[inside], expected[inside])
    assert np.isnan(product.astype(float)[np.isnan(expected)]).all()
    np.testing.assert_array_equal(is_nan, np.isnan(x.astype(float)))
    np.testing.assert_array_equal(is_finite, ~is_nan)


@BOTH
def test_pytorch(dtype):
    torch = pytest.importorskip("torch")
    own = getattr(torch, dtype.__name__)
    x = torch.from_numpy(between(dtype).astype(np.float32))
    x = x[x.abs() <= 464] if dtype == E4M3 else x[x.isfinite()]  # Beyond, PyTorch has NaN or, from 2.14 on, 448.
    expected = x.to(own)
    b = fuser.Builder()
    b.output(b.input([None], np.float32).astype(dtype))
    (got,) = [b.compile("cpu")(x)]
    assert got.dtype == own
    numbers = ~expected.float().isnan()
    assert torch.equal(got.float().isnan(), ~numbers)
    assert torch.equal(got.view(torch.uint8)[numbers], expected.view(torch.uint8)[numbers])
    b = fuser.Builder()
    b.output(b.input([None], own).astype("float32"))
    assert torch.equal(b.compile("cpu")(got)[numbers], expected.float()[numbers])


@BOTH
def test_torch_compile(dtype):
    torch = pytest.importorskip("torch")
    import fuser.torch  # noqa: F401

    own = getattr(torch, dtype.__name__)

    def function(x):
        narrow = x.to(own)
        return narrow, narrow.to(torch.bfloat16), (x * 2).to(own)

    for x in (torch.from_numpy(between(dtype).astype(np.float32)), torch.arange(-500, 500)):
        for got, expected in zip(torch.compile(function, backend="fuser")(x), function(x), strict=True):
            assert got.dtype == expected.dtype
            torch.testing.assert_close(got.float(), expected.float(), rtol=0, atol=0, equal_nan=True)
