# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More of NumPy's functions that are a few others, with their keywords, against NumPy: of fuser.numpy, and as NumPy's of arrays that are traced."""

import re
import warnings

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X, Y = (RNG.standard_normal((4, 6)).astype(np.float32) for _ in range(2))
Z = X.copy()
Z[0, 1], Z[2] = np.nan, np.nan

#: What takes the functions of fuser.numpy or of NumPy, and three arrays, of which the last one has NaN.
CASES = {
    "degrees": lambda f, x, y, z: (f.deg2rad(x), f.rad2deg(x), np.degrees(x), np.radians(x)),
    "heaviside": lambda f, x, y, z: (f.heaviside(z, y), f.heaviside(f.floor(x), y)),
    "flips": lambda f, x, y, z: (f.fliplr(x), f.flipud(x)),
    "norms": lambda f, x, y, z: (
        np.linalg.norm(x),
        np.linalg.norm(x, axis=1),
        np.linalg.norm(x, "fro"),
        np.linalg.norm(x, 1),
        np.linalg.norm(x, -1, keepdims=True),
        np.linalg.norm(x, np.inf),
        np.linalg.norm(x, -np.inf, axis=(1, 0)),
        np.linalg.norm(x[0], 3),
        np.linalg.matrix_norm(x),
        np.linalg.matrix_norm(x[None], ord=1, keepdims=True),
        np.linalg.norm(x, 1, axis=0),
    ),
    "cbrt": lambda f, x, y, z: f.cbrt(x),
    "ptp": lambda f, x, y, z: (f.ptp(x), f.ptp(x, axis=0), f.ptp(x, 1, keepdims=True)),
    "nanmax": lambda f, x, y, z: (f.nanmax(z), f.nanmax(z, 1), f.nanmin(z, 0, keepdims=True), f.nanmin(x, (0, 1))),
    "nanvar": lambda f, x, y, z: (f.nanvar(z), f.nanvar(z, axis=1), f.nanstd(z, axis=0), f.nanstd(z, 0, keepdims=True)),
    "isclose": lambda f, x, y, z: (
        f.isclose(x, x * 1.000001),
        f.isclose(z, z, equal_nan=True),
        f.isclose(x > 0, y > 0),
        f.isclose(x > 0, y > 0, atol=1),
        f.isclose(x, y, 0.1, 0.5),
        f.isclose(x / 0, y / 0),
    ),
    "atleast": lambda f, x, y, z: (f.atleast_1d(x), f.atleast_2d(x[0]), f.atleast_3d(x[0]), f.atleast_3d(x)),
    "several": lambda f, x, y, z: f.atleast_2d(x[0, 0], y),
    "rot90": lambda f, x, y, z: (f.rot90(x), f.rot90(x, 2), f.rot90(x, 3), f.rot90(x, -1, (1, 0)), f.rot90(x, 4)),
    "cross": lambda f, x, y, z: (f.cross(x[:, :3], y[:, 3:]), f.cross(x[:3], y[:3], axis=0)),
    "products": lambda f, x, y, z: (f.vdot(x, y), f.kron(x[:2], y[:3]), f.kron(x[0], y)),
    "products of booleans": lambda f, x, y, z: (
        (x > 0) @ (y > 1).T,
        f.matmul(x[0] > 0, (y > 1).T),
        f.dot(x[1] > 1, y[1] > 1),
        f.inner(x > 1, y > 1),
        (x > 0).reshape(2, 2, 6) @ (np.arange(12).reshape(6, 2) % 5 == 0),
        (x > 0) @ (y > 1).T.astype("int32"),
    ),
    "full": lambda f, x, y, z: (
        f.full_like(x, f.max(y)),
        f.full_like(x, f.sum(x > 0)),
        f.full_like(y[:2], y[0, 0], dtype="int32"),
        f.full_like(y[:0], y[0, 0]),
    ),
    "meshgrid": lambda f, x, y, z: (*f.meshgrid(x[0], y[1, 2]), *f.meshgrid(y[1, 2], x[0, :3], y[0], indexing="ij")),
    "select": lambda f, x, y, z: f.select([x > 0, y > 0], [x, y * 2], -1.0),
    "median": lambda f, x, y, z: (
        f.median(x),
        f.median(x, axis=0),
        f.median(x, 1, keepdims=True),
        f.median(x[:3], axis=0),
        f.median(z, axis=1),
        f.median(x, axis=(0, 1), keepdims=True),
    ),
    "quantiles": lambda f, x, y, z: (
        f.quantile(x, 0.3),
        f.quantile(z, 0.25, axis=0, keepdims=True),
        f.percentile(x, 30, axis=0),
        f.quantile(x.astype("float64"), [0.1, 0.5, 1], axis=1),
        f.percentile(x.astype("float64"), np.array([0, 100]), axis=(0, 1)),
    ),
    "methods": lambda f, x, y, z: tuple(
        each
        for method in ("linear", "lower", "higher", "nearest", "midpoint")
        for each in (
            f.quantile(x, 0.4, method=method),
            f.quantile(z, 0.7, axis=1, keepdims=True, method=method),
            f.percentile(x, 30, axis=0, method=method),
            f.quantile(x.astype("float64"), [0.1, 0.5, 1], axis=1, method=method),
        )
    ),
    "elements": lambda f, x, y, z: (
        f.quantile((x * 10).astype("int32"), 0.4, axis=0, method="lower"),
        f.percentile((x * 10).astype("int64"), [30, 75], method="nearest"),
    ),
    "kinds": lambda f, x, y, z: (np.argsort(x, kind="stable"), x.argsort(kind="stable"), np.sort(x, 0, kind="stable")),
    "optimize": lambda f, x, y, z: np.einsum("ij,kj->ik", x, y, optimize=True),
    "round": lambda f, x, y, z: (
        np.round(x * 100, 1),
        np.round(x, decimals=2),
        f.around(x * 100, -1),
        x.round(1),
        np.around((x * 100).astype("int32"), -1),
    ),
    "places": lambda f, x, y, z: (
        np.diff(x, 2),
        np.sort(x, 0, "stable"),
        np.argsort(x, -1, "mergesort"),
        np.argmax(x, 0, None),
        np.diff(x, 1, 0),
        np.nan_to_num(x / 0, True, 5.0, 6.0),
        np.var(x, 0, None, None, 1),
        np.sum(x, 0, None, None, True),
        np.median(x, 0, None, False, True),
        np.quantile(x, 0.4, 0, None, False, "lower", True),
    ),
    "where": lambda f, x, y, z: (
        np.sum(x, where=x > 0),
        np.sum(x, 1, where=x > 0, initial=2),
        x.sum(axis=0, where=y > 0),
        np.max(x, axis=0, where=x > 0, initial=-1),
        np.prod(x, initial=2.0),
        np.any(x > 1, where=y > 0, axis=1),
        np.min(x, initial=-9),
    ),
}


