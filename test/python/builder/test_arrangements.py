# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts, arrangements, products and quantiles of arrays whose sizes are open: what NumPy makes of them, or an error when the program runs."""

import re
import warnings

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from test_builder import run

X = np.arange(24, dtype=np.float32).reshape(4, 6)


def line(size):
    return np.arange(size, dtype=np.float32) ** 2


def check(results, expected):
    results = results if isinstance(results, (tuple, list)) else [results]
    for got, wanted in zip(results, expected, strict=True):
        assert got.shape == np.shape(wanted)
        np.testing.assert_array_equal(got, wanted)


def compile_of(build, shapes, scalars=()):
    """The program that `build(b, *inputs)` returns results of."""
    b = fuser.Builder()
    results = build(b, *(b.input(shape, "float32") for shape in shapes), *(b.scalar(each) for each in scalars))
    for each in results if isinstance(results, tuple) else (results,):
        b.output(each)
    return b.compile()


def split(**attributes):
    """The op, of an array and sizes or indices."""
    return lambda b, *operands: b._program.ops("split", operands, attributes)


# Parts


def test_parts_of_an_open_size():
    halves, thirds = (
        compile_of(lambda b, x: b.split(x, 2), [(None,)]),
        compile_of(lambda b, x: b.split(x, 3), [(None,)]),
    )
    for size in (0, 6, 12):
        check(halves(line(size)), np.split(line(size), 2))
        check(thirds(line(size)), np.split(line(size), 3))
    for program, size, count in ((halves, 5, 2), (thirds, 4, 3), (thirds, 1, 3)):
        message = (
            f"test_arrangements.py:[0-9]+: 'split': expected a number of parts that divides the {size} elements of"
            f" dimension 0, got {count}: array_split takes others"
        )
        with pytest.raises(fuser.Error, match=message):
            program(line(size))
    uneven = compile_of(lambda b, x: b.array_split(x, 3), [(None,)])
    for size in range(8):
        check(uneven(line(size)), np.array_split(line(size), 3))


@pytest.mark.parametrize("shape", [(None,), (5,)])
@pytest.mark.parametrize("scalar", ["int32", "int64"])
def test_parts_between_scalars(shape, scalar):
    program = compile_of(lambda b, x, n: b.split(x, [1, n]), [shape], [scalar])
    for n in (1, 3, 5):
        check(program(line(5), n), np.split(line(5), [1, n]))
    program = compile_of(lambda b, x, n: b.split(x, [n, -n]), [shape], [scalar])
    for n in (1, 2):
        check(program(line(5), n), np.split(line(5), [n, -n]))


def test_parts_of_sizes():
    known = compile_of(split(sizes=[2, 0, 3], dim=-1), [(None, None)])
    x = np.ascontiguousarray(X[:, :5])
    check(known(x), (x[:, :2], x[:, 2:2], x[:, 2:]))
    with pytest.raises(fuser.Error, match="expected dimension 1 to be 5, got 6"):
        known(X)
    for shape in ((None,), (5,)):
        given = compile_of(split(sizes=[None, 1, None]), [shape], ["int64", "int64"])
        for first, last in ((0, 4), (3, 1), (4, 0)):
            check(given(line(5), first, last), np.split(line(5), [first, first + 1]))
        with pytest.raises(
            fuser.Error, match="'split': expected sizes of parts whose sum is 5, that of dimension 0, got 6$"
        ):
            given(line(5), 2, 3)
    of_another = compile_of(
        lambda b, x, y: b._program.ops("split", (x, b.size(y, 0)), {"sizes": [None, 2]}), [(None,)] * 2
    )
    check(of_another(line(5), line(3)), (line(5)[:3], line(5)[3:]))
    with pytest.raises(fuser.Error, match="whose sum is 5, that of dimension 0, got 4"):
        of_another(line(5), line(2))


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6])
def test_parts_of_a_length(size):
    program = compile_of(split(length=2), [(size,)])
    check(program(line(size)), np.split(line(size), range(2, size, 2)))


@pytest.mark.parametrize(
    ("attributes", "shape", "message"),
    [
        ({"length": 2}, (None,), "expected the sizes of all parts, as that of dimension 0 is open"),
        ({"length": 0}, (4,), "expected at least 1 as 'length', got 0"),
        ({"length": 1}, (2**16 + 1,), "expected at most 65536 parts, got 65537"),
        ({"sections": 0}, (4,), "expected 1 to 65536 as 'sections', got 0"),
        ({"sections": 3}, (4,), "expected a number of parts that divides the 4 elements of dimension 0, got 3"),
        ({"sizes": [1, 2]}, (4,), "expected sizes of parts whose sum is 4, that of dimension 0, got 3"),
        ({"sizes": [5, -1]}, (4,), "expected 'sizes' that are not negative, got -1"),
        ({"sizes": [None, 2]}, (4,), "expected an operand for each open number of 'sizes'"),
        ({"indices": [None]}, (4,), "expected an operand for each open number of 'indices'"),
        ({"sections": 2, "dim": 1}, (4,), "expected a dimension of -1 to 0, of a tensor of 1 dimensions, got 1"),
        ({}, (4,), "expected one of 'sections', 'indices', 'sizes' and 'length'"),
    ],
)
def test_parts_that_there_are_not(attributes, shape, message):
    with pytest.raises(fuser.Error, match=re.escape(f"'split': {message}")):
        compile_of(split(**attributes), [shape])


