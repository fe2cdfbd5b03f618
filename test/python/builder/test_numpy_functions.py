# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions beside the array API's, which are a few others, against NumPy: of builders, of fuser.numpy, and as NumPy's of arrays that are traced."""

import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X, Y = (RNG.standard_normal((4, 6)).astype(np.float32) for _ in range(2))
Z = RNG.standard_normal((2, 4, 6)).astype(np.float32)

#: What takes the functions of a builder, of fuser.numpy or of NumPy, and three arrays.
CASES = {
    "split": lambda f, x, y, z: (*f.split(x, 2), *f.split(x, 3, axis=1), *f.split(x, [1, 3]), *f.split(z, [2], -1)),
    "split of an array": lambda f, x, y, z: f.split(x, np.array([1, 2]), 1),
    "array_split": lambda f, x, y, z: (
        *f.array_split(x, 3),
        *f.array_split(x, 4, 1),
        *f.array_split(x, 6),
        *f.array_split(x, [1]),
    ),
    "vstack": lambda f, x, y, z: (f.vstack([x, y]), f.vstack((x[0], y)), f.vstack([x[0], y[0]])),
    "hstack": lambda f, x, y, z: (f.hstack([x, y]), f.hstack([x[0], y[1]]), f.hstack([z, z])),
    "column_stack": lambda f, x, y, z: (f.column_stack([x, y[:, 0]]), f.column_stack([x[0], y[1]])),
    "outer": lambda f, x, y, z: (f.outer(x, y[0]), f.outer(x[0], y[:2]), f.outer(x[0], x[0])),
    "divmod": lambda f, x, y, z: (*f.divmod(x, 0.25), *f.divmod(-x, x * x + 0.5)),
    "divmod of operators": lambda f, x, y, z: (*divmod(x, 0.25), *divmod(1.0, x)),
    "product": lambda f, x, y, z: (f.einsum("ij,kj->ik", x, y), f.einsum("ij,kj", x, y), f.einsum("ij,jk", x, y.T)),
    "vectors": lambda f, x, y, z: (
        f.einsum("i,i", x[0], y[0]),
        f.einsum("i,i->i", x[0], y[0]),
        f.einsum("i,j", x[0], y[0]),
    ),
    "one": lambda f, x, y, z: (f.einsum("ij->ji", x), f.einsum("ij->", x), f.einsum("abc->ca", z), f.einsum("ba", x)),
    "batches": lambda f, x, y, z: (
        f.einsum("bij,bkj->bik", z, z),
        f.einsum("bij,kj->kbi", z, x),
        f.einsum("bij,bij->b", z, z),
    ),
    "several sums": lambda f, x, y, z: (
        f.einsum("bij,ij->b", z, x),
        f.einsum("bij,bij", z, z),
        f.einsum("bij,cij->bc", z, z),
    ),
    "sums of one": lambda f, x, y, z: (f.einsum("ij,kl->ik", x, y), f.einsum("ij,k->k", x, y[0])),
    "three": lambda f, x, y, z: (f.einsum("ij,jk,kl->il", x, y.T, x), f.einsum("i,ij,j->", x[:, 0], y, x[0])),
    "dots": lambda f, x, y, z: (
        f.einsum("...ij,kj->...ik", z, x),
        f.einsum("...j,...j", z, x),
        f.einsum("i...->...i", z),
    ),
    "lists of numbers": lambda f, x, y, z: (
        f.einsum(x, [0, 1], y, [2, 1], [0, 2]),
        f.einsum(x, [30, 2], y, [7, 2]),
        f.einsum(z, [..., 1, 0], x, [3, 0], [..., 3, 1]),
        f.einsum(z, (0, 1, 2), ()),
    ),
    "letters apart": lambda f, x, y, z: f.einsum(" i j , k j -> i k", x, y),
    "diagonals": lambda f, x, y, z: (
        f.einsum("ii->i", x[:, :4]),
        f.einsum("ii", x[:, :4]),
        f.einsum("iij->ij", z[:, :2]),
        f.einsum("ijj", z[:, :, :4]),
        f.einsum("...ii->...i", z[..., :4]),
        f.einsum("iii->i", z[:, :2, :2]),
        f.einsum("ii,ij->j", x[:, :4], y),
    ),
    "sparse": lambda f, x, y, z: (
        *f.meshgrid(x[0], y[1, :3], y[1, 2], sparse=True),
        *f.meshgrid(x[0], y[1, :3], sparse=True, indexing="ij", copy=False),
        *f.meshgrid(x[0], sparse=True),
        *f.meshgrid(x[0], y[0], copy=True),
    ),
    "ends": lambda f, x, y, z: (
        f.diff(x, prepend=y),
        f.diff(x, axis=0, prepend=y[:2], append=x[0, 0]),
        f.diff(x.astype("float64"), 2, 0, 1.5, -1.5),
        f.diff((x * 9).astype("int64"), prepend=3, append=y.astype("int64")),
        f.diff((x * 9).astype("int64"), append=0.5).astype("float32"),
        f.diff(x.astype("float64")[:, :0], prepend=2, append=5),
        f.diff(x > 0, prepend=x[:, 0, None] > 1),
        f.diff(x > 0, append=7),
    ),
    "operands by name": lambda f, x, y, z: (
        f.kron(a=x[:2], b=y[:3]),
        f.outer(a=x[0], b=y),
        f.cross(x[:, :3], b=y[:, :3]),
        f.sum(a=x, axis=0),
        f.median(a=x),
    ),
    "backward": lambda f, x, y, z: (
        x[::-1],
        x[:, ::-1],
        z[1, ::-2, ::-1],
        x[2::-1],
        x[:1:-1],
        x[3:0:-2],
        x[:, -2:-5:-1],
        x[::-1, 1:3],
        x[:-1:-1],
    ),
}


