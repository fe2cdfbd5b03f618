# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of powers of two, float8_e8m0fnu; where it is installed, against PyTorch."""

import fuser
import numpy as np
import pytest
from test_float8 import E4M3, E5M2, TARGETS, assert_same, every, run

ml_dtypes = pytest.importorskip("ml_dtypes")

E8M0 = ml_dtypes.float8_e8m0fnu
TYPES = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, E4M3, E5M2]
WIDE = every(E8M0).astype(np.float64)  # Numbers by their bits, NaN the last.


def round_to_powers(x):
    """The nearest power of two to the size, of two as near the greater; but of what is below the second power only the least becomes that."""
    with np.errstate(all="ignore"):
        size = np.abs(x.astype(np.float64))
        bits = np.searchsorted(1.5 * WIDE[:-1], size, side="right")
    bits = np.where(size < WIDE[1], size > WIDE[0], bits)
    return np.where(np.isnan(size), 255, bits).astype(np.uint8).view(E8M0)


def between():
    """Powers, what is halfway between two, and neighbours of these, of f32 and f64; zeros, infinities, NaN, subnormals."""
    numbers = WIDE[:-1]
    centres = np.concatenate([numbers, 1.5 * numbers, [2.0**-128, 2.0**-149, 0.0, 1.5 * 2.0**127 - 2.0**103]])
    near = [np.nextafter(centres, np.inf), np.nextafter(centres, 0)]
    singles = centres.astype(np.float32)
    with np.errstate(over="ignore"):
        near += [np.nextafter(singles, np.float32(np.inf)), np.nextafter(singles, np.float32(0))]
    x = np.concatenate([centres, *near])
    return np.concatenate([x, -x, [np.inf, -np.inf, np.nan, 1e300]])


@TARGETS
def test_every_power_extends(target):
    results = run(lambda x: tuple(x.astype(to) for to in TYPES), every(E8M0), target=target)
    with np.errstate(all="ignore"):
        for got, to in zip(results, TYPES, strict=True):
            assert_same(got, WIDE.astype(np.float32).astype(to))
    wholes = run(lambda x: (x.astype("int32"), x.astype("bool")), every(E8M0)[:150], target=target)
    np.testing.assert_array_equal(wholes[0], WIDE[:150].astype(np.int32))
    assert wholes[1].all()


@TARGETS
@pytest.mark.parametrize("source", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, E4M3, E5M2])
def test_rounds_to_the_nearest_power(source, target):
    with np.errstate(all="ignore"):
        x = between().astype(source) if np.dtype(source).itemsize > 2 else every(source)
    assert_same(run(lambda x: x.astype(E8M0), x, target=target), round_to_powers(x))


def test_of_integers_and_booleans():
    x = np.concatenate([np.arange(-300, 300), [2**31 - 1, -(2**31)]]).astype(np.int32)
    assert_same(run(lambda x: x.astype(E8M0), x), round_to_powers(x))
    x = np.array([3 * 2**60 - 1, 3 * 2**60, -(2**63)])
    np.testing.assert_array_equal(run(lambda x: x.astype(E8M0), x).astype(np.float64), [2.0**61, 2.0**62, 2.0**63])
    results = run(lambda c: c.astype(E8M0), np.array([True, False]))
    np.testing.assert_array_equal(results.view(np.uint8), [127, 0])


@TARGETS
def test_moves_and_compares(target):
    x = np.random.default_rng(0).integers(0, 256, (7, 33), dtype=np.uint8).view(E8M0)

    def build(x):
        order = x.argsort(axis=1)
        moved = x.permute_dims((1, 0)), x[2:5, ::2], x.reshape((-1,))
        return (*moved, x < 1.0, x == x, order)

    transposed, part, flat, less, same, order = run(build, x, target=target)
    assert_same(transposed, np.ascontiguousarray(x.T))
    assert_same(part, np.ascontiguousarray(x[2:5, ::2]))
    assert_same(flat, x.reshape(-1))
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(less, wide < 1)
    np.testing.assert_array_equal(same, ~np.isnan(wide))
    np.testing.assert_array_equal(order, np.argsort(x.view(np.uint8), axis=1, kind="stable"))