def test_differences_of_few_elements():
    """Of an open size there are none, too, where there are fewer elements than orders."""
    for order in range(4):
        program = compile_of(lambda b, x, n=order: b.diff(x, n=n), [(None,)])
        for size in (0, 1, 2, 3, 9):
            check(program(line(size)), [np.diff(line(size), order)])
            check(compile_of(lambda b, x, n=order: b.diff(x, n=n), [(size,)])(line(size)), [np.diff(line(size), order)])
    rows = compile_of(lambda b, x: b.diff(x, axis=0, n=2), [(None, None)])
    for count in range(5):
        check(rows(X[:count]), [np.diff(X[:count], 2, 0)])


# Products


def test_right_angles_of_open_sizes():
    program = compile_of(lambda b, x, y: b.cross(x, y), [(None, None)] * 2)
    x, y = np.ascontiguousarray(X[:, :3]), np.ascontiguousarray(X[:, 3:]) ** 2
    check(program(x, y), [np.cross(x, y)])
    check(program(x[:0], y[:0]), [np.cross(x[:0], y[:0])])
    for first, second, size in ((X, X, 6), (x, X, 6), (X, y, 6), (x[:, :2].copy(), x[:, :2].copy(), 2)):
        message = f"test_arrangements.py:[0-9]+: 'cross': expected 3 elements along dimension -1, got {size}$"
        with pytest.raises(fuser.Error, match=message):
            program(first, second)
    half = compile_of(lambda b, x, y: b.cross(x, y, axis=0), [(None, None), (3, None)])
    check(half(x.T.copy(), y.T.copy()), [np.cross(x.T, y.T, axis=0)])
    with pytest.raises(fuser.Error, match="'cross': expected 3 elements along dimension 0, got 4"):
        half(X[:, :4].copy(), y.T.copy())


@pytest.mark.parametrize("name", ["outer", "kron"])
def test_products_of_each_with_all(name):
    for left, right in (((4, 6), (2, 3)), ((3,), (2, 2)), ((2, 2), (5,)), ((0, 2), (3, 1)), ((2,), (0,)), ((), (3,))):
        x, y = (
            np.arange(-2, np.prod(shape, dtype=int) - 2, dtype=np.float32).reshape(shape) for shape in (left, right)
        )
        program = compile_of(lambda b, x, y: getattr(b, name)(x, y), [[None] * len(left), [None] * len(right)])
        check(program(x, y), [getattr(np, name)(x, y)])


def test_a_letter_of_an_open_and_a_known_size():
    """The input gets the size; what is computed is checked."""
    w = X.T.copy()
    for shapes in ([(None, None), (6, 4)], [(4, 6), (None, None)]):
        program = compile_of(lambda b, x, y: b.einsum("ij,jk->ik", x, y), shapes)
        check(program(X, w), [X @ w])
        is_first = shapes[0][0] is None
        wrong = (X[:, :5].copy(), w) if is_first else (X, w[:5].copy())
        with pytest.raises(fuser.Error, match=f"expected dimension {int(is_first)} to be 6, got 5"):
            program(*wrong)
    three = compile_of(lambda b, x, y, z: b.einsum("ij,jk,ki->", x, y, z), [(None, 6), (None, None), (None, 4)])
    z = np.eye(4, dtype=np.float32)
    check(three(X, w, z), [np.einsum("ij,jk,ki->", X, w, z)])
    diagonal = compile_of(lambda b, x: b.einsum("ii->i", x), [(4, None)])
    check(diagonal(X[:, :4].copy()), [X.diagonal()])
    with pytest.raises(fuser.Error, match="'einsum': expected one size of 'i', got 4 and 6$"):
        diagonal(X)


