# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fuser.jit and fuser.numpy refuse, and what they say to write instead."""

import concurrent.futures
import math
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X = np.arange(12, dtype=np.float32).reshape(3, 4)
HERE = re.escape(__file__)


def fail(function, *arguments, **options):
    """The error of a call."""
    with pytest.raises((fuser.Error, TypeError, ValueError, OverflowError)) as caught:
        fuser.jit(function, **options)(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


# Indices

INDEXED = {
    "take": lambda x, i: fnp.take(x, i, 0),
    "take of all": lambda x, i: fnp.take(x, i),
    "np.take": lambda x, i: np.take(x, i, axis=1),
    "take_along_axis": lambda x, i: fnp.take_along_axis(x, i[None], -1),
    "np.take_along_axis": lambda x, i: np.take_along_axis(x, i[:, None], 0),
    "embedding": lambda x, i: fnp.embedding(i, x),
    "index": lambda x, i: fnp.index(x, [i]),
    "index_put": lambda x, i: fnp.index_put(x, [i], 1.0),
    "index_add": lambda x, i: fnp.index_add(x, i, 1.0),
    "index_copy": lambda x, i: fnp.index_copy(x, i, 1.0),
    "scatter": lambda x, i: fnp.scatter(x, i[None], 1.0),
    "of no dimension": lambda x, i: x[i[0]],
}
BRACKETS = {"first": lambda x, i: x[i], "second": lambda x, i: x[:, i], "both": lambda x, i: x[i, i]}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.bool_])
@pytest.mark.parametrize("function", INDEXED.values(), ids=INDEXED)
def test_indices_are_integers(function, dtype):
    """As a builder has it; once they were cut off, and booleans were 0 and 1."""
    line = function.__code__.co_firstlineno
    index = np.array([0, 1], dtype)
    got = {"bool": "i1", "float16": "f16", "float32": "f32", "float64": "f64"}[index.dtype.name]
    for arguments in ((X, index), (X, index[::-1])):
        message = fail(function, *arguments)
        assert re.match(
            rf"Error: {HERE}:{line}: error: '.*': expected integers as indices, got 'tensor<.*{got}>'", message
        )


@pytest.mark.parametrize("function", BRACKETS.values(), ids=BRACKETS)
def test_indices_in_brackets(function):
    index = np.array([0, 1])
    np.testing.assert_array_equal(fuser.jit(function)(X, index), function(X, index))
    np.testing.assert_array_equal(fuser.jit(function)(X, index.astype(np.uint8)), function(X, index))
    assert "expected integers as indices, got 'tensor<?xf32>'" in fail(function, X, index.astype(np.float32))
    assert "TypeError: expected indices, got booleans" in fail(function, X, index > 0)


def test_too_many_indices():
    expected = "error: too many indices: expected at most 2 indices of <fuser.numpy.Array tensor<?x?xf32>>, got 3"
    for function in (
        lambda x: x[0, 0, 0],
        lambda x: x[:, :, :],
        lambda x: x[0, None, ..., 0, 1],
        lambda x: x[0, [1], 2],
    ):
        assert fail(function, X) == f"Error: {__file__}:{function.__code__.co_firstlineno}: {expected}"
    message = fail(lambda x: x.sum()[0], X)
    assert message.endswith("error: too many indices: expected no index of <fuser.numpy.Array tensor<f32>>, got 1")


def test_more_than_one_ellipsis():
    message = fail(lambda x: x[..., ...], X)
    assert message.endswith("error: expected at most one '...' in an index, got 2")
    np.testing.assert_array_equal(fuser.jit(lambda x: x[..., 0])(X), X[..., 0])


def test_numbers_that_are_no_indices():
    assert "expected integers as indices, got 'tensor<f64>'" in fail(lambda x: fnp.take(x, 1.5, 0), X)
    assert "expected integers as indices, got 'tensor<i1>'" in fail(lambda x: fnp.take(x, True, 0), X)
    assert "expected integers as indices, got 'tensor<1xf64>'" in fail(lambda x: x[np.array([1.5])], X)
    assert "TypeError: expected integers as indices, got 0.5" in fail(lambda x: x[[0.5, 1]], X)
    indices = "TypeError: expected integers, slices, None, ... or tensors of integers as indices, got"
    assert f"{indices} 1.5" in fail(lambda x: x[1.5], X) and f"{indices} 'a'" in fail(lambda x: x["a"], X)
    np.testing.assert_array_equal(fuser.jit(lambda x: fnp.take(x, np.int64(-1), 0))(X), X[-1])


