# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More of NumPy's functions that are a few others, with their keywords, against NumPy: of fuser.numpy, and as NumPy's of arrays that are traced."""

import inspect
import math
import re
import warnings

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from conftest import ROOT
from fuser._array.names import INSTEAD, KEYWORDS, OF_NUMPY

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
    "trace": lambda f, x, y, z: (
        f.trace(x),
        f.trace(x, 2),
        f.trace(x, -1),
        f.trace(x, axis1=1, axis2=0, offset=1),
        f.trace(x, 7),
        f.trace(x.reshape(2, 4, 3)),
        f.trace(x.reshape(2, 4, 3), 1, -1, 1),
        f.trace(x.reshape(2, 4, 3), dtype=np.float64),
        f.trace(f.floor(x).astype(np.int32)[None], 0, 1, 2),
        x.reshape(2, 4, 3).trace(1),
    ),
    "nanmedian": lambda f, x, y, z: (
        f.nanmedian(z),
        f.nanmedian(z, 0),
        f.nanmedian(z, axis=1, keepdims=True),
        f.nanmedian(z.reshape(2, 2, 6), (2, 0)),
        f.nanmedian(z.reshape(2, 2, 6), (0, -1), keepdims=True),
        f.nanmedian(x / 0 * y),
    ),
    "logaddexp2": lambda f, x, y, z: (
        f.logaddexp2(x, y),
        f.logaddexp2(x * 1000, y * 1000),
        f.logaddexp2(z, x),
        f.logaddexp2(x / 0, y / 0),
        f.logaddexp2(x / 0, x / 0),
        f.logaddexp2(x, 0.5),
    ),
    "i0": lambda f, x, y, z: (f.i0(x), f.i0(x * 10), f.i0(z * 0), f.i0(-abs(y) * 30)),
    "spacing": lambda f, x, y, z: (f.spacing(x), f.spacing(-x * 1e30), f.spacing(z * 0), f.spacing(x / 0)),
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
    "names of NumPy": lambda f, x, y, z: (
        np.tile(A=x, reps=2),
        np.flip(m=x, axis=1),
        *np.split(ary=x, indices_or_sections=2),
        np.vstack(tup=[x, y]),
        np.clip(a=x, a_min=0, a_max=1),
        np.pad(array=x, pad_width=1),
        np.take_along_axis(arr=x, indices=np.argsort(a=y), axis=1),
        np.reshape(x, (np.ndim(x), *np.shape(y[0]), -1)),
    ),
    "tensordot": lambda f, x, y, z: (f.tensordot(x, y, np.int64(2)), f.tensordot(x, y.T, axes=[[1], np.int64(0)])),
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
    "optimize": lambda f, x, y, z: (
        f.einsum("ij,kj->ik", x, y, optimize=True),
        f.einsum("ij,kj,kl->il", x, y, x, optimize=["einsum_path", (0, 1), (0, 1)]),
        f.einsum(x, [0, 1], y, [2, 1], optimize="greedy"),
    ),
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


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.bool_])
def test_counts_of_bits(kind):
    x = RNG.integers(-(2**63), 2**63 - 1, 24).astype(kind)
    if kind is not np.bool_:
        x[:3] = np.iinfo(kind).min, np.iinfo(kind).max, 0
    got = fuser.jit(lambda x: (fnp.bitwise_count(x), np.bitwise_count(x)))(x)
    expected = [sum(map(int, bin(abs(int(each)))[2:])) for each in x]
    for each in got:
        assert each.dtype == np.uint8
        np.testing.assert_array_equal(each, expected)
    with pytest.raises(TypeError, match="bitwise_count: expected integers, got .*f32"):
        fuser.jit(lambda x: fnp.bitwise_count(x))(X)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_in_float64():
    x = np.concatenate([np.linspace(-30, 30, 61), [0, 8, 8.5, np.nan]])
    np.testing.assert_allclose(fuser.jit(np.i0)(x), np.i0(x), rtol=1e-14)
    np.testing.assert_allclose(fuser.jit(np.logaddexp2)(x, x[::-1].copy()), np.logaddexp2(x, x[::-1]), rtol=1e-14)
    np.testing.assert_array_equal(fuser.jit(np.spacing)(x), np.spacing(x))
    ends = np.array([0.0, -0.0, 1, -1, np.inf, 3.4028235e38, -3.4028235e38, 1e-45, -1e-45], np.float32)
    np.testing.assert_array_equal(fuser.jit(np.spacing)(ends), np.spacing(ends))


