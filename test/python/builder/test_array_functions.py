# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The array API's functions that are made of others, against NumPy: of builders and, with open sizes, of fuser.jit."""

import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X, Y = (RNG.standard_normal((4, 6)).astype(np.float32) for _ in range(2))
CUBE = RNG.standard_normal((4, 3, 5)).astype(np.float32)

#: What takes the functions of a builder or of fuser.numpy, and two arrays; and NumPy's.
CASES = {
    "arange": (
        lambda f, x, y: (f.arange(5), f.arange(1, 9, 3), f.arange(7, 0, -2)),
        lambda x, y: (np.arange(5), np.arange(1, 9, 3), np.arange(7, 0, -2)),
    ),
    "arange of floats": (lambda f, x, y: f.arange(0, 1, 0.25, "float32"), lambda x, y: np.arange(0, 1, 0.25)),
    "linspace": (
        lambda f, x, y: (f.linspace(-1, 2, 7), f.linspace(0, 1, 4, endpoint=False), f.linspace(3, 5, 1)),
        lambda x, y: (np.linspace(-1, 2, 7), np.linspace(0, 1, 4, endpoint=False), np.linspace(3, 5, 1)),
    ),
    "like": (
        lambda f, x, y: (
            f.zeros_like(x),
            f.ones_like(x, "int32"),
            f.full_like(x, 2.5),
            f.empty_like(x),
            f.empty((2, 3)),
        ),
        lambda x, y: (
            np.zeros_like(x),
            np.ones_like(x, np.int32),
            np.full_like(x, 2.5),
            np.zeros_like(x),
            np.zeros((2, 3)),
        ),
    ),
    "stack": (
        lambda f, x, y: (f.stack([x, y]), f.stack([x, y], axis=-1)),
        lambda x, y: (np.stack([x, y]), np.stack([x, y], -1)),
    ),
    "transposes": (
        lambda f, x, y: (
            f.matrix_transpose(x),
            f.swapaxes(x, 0, 1),
            f.moveaxis(x, 0, -1),
            f.moveaxis(x, (0, 1), (1, 0)),
        ),
        lambda x, y: (x.T, x.T, x.T, np.moveaxis(x, (0, 1), (1, 0))),
    ),
    "broadcast_arrays": (
        lambda f, x, y: f.broadcast_arrays(x[:, :1], y[:1], x),
        lambda x, y: np.broadcast_arrays(x[:, :1], y[:1], x),
    ),
    "meshgrid": (
        lambda f, x, y: (
            *f.meshgrid(x[0], y[1, :3]),
            *f.meshgrid(x[0], y[1, :3], x[2, 1:], indexing="ij"),
            *f.meshgrid(x[0]),
        ),
        lambda x, y: (*np.meshgrid(x[0], y[1, :3]), *np.meshgrid(x[0], y[1, :3], x[2, 1:], indexing="ij"), x[0]),
    ),
    "hypot": (
        lambda f, x, y: (f.hypot(x, y), f.hypot(x * 1e30, y * 1e30), f.hypot(x, 2.0)),
        lambda x, y: (np.hypot(x, y), np.hypot(x * np.float32(1e30), y * np.float32(1e30)), np.hypot(x, 2)),
    ),
    "logaddexp": (
        lambda f, x, y: (f.logaddexp(x, y), f.logaddexp(x * 1000, y)),
        lambda x, y: (np.logaddexp(x, y), np.logaddexp(x * 1000, y)),
    ),
    "copysign": (
        lambda f, x, y: (f.copysign(x, y), f.copysign(x, y * 0), f.positive(x)),
        lambda x, y: (np.copysign(x, y), np.copysign(x, y * 0), x),
    ),
    "count_nonzero": (
        lambda f, x, y: (f.count_nonzero(f.relu(x)), f.count_nonzero(f.relu(x), 1, keepdims=True)),
        lambda x, y: (np.count_nonzero(x > 0), np.count_nonzero(x > 0, 1, keepdims=True)),
    ),
    "cumulative": (
        lambda f, x, y: (
            f.cumulative_sum(x, 1),
            f.cumulative_sum(x[0]),
            f.cumulative_sum(x, 0, include_initial=True),
            f.cumulative_prod(x, 1, include_initial=True),
        ),
        lambda x, y: (
            *(np.cumsum(x, 1), np.cumsum(x[0]), np.concatenate([x[:1] * 0, np.cumsum(x, 0)])),
            np.concatenate([np.ones((4, 1)), np.cumprod(x, 1)], 1),
        ),
    ),
    "diff": (
        lambda f, x, y: (
            f.diff(x),
            f.diff(x, axis=0, n=2),
            f.diff(x, prepend=y[:, :2], append=y[:, :1]),
            f.diff(x > 0),
        ),
        lambda x, y: (
            np.diff(x),
            np.diff(x, axis=0, n=2),
            np.diff(x, prepend=y[:, :2], append=y[:, :1]),
            np.diff(x > 0),
        ),
    ),
    "vecdot": (
        lambda f, x, y: (f.vecdot(x, y), f.vecdot(x, y, axis=-2)),
        lambda x, y: ((x * y).sum(-1), (x * y).sum(0)),
    ),
    "matmul": (
        lambda f, x, y: (f.matmul(x > 0, (y > 1).T), (x > 1) @ (y > 1).T, x @ y.T),
        lambda x, y: ((x > 0) @ (y > 1).T, (x > 1) @ (y > 1).T, x @ y.T),
    ),
    "tensordot": (
        lambda f, x, y: (
            f.tensordot(x, y),
            f.tensordot(x, y, 0),
            f.tensordot(x, y, [[0], [0]]),
            f.tensordot(x, y, ((1, 0), (1, 0))),
            f.tensordot(CUBE_OF(f), x, ((0,), (0,))),
        ),
        lambda x, y: (
            np.tensordot(x, y),
            np.tensordot(x, y, 0),
            x.T @ y,
            np.tensordot(x, y, ((1, 0), (1, 0))),
            np.tensordot(CUBE, x, ((0,), (0,))),
        ),
    ),
}
CUBE_OF = lambda f: f.reshape(f.constant(CUBE.reshape(-1).tolist(), (60,)), CUBE.shape)  # noqa: E731


