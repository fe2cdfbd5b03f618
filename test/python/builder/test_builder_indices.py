# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python that look for elements, read where tensors say, pad and make random numbers, against NumPy."""

import fuser
import numpy as np
import pytest
from test_builder import random, run

RNG = np.random.default_rng(1)
AXES = [None, 0, -1, (0, -1)]


def check(build, expected, *arrays, opened=True):
    """The program gives what is expected, bit by bit, in its type and shape."""
    got = run(build, *arrays, opened=opened)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape


# Reductions


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_products(axis, keepdims):
    x = RNG.uniform(0.5, 1.5, (3, 4, 5)).astype(np.float32)
    got = run(lambda b, x: b.prod(x, axis, keepdims=keepdims), x)
    np.testing.assert_allclose(got, x.prod(axis, keepdims=keepdims), rtol=1e-5)
    n = RNG.integers(-3, 4, (3, 4, 5)).astype(np.int32)
    check(lambda b, n: n.prod(axis, keepdims=keepdims), n.prod(axis, dtype=np.int64, keepdims=keepdims), n)
    check(lambda b, n: n.prod(axis, "int32"), np.asarray(n.prod(axis, dtype=np.int32)), n)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.float32])
def test_any_and_all(axis, keepdims, dtype):
    x = RNG.integers(0, 2, (3, 4, 5)).astype(dtype)
    x[0], x[:, 1] = 0, 1
    check(lambda b, x: b.any(x, axis, keepdims), np.asarray(x.any(axis, keepdims=keepdims)), x)
    check(lambda b, x: b.all(x, axis, keepdims), np.asarray(x.all(axis, keepdims=keepdims)), x)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.bool_])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_positions(name, dtype, axis, keepdims):
    x = RNG.integers(0, 5, (6, 7)).astype(dtype)  # Many are equal.
    expected = np.asarray(getattr(np, name)(x, axis, keepdims=keepdims))
    check(lambda b, x: getattr(b, name)(x, axis, keepdims), expected, x)


def test_position_of_nan_and_over_two_dimensions():
    x = random(2, 3, 4)
    check(lambda b, x: x.argmin((1, 2)), x.reshape(2, 12).argmin(1), x)
    x[1, 2, 1] = np.nan
    check(lambda b, x: x.argmax(), np.asarray(x.argmax()), x)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("length", [1, 63, 64, 65, 1000, 2048, 5000, 140001])