def test_traces_that_there_are_none_of():
    for function, kind, message in (
        (lambda x: np.trace(x, axis1=1), ValueError, "expected two dimensions, got 1 and 1, which are one"),
        (lambda x: np.trace(x, axis2=2), ValueError, "expected a dimension from -2 to 1, got 2"),
        (lambda x: np.trace(x[0]), fuser.Error, "'trace': expected a matrix, got"),
        (lambda x: np.trace(x, 0.5), TypeError, "expected an integer as offset, got 0.5"),
    ):
        with pytest.raises(kind, match=message):
            fuser.jit(function)(X)


def test_half_types():
    x = X.astype(np.float16)
    for name in ("median", "nanvar", "nanmax", "ptp", "nanmedian"):
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
        (
            lambda x: fnp.diff(x, axis=2, prepend=0),
            "'diff': expected a dimension of -2 to 1, of a tensor of 2 dimensions, got 2",
        ),
        (
            lambda x: fnp.meshgrid(x, sparse=True),
            "'meshgrid': expected tensors of one dimension, got 'tensor<4x6xf32>'",
        ),
        (lambda x: fnp.meshgrid(x[0], indexing="yx", sparse=True), "'meshgrid': expected 'xy' or 'ij' as 'indexing'"),
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
        (
            lambda x: fnp.quantile(x, "0.5"),
            "quantile: expected a number as q, or an array or a list of numbers, got '0.5'",
        ),
        (lambda x: fnp.stack(3), "stack: expected a list of arrays, got 3"),
        (lambda x: fnp.moveaxis(x, 1.5, 0), "moveaxis: expected a dimension, or several, got 1.5"),
        (lambda x: fnp.split(x, "2"), "split: expected a number of parts, or a list of indices, got '2'"),
        (lambda x: fnp.meshgrid(x[0], sparse="no"), "meshgrid: expected True or False as sparse, got 'no'"),
        (lambda x: fnp.meshgrid(x[0], copy=None), "meshgrid: expected True or False as copy, got None"),
        (lambda x: fnp.kron(x, a=x), r"fuser.numpy.kron: expected \(x1, x2\): "),
        (lambda x: fnp.kron(a=x, x1=x), r"fuser.numpy.kron: expected \(x1, x2\): "),
        (
            lambda x: fnp.tensordot(x, x, 1.5),
            "tensordot: expected an integer, or two lists of dimensions, as axes, got 1.5",
        ),
        (lambda x: fnp.diff(x, axis=0.5, prepend=0), "diff: expected a dimension as axis, got 0.5"),
    ],
)
def test_wrong_kinds_name_the_function(function, message):
    with pytest.raises(TypeError, match=message):
        fuser.jit(function)(X)


def test_flags_of_numpy():
    got = fuser.jit(lambda x: (fnp.sum(x, 0, keepdims=np.True_), fnp.sum(x, 0, keepdims=1)))(X)
    assert [each.shape for each in got] == [(1, X.shape[1])] * 2