# Numbers that are not known


@pytest.mark.parametrize(
    "function, instead",
    [
        (lambda x: x * math.sqrt(x.shape[-1]), "np.sqrt(n) or n ** 0.5 in place of math.sqrt(n)"),
        (lambda x: x * float(x.shape[-1]), "n itself in arithmetic"),
        (lambda x: x * int(x.shape[-1]), "n itself in arithmetic"),
        (lambda x: x + np.zeros(x.shape), "fuser.numpy.zeros(x.shape) in place of np.zeros"),
        (lambda x: sum(x[i] for i in range(x.shape[0])), "fuser.numpy.arange(n) in place of range(n)"),
        (lambda x: x if x.shape[0] > 2 else -x, "fuser.numpy.where(condition, x, y)"),
    ],
)
def test_sizes_are_no_numbers(function, instead):
    message = fail(function, X)
    assert "TypeError: expected a number that is known while the function is traced" in message
    assert f"write {instead}" in message or f", and {instead}" in message
    assert message.endswith("; sizes are known with fuser.jit(dynamic=False)")
    fuser.jit(function, dynamic=False)(X)


def test_what_is_said_to_write_works():
    result = fuser.jit(lambda x: (x * np.sqrt(x.shape[-1]), x * x.shape[-1] ** 0.5, fnp.zeros(x.shape) + x.shape[0]))(X)
    for got, expected in zip(result, (X * 2, X * 2, X * 0 + 3), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize(
    "function, instead",
    [
        (
            lambda x: x if x.sum() > 0 else -x,
            "fuser.numpy.where(condition, x, y), or a & b, a | b and ~a for 'and', 'or' and 'not'",
        ),
        (
            lambda x: x * float(x.sum()),
            "x itself in arithmetic, x.astype('float32'), or np.exp(x) in place of math.exp(x)",
        ),
    ],
    ids=["bool", "float"],
)
def test_elements_are_no_numbers(function, instead, dynamic):
    """What the message ends with says nothing of sizes."""
    expected = (
        "TypeError: expected a number that is known while the function is traced, got one that the program computes"
    )
    assert fail(function, X, dynamic=dynamic) == f"{expected}: write {instead}"


def test_parts_of_an_open_dimension():
    advice = (
        "functions of several arrays take a list [a, b]; the parts are fuser.numpy.unstack(x), or x[0], x[1]; sizes are known with"
        " fuser.jit(dynamic=False)"
    )
    expected = "TypeError: expected to go through the parts of a dimension whose size is known, got"
    assert fail(lambda x: sum(row for row in x), X) == f"{expected} an open one: {advice}"
    assert fail(lambda x: sum(each for each in x.sum()), X) == f"{expected} an array without any: {advice}"

    def add(x):
        first, *others = x
        return first + sum(others)

    np.testing.assert_array_equal(fuser.jit(add, dynamic=False)(X), X.sum(axis=0))


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_an_array_in_place_of_a_list(name):
    expected = f"TypeError: fuser.numpy.{name}: expected a list of arrays as 'arrays', got an array: write fuser.numpy.{name}([a, b])"
    function = getattr(fnp, name)
    assert fail(lambda x, y: function(x, y), X, X) == expected
    np.testing.assert_array_equal(fuser.jit(lambda x, y: function([x, y]))(X, X), getattr(np, name)([X, X]))


def test_differences_of_a_negative_order():
    for function in (fnp.diff, np.diff):
        error = fail(lambda x, diff=function: diff(x, n=-1), X)
        assert re.fullmatch(
            r"Error: .*test_jit_errors.py:\d+: error: 'diff': expected n to be at least 0, got -1", error
        )
        np.testing.assert_array_equal(fuser.jit(lambda x, diff=function: diff(x, n=0))(X), X)


def test_integers_of_numpy_are_numbers():
    """Where the function has to know one, it is known, and another one makes another program."""

    @fuser.jit
    def function(x, k, count, scale):
        for _ in range(count):
            x = x + 1
        return fnp.topk(x, k)[0] * scale * count

    for k, count, scale in ((2, 1, 2.5), (3, 1, 2.5), (2, 2, 2.5), (2, 1, 3.5), (2, 1, 2.5)):
        got = function(X, np.int64(k), np.int32(count), np.float32(scale))
        np.testing.assert_array_equal(got, (np.sort(X)[:, ::-1][:, :k] + count) * np.float32(scale) * count)
    assert function.num_programs == 3
    choose = fuser.jit(lambda x, flag, n: x * n if flag else -x)
    for flag, n in ((True, 2), (False, 2), (True, 3), (False, 4)):
        np.testing.assert_array_equal(choose(X, np.bool_(flag), np.int64(n)), X * n if flag else -X)
    assert choose.num_programs == 2  # n may change.
    np.testing.assert_array_equal(fuser.jit(lambda x: fnp.topk(x, np.int64(2))[1])(X), [[3, 2]] * 3)
    assert "got one that the program computes" in fail(lambda x, s: math.sqrt(s) * x, X, np.float32(2))


def test_integers_are_asked_for_one_after_the_other():
    """What is asked for may depend on what was asked before."""
    asked = fuser.jit(lambda x, a, b: x * int(b) if a else x)
    for a, b in ((0, 1), (0, 2), (1, 2), (1, 3), (0, 3), (1, 2)):
        np.testing.assert_array_equal(asked(X, np.int64(a), np.int64(b)), X * b if a else X)


# Slices of open sizes


@pytest.mark.parametrize("split", [fnp.split, np.split, fnp.array_split, fnp.chunk])
def test_numbers_of_parts_are_known(split):
    """What is said is about them, and no advice for functions that ask for an integer."""
    with pytest.raises(TypeError) as caught:
        fuser.jit(lambda x, y: split(x, y.shape[0]))(ROWS, ROWS)
    said = " that is known while the function is traced, got one that the program computes; sizes are known with"
    assert f"{said} fuser.jit(dynamic=False)" in str(caught.value)
    assert "np.zeros" not in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x[-5:],
        lambda x, n: x[4:],
        lambda x, n: x[1:4:2],
        lambda x, n: x[5:2],
        lambda x, n: x[-2:-5],
        lambda x, n: x[9:1:-1],
        lambda x, n: x[-1:-9:-2],
        lambda x, n: x[9::-1],
        lambda x, n: x[-9::-1],
        lambda x, n: x[n:0:-1],
        lambda x, n: x[n::-1],
        lambda x, n: x[:n:-1],
        lambda x, n: x[n - 8 :: -2],
        lambda x, n: x[:7:-1],
        lambda x, n: np.flip(x[1:9], 0),
        lambda x, n: x[: x.shape[0] + 1],
        lambda x, n: x[: x.shape[0] - 5],
        lambda x, n: x[x.shape[0] - 5 : n],
        lambda x, n: x[-(x.shape[0] // 2) :],
        lambda x, n: x[-x.shape[0] - 1 : -1],
        lambda x, n: x[:n],
        lambda x, n: x[:, 2:][:2, :3],
        lambda x, n: x[n:, -n:],
        lambda x, n: np.concatenate([x[:1], x[n:]]),
        lambda x, n: x[:9].sum(axis=0) + x[-9:][:, :1].sum(),
        lambda x, n: (x[1:9] * 2)[..., 1:3][::2],
    ],
)
def test_slices_end_at_the_size(function):
    """As NumPy's, with one program for all sizes, and one for a size of 1."""
    traced = fuser.jit(lambda x, n: function(x, n) * 1)
    for rows in (3, 1, 12, 0, 3):
        for n in (7, 2, -1, -4):
            x = np.arange(5 * rows, dtype=np.float32).reshape(rows, 5)
            np.testing.assert_array_equal(traced(x, np.int64(n)), function(x, n) * 1)
    assert traced.num_programs <= 2


def test_slices_end_at_the_size_in_a_later_call():
    """Until then their length is the one that is written, which other arrays of known sizes meet."""
    weights = np.arange(4, dtype=np.float32)
    traced = fuser.jit(lambda x: x[1:5] * weights)
    np.testing.assert_array_equal(traced(ROWS[0]), weights)
    with pytest.raises(fuser.Error, match=rf"^{HERE}:\d+: error: 'mul': expected shapes that broadcast, got size 2"):
        traced(ROWS[0, :3])
    np.testing.assert_array_equal(traced(ROWS[0]), weights)


def test_slices_end_at_the_size_in_threads():
    traced = fuser.jit(lambda x: x[2:9] + 1)
    inputs = [np.arange(n, dtype=np.float32) for n in range(24)] * 8
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for x, got in zip(inputs, pool.map(traced, inputs), strict=True):
            np.testing.assert_array_equal(got, x[2:9] + 1)


def test_slices_that_fit_are_not_blamed():
    """The error is of another line; a slice of a size that is known is cut, and one of the others is short enough."""

    def function(x, w):
        y = x[:3] + x[1:1].sum() + fnp.zeros((4,))[:100] + w[:, :2][:, :7].sum() + x[5:2].sum()
        y = y[-3:] + x[:3:2][:1]
        return y + w[:1] + w[:, :1][:100]

    line = function.__code__.co_firstlineno + 3
    message = fail(function, X, np.ones((2, 4), np.float32))
    assert message.startswith(f"Error: {__file__}:{line}: error: 'add': expected shapes that broadcast, got size 3 in")


# Sizes that do not fit: open while the function is traced, and known in the call

ROWS = np.ones((2, 5), np.float32)
MEETINGS = [
    (lambda x, w: x + w, ROWS, "'add': expected shapes that broadcast, got size 3 in dimension 0"),
    (lambda x, w: x.reshape(x.shape[0] * 2, -1) + w, ROWS, "got size 6 in dimension 0 of 'tensor<6x2xf32>' and 2 in"),
    (lambda x, w: fnp.arange(x.shape[1] - 1) + w[0], ROWS, "got size 3 in dimension 0 of 'tensor<3xf32>'"),
    (lambda x, w: fnp.zeros((x.shape[0], 4)) + w, ROWS, "got size 3 in dimension 0 of 'tensor<3x4xf32>' and 2 in"),
    (lambda x, w: fnp.pad(x, ((0, w.shape[0]), (0, 0))) + w, ROWS, "got size 5 in dimension 0 of 'tensor<5x4xf32>'"),
    (lambda x, n: fnp.zeros((n + 1, 4)) + x, np.int32(6), "got size 7 in dimension 0 of 'tensor<7x4xf32>' and 3 in"),
    (lambda x, n: x.reshape(n, -1), np.uint64(5), "'reshape': expected a shape of as many elements as"),
    (lambda x, w: x @ w, ROWS, "expected dimension 0 of the right operand to be 4"),
    (lambda x, w: np.split(x, 2)[0] + w, ROWS, "'split': expected a number of parts that divides the 3 elements"),
    (lambda x, w: fnp.einsum("ij,ij->i", x, w), ROWS, "'einsum': expected one size of 'i', got 3 and 2"),
]


@pytest.mark.parametrize(("function", "other", "message"), MEETINGS)
def test_sizes_that_do_not_fit_are_at_their_line(function, other, message):
    got = fail(function, X, other)
    assert got.startswith(f"Error: {__file__}:{function.__code__.co_firstlineno}: error: ") and message in got


def test_an_error_of_sizes_does_not_run_the_function_again():
    ran = []

    @fuser.jit
    def function(x, w):
        ran.append(len(ran))
        y = x * (1 + len(ran))
        return y + w

    np.testing.assert_array_equal(function(X, X), X * 3)
    line = function.__wrapped__.__code__.co_firstlineno + 4
    for _ in range(2):
        with pytest.raises(
            fuser.Error, match=rf"^{HERE}:{line}: error: 'add': expected shapes that broadcast"
        ) as caught:
            function(X, ROWS)
        assert "input 1 'w': expected dimension 0 to be 3" in str(caught.value.__context__)
    np.testing.assert_array_equal(function(X, X), X * 3)
    assert ran == [0]


# Arguments of functions


def test_calls_name_the_function():
    assert fail(lambda x: fnp.where(x > 0, x), X).endswith(
        "fuser.numpy.where: expected (condition, x, y): missing a required argument: 'y'"
    )
    assert "fuser.numpy.uniform: expected (shape, seed, offset=0," in fail(lambda x: fnp.uniform((3,)), X)
    assert "unexpected keyword argument 'axs'; did you mean 'axis'?" in fail(lambda x: fnp.sum(x, axs=0), X)
    assert "unexpected keyword argument 'dim'; did you mean 'axis'?" in fail(lambda x: fnp.softmax(x, dim=0), X)
    # What is wrong within is said as it was.
    assert fail(lambda x: fnp.exp("x"), X).startswith("TypeError: exp: expected an array or a number, got 'x'")


def test_options_have_their_names():
    target = np.array([0, 1, 2])
    message = fail(lambda x, t: fnp.cross_entropy(x, t, smoothing=0.1), X, target)
    assert "fuser.numpy.cross_entropy: expected (logits, target, *, weight=None, label_smoothing=None," in message
    assert message.endswith("unexpected keyword argument 'smoothing'; did you mean 'label_smoothing'?")
    message = fail(lambda x: fnp.scaled_mm(x, x.T, 1.0, 1.0, out_dtype="float32"), X)
    assert message.endswith("'out_dtype'; did you mean 'dtype'?") and "has_scales" not in message
    message = fail(lambda x: fnp.sdpa(x, x, x, causal_=True), X)
    assert message.endswith("'causal_'; did you mean 'causal'?") and "is_causal=False" in message


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: fnp.sum(x, axis="a"), "TypeError: expected a dimension, or several, got 'a'"),
        (lambda x: x.sum(axis=(0, 1.0)), "TypeError: expected a dimension, or several, got 1.0"),
        (lambda x: fnp.cumsum(x, axis=1.0), "TypeError: expected a dimension as axis, got 1.0"),
        (lambda x: fnp.swapaxes(x, 0, "b"), "TypeError: expected a dimension, got 'b'"),
        (lambda x: fnp.topk(x, 2.0), "TypeError: expected an integer as k, got 2.0"),
        (lambda x: x.reshape(2.0, 6), "TypeError: expected an integer as a size or a bound, got 2.0"),
        (lambda x: x.permute_dims("ab"), "TypeError: expected dimensions, got 'a'"),
        (lambda x: fnp.tile(x, 1.5), "TypeError: expected an integer, or several, got 1.5"),
        (lambda x: x + 2**65, f"OverflowError: add: expected integers of -2**63 to 2**63 - 1, or floats, got {2**65}"),
        (lambda x: x[::0], "'[...]': expected"),
    ],
)
def test_what_python_would_say_otherwise(function, message):
    kind, _, text = message.partition(": ")
    got = fail(function, X)
    assert text in got and got.startswith(f"{kind}: ") if kind.endswith("Error") else message in got