def flatten(results):
    return [*results] if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("functions", [fnp, np], ids=lambda module: module.__name__)
@pytest.mark.parametrize("dynamic", [True, False])
def test_traced(name, functions, dynamic):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = flatten(CASES[name](np, X, Y, Z))
    got = flatten(fuser.jit(lambda *arrays: CASES[name](functions, *arrays), dynamic=dynamic)(X, Y, Z))
    for result, wanted in zip(got, expected, strict=True):
        assert result.shape == np.shape(wanted) and result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


def test_all_are_close():
    assert fuser.jit(lambda x: (np.allclose(x, x), ~fnp.allclose(x, x + 1)))(X) == (True, True)


def test_rounds_of_python():
    np.testing.assert_allclose(fuser.jit(lambda x: round(x, 2))(X), X.round(2), rtol=1e-6)


def test_half_types():
    x = X.astype(np.float16)
    for name in ("median", "nanvar", "nanmax", "ptp"):
        got = fuser.jit(lambda x, name=name: getattr(fnp, name)(x, axis=0))(x)
        assert got.dtype == np.float16
        np.testing.assert_allclose(got, getattr(np, name)(x, axis=0), rtol=2e-3)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: np.meshgrid(x, x[0]), "'meshgrid': expected tensors of one dimension, got 'tensor<4x6xf32>'"),
        (lambda x: np.quantile(x, 1.5), "'quantile': expected fractions from 0 to 1, got 1.5"),
        (lambda x: np.quantile(x, 0.5, method="neares"), "got 'neares'; did you mean 'nearest'?"),
        (
            lambda x: np.quantile(x, 0.5, method="hazen"),
            "expected 'linear', 'lower', 'higher', 'nearest' or 'midpoint' as 'method', got 'hazen'",
        ),
        (lambda x: np.mean(x, where=x > 0), "np.mean: expected neither where= nor initial=, which sum, prod, any, all"),
        (lambda x: np.max(x, where=x > 0), "np.max: expected a number as initial=, which is the max of no elements"),
        (
            lambda x: np.linalg.norm(x, 2),
            "expected 'fro', 1, -1, inf or -inf as the order of a norm of matrices, got 2",
        ),
        (lambda x: fnp.cross(x, x), "'cross': expected 3 elements along dimension -1, got"),
        (lambda x: fnp.select([x > 0], []), "expected as many arrays as conditions, got 0 and 1"),
    ],
)
def test_what_is_refused(function, message):
    with pytest.raises((TypeError, ValueError, fuser.Error), match=re.escape(message)):
        fuser.jit(function, dynamic=False)(X)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: fnp.sort(x, 0, "stable"), "sort: expected True or False as descending, got 'stable'"),
        (lambda x: fnp.sum(x, 0, keepdims="no"), "sum: expected True or False as keepdims, got 'no'"),
        (lambda x: fnp.nanmean(x, 0, np.float64), "nanmean: expected True or False as keepdims, got <class"),
        (lambda x: fnp.topk(x, 2, 0, "smallest"), "topk: expected True or False as largest, got 'smallest'"),
        (lambda x: fnp.quantile(x, 0.5, 0, "lower"), "quantile: expected True or False as keepdims, got 'lower'"),
        (lambda x: fnp.quantile(x, "0.5"), "quantile: expected a number as q, or a list of numbers, .* got '0.5'"),
        (lambda x: fnp.quantile(x, x), "quantile: expected a number as q, or a list of numbers"),
        (lambda x: fnp.stack(3), "stack: expected a list of arrays, got 3"),
        (lambda x: fnp.moveaxis(x, 1.5, 0), "moveaxis: expected a dimension, or several, got 1.5"),
        (lambda x: fnp.split(x, "2"), "split: expected a number of parts, or a list of indices, got '2'"),
    ],
)
def test_wrong_kinds_name_the_function(function, message):
    with pytest.raises(TypeError, match=message):
        fuser.jit(function)(X)


def test_flags_of_numpy():
    got = fuser.jit(lambda x: (fnp.sum(x, 0, keepdims=np.True_), fnp.sum(x, 0, keepdims=1)))(X)
    assert [each.shape for each in got] == [(1, X.shape[1])] * 2