#: Of functions of NumPy's that are not there, names of arguments in what is said to write, and what NumPy's own gives of them.
INSTEADS = {
    "append": (lambda f, a, b: f(a, b, 1), {"a": X, "b": Y, "axis": 1}),
    "array_equal": (lambda f, a, b: f(a, b), {"a": X, "b": X}),
    "choose": (lambda f, i, a, b: f(i, [a, b]), {"i": np.arange(6) % 2, "a": X, "b": Y}),
    "corrcoef": (lambda f, x: f(x), {"x": X}),
    "cov": (lambda f, x: f(x), {"x": X}),
    "diagflat": (lambda f, x: f(x), {"x": X[:2, :2], "n": 4}),
    "digitize": (lambda f, x, bins: f(x, bins), {"x": X, "bins": np.float32([-1, 0, X[0, 0], 2])}),
    "dsplit": (lambda f, x, indices_or_sections: f(x, 2), {"x": X.reshape(2, 2, 6), "indices_or_sections": 2}),
    "ediff1d": (lambda f, x: f(x), {"x": X}),
    "fix": (lambda f, x: f(x), {"x": X}),
    "float_power": (lambda f, x, y: f(x, y), {"x": abs(X), "y": Y}),
    "geomspace": (lambda f, x: f(2, 32, 5), {"x": X, "start": 2, "stop": 32, "num": 5}),
    "histogram": (lambda f, x: f(x, 5, (-1, 1))[0], {"x": X, "low": -1, "high": 1, "n": 5}),
    "histogram_bin_edges": (lambda f, x: f(x, 5, (-4, 4)), {"x": X, "low": -4, "high": 4, "n": 5}),
    "hsplit": (lambda f, x, indices_or_sections: f(x, 3), {"x": X, "indices_or_sections": 3}),
    "interp": (lambda f, x, xp, fp: f(x, xp, fp), {"x": X, "xp": np.float32([-1, -0.5, 0, 2]), "fp": Y[0, :4], "n": 4}),
    "isin": (lambda f, x, values: f(x, values), {"x": X, "values": X[1, 2:4]}),
    "lcm": (lambda f, a, b: f(a, b), {"a": np.arange(1, 7), "b": np.int64([4, -6, 2, 8, 15, 12])}),
    "ldexp": (lambda f, x, n: f(x, n), {"x": X, "n": np.arange(6)}),
    "logspace": (lambda f, x: f(-1, 2, 7), {"x": X, "start": -1, "stop": 2, "num": 7}),
    "matvec": (lambda f, a, x: f(a, x), {"a": X, "x": Y[0]}),
    "modf": (lambda f, x: f(x), {"x": X}),
    "nanargmax": (lambda f, x, axis: f(x, 1), {"x": Z[:2], "axis": 1}),
    "nanargmin": (lambda f, x, axis: f(x, 1), {"x": Z[:2], "axis": 1}),
    "nancumprod": (lambda f, x, axis: f(x, 1), {"x": Z, "axis": 1}),
    "nancumsum": (lambda f, x, axis: f(x, 1), {"x": Z, "axis": 1}),
    "nanprod": (lambda f, x, axis: f(x, 1), {"x": Z, "axis": 1}),
    "polyval": (lambda f, a, b, c, x: f(np.stack([a, b, c]), x), {"a": X[0, 0], "b": X[0, 1], "c": X[0, 2], "x": Y}),
    "ravel_multi_index": (lambda f, i, j: f((i, j), (3, 4)), {"i": np.arange(3), "j": np.arange(3), "columns": 4}),
    "rollaxis": (lambda f, x: f(x, 2, 0), {"x": X.reshape(2, 2, 6), "source": 2, "destination": 0}),
    "sinc": (lambda f, x: f(x), {"x": X * (X > 0)}),
    "trapezoid": (lambda f, x, y: f(y, x), {"x": X[0], "y": Y[0]}),
    "tri": (lambda f, x: f(3, 5, -1), {"x": X, "rows": 3, "columns": 5, "k": -1}),
    "unravel_index": (lambda f, i: f(i, (3, 4)), {"i": np.arange(12), "columns": 4}),
    "vander": (lambda f, x: f(x, 4), {"x": X[0], "n": 4}),
    "vecmat": (lambda f, x, a: f(x, a), {"x": X[:, 0], "a": Y}),
    "vsplit": (lambda f, x: f(x, 2), {"x": X, "indices_or_sections": 2}),
}
INSTEADS = {name: case for name, case in INSTEADS.items() if hasattr(np, name)}


@pytest.mark.parametrize("name", INSTEADS)
def test_what_is_said_to_write_gives_the_same(name):
    """The text, as it stands, in a function that is traced."""
    call, given = INSTEADS[name]
    arrays = {key: value for key, value in given.items() if isinstance(value, (np.ndarray, np.generic))}
    text = INSTEAD[name].format("fnp")
    result, _, where = text.partition(" of ")
    result, where = result.partition(", an array")[0], where.partition(" (of which")[0]
    lines = [f"def function({', '.join(arrays)}):"]
    # What it is of follows: the last of these comes first.
    lines += [f"    {each}" for each in reversed(re.split(r", (?=[a-z]\w* = )", where)) if each]
    names = {"fnp": fnp, "math": math, **given}
    exec("\n".join([*lines, f"    return {result}"]), names)
    expected = call(getattr(np, name), **{key: given[key] for key in inspect.signature(call).parameters if key != "f"})
    got = flatten(fuser.jit(names["function"])(**arrays))
    for one, wanted in zip(got, [*expected] if isinstance(expected, (tuple, list)) else [expected], strict=True):
        assert one.shape == np.shape(wanted)
        np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