@pytest.mark.parametrize("shape", [(0,), (0, 32), (5, 0)])
def test_empty(shape):
    x = np.zeros(shape, E8M0)
    assert run(lambda x: x.astype("float32"), x).shape == shape
    assert run(lambda x: x.astype(E8M0), x.astype(np.float32)).shape == shape


def test_strided_and_broadcast():
    x = every(E8M0)[:240].reshape(12, 20)
    scales = x[::3, 1::4]
    assert_same(run(lambda x: x.astype("float32"), scales), scales.astype(np.float32))
    b = fuser.Builder()
    row = b.input((1, 20), E8M0)
    b.output(b.broadcast_to(row, (12, 20)))
    assert_same(b.compile("cpu")(x[:1]), np.broadcast_to(x[:1], (12, 20)))


def test_numbers_become_powers():
    b = fuser.Builder()
    for number in (1.5, -3.0, 0, float("nan"), float("-inf"), b.scalar(E8M0)):
        full = b.full((2,), number, E8M0)
        b.output(b.concat((b.input((0,), E8M0), full)))
        b.output(full.astype("float32"))
    results = b.compile("cpu")(*[-0.7 if each else np.zeros(0, E8M0) for each in (1, 0, 0, 0, 0, 0, 0)])
    for number, bits in enumerate((128, 129, 0, 255, 255, 126)):
        np.testing.assert_array_equal(results[2 * number].view(np.uint8), [bits] * 2)
        np.testing.assert_array_equal(results[2 * number + 1], [WIDE[bits]] * 2)


def test_what_computes_refuses_them():
    b = fuser.Builder()
    x = b.input((3,), E8M0)
    for make in (lambda: x + x, lambda: x / 2.0, lambda: -x, lambda: b.exp(x)):
        with pytest.raises(
            fuser.Error,
            match=r"expected elements of float64, .* got 'tensor<3xf8E8M0FNU>': x.astype\('float32'\) converts",
        ):
            make()
    with pytest.raises(
        fuser.Error, match="'matmul': expected floats, integers, flags .*, got 'tensor<3xf8E8M0FNU>' and"
    ):
        b.matmul(x, x)
    with pytest.raises(fuser.Error, match="expected numbers as elements, got 'f8E8M0FNU'"):
        x.max()
    with pytest.raises(fuser.Error, match="which is not promoted"):
        x + b.input((3,), "float32")


def test_pytorch():
    torch = pytest.importorskip("torch")
    own = torch.float8_e8m0fnu
    # Of f64 PyTorch rounds twice.
    x = torch.from_numpy(between().astype(np.float32))
    b = fuser.Builder()
    b.output(b.input([None], np.float32).astype(E8M0))
    got = b.compile("cpu")(x)
    assert got.dtype == own
    assert torch.equal(got.view(torch.uint8), x.to(own).view(torch.uint8))
    b = fuser.Builder()
    b.output(b.input([None], own).astype("float32"))
    torch.testing.assert_close(b.compile("cpu")(got), got.float(), rtol=0, atol=0, equal_nan=True)


def test_torch_compile():
    torch = pytest.importorskip("torch")
    import fuser.torch  # noqa: F401

    def function(x):
        narrow = x.to(torch.float8_e8m0fnu)
        return narrow, narrow.to(torch.bfloat16), (x * 2).to(torch.float8_e8m0fnu)

    for x in (torch.from_numpy(between().astype(np.float32)), torch.arange(-500, 500)):
        for got, expected in zip(torch.compile(function, backend="fuser")(x), function(x), strict=True):
            assert got.dtype == expected.dtype
            torch.testing.assert_close(got.float(), expected.float(), rtol=0, atol=0, equal_nan=True)