def check(results, expected):
    results, expected = ([*each] if isinstance(each, (tuple, list)) else [each] for each in (results, expected))
    for result, wanted in zip(results, expected, strict=True):
        # Floats that nothing says more of are Float here, and Double in NumPy.
        assert result.shape == np.shape(wanted) and result.dtype.kind == np.asarray(wanted).dtype.kind
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("is_known", [True, False])
def test_of_a_builder(name, is_known):
    function, numpys = CASES[name]
    b = fuser.Builder()
    x, y = (b.input(each.shape if is_known else (None, None), "float32") for each in (X, Y))
    results = function(b, x, y)
    for each in results if isinstance(results, (tuple, list)) else [results]:
        b.output(each)
    check(b.compile()(X, Y), numpys(X, Y))


@pytest.mark.parametrize("name", CASES)
def test_traced(name):
    function, numpys = CASES[name]
    check(fuser.jit(lambda x, y: function(fnp, x, y))(X, Y), numpys(X, Y))


def test_special_values():
    inf, nan = np.inf, np.nan
    x = np.array([inf, -inf, nan, 0, 0, inf, -inf, 1e-30, inf], np.float32)
    y = np.array([nan, inf, 1, 0, -0.0, inf, -inf, 1e-30, -inf], np.float32)
    results = fuser.jit(lambda x, y: (fnp.hypot(x, y), fnp.logaddexp(x, y), fnp.copysign(x, y)))(x, y)
    np.testing.assert_allclose(results[0], np.hypot(x, y), rtol=1e-6)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(results[1], np.logaddexp(x, y), rtol=1e-6)
    np.testing.assert_array_equal(results[2][1:], np.copysign(x, y)[1:])
    np.testing.assert_array_equal(np.signbit(results[2][3:]), np.signbit(y[3:]))