def flatten(results):
    return [*results] if isinstance(results, (tuple, list)) else [results]


def check(results, expected):
    for result, wanted in zip(flatten(results), flatten(expected), strict=True):
        assert result.shape == wanted.shape and result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("is_known", [True, False])
def test_of_a_builder(name, is_known):
    b = fuser.Builder()
    inputs = [b.input(each.shape if is_known else (None,) * each.ndim, "float32") for each in (X, Y, Z)]
    for each in flatten(CASES[name](b, *inputs)):
        b.output(each)
    check(b.compile()(X, Y, Z), CASES[name](np, X, Y, Z))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("functions", [fnp, np], ids=lambda module: module.__name__)
def test_traced(name, functions):
    check(fuser.jit(lambda *arrays: CASES[name](functions, *arrays))(X, Y, Z), CASES[name](np, X, Y, Z))


def test_other_sizes_are_no_other_program():
    """Parts of open sizes are those of the call, whose number has to divide it."""
    function = fuser.jit(lambda x: (*np.split(x, 2), *np.array_split(x, 3)))
    for size in (2, 4, 6, 8, 10):
        x = np.arange(size, dtype=np.float32)
        for got, wanted in zip(function(x), (*np.split(x, 2), *np.array_split(x, 3)), strict=True):
            np.testing.assert_array_equal(got, wanted)
    assert function.num_programs == 1
    with pytest.raises(
        fuser.Error, match="'split': expected a number of parts that divides the 5 elements of dimension 0, got 2"
    ):
        function(np.ones(5, np.float32))


@pytest.mark.parametrize("functions", [fnp, np], ids=lambda module: module.__name__)
def test_squeeze_has_a_default(functions):
    """All dimensions that are known to have a size of 1."""
    x = np.arange(3, dtype=np.float32).reshape(1, 3, 1)
    check(fuser.jit(lambda x: functions.squeeze(x))(x), np.squeeze(x))
    check(fuser.jit(lambda x: functions.squeeze(x, 2))(x), np.squeeze(x, 2))
    b = fuser.Builder()
    assert b.squeeze(b.input((1, None, 3, 1))).shape == (None, 3)
    assert b.input((1, 2)).squeeze().shape == (2,)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("options", [{}, {"include_initial": True}])
def test_cumulative_functions_need_an_axis_of_several(name, options):
    """As NumPy's: once they were of all elements in a row."""
    b = fuser.Builder()
    message = rf"{name}: expected an axis of <fuser.*tensor<.*>, got none: {name.replace('ulative_', '')} is of all"
    with pytest.raises(ValueError, match=message):
        getattr(b, name)(b.input((2, 3)), **options)
    with pytest.raises(ValueError, match=message):
        fuser.jit(lambda x: getattr(fnp, name)(x, **options))(X)
    assert getattr(b, name)(b.input((3,))).shape == (3,)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8"])
def test_heaviside_of_integers(dtype):
    """Floats, as NumPy's; once they were integers."""
    x = np.array([0, 1, 1, 0]).astype(dtype)
    for function in (lambda x: np.heaviside(x, x), lambda x: np.heaviside(x, 0.5)):
        check(fuser.jit(function)(x), function(x).astype(np.float32))


@pytest.mark.parametrize("name", ["isposinf", "isneginf"])
def test_infinities_of_complex_numbers_have_no_sign(name):
    """NumPy's TypeError; once they were False."""
    b, message = fuser.Builder(), f"{name}: expected floats or integers, got .*complex.*: x.real and x.imag have"
    with pytest.raises(TypeError, match=message):
        getattr(b, name)(b.input((2,), "complex64"))
    with pytest.raises(TypeError, match=message):
        fuser.jit(lambda x: getattr(fnp, name)(x))(X.astype(np.complex64))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float16, np.float64, np.complex64])