def test_what_has_no_dimension():
    """It is one element along one, as in PyTorch."""
    for x in (np.float32(3), np.array(3, np.float32)):
        for name, expected in (("softmax", 1), ("log_softmax", 0)):
            for axis in (0, -1):
                function = fuser.jit(lambda x, name=name, axis=axis: getattr(fnp, name)(x, axis))
                assert function(x) == expected
            message = fail(lambda x, name=name: getattr(fnp, name)(x, 1), x)
            assert f"'{name}': expected no dimension of a tensor that has none, got 1" in message
    assert np.isnan(fuser.jit(fnp.softmax)(np.array(np.inf, np.float32)))


def test_the_greatest_of_no_elements():
    """Of a size that is known it is an error, as NumPy's; of an open one the index is -1."""
    x = np.zeros((3, 0), np.float32)
    message = fail(lambda x: fnp.argmax(x, axis=1), x, dynamic=False)
    assert "expected elements along dimension 1" in message and __file__ in message
    np.testing.assert_array_equal(fuser.jit(lambda x: fnp.argmax(x, axis=1))(x), [-1] * 3)


def test_methods_that_numpy_has():
    """What is wrong with one is not said of PyTorch's."""
    rounded = fuser.jit(lambda x: (x.round(), x.round(0), x.round(2)))(X / 7)
    for got, places in zip(rounded, (0, 0, 2), strict=True):
        np.testing.assert_allclose(got, (X / 7).round(places), rtol=1e-6)
    assert (
        fail(lambda x: x.hypot(1, 2), X) == "TypeError: x.hypot: expected (input, other): too many positional arguments"
    )