def test_the_gradient_as_it_is_said():
    within, ends = INSTEAD["gradient"].split(" of dimension 0, and ")
    first, last = re.fullmatch("(.*) and (.*) at its ends", ends).groups()
    function = fuser.jit(lambda x: fnp.concat([eval(each, {"x": x}) for each in (first, within, last)]))
    np.testing.assert_allclose(function(X), np.gradient(X, axis=0), rtol=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_sorted_search_as_it_is_said(side):
    left, right = INSTEAD["searchsorted"].split(", with side='right' ")
    text = left if side == "left" else right
    a = np.sort(X[0])
    v = np.concatenate([Y[0], a[2:4]])
    got = fuser.jit(lambda a, v: eval(text, {"a": a, "v": v}))(a, v)
    np.testing.assert_array_equal(got, np.searchsorted(a, v, side=side))


#: How operands are called in NumPy, and in the array API standard.
SAME = {"a": ("x", "x1"), "b": ("x2",), "tup": ("arrays",)}
SAME |= dict.fromkeys(("arr", "array", "ary", "A", "m", "v", "val", "z"), ("x",))
SAME |= {"reps": ("repetitions",), "N": ("rows",), "M": ("columns",)}


def list_places(function):
    """The names of what can be given without them."""
    if isinstance(function, np.ufunc):  # It says so in no signature before NumPy 2.4.
        return [*(["x"] if function.nin == 1 else ["x1", "x2"]), "out"]
    parameters = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in kinds]


def differ(theirs, own):
    """Whether a place has something else in both."""
    pairs = zip(theirs, own, strict=False)
    return any(own not in (KEYWORDS.get(name, name), *SAME.get(name, ())) for name, own in pairs)


def write_other_orders():
    """The lines of the table of functions whose arguments are in another order."""
    found = {}
    for name in sorted(fnp.__all__):
        own, other = getattr(fnp, name), getattr(np, name, None)
        if not inspect.isfunction(own) or not callable(other):
            continue
        try:
            orders = list_places(other), list_places(own)
        except ValueError:  # What is written in C says nothing; these have the same order.
            continue
        if differ(*orders):
            found.setdefault(tuple(map(tuple, orders)), []).append(name)
    for orders, names in found.items():
        cells = [", ".join(f"`{each}`" for each in names), *(f"`({', '.join(each)})`" for each in orders)]
        yield f"| {' | '.join(cells)} |"


@pytest.mark.parametrize("name", OF_NUMPY)
def test_own_names_of_numpy(name):
    """What the array API standard calls otherwise."""
    assert name in fnp.__all__ and (name == "transpose" or getattr(fnp, name) is getattr(fnp, OF_NUMPY[name]))
    own, x, i = getattr(np, name), np.abs(X) % 0.9 + 0.05, np.arange(1, 7)
    if name == "concatenate":
        operands = ([x, Y],)
    elif name in ("bitwise_not", "invert", "left_shift", "right_shift"):
        operands = (i, i[::-1].copy())[: own.nin]
    else:
        operands = (x, x.T.reshape(4, 6).copy())[: getattr(own, "nin", 1)]
    if name == "arccosh":
        operands = (x + 1,)
    got = fuser.jit(lambda *arrays: getattr(fnp, name)(*arrays))(*operands)
    np.testing.assert_allclose(got, own(*operands), rtol=1e-6)


def test_what_is_said_of_indices():
    """They count from the end here, and not in a builder, whose documentation it is but for that."""
    rewritten = set()
    for name in fnp.__all__:
        own, other = getattr(fnp, name), getattr(fuser.Builder, name, None)
        if not inspect.isfunction(own) or "indices" not in inspect.signature(own).parameters:
            continue
        assert "a negative one too" not in own.__doc__, name
        if own.__doc__ != other.__doc__:
            assert "a negative one too" in other.__doc__ and "Negative indices count from the end" in own.__doc__
            rewritten.add(name)
    assert rewritten == {"take", "take_along_axis", "scatter"}


def test_transpose():
    x = RNG.standard_normal((2, 3, 4))
    for options in ({}, {"axes": (1, 0, 2)}, {"axes": [0, -1, 1]}):
        got = fuser.jit(lambda x, options=options: fnp.transpose(a=x, **options))(x)
        np.testing.assert_array_equal(got, np.transpose(x, **options))


def test_sort_and_diff_take_what_numpys_do():
    x = np.array([3, 1, 2], np.float32)
    functions = (
        lambda f, x: f.sort(a=x),
        lambda f, x: f.sort(x, axis=0),
        lambda f, x: f.diff(x, prepend=[0]),
        lambda f, x: f.diff(x, prepend=(5, 0.5), append=[1]),
        lambda f, x: f.diff(x, prepend=[]),
    )
    for function in functions:
        for module in (fnp, np):
            got = fuser.jit(lambda x, f=function, m=module: f(m, x))(x)
            np.testing.assert_array_equal(got, function(np, x))


def test_other_orders_of_arguments():
    page = (ROOT / "docs/how-to/functions-of-models.md").read_text()
    table = page.split("| function | NumPy | fuser.numpy |\n| --- | --- | --- |\n")[1].split("\n\n")[0]
    assert table.splitlines() == [*write_other_orders()]