def test_types_of_sums(dtype):
    x, y = (X * 4).astype(dtype), (Y * 4).astype(dtype)
    for text in ("ij,kj->ik", "ij,ij->i", "ij,ij->ij"):
        got, wanted = fuser.jit(lambda x, y, text=text: np.einsum(text, x, y))(x, y), np.einsum(text, x, y)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(
            got, wanted, rtol=2e-2 if dtype == np.float16 else 1e-5, atol=0.1 if dtype == np.float16 else 1e-4
        )
    assert fuser.jit(lambda x: np.einsum("ij->i", x))(x).dtype == dtype
    got = fuser.jit(lambda x, y: np.tensordot(x, y, ((1,), (1,))))(x, y)
    assert got.dtype == dtype and got.shape == (4, 4)
    if np.issubdtype(dtype, np.integer):
        np.testing.assert_array_equal(got, np.tensordot(x, y, ((1,), (1,))))


def test_open_sizes_that_differ():
    """Not their product alone has to be the same where several are summed over."""
    function = fuser.jit(lambda x, y: fnp.einsum("ij,ij->", x, y))
    assert function(X, Y).shape == ()
    for x, y, sizes in ((X.reshape(6, 4), Y, "6 and 4"), (X, Y.reshape(3, 8), "4 and 3"), (X[:2], Y, "2 and 4")):
        with pytest.raises(fuser.Error, match=f"'einsum': expected one size of 'i', got {sizes}"):
            function(x, y)


@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda f: f.split(X, 4, 1),
            "expected a number of parts that divides the 6 elements of dimension 1, got 4: array_split takes others",
        ),
        (lambda f: f.split(X, 0), "'split': expected 1 to 65536 as 'sections', got 0"),
        (lambda f: f.split(X, 1.5), "expected a number of parts, or a list of indices, got 1.5"),
        (lambda f: f.split(X, [1.5]), "expected an integer as a size or a bound, got 1.5"),
        (lambda f: f.einsum("ii", X), "'einsum': expected one size of 'i', got 4 and 6"),
        (lambda f: f.einsum("ij,jk", X), "'einsum': expected 2 operands for 'ij,jk', got 1"),
        (lambda f: f.einsum("ijk", X), "'einsum': expected a letter for each dimension, got 'ijk' for an array of 2"),
        (lambda f: f.einsum("i1", X), "'einsum': expected a letter for each dimension, got 'i1' for an array of 2"),
        (
            lambda f: f.einsum("ij->ik", X),
            "'einsum': expected each letter of the result once, and in an operand, got 'ik'",
        ),
        (lambda f: f.einsum("ij,jk", X, Y), "'einsum': expected one size of 'j', got 6 and 4"),
        (lambda f: f.tensordot(X, Y, 3), "'tensordot': expected 0 to 2 as axes, got 3"),
        (lambda f: f.tensordot(X, Y, ([0, 1], [0])), "expected as many dimensions of both, got [0, 1] and [0]"),
        (lambda f: f.einsum(3, X), "einsum: expected a text such as 'ij,jk->ik', got 3"),
        (lambda f: f.einsum(X, [0, 52]), "einsum: expected numbers from 0 to 51 of dimensions, got 52"),
        (lambda f: f.einsum(X, ["i", "j"]), "expected numbers of dimensions, or ..., got 'i'"),
        (lambda f: f.einsum(X, "ij"), "einsum: expected a list of numbers behind each operand, got 'ij'"),
    ],
)
def test_what_is_refused(function, message):
    with pytest.raises((TypeError, ValueError, fuser.Error), match=re.escape(message)):
        fuser.jit(lambda x: (x, function(fnp)))(X)


@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda x, y: fnp.split(x, 3),
            "'split': expected a number of parts that divides the 4 elements of dimension 0",
        ),
        (lambda x, y: np.einsum("ij,jk", x, y), "'einsum': expected one size of 'j', got 6 and 4"),
        (lambda x, y: np.einsum("ii->i", x), "'einsum': expected one size of 'i', got 4 and 6"),
        (lambda x, y: fnp.tensordot(x, y, 1), "'tensordot': expected one size of dimension 1, got 6 and 4"),
    ],
)
def test_open_sizes_that_do_not_fit_are_found_at_the_line(function, message):
    line = function.__code__.co_firstlineno
    with pytest.raises(fuser.Error, match=f"test_numpy_functions.py:{line}: error: {re.escape(message)}"):
        fuser.jit(function)(X, Y)