@pytest.mark.parametrize("opened", [False, True])
def test_positions_in_long_rows(name, dtype, length, opened):
    """Among equal ones the first counts, in whichever lane, step or block it is; so it does if none is better than what a loop starts from."""
    places = sorted({0, 1, 62, 63, 64, 65, 127, 128, 2047, 2048, 2111, length // 2, length - 1} & set(range(length)))
    worst, best = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype == np.int32 else (-np.inf, np.inf)
    if name == "argmin":
        worst, best = best, worst
    if dtype != np.int32:
        best = np.nan
    rows = [np.full(length, worst, dtype), RNG.integers(0, 3, length).astype(dtype)]
    for number, place in enumerate(places):
        for value in (best, 3 if name == "argmax" else -1, worst):
            row = rows[number % 2].copy()
            row[place] = value
            row[places[(number * 5 + 3) % len(places)]] = value
            rows.append(row)
    x = np.stack(rows[:2] + (rows[2:] if length < 100000 else rows[2::7]))
    expected = getattr(np, name)(x, 1)
    check(lambda b, x: getattr(b, name)(x, 1), expected, x, opened=opened)
    check(lambda b, x: getattr(b, name)(x, 0), getattr(np, name)(x.T, 0), np.ascontiguousarray(x.T), opened=opened)


# Elements by their numbers


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("opened", [False, True])
def test_take(dtype, axis, opened):
    x = random(4, 5, 6)
    for shape in [(7,), (2, 3), ()]:
        indices = RNG.integers(0, x.shape[axis], shape).astype(dtype)
        check(lambda b, x, i: b.take(x, i, axis), np.take(x, indices, axis), x, indices, opened=opened)


def test_take_of_numbers():
    matrix, x = random(3, 4), random(5)
    check(lambda b, x: b.take(x, b.constant([7, 0], (2,), "int32")), matrix.ravel()[[7, 0]], matrix)
    check(lambda b, x: b.take(x, 3), x[3], x)
    known = fuser.Builder()
    with pytest.raises(IndexError, match="expected indices of -3 to 2 in dimension 0 of"):
        known.take(known.input((3, None)), [3, 0], 0)
    with pytest.raises(fuser.Error, match="'take': expected a dimension of -2 to 1"):
        known.take(known.input((3, None)), [0], 2)
    check(lambda b, x: b.take(x, b.constant([4, 0], (2,), "int32")), x[[4, 0]], x)
    got = run(lambda b, x: b.take(x, b.constant([-1, 5, 1], (3,), "int64")), x)
    np.testing.assert_array_equal(got, np.array([np.nan, np.nan, x[1]], np.float32))


@pytest.mark.parametrize("opened", [False, True])
def test_lists_of_numbers(opened):
    """They count from the end if they are negative."""
    x = random(3, 4)
    check(lambda b, x: x[[-1, 0]], x[[-1, 0]], x, opened=opened)
    check(lambda b, x: x[[2, 0, 2]], x[[2, 0, 2]], x, opened=opened)
    check(lambda b, x: x[:, [-4, 3]], x[:, [-4, 3]], x, opened=opened)
    check(lambda b, x: x[..., [1]], x[..., [1]], x, opened=opened)
    check(lambda b, x: x[None, [0, -1], [-2, 1]], x[None, [0, -1], [-2, 1]], x, opened=opened)
    check(lambda b, x: b.take(x, [1, -1], -1), np.take(x, [1, -1], -1), x, opened=opened)
    check(lambda b, x: b.take(x, [11, -1]), np.take(x, [11, -1]), x, opened=opened)


def test_lists_of_numbers_of_no_elements():
    b = fuser.Builder()
    x, opened = b.input((3, 4)), b.input((None, 4), name="opened")
    message = (
        "test_builder_indices.py:[0-9]+: error: expected indices of -[23] to [12] in dimension 0 of <.*>, got (5|2|-4)$"
    )
    for wrong in (lambda: x[[5, 0]], lambda: x[[0, 1], [0, 3]][[2]], lambda: b.take(x, [0, -4], 0)):
        for kind in (IndexError, fuser.Error):
            with pytest.raises(kind, match=message):
                wrong()
    with pytest.raises(IndexError, match="expected an index of -3 to 2, got 3"):
        x[3]
    with pytest.raises(IndexError, match="expected indices of -4 to 3 in dimension 1 of"):
        x[[0, 1], [0, 4]]
    with pytest.raises(IndexError, match="expected no index of no elements in dimension 0 of"):
        b.full((0, 2), 1.0)[[0]]
    b.output(opened[[2, 0]])
    b.output(opened[[1], [3]])
    program = b.compile()
    given = random(3, 4)
    first, second = program(given, given)
    np.testing.assert_array_equal(first, given[[2, 0]])
    np.testing.assert_array_equal(second, given[[1], [3]])
    with pytest.raises(fuser.Error, match="'take': expected indices of the 2 elements in dimension 0, got 2$"):
        program(given, given[:2])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis(dtype, axis):
    x = random(4, 4)
    indices = RNG.integers(0, 4, (4, 4)).astype(dtype)
    expected = np.take_along_axis(x, indices, axis)
    check(lambda b, x, i: b.take_along_axis(x, i, axis), expected, x, indices)
    check(lambda b, x, i: b.take_along_axis(x, i, axis), expected, x, indices, opened=False)


@pytest.mark.parametrize("shapes", [((1, 5), (4, 2)), ((4, 5), (1, 2)), ((3, 1, 5), (1, 4, 5))])
@pytest.mark.parametrize("opened", [False, True])
def test_take_along_axis_broadcasts(shapes, opened):
    x, indices = random(*shapes[0]), RNG.integers(0, 5, shapes[1])
    check(lambda b, x, i: b.take_along_axis(x, i), np.take_along_axis(x, indices, -1), x, indices, opened=opened)


def test_open_sizes_meet_known_ones():
    b = fuser.Builder()
    x, indices = b.input((None, 5)), b.input((4, None), "int64")
    y = b.take_along_axis(x, indices)
    assert x.shape == (4, 5) and y.shape == (4, None)
    index = x.argmax(axis=1, keepdims=True)
    b.output(b.take_along_axis(x, index, 1) - x.max(1, keepdims=True))
    b.output(y)
    array, places = random(4, 5), RNG.integers(0, 5, (4, 3))
    zeros, got = b.compile()(array, places)
    np.testing.assert_array_equal(zeros, np.zeros((4, 1), np.float32))
    np.testing.assert_array_equal(got, np.take_along_axis(array, places, 1))


# Pads


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
@pytest.mark.parametrize("width", [2, (1, 3), ((1, 3),), ((0, 2), (3, 1)), ((0, 0), (2, 0))])
@pytest.mark.parametrize("opened", [False, True])
def test_pads(mode, width, opened):
    x = random(4, 5)
    check(lambda b, x: b.pad(x, width, mode), np.pad(x, width, mode), x, opened=opened)


def test_pads_of_a_value():
    x, n = random(4, 5), RNG.integers(0, 9, (3,)).astype(np.int32)
    check(lambda b, x: b.pad(x, 1, constant_values=-np.inf), np.pad(x, 1, constant_values=-np.inf), x)
    check(lambda b, n: b.pad(n, 1, constant_values=7), np.pad(n, 1, constant_values=7), n)
    check(lambda b, x: b.pad(x, ((b.size(x, 1), 0), (0, 1))), np.pad(x, ((5, 0), (0, 1))), x)


@pytest.mark.parametrize("opened", [False, True])
def test_negative_pads_take_elements_away(opened):
    x = random(4, 5)
    check(lambda b, x: b.pad(x, ((-1, 2), (1, -2))), np.pad(x[1:, :-2], ((0, 2), (1, 0))), x, opened=opened)


def test_open_sizes_of_which_too_much_is_taken_away():
    with pytest.raises(fuser.Error, match="size|slice|elements"):
        run(lambda b, x: b.pad(x, ((-2, -2), (0, 0))), random(3, 4))
    with pytest.raises(fuser.Error, match="size|slice|elements"):
        run(lambda b, x, i: b._program.op("gather", (x, i), {"dim": 0}), random(3, 4), np.zeros((2, 5), np.int64))


# Random numbers


def philox(seed, offset, count):
    """Words of Philox4x32-10, four of each counter, of which the sequence goes up."""
    words = []
    for sequence in range(-(-count // 4)):
        c = [offset & 0xFFFFFFFF, offset >> 32, sequence, 0]
        key = [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [second >> 32 ^ c[1] ^ key[0], second & 0xFFFFFFFF, first >> 32 ^ c[3] ^ key[1], first & 0xFFFFFFFF]
            key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
        words += c
    return np.array(words[:count], np.uint32)


def test_uniform():
    b = fuser.Builder()
    x, seed = b.input((None, 5)), b.scalar("int64")
    b.output(b.uniform((b.size(x, 0), 5), seed, 3))
    b.output(b.uniform((b.size(x, 0), 5), seed, 3, bounds=(-1, 3)))
    b.output(b.random_bits((3, 5), 2**40 + 7, 3))
    unit, wide, bits = b.compile()(random(3, 5), 2**40 + 7)
    words = philox(2**40 + 7, 3, 15).reshape(3, 5)
    np.testing.assert_array_equal(bits.view(np.uint32), words)
    np.testing.assert_array_equal(unit, (words >> 8).astype(np.float32) * np.float32(2**-24))
    np.testing.assert_array_equal(wide, unit * 4 - 1)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_random_complex(dtype, target):
    """The parts are neighbours among the numbers of one more dimension."""
    b = fuser.Builder()
    x, part = b.input([None]), {"complex64": "float32", "complex128": "float64"}[dtype]
    count = b.size(x, 0)
    for result in (
        b.uniform((count, 5), 7, 3, dtype),
        b.uniform((count, 5, 2), 7, 3, part),
        b.uniform((count, 5), 7, 3, dtype, bounds=(-1, 3)),
        b.normal((count, 5), 7, 3, dtype),
        b.normal((count, 5, 2), 7, 3, part),
        b.normal((count, 5), 7, 3, dtype, parameters=(2, 3)),
    ):
        b.output(result)
    uniform, parts, wide, normal, normal_parts, other = b.compile(target)(np.zeros(900, np.float32))
    assert uniform.dtype == normal.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(uniform, parts[..., 0] + 1j * parts[..., 1])
    np.testing.assert_allclose(wide, -1 - 1j + 4 * uniform.astype(complex), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(normal, (normal_parts[..., 0] + 1j * normal_parts[..., 1]) * 0.5**0.5, rtol=1e-6)
    np.testing.assert_allclose(other, 2 + 3 * normal.astype(complex), rtol=1e-5, atol=1e-5)
    assert abs(np.var(normal) - 1) < 0.05 and abs(np.mean(normal)) < 0.05


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_bits_of_complex(dtype):
    words = RNG.integers(-(2**63), 2**63, 500)
    words[:4] = [0, -1, 1 << 31, (1 << 63) - 1]
    x = words.view(np.complex64)
    b = fuser.Builder()
    bits = b.input([None], "complex64").view(dtype)
    b.output(bits)
    b.output(bits.view("complex64"))
    got, back = b.compile()(x)
    isnan = np.isnan(x.real) | np.isnan(x.imag)  # Of NaN the bits may be those of another one.
    assert got.dtype == dtype and not isnan.all()
    np.testing.assert_array_equal(got.view("int64")[~isnan], words[~isnan])
    np.testing.assert_array_equal(back.view("int64")[~isnan], words[~isnan])


def test_uniform_of_other_types():
    for dtype, bits in [("float16", 11), ("float64", 53)]:
        got = run(
            lambda b, x, dtype=dtype: b.uniform((1000,), 1, dtype=dtype) + x.astype(dtype), np.zeros(1, np.float32)
        )
        assert got.dtype == dtype and 0 <= got.min() < 0.01 and 0.99 < got.max() < 1
        np.testing.assert_array_equal(got.astype(np.float64) * 2**bits % 1, np.zeros(1000))


# Errors


def test_errors():
    b = fuser.Builder()
    x, y, n = b.input((3, 4)), b.input((4,)), b.input((3, 4), "int64")
    for wrong, message in [
        (lambda: x.argmax(2), "'argmax': expected a dimension of -2 to 1"),
        (lambda: b.zeros((0,)).argmax(), "expected elements along dimension 0, of which one is found"),
        (lambda: b._program.op("take", (x, n)), "'take': expected an integer as 'dim', got none"),
        (lambda: b.take(x, n, 2), "'take': expected a dimension of -2 to 1"),
        (lambda: b.take(x, x, 0), "'take': expected integers as indices, got 'tensor<3x4xf32>'"),
        (lambda: b.take_along_axis(x, b.zeros((2, 4), "int32")), "expected size 1 or 3 in dimension 0, got 'tensor<2x4xi32>'"),
        (lambda: b.take_along_axis(x, b.zeros((4,), "int32")), "expected indices of as many dimensions as"),
        (lambda: b.pad(x, 1, "symmetric"), "or 'wrap' .'circular'. as mode, got 'symmetric': write concat"),
        (lambda: b.pad(x, 1, "edges"), "'constant', 'reflect', 'edge' .'replicate'. or 'wrap' .'circular'. as mode, got 'edges'"),
        (lambda: b.pad(x, ((1, 1), (1, 1), (1, 1))), "'pad': expected a number, a pair or a pair for each of the 2 dim"),
        (lambda: b.pad(x, ((1, 1, 1), (1, 1))), "'pad': expected a number, a pair or a pair for each of the 2 dimensions"),
        (lambda: b.pad(x, ((-2, -2), (0, 0))), "expected no more elements to go than the 3 of dimension 0"),
        (lambda: b.pad(x, 2**62), "'pad': expected at most 2\\^48 as 'low', got 4611686018427387904"),
        (lambda: b.pad(x, 4, "reflect"), "reflect"),
        (lambda: b.pad(x, 1, "wrap", constant_values=1), "expected no value in the mode circular"),
        (lambda: b.uniform((3,), 0.5), "'uniform': expected an integer scalar as a seed, got 'f64'"),
        (lambda: b.uniform((3,), 1, 0.5), "'uniform': expected an integer scalar as an offset, got 'f64'"),
        (lambda: b.dropout(x, 0.5, 1.5, 0), "'dropout': expected an integer scalar as a seed, got 'f64'"),
        (lambda: b.dropout(x, 0.5, 1, 0.5), "'dropout': expected an integer scalar as an offset, got 'f64'"),
        (lambda: b.tril(x, 1.5), "'tril': expected an integer scalar as a diagonal, got 'f64'"),
        (lambda: b.triu(x, x), "'triu': expected an integer scalar as a diagonal, got 'tensor<3x4xf32>'"),
        (lambda: b.eye(3, k=1.0), "'eye': expected an integer scalar as a diagonal, got 'f64'"),
        (lambda: b.uniform((3,), y), "'uniform': expected an integer scalar as a seed, got 'tensor<4xf32>'"),
        (lambda: b.uniform((3,), 0, dtype="int32"), "'uniform': expected floats or complex numbers as elements, got 'i32'"),
        (lambda: b.uniform((-3,), 0), "expected sizes that are not negative"),
        (lambda: b._program.op("reduce", (x,), {"kind": "norm"}), "'any' or 'all' as 'kind', got 'norm'"),
        (lambda: b._program.op("index_select", (x, n), {"dim": 0}), "expected indices of at most one dimension"),
        (lambda: b._program.op("gather", (x, n), {"dim": 0, "keep": 1}), "'dim', got 'keep'"),
        (lambda: b._program.op("gather", (y, b.zeros((5, 1), "int32")), {"dim": 0}), "as many dimensions"),
        (lambda: b._program.op("gather", (x, b.zeros((9, 5), "int32")), {"dim": 0}), "expected at most 4 indices in dimension 1"),
    ]:  # fmt: skip
        with pytest.raises(fuser.Error, match=message):
            wrong()


# All elements, in another order


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 7, 2), (0, 3, 4)])
def test_flip_roll_and_triangles(shape, opened):
    x = random(*shape)
    for axis in (None, 0, -1, (0, 2)):
        check(lambda b, x, axis=axis: b.flip(x, axis), np.flip(x, axis), x, opened=opened)
    for shift, axis in (
        (1, 0),
        (-2, 1),
        (11, -1),
        (-11, -1),
        (2**62 + 1, 1),
        (-(2**63), 2),
        (0, 0),
        ((1, 2), (0, 2)),
        ((1, -3), (1, 1)),
    ):
        check(lambda b, x, s=shift, a=axis: b.roll(x, s, a), np.roll(x, shift, axis), x, opened=opened)
    for k in (0, 1, -2):
        check(lambda b, x, k=k: b.tril(x, k), np.tril(x, k), x, opened=opened)
        check(lambda b, x, k=k: b.triu(x, k), np.triu(x, k), x, opened=opened)


@pytest.mark.parametrize("size", [None, 7])
def test_rolls_read_neighbours(size):
    b = fuser.Builder()
    b.output(b.roll(b.input((3, size)), -2, 1))
    text = b._program.text()
    assert text.count("fusion.slice") == 2 and "fusion.cat" in text and "fusion.take" not in text


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 7, 8, 9])
def test_chunks(size):
    """Four parts, of a known size fewer where the last ones would be empty, as in PyTorch."""
    x = random(2, size)
    length = -(-size // 4)
    wanted = [x[:, start : start + length] for start in range(0, 4 * length, length)] if size else [x] * 4
    for known in (None, size):
        b = fuser.Builder()
        for part in b.chunk(b.input((2, known)), 4, -1):
            b.output(part)
        parts = b.compile()(x)
        parts = parts if isinstance(parts, tuple) else (parts,)
        assert len(parts) == (4 if known is None or not size else -(-size // length))
        for part, same in zip(parts, wanted, strict=False):
            np.testing.assert_array_equal(part, same)


def test_wrong_chunks():
    with pytest.raises(fuser.Error, match="'chunk': expected 1 to 65536 as 'chunks', got 0"):
        run(lambda b, x: b.chunk(x, 0), random(3))
    with pytest.raises(fuser.Error, match="'chunk': expected a dimension of"):
        run(lambda b, x: b.chunk(x, 2, 1), random(3))
    with pytest.raises(TypeError, match="expected an integer as chunks, got 1.5"):
        run(lambda b, x: b.chunk(x, 1.5), random(3))


def test_wrong_rolls():
    with pytest.raises(fuser.Error, match="'roll': expected as many 'shifts' as 'dims', got 2 and 1"):
        run(lambda b, x: b.roll(x, (1, 2), (0,)), random(3, 4))


def test_negatives_of_sizes_count_from_the_end():
    x = random(4, 6)

    def cut(b, x):
        rows, columns = b.size(x, 0), b.size(x, 1)
        return x[:, -(columns // 2) :], x[: -(rows - 3)], x[-(rows // 2)]

    parts = run(cut, x)
    for got, expected in zip(parts, (x[:, -3:], x[:-1], x[-2]), strict=True):
        np.testing.assert_array_equal(got, expected)
    # -0 is 0.
    np.testing.assert_array_equal(run(lambda b, x: x[:, -(b.size(x, 0) - 4) :], x), x)