@pytest.mark.parametrize(
    "multiply", [lambda x, y: fnp.einsum("ij,jk->ik", x, y), lambda x, y: fnp.tensordot(x, y, 1), lambda x, y: x @ y]
)
def test_a_known_size_of_what_is_computed(multiply):
    """Among other open sizes, and of no input."""
    function = fuser.jit(lambda x: multiply(fnp.concat([x, x], 1), fnp.ones((12, 2))))
    np.testing.assert_array_equal(function(X), np.concatenate([X, X], 1) @ np.ones((12, 2), np.float32))
    with pytest.raises(fuser.Error, match="expected"):
        function(X[:, :5].copy())


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int8])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("order", ["C", "F", "steps"])
def test_columns_side_by_side(dtype, dynamic, order):
    """Each computed by itself, of columns and parts of several columns: vectors are of rows, and of columns."""

    def build(m, x):
        columns = [x[:, i] * 2 + i if i % 3 else m.maximum(x[:, i], x[:, 19 - i]) for i in range(18)]
        together = m.concatenate([x[:, :17] + 1, m.stack(columns[:2], axis=1), x[:, 2:5]], axis=1)
        return m.stack(columns, axis=1), together * 3, m.stack(columns[:3], axis=1) + x[:, :3]

    function = fuser.jit(lambda x: build(fnp, x), dynamic=dynamic)
    for rows in (37, 0, 1, 15, 16, 2000) if dynamic else (37, 0, 2000):
        x = np.random.default_rng(rows).integers(0, 50, (rows, 20)).astype(dtype)
        x = {"C": x, "F": np.asfortranarray(x), "steps": np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3]}[order]
        check(function(x), build(np, x))


def test_functions_side_by_side():
    """The bits of an element do not depend on how many rows there are beside it."""
    x = np.random.default_rng(0).standard_normal((37, 5)).astype(np.float32)

    def build(x):
        names = ["exp", "sin", "tanh", "expm1", "erf"]
        return fnp.stack([getattr(fnp, name)(x[:, i]) for i, name in enumerate(names)], axis=1)

    function = fuser.jit(build)
    together = function(x)
    check([function(x[i : i + 1].copy()) for i in range(37)], [together[i : i + 1] for i in range(37)])


# Elements by their place in order

CUBE = np.random.default_rng(3).standard_normal((3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize("axis", [None, (0, 1), (2, 0), (-1, 1), (1,), (0, 1, 2), (2, 1, 0)])
@pytest.mark.parametrize("keepdims", [True, False])
def test_places_over_several_dimensions(axis, keepdims):
    def compute(f, x):
        options = {"axis": axis, "keepdims": keepdims}
        return (
            f.median(x, **options),
            f.quantile(x, 0.25, **options),
            f.quantile(x, 0.5, method="nearest", **options),
            f.quantile(x, (0.125, 1), method="higher", **options),
        )

    for x in (CUBE, np.asfortranarray(CUBE), CUBE[:, :1]):
        expected = compute(np, x)
        for opened in (True, False):
            for got, wanted in zip(run(compute, x, opened=opened), expected, strict=True):
                assert got.shape == wanted.shape
                np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
@pytest.mark.parametrize("opened", [True, False])
def test_places_at_an_array(method, opened):
    """Its dimensions are the first ones of the result."""
    for q in (np.array(0.75, np.float32), np.array([0.5, 0, 1]), np.array([[0.125], [0.25]], np.float32)):
        for axis, keepdims in ((1, False), ((0, -1), True)):

            def compute(b, x, q, axis=axis, keepdims=keepdims):
                return b.quantile(x, q, axis, keepdims, method), b.percentile(x, q * 100, axis, keepdims, method)

            wanted = np.quantile(CUBE, q.astype(np.float64), axis, keepdims=keepdims, method=method)
            for got in run(compute, CUBE, q, opened=opened):
                assert got.shape == wanted.shape and got.dtype == CUBE.dtype
                np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("wrong", [-0.25, 1.25, np.nan])
def test_places_at_no_fraction(wrong):
    """NaN, or the least integer: a kernel cannot refuse it."""
    q = np.array([0.5, wrong])
    for method in ("linear", "higher"):
        compiled = fuser.jit(lambda x, q, method=method: np.quantile(x, q, method=method))
        check(compiled(X, q), [np.array([np.quantile(X, 0.5, method=method), np.nan], np.float32)])
    got = fuser.jit(lambda x, q: np.quantile(x, q, method="lower"))(X.astype(np.int32), q)
    check(got, [np.array([np.quantile(X, 0.5, method="lower"), np.iinfo(np.int32).min], np.int32)])


def test_places_at_a_number_of_the_call():
    compiled = fuser.jit(lambda x, q: np.quantile(x, q, axis=1))
    for q in (0.5, 0.125, 1.0):
        np.testing.assert_array_equal(compiled(X, q), np.quantile(X, q, axis=1))


def test_many_places():
    """They are read at once."""
    q = np.linspace(0, 1, 300)
    compiled = compile_of(lambda b, x: b.quantile(x, q), [(None, 6)])
    assert compiled.ir("program").count("fusion.take ") == 3
    np.testing.assert_allclose(compiled(X), np.quantile(X, q), rtol=1e-6)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 3)])