def test_constants_of_the_array_api():
    for name in ("e", "euler_gamma", "pi", "inf", "newaxis"):
        assert getattr(fnp, name) == getattr(np, name) and name in fnp.__all__
    assert math.isnan(fnp.nan)


# Names


CONSTANT = "fuser.numpy.constant(values, shape) for a few numbers; arrays of any framework are operands as they are, and may be arguments"


@pytest.mark.parametrize(
    "name, reason",
    [
        ("diag", ": write x[i, i] of i = fuser.numpy.arange(n)"),
        ("average", ": write x.mean(axis), or (x * w).sum(axis) / w.sum(axis)"),
        ("nanquantile", ""),  # It is NumPy's, and no misspelling of quantile.
        ("searchsorted", ": write (a < v[..., None]).sum(-1), with side='right' (a <= v[..., None]).sum(-1)"),
        (
            "partition",
            ": write fuser.numpy.sort(x, axis): what is in order is a partition, too; or fuser.numpy.topk(x, k, axis)",
        ),
        ("logspace", ": write 10 ** fuser.numpy.linspace(start, stop, num)"),
        ("tri", ": write fuser.numpy.tril(fuser.numpy.ones((rows, columns)), k)"),
        ("correlate", ": fuser has no convolutions"),
        ("array", f": write {CONSTANT}"),
        ("asarray", f": write {CONSTANT}"),
        ("arrays", ""),
        ("sofmax", "; did you mean 'softmax'?"),
        ("fft", ": fuser has no Fourier transforms"),
        ("avg_pool2d", ": fuser has no pooling"),
        # Of PyTorch and of JAX.
        ("one_hot", ": write x[..., None] == fuser.numpy.arange(n)"),
        ("gather", ": write fuser.numpy.take_along_axis"),
        ("scaled_dot_product_attention", ": write fuser.numpy.sdpa"),
        ("unsqueeze", ": write fuser.numpy.expand_dims"),
        ("relu6", ": write fuser.numpy.clip(x, 0, 6)"),
        ("argwhere", ": write fuser.numpy.where: the number of results would not be known"),
        ("softmin", ": write fuser.numpy.softmax(-x)"),
        ("tensor", f": write {CONSTANT}"),
        # Types.
        ("half", ": write fuser.numpy.float16"),
        ("intc", ": write fuser.numpy.int32"),
        ("longdouble", f", a type that fuser has no arrays of: there are {', '.join(fnp._DTYPES)}"),
        ("floating", f", a type that fuser has no arrays of: there are {', '.join(fnp._DTYPES)}"),
    ],
)
def test_names_that_are_not_there(name, reason):
    with pytest.raises(AttributeError) as caught:
        getattr(fnp, name)
    assert str(caught.value) == f"expected a function that fuser.numpy has, got '{name}'{reason}"
    assert not hasattr(fnp, name) and not hasattr(fnp, "__wrapped__")