def test_an_array_in_place_of_a_list():
    for name in ("vstack", "hstack", "column_stack"):
        with pytest.raises(TypeError, match=f"fuser.numpy.{name}: expected a list of arrays as 'arrays', got an array"):
            fuser.jit(lambda x, name=name: getattr(fnp, name)(x))(X)


def test_nearness_of_integers():
    """Their differences may be no integers of their type."""
    for element in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
        least, most = np.iinfo(element).min, np.iinfo(element).max
        x, y = np.array([least, most, 1, 2], element), np.array([most, least, 2, 1], element)
        for options in ({}, {"atol": 1}, {"rtol": 0, "atol": 0.5}):
            for function in (np.isclose, np.allclose):
                expected = function(x.astype(np.float64), y.astype(np.float64), **options)
                got = fuser.jit(lambda x, y, function=function, options=options: function(x, y, **options))(x, y)
                np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("element", [np.int8, np.int32, np.int64])
def test_cube_root_of_the_least_integer(element):
    x = np.array([np.iinfo(element).min, -27, 8], element)
    np.testing.assert_allclose(fuser.jit(lambda x: np.cbrt(x))(x), np.cbrt(x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("element", [np.float32, np.float64])
def test_cube_roots_are_near(element):
    """Within two units in the last place, up to the ends."""
    info = np.finfo(element)
    x = np.random.default_rng(0).uniform(1, 8, 2000) * 2.0 ** np.random.default_rng(1).integers(-120, 120, 2000)
    x = np.concatenate([x, -x, [64, 27, 1e-30, info.max, info.tiny, info.smallest_subnormal]]).astype(element)
    got = fuser.jit(lambda x: np.cbrt(x))(x)
    expected = np.cbrt(x.astype(np.longdouble))
    assert (np.abs(got - expected) <= 2 * np.spacing(np.abs(expected).astype(element))).all()
    ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], element)
    got = fuser.jit(lambda x: np.cbrt(x))(ends)
    np.testing.assert_array_equal(got, ends)
    assert np.signbit(got[1])


def test_numbers_of_numpy_in_a_builder():
    """They have their kind, of which a bool is one."""
    b = fuser.Builder()
    v, c = b.input((3,), "int64"), b.input((3,), "bool")
    true, false = np.bool_(True), np.bool_(False)
    for value, dtype in (
        (v * true, "int64"),
        (b.where(c, true, false), "bool"),
        (b.full((2,), true), "bool"),
        (c & true, "bool"),
        (b.constant(np.ones(4, np.float32), (4,)), "float32"),
        (b.constant([1, np.float16(1.5)], (2,)), "float32"),
        (b.constant(np.array([True, False]), (2,), "bool"), "bool"),
        (b.constant(np.complex64([1, 2j]), (2,), "complex64"), "complex64"),
    ):
        assert value.dtype == dtype
        b.output(value)
    x, flags = np.array([1, 2, 3]), np.array([True, False, True])
    expected = (x, flags, [True, True], flags, [1, 1, 1, 1], [1, 1.5], [True, False], [1, 2j])
    for got, wanted in zip(b.compile()(x, flags), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("element", ["float16", "bfloat16", "float32"])
def test_uniform_numbers_are_below_the_upper_bound(element):
    b = fuser.Builder()
    x = b.uniform((1 << 22,), 7, 0, element, (1, 2))
    b.output(b.max(x).astype("float32"))
    b.output(b.min(x).astype("float32"))
    most, least = b.compile()()
    assert 1 <= np.from_dlpack(least) < np.from_dlpack(most) < 2


@pytest.mark.parametrize(
    "capsule, device, message",
    [
        (
            3,
            (1, 0),
            "input 0 'arg0': expected an array that DLPack can pass on, got .*: expected a capsule with a tensor",
        ),
        (None, (1, 0), "input 0 'arg0': .* expected a capsule with a tensor that nobody has taken"),
    ],
)
def test_what_is_no_capsule(capsule, device, message):
    class Other:
        def __dlpack__(self, **options):
            return capsule

        def __dlpack_device__(self):
            return device

    b = fuser.Builder()
    b.output(b.input((None,), "float32") + 1)
    with pytest.raises(BufferError, match=message):
        b.compile()(Other())


def test_arguments_of_dlpack():
    b = fuser.Builder()
    b.output(b.full((3,), 1.0, "bfloat16"))
    tensor = b.compile()()
    for options in ({"max_version": [1, 0]}, {"dl_device": [1, 0]}, {"max_version": (1, "0")}):
        (name,) = options
        with pytest.raises(TypeError, match=f"expected two integers as {name}, got"):
            tensor.__dlpack__(**options)