@pytest.mark.parametrize("opened", [True, False])
def test_places_of_nothing(shape, opened):
    """NaN of no elements, and nothing of no rows. NumPy's quantile takes none."""
    x = np.zeros(shape, np.float32)
    for axis in (None, *range(len(shape)), tuple(range(len(shape)))[-2:]):
        for keepdims in (True, False):
            expected = x.sum(axis, keepdims=keepdims) * np.float32(np.nan)
            if x.size == 0 and expected.size:
                with warnings.catch_warnings(action="ignore"):
                    np.testing.assert_array_equal(np.median(x, axis, keepdims=keepdims), expected)

            def compute(b, x, axis=axis, keepdims=keepdims):
                several = b.quantile(x, [0.1, 0.9], axis, keepdims, method="lower")
                return b.median(x, axis, keepdims), b.quantile(x, 0.3, axis, keepdims), several

            check(run(compute, x, opened=opened), (expected, expected, np.stack([expected] * 2)))


def test_places_of_numbers():
    number = np.float32(2.5)
    got = fuser.jit(lambda x: (np.median(x), np.quantile(x, 0.3), np.quantile(x, [0, 1])))(number)
    check(got, (number, number, [number, number]))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_nan_is_the_place_of_all(method):
    x = CUBE.copy()
    x[0, 1, 2] = np.nan
    for axis in (None, 2, (0, 2)):
        expected = np.quantile(x, (0.25, 0.5), axis, method=method)
        np.testing.assert_allclose(
            run(lambda b, x, axis=axis: b.quantile(x, (0.25, 0.5), axis, method=method), x), expected, rtol=1e-6
        )


def test_what_is_refused():
    for build, message in (
        (lambda b, x: b.quantile(x, []), "'quantile': expected a list of numbers as 'fractions', got []"),
        (lambda b, x: b.quantile(x, float("nan")), "'quantile': expected fractions from 0 to 1, got nan"),
        (lambda b, x: b.quantile(x, 0.5, method="midpiont"), "got 'midpiont'; did you mean 'midpoint'?"),
        (lambda b, x: b.median(x, axis=(0, -2)), "'median': expected each dimension once, got dimension 0 twice"),
        (lambda b, x: b.rot90(x, axes=(1, -1)), "'rot90': expected two dimensions, got 1 twice"),
        (lambda b, x: b.stack([x, x[0]]), "'stack': expected tensors of one shape, got"),
        (lambda b, x: b.stack([]), "'stack': expected at least one tensor, got none"),
        (lambda b, x: b.vstack([]), "'vstack': expected at least one tensor, got none"),
        (lambda b, x: b.meshgrid(), "'meshgrid': expected at least one tensor, got none"),
        (lambda b, x: b.einsum("ij"), "'einsum': expected 1 operands for 'ij', got 0"),
        (lambda b, x: b._linalg_norm(x, 1, (0, 0)), "'matrix_norm': expected each dimension once, got dimension 0"),
    ):
        with pytest.raises(fuser.Error, match=re.escape(message)):
            compile_of(build, [(None, 6)])


REPEATED = {
    "...ij,...jk->...ik": ((7, 4, 5), (1, 5, 3)),
    "bhqd,bhkd->bhqk": ((2, 8, 3, 4), (2, 1, 5, 4)),
    "ij,jk->ik": ((3, 1), (4, 2)),
    "...i,...i": ((2, 3, 4), (1, 4)),
    "i,i,i->i": ((1,), (5,), (1,)),
}


@pytest.mark.parametrize("equation", REPEATED)
def test_sizes_of_1_are_repeated(equation):
    arrays = [np.random.default_rng(3).standard_normal(shape).astype(np.float32) for shape in REPEATED[equation]]
    program = compile_of(lambda b, *x: b.einsum(equation, *x), REPEATED[equation])
    np.testing.assert_allclose(program(*arrays), np.einsum(equation, *arrays), rtol=1e-5, atol=1e-6)


def test_products_of_all_elements_have_as_many():
    with pytest.raises(fuser.Error, match="'vdot': expected as many elements of both, got 3 and 1"):
        compile_of(lambda b, x, y: b.vdot(x, y), [(3,), (1,)])
    program = compile_of(lambda b, x, y: b.vdot(x, y), [(None, None), (None,)])
    assert program(line(6).reshape(2, 3), line(6)) == np.dot(line(6), line(6))
    with pytest.raises(fuser.Error, match="'vdot': expected as many elements of both, got 6 and 1"):
        program(line(6).reshape(2, 3), line(1))


def test_norms_of_no_sums():
    for order, shape in ((1, (3, 0)), (np.inf, (0, 3))):
        for known in (shape, (None, None)):
            norm = compile_of(lambda b, x, order=order: b._linalg_norm(x, order), [known])
            assert norm(np.zeros(shape, np.float32)) == 0