def test_numpys_bool():
    """Which `from fuser.numpy import *` leaves Python's."""
    assert fnp.bool == fnp.bool_ == np.bool_().dtype.name and "bool" not in fnp.__all__
    np.testing.assert_array_equal(fuser.jit(lambda x: x.astype(fnp.bool))(X), X.astype(bool))


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda x: np.ravel(x, order="F"), "np.ravel: expected order='C', got 'F': write x.T.reshape(-1)"),
        (lambda x: x.ravel("F"), "x.ravel: expected order='C', got 'F': write x.T.reshape(-1)"),
        (lambda x: np.reshape(x, (6, 4), "F"), "got 'F': write x.T.reshape(shape[::-1]).T"),
        (lambda x: np.asarray(x), "np.asarray(x) is x itself"),
        (lambda x: np.add.reduce(x), "got its method 'reduce': write np.sum(x, axis=0)"),
        (lambda x: np.maximum.accumulate(x), "got its method 'accumulate': write fuser.numpy.cummax(x, axis=0)"),
        (lambda x: np.multiply.outer(x, x), "got its method 'outer': write np.multiply(x[:, None], y)"),
        (lambda x: np.add.at(x, [0], 1), "got its method 'at': write fuser.numpy.index_add(x, indices, y)"),
    ],
)
def test_what_to_write_in_place_of_numpys(function, expected):
    with pytest.raises(TypeError, match=re.escape(expected)):
        fuser.jit(function)(X)