def test_unstack():
    b = fuser.Builder()
    x = b.input((None, 3))
    for part in b.unstack(x, 1):
        b.output(part)
    message = "test_array_functions.py:[0-9]+: error: 'unstack': expected a dimension whose size is known, got dimension 0 of 'tensor<[?]x3xf32>'"
    with pytest.raises(fuser.Error, match=message):
        b.unstack(x)
    check(b.compile()(X[:, :3].copy()), [X[:, 0], X[:, 1], X[:, 2]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool"])
def test_vecdot_of_integers_wraps(dtype):
    x, y = (np.arange(24).reshape(2, 12) * 7).astype(dtype), (np.arange(24).reshape(2, 12) * 5).astype(dtype)
    got = fuser.jit(lambda x, y: fnp.vecdot(x, y))(x, y)
    expected = np.array([np.dot(a, b) for a, b in zip(x, y, strict=True)])
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_vecdot_conjugates():
    x, y = np.array([[1j, 2 - 1j]], np.complex64), np.array([[1j, 1 + 3j]], np.complex64)
    check(
        fuser.jit(lambda x, y: fnp.vecdot(x, y))(x, y),
        np.vecdot(x, y) if hasattr(np, "vecdot") else (x.conj() * y).sum(-1),
    )


def test_linspace_of_integers():
    """As NumPy: rounded down, with ends that f32 does not hold."""
    for start, stop, num in ((0, 200000003, 2), (-1, -2, 4), (0, 10, 7), (5, 5, 3), (-7, 3, 4)):
        got = fuser.jit(
            lambda x, args=(start, stop, num): x.sum().astype("int64") * 0 + fnp.linspace(*args, dtype="int64")
        )(X)
        np.testing.assert_array_equal(got, np.linspace(start, stop, num, dtype=np.int64))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_steps_are_rounded_once(dtype):
    got = fuser.jit(lambda x: fnp.arange(0.3, 40.0, 0.1, dtype=dtype) + x.sum().astype(dtype) * 0)(X)
    np.testing.assert_array_equal(got, (0.3 + np.arange(len(got)) * 0.1).astype(dtype))


@pytest.mark.parametrize(
    "bounds",
    [(0, float("inf"), 1e-3), (0.25, 1e30, 1), (0, float("nan"), 1), (0, 2**60, 3), (5, np.float32(-1e20), -2)],
)
def test_too_many_numbers_are_shown_as_they_were_written(bounds):
    """Once they were 0.00, INF and 0.00."""
    start, stop, step = bounds
    expected = f"'arange': expected bounds with at most 2^48 numbers between them, got {start}, {stop} and {step}"
    for call in (lambda: fuser.Builder().arange(*bounds), lambda: fuser.jit(lambda x: fnp.arange(*bounds) + x)(X)):
        with pytest.raises(fuser.Error, match=re.escape(f"error: {expected}") + "$"):
            call()


def test_arange_of_no_elements():
    x = np.ones(3, np.float32)
    check(fuser.jit(lambda x: fnp.arange(5, x.shape[0]))(x), np.arange(5, 3))


def test_steps_of_nothing():
    for function in (
        lambda x: fnp.arange(0, x.shape[0], 0),
        lambda x: fnp.arange(0, 5, 0),
        lambda x: fnp.arange(0, 5, 0.0),
    ):
        with pytest.raises(fuser.Error, match="'arange': expected a step that is not 0, got 0"):
            fuser.jit(function)(np.ones(3, np.float32))


def test_arange_of_sizes():
    @fuser.jit
    def ranges(x):
        n, m = x.shape
        return fnp.arange(n, n + m), fnp.arange(m, 0, -1), fnp.arange(1, 20, n, "float32"), fnp.arange(m, n)

    for got, expected in zip(
        ranges(X), (np.arange(4, 10), np.arange(6, 0, -1), np.arange(1, 20, 4.0), []), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


def test_arange_up_to_what_is_negative():
    """The number of elements is no size then, but 0."""
    function = fuser.jit(lambda x, n: (fnp.arange(x.shape[0] - 3), fnp.arange(0, n), fnp.arange(n, dtype="float32")))
    for size, n in ((5, np.int64(2)), (2, np.int64(-4)), (3, np.int64(0))):
        expected = np.arange(size - 3), np.arange(0, n), np.arange(n, dtype=np.float32)
        for got, wanted in zip(function(X[:1].repeat(size, 0), n), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
            assert got.dtype == wanted.dtype
    assert function.num_programs == 1
    b = fuser.Builder()
    x, n = b.input((None, 6)), b.scalar("int32")
    b.output(b.arange(b.size(x, 0) - 4))
    b.output(b.arange(n))
    assert [each.shape for each in b.compile()(X[:3], -2)] == [(0,), (0,)]


def test_arange_of_a_size_is_of_that_size():
    """Without a greater one of it and 0, so that it is known to fit others."""
    b = fuser.Builder()
    x = b.input((None, 6))
    b.output(b.arange(b.size(x, 0)) * x[:, 0])
    assert "max" not in b.text()


def test_types_of_numbers():
    @fuser.jit
    def full(x):
        return fnp.full((2,), 7), fnp.full((2,), True), fnp.full((2,), 1.5), fnp.full((2,), x.shape[0])

    for got, expected in zip(full(X), ([7, 7], [True, True], np.float32([1.5, 1.5]), [4, 4]), strict=True):
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == np.asarray(expected).dtype


def test_one_size_is_a_shape():
    """Of one dimension; a number of NumPy's and a size of the program, too."""
    shapes = (lambda n: 3, lambda n: np.int64(3), lambda n: n, lambda n: (3,), lambda n: [n])
    makers = (fnp.zeros, fnp.ones, fnp.empty, lambda n: fnp.full(n, 2.5), lambda n: fnp.broadcast_to(np.float32(7), n))
    expected = (0, 1, 0, 2.5, 7)
    for shape in shapes:
        got = fuser.jit(lambda x, shape=shape: tuple(make(shape(x.shape[0])) for make in makers))(np.ones((3, 2)))
        for each, value in zip(got, expected, strict=True):
            np.testing.assert_array_equal(each, [value] * 3)
    got = fuser.jit(lambda x: (fnp.iota(3), fnp.uniform(3, 0), fnp.normal(3, 0), fnp.constant([1, 2, 3], 3)))(X)
    assert [each.shape for each in got] == [(3,)] * 4
    for function in (lambda x: fnp.zeros(2.0), lambda x: fnp.ones((2.0,))):
        with pytest.raises(TypeError, match="expected an integer as a size or a bound, got 2.0"):
            fuser.jit(function)(X)
    for size in (lambda x: x, lambda x: x.sum()):
        with pytest.raises(fuser.Error, match="'zeros': expected an integer scalar as a size or bound, got a value of"):
            fuser.jit(lambda x, size=size: fnp.zeros(size(x)))(X)
    b = fuser.Builder()
    b.output(b.zeros(4) + b.broadcast_to(b.input((1,)), 4))
    np.testing.assert_array_equal(b.compile()(np.ones(1, np.float32)), np.ones(4))


def test_products_of_numpy():
    z = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for first, second in ((z, z[0].T), (z, z.swapaxes(1, 2)), (z[0], z[1].T), (z[0, 0], z[0].T), (z[0, 0], z[0, 1])):
        check(fuser.jit(fnp.dot)(first, second), np.dot(first, second))
    for first, second in ((z, z), (z, z[0]), (z[0], z), (z[0], z[1]), (z[0], z[0, 1]), (z[0, 0], z[0])):
        check(fuser.jit(fnp.inner)(first, second), np.inner(first, second))
    check(fuser.jit(lambda z: fnp.dot(z, 2) + fnp.inner(z, 3) + fnp.dot(4, z))(z), z * 9)
    b = fuser.Builder()
    b.output(b.dot(b.input((2, 3, 4)), b.input((4, 5))))
    assert b.compile()(z, np.ones((4, 5), np.float32)).shape == (2, 3, 5)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: fnp.arange(-(2**63), 2**63 - 1), "'arange': expected bounds with at most 2.48 numbers between them"),
        (lambda x: fnp.arange(0, 2**60), "at most 2.48"),
        (lambda x: fnp.arange(0, 5, x.shape[0] - 4), "expected a step that is not 0, got 0"),
        (lambda x: fnp.arange(0, 5, dtype=bool), "'arange': expected numbers as elements, got 'i1'"),
        (lambda x: fnp.arange(0.0, np.inf), "'arange': expected bounds with at most 2.48 numbers between them"),
    ],
)
def test_aranges_that_are_none(function, expected):
    with pytest.raises(fuser.Error, match=expected):
        fuser.jit(function)(X)


def test_a_step_that_becomes_0():
    """Of an executable for any sizes, which nobody traces again."""
    b = fuser.Builder()
    x = b.input((None,), name="x")
    b.output(b.arange(0, 5, b.size(x, 0)))
    exe = b.compile()
    np.testing.assert_array_equal(exe(np.ones(2, np.float32)), [0, 2, 4])
    with pytest.raises(fuser.Error, match="expected a step that is not 0, got 0"):
        exe(np.ones(0, np.float32))


def test_linspace_of_a_size():
    check(fuser.jit(lambda x: fnp.linspace(0, 1, x.shape[0]))(X), np.linspace(0, 1, 4))
    check(fuser.jit(lambda x: fnp.linspace(2, 1, x.shape[0]))(X[:1]), np.linspace(2, 1, 1))


def test_wrong_sizes():
    function = fuser.jit(lambda x, y: fnp.tensordot(x, y, ((0, 1), (0, 1))))
    with pytest.raises(fuser.Error, match=re.escape("'tensordot': expected one size of dimension 0, got 4 and 6")):
        function(X, Y.T.copy())
    b = fuser.Builder()
    b.output((b.input((None,)) + 1)[:100])
    with pytest.raises(
        fuser.Error, match=rf"{__file__}:\d+: fusion.slice, dimension 0: expected a slice of the 3 elements"
    ):
        b.compile()(np.ones(3, np.float32))
    with pytest.raises(fuser.Error, match="'tensordot': expected one size of dimension 0, got 4 and 6"):
        b = fuser.Builder()
        b.tensordot(b.input((4, 6)), b.input((6, 4)))
    with pytest.raises(fuser.Error, match="'moveaxis': expected each dimension once, got dimension 0 twice"):
        fuser.jit(lambda x: fnp.moveaxis(x, (0, 0), (0, 1)))(X)
    with pytest.raises(fuser.Error, match=r"'moveaxis': expected as many places as dimensions, got \[0, 1\] and \[0\]"):
        fuser.jit(lambda x: fnp.moveaxis(x, (0, 1), 0))(X)
    with pytest.raises(fuser.Error, match="'meshgrid': expected 'xy' or 'ij' as 'indexing', got 'no'"):
        fuser.jit(lambda x: fnp.meshgrid(x[0], x[0], indexing="no"))(X)


@pytest.mark.parametrize("rate", [1.5, -1.0, float("nan")])
def test_rates_of_dropout(rate):
    with pytest.raises(fuser.Error, match="'dropout': expected a rate from 0 to 1, got"):
        fuser.jit(lambda x: fnp.dropout(x, rate, 0))(X)
    with pytest.raises(fuser.Error, match="'sdpa': expected a rate from 0 to 1, got"):
        fuser.jit(lambda x: fnp.sdpa(x[None], x[None], x[None], dropout=(rate, 0, 0)))(X)


def test_dropout_of_all_and_none():
    y, mask = fuser.jit(lambda x: fnp.dropout(x, 1, 0))(X)
    assert not mask.any() and not y.any()
    y, mask = fuser.jit(lambda x: fnp.dropout(x, 0.0, 0))(X)
    np.testing.assert_array_equal(y, X)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_topk_of_too_few(target):
    function = fuser.jit(lambda x: fnp.topk(x, 5)[1], target=target)
    assert function(X).shape == (4, 5)
    with pytest.raises(
        fuser.Error, match=r"test_array_functions\.py:\d+: error: .* k to be at most the size 4 of dimension 1, got 5"
    ):
        function(X[:, :4].copy())


def test_tensors_of_indices():
    """Without fuser.jit: indices are not counted from the end."""
    b = fuser.Builder()
    x, t = b.input((None, 6)), b.input((None,), "int64")
    b.output(x[:, t])
    b.output(x[b.arange(3), t])
    index = np.array([5, 0, 2])
    check(b.compile()(X, index), [X[:, index], X[np.arange(3), index]])


def test_lists_of_indices():
    """As in x[:, [0, 1]]."""
    b = fuser.Builder()
    x = b.input((None, 6))
    b.output(b.take(x, [0, 2], 1))
    np.testing.assert_array_equal(b.compile()(X), X[:, [0, 2]])
    for function in (
        lambda x: np.take(x, [0, -1], axis=1),
        lambda x: np.take(x, (1, 0), axis=0),
        lambda x: x.take([5, 6, -1]),
        lambda x: x.take(np.array([[3], [2]])),
    ):
        np.testing.assert_array_equal(fuser.jit(function)(X), function(X))
    for indices, message in (([1.5], "expected integers as indices, got 1.5"), ([True, False], "got booleans")):
        with pytest.raises(TypeError, match=message):
            fuser.jit(lambda x, indices=indices: fnp.take(x, indices, 0))(X)


def test_rolls_by_what_is_computed():
    function = fuser.jit(
        lambda x, n: (np.roll(x, x.shape[-1] // 2, axis=-1), fnp.roll(x, x.shape[0] + n), fnp.roll(x, (n, 1), (0, 1)))
    )
    for x in (X, X[:3, :5], X[:1], X[:, :0]):
        for n in (0, 1, -9):
            expected = np.roll(x, x.shape[-1] // 2, -1), np.roll(x, x.shape[0] + n), np.roll(x, (n, 1), (0, 1))
            for got, wanted in zip(function(x, np.int64(n)), expected, strict=True):
                np.testing.assert_array_equal(got, wanted)
    b = fuser.Builder()
    x, n = b.input((None, 6)), b.scalar("int32")
    for shift in (1.5, "1", b.scalar("float32"), x):
        with pytest.raises(
            TypeError, match="^roll: expected an integer, or an integer scalar of the program, as shift"
        ):
            b.roll(x, shift, 0)
    with pytest.raises(fuser.Error, match="'roll': expected as many 'shifts' as 'dims', got 2 and 1"):
        b.roll(x, (n, 1), (0,))
    b.output(b.roll(x, (n, 1), (0, 1)) + x)
    np.testing.assert_array_equal(b.compile()(X, -7, 1.0), np.roll(X, (-7, 1), (0, 1)) + X)
    b = fuser.Builder()
    b.output(b.roll(b.input((None, 6)), b.scalar("int8"), 1))
    np.testing.assert_array_equal(b.compile()(X, -128), np.roll(X, -128, 1))


def test_transposes_of_matrices():
    b = fuser.Builder()
    x = b.input((4, None, 5))
    with pytest.raises(fuser.Error, match="'mT': expected at least 2 dimensions, got <fuser.Value tensor<5xf32>>"):
        b.output(x[0, 0].mT)
    b.output(x.mT)
    np.testing.assert_array_equal(b.compile()(CUBE), CUBE.swapaxes(1, 2))


def test_names_that_are_spelled_wrong():
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match="expected the name of an op, got 'sofmax'; did you mean 'softmax'"):
        b._program.op("sofmax", (b.input((2, 2)),))


def test_product_in_another_type():
    b = fuser.Builder()
    x, w, bias = b.input((None, 6), "float16"), b.input((4, 6), "float16"), b.input((4,), "float16")
    results = b.matmul(x, w.T, dtype="float32"), b.linear(x, w, dtype="float32"), b.linear(x, w, bias, "float32")
    for each in results:
        assert each.dtype == "float32"
        b.output(each)
    x, w = (RNG.standard_normal(shape).astype(np.float16) for shape in ((5, 6), (4, 6)))
    product = x.astype(np.float32) @ w.T.astype(np.float32)
    check(b.compile()(x, w, x[0, :4].copy()), [product, product, product + x[0, :4]])


def test_product_of_flags():
    x, w = (RNG.integers(0, 2, shape).astype(bool) for shape in ((5, 300), (300, 4)))
    b = fuser.Builder()
    factors = b.input((None, 300), bool), b.input((300, 4), bool)
    for dtype in (None, "int64", "int32"):
        b.output(b.matmul(*factors, dtype=dtype))
    b.output(b.linear(factors[0], factors[1].T, dtype="int64"))
    count = x.astype(np.int64) @ w
    expected = [x @ w, count, count.astype(np.int32), count]
    for got, each in zip(b.compile()(x, w), expected, strict=True):
        assert got.dtype == each.dtype
        np.testing.assert_array_equal(got, each)