def test_the_order_of_elements():
    for function in (lambda x: np.ravel(x, order="C"), lambda x: x.ravel("C"), lambda x: np.reshape(x, (-1, 2), "C")):
        np.testing.assert_array_equal(fuser.jit(function)(X), function(X))


@pytest.mark.parametrize("function", [3, "cpu", [], X])
def test_what_is_no_function(function):
    with pytest.raises(TypeError, match="expected a function of arrays, got "):
        fuser.jit(function)
    with pytest.raises(TypeError, match="expected a function of arrays, got "):
        fuser.jit(dynamic=False)(function)


def test_a_slice_that_counts_from_the_end_is_not_blamed():
    def cut(x):
        return x[:, -(x.shape[1] // 2) :], x.reshape(3, -1)

    with pytest.raises(fuser.Error, match="'reshape': expected a shape of as many elements"):
        fuser.jit(cut)(np.ones((2, 4), np.float32))


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x, k: 3 in x, r"write \(x == 3\).any\(\), which the program computes"),
        (lambda x, k: x.reshape(-1, 2, order="F"), "x.reshape: expected order='C', got 'F': write x.T.reshape"),
        (lambda x, k: fnp.topk(x, k), r"topk: expected an integer as k .*, got an array, .*: a number of .* is known"),
        (lambda x, k: np.float32(x[0, 0]), r"np.float32\(x\) x.astype\('float32'\)"),
        (lambda x, k: x + [1, 2.5], r"add: expected .*, got a list of numbers, .*: numpy.asarray\(x\) as an argument"),
        (lambda x, k: x + [x, x], "add: expected .*, got a list: fuser.numpy.stack makes an array"),
        (lambda x, k: np.apply_along_axis(np.sum, 0, x), "write the function with an axis"),
    ],
)
def test_what_is_not_there_says_what_is(function, message):
    for dynamic in (True, False):
        with pytest.raises(TypeError, match=message):
            fuser.jit(function, dynamic=dynamic)(X, np.array(2))


def test_orders_of_a_reshape():
    for function in (lambda x: x.reshape(-1, 2, order="C"), lambda x: x.reshape((2, -1), order="A")):
        np.testing.assert_array_equal(fuser.jit(function)(X), function(X))


def test_names_that_look_like_others():
    """What NumPy has is another function than one whose name is near."""
    for function in (lambda x: np.diag(x), lambda x: np.average(x), lambda x: np.trapezoid(x, x)):
        with pytest.raises((TypeError, AttributeError)) as caught:
            fuser.jit(function)(X)
        assert "did you mean" not in str(caught.value)


def test_names_of_pytorch_that_look_like_others():
    torch = pytest.importorskip("torch")
    losses = torch.nn.functional
    for function in (lambda x: losses.ctc_loss(x, x, x, x), lambda x: torch.diag(x), lambda x: torch.trapezoid(x)):
        with pytest.raises(TypeError) as caught:
            fuser.jit(function)(torch.from_numpy(X))
        assert "did you mean" not in str(caught.value)


# Arguments that are none


def test_lists_of_numbers_are_no_arrays():
    """Once the message was of results."""
    expected = "TypeError: <lambda>: expected an array among the arguments, got none in {}: numbers and lists of Python's are no arrays, numpy.asarray(x) is one"
    assert fail(lambda x: x * 2, [1.0, 2.0]) == expected.format("'x'")
    assert fail(lambda x, y: x + y, 1.0, 2) == expected.format("'x', 'y'")
    assert fail(lambda: 3) == "TypeError: <lambda>: expected a function that returns arrays, got 3"
    assert fail(lambda x: "3", X) == "TypeError: <lambda>: expected a function that returns arrays, got '3'"


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices():
    """Their `*` is a product, and their parts have two dimensions; once they were multiplied element by element."""
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    expected = "TypeError: expected an array whose operators go element by element, got a numpy.matrix: pass numpy.asarray(matrix), of which `@` is the product"
    assert fail(lambda x: x * x, matrix) == expected
    assert fail(lambda x: x * matrix, X[:2, :2]) == expected
    square = fuser.jit(lambda x: x * x)
    array = np.asarray(matrix)
    np.testing.assert_array_equal(square(array), array * array)
    with pytest.raises(TypeError, match="got a numpy.matrix"):
        square(matrix)  # Of the same types and sizes.
    with pytest.raises(TypeError, match="got a numpy.matrix"):
        square([matrix])
    np.testing.assert_array_equal(square(array), array * array)


# What is said of element types


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: x & 1, "'&': expected booleans or integers as operand 0, got 'tensor<?x?xf32>'"),
        (lambda x: abs(x > 0), "'abs': expected integers or floats as operand 0, got 'tensor<?x?xi1>'"),
        (lambda x: x << 1, "'<<': expected integers as operand 0, got 'tensor<?x?xf32>'"),
        (lambda x: -(x > 0), "'neg': expected integers, floats or complex numbers as operand 0, got 'tensor<?x?xi1>'"),
    ],
)
def test_element_types_have_names(function, message):
    """Not those of the compiler: once `operand #0 must be ranked tensor of at most 2^48 i1, i8, ... elements without an encoding`."""
    line = function.__code__.co_firstlineno
    assert fail(function, X) == f"Error: {__file__}:{line}: error: {message}: x.astype(dtype) converts them"


def test_calls_outside_of_a_function():
    with pytest.raises(TypeError, match="expected a function that fuser.jit traces, got a call outside of one"):
        fnp.exp(X)


def test_what_is_asked_of_another():
    """Of the type, of the program, of the target."""
    assert fail(lambda x: x * len(x), X).endswith("sizes are known with fuser.jit(dynamic=False)")
    assert "<fuser.numpy.Array tensor<?x?xf32>>" in fail(lambda x: (_ for _ in ()).throw(TypeError(str(x))), X)
    function = fuser.jit(lambda x: x * 2)
    for name in ("explain", "lower"):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}': f.compile\(x\).explain\(\)"):
            getattr(function, name)
    with pytest.raises(AttributeError, match="'Jitted' object has no attribute 'other'$"):
        function.other  # noqa: B018
    with pytest.raises(TypeError, match="expected no keywords but target and dynamic, got 'device': write target="):
        fuser.jit(lambda x: x, device="cuda")
    with pytest.raises(TypeError, match="keywords but target and dynamic, got 'dynamc'; did you mean 'dynamic'?"):
        fuser.jit(lambda x: x, dynamc=True)
    # Where the function is decorated, not where it is called.
    with pytest.raises(ValueError, match="^expected target cuda, cpu or sim, got 'gpu'$"):
        fuser.jit(target="gpu")(lambda x: x)
    with pytest.raises(TypeError, match="^expected the name of a target, got None$"):
        fuser.jit(lambda x: x, target=None)


@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("factor", [1, 2])
def test_open_sizes_of_cross(axis, factor):
    """Three elements along the dimension, also of sizes that the program does not know."""
    function = fuser.jit(lambda x, y: fnp.cross(x if factor == 1 else x * factor, y, axis=axis))
    shape = [5, 5]
    shape[axis] = 3
    x = np.arange(15, dtype=np.float32).reshape(shape)
    y = x[::-1] + 1
    np.testing.assert_allclose(function(x, y), np.cross(x * factor, y, axis=axis))
    for count in (2, 4, 6):
        shape[axis] = count
        other = np.ones(shape, np.float32)
        for arguments in ((other, other), (x, other), (other, y)):
            with pytest.raises(fuser.Error, match=f"'cross': expected 3 elements along dimension {axis}, got {count}"):
                function(*arguments)
    assert function.num_programs == 1


def test_names_of_keywords_in_another_order():
    wrong, x = np.array([1], object), np.ones(1, np.float32)
    with pytest.raises(fuser.Error, match="input 'y': expected an element type"):
        fuser.jit(lambda x, y: x - y)(y=wrong, x=x)
    assert fuser.jit(lambda x, y: x - y).compile(y=x, x=x).input_names == ("y", "x")

    def several(x, *rest, y, z, **others):
        return x + rest[0] + rest[1] + y["a"] + y["b"] + z + others["k"] + others["j"]

    names = fuser.jit(several).compile(x, x, x, k=x, z=x, y={"b": x, "a": x}, j=x).input_names
    assert names == ("x", "rest0", "rest1", "others0", "z", "y0", "y1", "others1")
    values = {"k": 1, "z": 2, "y": {"b": 3, "a": 4}, "j": 5}
    values = {
        name: {key: x * own for key, own in each.items()} if isinstance(each, dict) else x * each
        for name, each in values.items()
    }
    np.testing.assert_array_equal(fuser.jit(several)(x, x, x, **values), several(x, x, x, **values))


# What is no array in place of one

#: Functions of one array and what they need beside it.
OF_ONE = {
    **dict.fromkeys("all any argmax argmin argsort copy count_nonzero cummax cummin cumprod cumsum cumulative_sum empty_like exp".split(), ()),
    **dict.fromkeys("flip i0 max mean min nanmax nanmedian nanmin nanstd nanvar negative ones_like positive prod ptp sort spacing".split(), ()),
    **dict.fromkeys("squeeze std std_mean sum var var_mean zeros_like".split(), ()),
    **{"expand_dims": (0,), "full_like": (3,), "pad": (0,), "repeat": (2,), "reshape": ((-1,),), "take": (0,)},
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE)
def test_what_is_no_array(name):
    """As of `exp`: once reductions, scans and shapes had an AttributeError of what a list or a number has not."""
    function, others = getattr(fnp, name), OF_ONE[name]
    for given, got in (([1, 2, 3, 4], "a list of numbers, which are constants: numpy.asarray(x)"), ("x", "'x'")):
        message = fail(lambda x, given=given: (x, function(given, *others)), X)
        assert message.startswith(f"TypeError: {name}: expected an array or a number, got {got}")
    assert "expected a value of the program or a number" in fail(lambda x: (x, function(object(), *others)), X)
    if name in ("argsort", "pad", "sort"):
        message = fail(lambda x: (x, function(2.0, *others)), X)
        assert f"'{name}': expected a tensor as operand 0, got a scalar" in message
        return
    for number in (2.0, np.float16(2)):
        got = fuser.jit(lambda x, number=number: (x, function(number, *others)))(X)[1]
        wanted = fuser.jit(function)(np.array(number), *others)
        for each, other in zip(
            *((each if isinstance(each, tuple) else (each,)) for each in (got, wanted)), strict=True
        ):
            assert np.asarray(each).dtype == other.dtype
            np.testing.assert_array_equal(each, other)
