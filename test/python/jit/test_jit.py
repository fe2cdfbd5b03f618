# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of arrays under fuser.jit, against NumPy and PyTorch."""

import functools
import importlib.util
import inspect
import math
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from conftest import EXAMPLES, ROOT

RNG = np.random.default_rng(0)


def random(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def assert_close(result, expected, tolerance=2e-6):
    assert type(result) is np.ndarray and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance * (1 + np.abs(expected).max(initial=0)))


# The examples


@pytest.fixture(scope="module")
def examples():
    spec = importlib.util.spec_from_file_location("jit_examples", EXAMPLES / "python" / "jit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_examples_have_ten_lines(examples):
    functions = [each for each in vars(examples).values() if isinstance(each, type(fuser.jit(softmax)))]
    assert len(functions) == 11
    for each in functions:
        assert len(inspect.getsource(each.__wrapped__).splitlines()) <= 10, each.__name__


def test_causal_softmax(examples):
    for shape in [(2, 5, 5), (3, 7, 7), (1, 4, 4)]:
        x = random(*shape)
        mask = np.tril(np.ones(shape[-2:], bool))
        assert_close(examples.causal_softmax(x), softmax(np.where(mask, x, -np.inf)))
    assert examples.causal_softmax.num_programs == 2  # A size of 1 is known.


def test_rope(examples):
    for b, n, d in [(2, 5, 8), (3, 9, 64)]:
        angles = np.arange(n)[:, None] / 100 ** (np.arange(d) % (d // 2) / (d // 2))
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        x = random(b, n, d)
        turned = np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], -1)
        assert_close(examples.rope(x, cos, sin), x * cos + turned * sin)
    assert examples.rope.num_programs == 1


def test_cross_entropy(examples):
    for n, classes in [(5, 10), (8, 33)]:
        x, labels = random(n, classes), RNG.integers(0, classes, n)
        expected = -np.log(softmax(x)[np.arange(n), labels]).mean()
        assert_close(examples.cross_entropy(x, labels), expected)
    assert examples.cross_entropy.num_programs == 1


def test_route(examples):
    for n, experts, k in [(5, 8, 2), (9, 4, 2), (3, 8, 3)]:
        logits = random(n, experts)
        p = softmax(logits)
        order = np.argsort(-p, -1, kind="stable")[:, :k]
        weights = np.take_along_axis(p, order, -1)
        got = examples.route(logits, k)
        assert_close(got[0], weights / weights.sum(-1, keepdims=True))
        np.testing.assert_array_equal(got[1], order)
        np.testing.assert_array_equal(got[2], np.bincount(order.ravel(), minlength=experts))
    assert examples.route.num_programs == 2


def test_group_norm(examples):
    w, b = random(6), random(6)
    for n, size, groups in [(2, 4, 3), (3, 5, 3), (2, 4, 2)]:
        x = random(n, 6, size, size + 1)
        y = x.reshape(n, groups, -1)
        y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
        expected = y.reshape(x.shape) * w[:, None, None] + b[:, None, None]
        assert_close(examples.group_norm(x, w, b, groups=groups), expected, 2e-5)
    assert examples.group_norm.num_programs == 2
    with pytest.raises(fuser.Error, match="'reshape': expected as many elements in the result as in the input"):
        examples.group_norm(random(2, 8, 3, 5), random(8), random(8), groups=3)


def test_group_norm_of_rows():
    """As the page has it."""
    page = (ROOT / "docs/how-to/functions-of-models.md").read_text()
    (text,) = [each for each in re.findall(r"```python\n(.*?)```", page, re.S) if "def normalize_groups" in each]
    names = {"fuser": fuser, "fnp": fnp}
    exec(text, names)
    for shape, groups in [((2, 6, 4, 5), 3), ((3, 8, 5), 2), ((2, 3, 2, 4, 3), 3)]:
        x = random(*shape)
        y = x.reshape(shape[0], groups, -1)
        y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
        assert_close(names["normalize_groups"](x, groups=groups), y.reshape(shape), 2e-5)
    with pytest.raises(fuser.Error, match="'reshape': expected a shape of as many elements as 'tensor<2x7x4x5xf32>'"):
        names["normalize_groups"](random(2, 7, 4, 5), groups=3)


def test_quantized_linear(examples):
    weight, scale, x = RNG.integers(-128, 128, (5, 12)).astype(np.int8), np.abs(random(5)), random(3, 12)
    result = examples.quantized_linear(x, weight.view(np.int32), scale)
    assert_close(result, x @ (weight * scale[:, None]).T.astype(np.float32), 1e-5)


def test_linear_layers_of_8_bits(examples):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, weight = random(3, 32), random(5, 32)
    greatest = np.abs(weight).max(1)
    small = np.round(weight / greatest[:, None] * 127).astype(np.int8)
    result = examples.int8_linear(x, small, greatest / 127)
    assert_close(result, x @ weight.T, 5e-2)
    narrow = (weight / greatest[:, None] * 448).astype(ml_dtypes.float8_e4m3fn)
    for dtype in (np.float32, np.float16):
        result = examples.float8_linear(x.astype(dtype), narrow, greatest / 448)
        assert result.dtype == np.float32
        assert_close(result, x @ weight.T, 0.1)
    # The type of the factors, if none is asked for.
    product = fuser.jit(lambda a, b: fnp.scaled_mm(a, b.T, fnp.ones((1,)), fnp.ones((1,))))(narrow, narrow)
    assert product.dtype == ml_dtypes.float8_e4m3fn


def test_batch_norm(examples):
    weight, bias, mean, variance = random(6), random(6), random(6), np.abs(random(6))
    x = random(4, 6, 3, 5)
    y, running = examples.batch_norm(x, weight, bias, (mean, variance))
    own, deviation = x.mean((0, 2, 3)), x.var((0, 2, 3))
    scaled = (x - own[:, None, None]) / np.sqrt(deviation + 1e-5)[:, None, None]
    assert_close(y, scaled * weight[:, None, None] + bias[:, None, None], 1e-5)
    assert_close(running[0], 0.9 * mean + 0.1 * own, 1e-5)
    assert_close(running[1], 0.9 * variance + 0.1 * x.var((0, 2, 3), ddof=1), 1e-5)


def test_lstm_cell(examples):
    x, h, c, w_x, w_h, bias = random(3, 8), random(3, 5), random(3, 5), random(20, 8), random(20, 5), random(20)
    i, f, g, o = np.split(x @ w_x.T + h @ w_h.T + bias, 4, -1)
    i, f, o = (1 / (1 + np.exp(-each)) for each in (i, f, o))
    expected = f * c + i * np.tanh(g)
    got = examples.lstm_cell(x, h, c, w_x, w_h, bias)
    assert_close(got[0], o * np.tanh(expected), 1e-5)
    assert_close(got[1], expected, 1e-5)


def test_dropout(examples):
    x = np.ones((100, 70), np.float32)
    first, again, other = (examples.dropout(x, np.int64(seed), 0.25) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any() and examples.dropout.num_programs == 1
    assert set(first.ravel()) == {np.float32(0), np.float32(1 / 0.75)} and abs((first == 0).mean() - 0.25) < 0.05


# Arguments and results


def test_other_sizes_are_no_new_program():
    @fuser.jit
    def scale(x, w):
        return x * w / x.shape[0]

    for n, k in [(2, 3), (4, 5), (17, 3)]:
        x, w = random(n, k), random(k)
        assert_close(scale(x, w), x * w / n)
    assert scale.num_programs == 1
    assert_close(scale(random(2, 1) * 0, random(3)), np.zeros((2, 3)))
    scale(random(2, 3).astype(np.float64), random(3))
    assert scale.num_programs == 3


def test_static_arguments():
    traced = []

    @fuser.jit
    def reduce(x, kind, *, axis=-1, factor=1.0):
        traced.append(kind)
        return getattr(x, kind)(axis=axis) * factor

    x = random(3, 4)
    assert_close(reduce(x, "max"), x.max(-1))
    assert_close(reduce(x, "sum", axis=(0, 1), factor=2.0), x.sum() * 2)
    reduce(x, "max")
    reduce(x, "max", factor=1)  # 1 is not 1.0.
    assert traced == ["max", "sum", "max"]
    with pytest.raises(TypeError, match="reduce: expected arrays and hashable values as arguments"):
        reduce(x, {1, 2})


def test_numbers_of_numpy_may_change():
    @fuser.jit
    def scale(x, factor):
        return x * factor

    x = random(5)
    for factor in (0.5, 2.5):
        assert_close(scale(x, np.float32(factor)), x * np.float32(factor))
    assert scale.num_programs == 1


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_numbers_of_numpy_are_arrays_of_no_dimension(kind):
    """Of numbers alone results are NumPy's, too, and what reduces arrays takes them."""
    functions = {
        "sums": lambda s: (np.sum(s), np.mean(s) if kind is not np.int64 else s, s.prod(keepdims=True), s + 1, s),
        "shapes": lambda s: (np.reshape(s, (1, 1)), s[None], np.broadcast_to(s, (2, 3)), s.T, np.expand_dims(s, 0)),
        "order": lambda s: (s.max(), s.min(), s.argmax(), s.any(), np.var(s) if kind is np.float64 else s),
        "scans": lambda s: (np.cumsum(s), np.cumprod(s)),
    }
    s = np.array([4, 9], kind).max()
    for name, function in functions.items():
        result, expected = fuser.jit(function)(s), function(s)
        for got, wanted in zip(result, expected, strict=True):
            assert got.dtype == wanted.dtype, name
            assert_close(got, np.asarray(wanted))
    number = fuser.jit(lambda s: np.abs(s))(s)
    assert type(number) is np.ndarray and number.shape == () and number == 9


def test_numbers_beside_arrays():
    """Results are of the framework of an array, if there is one; what the function has beside its arguments counts."""
    x, s = random(3), np.float32(2)
    for arguments in ((s, x), (x, s), (x, np.array(s))):
        assert_close(fuser.jit(lambda a, b: a.sum() * b.sum().max())(*arguments), x.sum() * s)
    assert_close(fuser.jit(lambda s: s * x)(s), s * x)
    assert type(fuser.jit(lambda s: fnp.arange(4) * s, target="sim")(s)) is np.ndarray


def test_structures():
    @fuser.jit
    def function(parts, named):
        a, (b, c) = parts
        return {"sum": a + b, "rest": [c * 2, named["d"], None]}, a.shape[0], 3

    a, b, c, d = (random(3) for _ in range(4))
    results, size, three = function((a, [b, c]), {"d": d})
    assert_close(results["sum"], a + b)
    assert_close(results["rest"][0], c * 2)
    assert_close(results["rest"][1], d)
    assert results["rest"][2] is None and size == 3 and three == 3


def test_arrays_beside_the_arguments():
    table = random(7, 4)
    lookup = fuser.jit(lambda i: (fnp.take(table, i, axis=0) + table[0], i[i]))
    i = np.array([6, 0, 3, 2, 2, 1, 1])
    rows, indices = lookup(i)
    assert_close(rows, table[i] + table[0])
    np.testing.assert_array_equal(indices, i[i])


def test_functions_of_numpy():
    @fuser.jit
    def function(x, y):
        return (
            *(
                np.exp(x),
                np.add(x, y),
                np.arctan2(x, y),
                np.power(np.abs(x), 2),
                np.where(x > 0, x, y),
                np.clip(x, -1, 1),
            ),
            *(
                np.sum(x, axis=0),
                np.mean(x, keepdims=True),
                np.max(x, axis=1),
                np.var(x, axis=0),
                np.std(x, axis=0, ddof=1),
            ),
            *(
                np.concatenate([x, y], axis=1),
                np.stack([x, y]),
                np.transpose(x, (1, 0)),
                np.reshape(x, (-1,)),
                np.tril(x, 1),
            ),
            *(
                np.triu(x),
                np.swapaxes(x, 0, 1),
                np.expand_dims(x, 0),
                np.zeros_like(x),
                np.full_like(x, 2),
                np.argmax(x, axis=1),
            ),
            *(
                np.square(x),
                np.isnan(x),
                np.maximum(x, 0),
                np.matmul(x, y.T),
                np.float32(2) * x,
                np.ones(6, np.float32) + x,
            ),
        )

    x, y = random(5, 6), random(5, 6)
    for result, expected in zip(function(x, y), function.__wrapped__(x, y), strict=True):
        assert_close(result, np.asarray(expected), 1e-5)


def test_functions_of_fuser_numpy():
    @fuser.jit
    def function(x):
        n, k = x.shape
        return (
            fnp.arange(n),
            fnp.arange(1, k, 2),
            fnp.arange(3, dtype="float32"),
            fnp.full((n, 2), 0.5),
            fnp.std(x, axis=0),
        )

    x = random(5, 8)
    expected = np.arange(5), np.arange(1, 8, 2), np.arange(3), np.full((5, 2), 0.5), x.std(0)
    for result, value in zip(function(x), expected, strict=True):
        assert_close(result, value)
    with pytest.raises(TypeError, match=re.escape("expected a function that fuser.jit traces")):
        fnp.exp(3.0)


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_torch(target):
    torch = pytest.importorskip("torch")

    @fuser.jit
    def function(x, y):
        return (
            *(
                torch.exp(x),
                x + y,
                y - x,
                torch.where(x > 0, x, 0.0),
                torch.sum(x, dim=1),
                torch.mean(x, 0, keepdim=True),
            ),
            *(
                torch.cat([x, y], dim=1),
                torch.clamp(x, -1, 1),
                torch.amax(x, dim=-1),
                torch.sigmoid(x),
                2 * x,
                torch.sub(x, 1),
            ),
            *(torch.unsqueeze(x, 1), torch.argmax(x, dim=0), x @ y.T, torch.tril(x), outside * x),
            *(torch.softmax(x, 1), torch.log_softmax(x, dim=0), torch.nn.functional.gelu(x, approximate="tanh")),
            *(torch.nn.functional.softplus(x), torch.tile(x, (2, 1)), torch.repeat_interleave(x, 3, dim=1)),
        )

    x, y, outside = (torch.randn(5, 6, device=target) for _ in range(3))
    for result, expected in zip(function(x, y), function.__wrapped__(x, y), strict=True):
        assert isinstance(result, torch.Tensor)
        torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(TypeError, match="expected a function that fuser.numpy has, too, got torch.igamma"):
        fuser.jit(lambda x: torch.igamma(x, x))(x)


def test_simulator():
    x = random(5, 40)
    assert_close(fuser.jit(softmax, target="sim")(x), softmax(x))


# Errors


def test_errors_are_at_the_line():
    @fuser.jit
    def function(x, y):
        z = x + y
        return z.squeeze(5)

    line = function.__wrapped__.__code__.co_firstlineno + 3
    with pytest.raises(fuser.Error, match=rf"{re.escape(__file__)}:{line}: error: 'squeeze'"):
        function(random(3, 4), random(4))


def test_sizes_that_do_not_fit():
    @fuser.jit
    def add(x, rest):
        return x + rest[0] + rest[1]

    with pytest.raises(fuser.Error, match="'add': expected shapes that broadcast, got size 3 .* and 5 ") as caught:
        add(random(3, 4), (random(3, 4), random(5, 4)))
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_elements_are_not_known():
    with pytest.raises(
        TypeError, match=r"np.exp: expected \(x.*\) as fuser.numpy.exp has it: got an unexpected keyword"
    ):
        fuser.jit(lambda x: np.exp(x, dtype="float64"))(random(3))
    with pytest.raises(TypeError, match="expected a size that is known while the function is traced"):
        fuser.jit(lambda x: x * len(x))(random(3))
    with pytest.raises(TypeError, match="expected a function that returns arrays, got None"):
        fuser.jit(lambda x: None)(random(3))
    with pytest.raises(TypeError, match="expected a call of hypot, got its method 'reduce'"):
        fuser.jit(lambda x: np.hypot.reduce(x))(random(3))
    with pytest.raises(TypeError, match="got np.unique: write fuser.numpy.sort"):
        fuser.jit(lambda x: np.unique(x))(random(3))


def test_sorts():
    x = random(5, 7)
    for sort in (np.sort, fnp.sort):
        np.testing.assert_array_equal(fuser.jit(lambda x, sort=sort: sort(x))(x), np.sort(x))
        np.testing.assert_array_equal(fuser.jit(lambda x, sort=sort: sort(x, axis=0))(x), np.sort(x, 0))
    np.testing.assert_array_equal(fuser.jit(lambda x: fnp.sort(x, descending=True)[0])(x), -np.sort(-x)[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_element_types_are_those_of_frameworks(dtype):
    def function(x):
        assert x.dtype == dtype and dtype == x.dtype and x.dtype == np.dtype(dtype) and x.dtype in (np.dtype(dtype),)
        assert x.dtype != np.int16 and np.int16 != x.dtype and x.dtype != None and x.dtype == np.dtype(dtype).name  # noqa: E711
        return fnp.copy(x)

    fuser.jit(function)(np.zeros(3, dtype))


def test_numpys_names_of_element_types():
    x = random(3) * 9
    names = ["f4", "f8", "d", "e", "i2", "u1", "c8", "single", "<f4", np.longlong, np.intc, np.single, np.ubyte]
    for name in names:
        if name != "u1" and name is not np.ubyte:
            got = fuser.jit(lambda x, name=name: (x.astype(name), fnp.zeros(2, name), x.sum(dtype=name)))(x)
            assert [each.dtype for each in got] == [np.dtype(name)] * 3
        assert fuser.jit(lambda x, name=name: abs(x).astype(name))(x).dtype == name
    for name in (">f4", "float", "O", "M8[s]", "f4,f4", "nothing"):
        if name == "float":
            assert fuser.jit(lambda x, name=name: x.astype(name))(x).dtype == np.float64
            continue
        with pytest.raises(fuser.Error, match=rf"expected an element type \(float64, .*\), got '{re.escape(name)}'"):
            fuser.jit(lambda x, name=name: x.astype(name))(x)


def test_copies():
    x = random(3)
    for function in (lambda x: x.copy(), lambda x: np.copy(x), lambda x: fnp.copy(x)):
        assert_close(fuser.jit(function)(x), x)


def test_sizes_that_are_known():
    """Without open sizes they are numbers, and each shape has a program."""

    @fuser.jit(dynamic=False)
    def function(x, *, scale=1.0):
        assert all(isinstance(size, int) for size in x.shape) and len(x) == x.shape[0]
        half = x.shape[-1] // 2
        return sum(x[:, :half][:, place] for place in range(half)) / math.sqrt(x.shape[-1]) * scale + x[:100, 0]

    for shape in ((3, 4), (3, 6), (3, 4)):
        x = random(*shape)
        expected = x[:, : shape[1] // 2].sum(1) / math.sqrt(shape[1]) + x[:, 0]
        np.testing.assert_allclose(function(x), expected, rtol=1e-5)
    assert function.num_programs == 2
    np.testing.assert_allclose(function(x, scale=2.0), expected * 2 - x[:, 0], rtol=1e-5)
    assert function.num_programs == 3


def test_a_function_that_is_compiled_is_part_of_another():
    inner = fuser.jit(lambda x, factor=2: x * factor)
    outer = fuser.jit(lambda x: inner(inner(x), factor=3) + 1)
    x = random(3, 4)
    np.testing.assert_allclose(outer(x), x * 6 + 1, rtol=1e-6)
    assert inner.num_programs == 0 and outer.num_programs == 1


def test_callables_without_a_name():
    class Scale:
        def __call__(self, x):
            return x * 2

    x = random(3)
    for function in (Scale(), functools.partial(np.multiply, 2)):
        np.testing.assert_allclose(fuser.jit(function)(x), x * 2)
    assert "Scale" in repr(fuser.jit(Scale()))


def test_compile():
    """The program alone, for calls without looking at arguments."""
    function = fuser.jit(lambda x, factor: x * factor)
    executable = function.compile(random(3), np.float32(2))
    assert isinstance(executable, fuser.Executable)
    assert_close(executable(np.ones(5, np.float32), 3.0), np.full(5, 3.0))


def test_names_are_there():
    for name in fnp.__all__:
        assert hasattr(fnp, name)
    missing = [name for name in fnp.__all__ if callable(getattr(fnp, name)) and not getattr(fnp, name).__doc__]
    assert missing == []


# What tells arguments apart


def test_negative_indices_count_from_the_end():
    x, index = random(5, 3), np.array([-1, 0, -5, 4])
    np.testing.assert_array_equal(fuser.jit(lambda x, index: x[index])(x, index), x[index])


def test_floats_are_told_apart_by_their_bits():
    divide = fuser.jit(lambda x, scale: 1.0 / (x * scale))
    x = np.ones(3, np.float32)
    assert np.all(divide(x, 0.0) == np.inf)
    assert np.all(divide(x, -0.0) == -np.inf)
    divide(x, float("nan"))
    divide(x, float("nan"))
    assert divide.num_programs == 3


def test_names_of_dicts_are_only_names():
    x = random(3)
    assert_close(fuser.jit(lambda d: d["static"] * 2)({"static": x}), x * 2)


def test_methods():
    class Scale:
        factor = 3

        @fuser.jit
        def apply(self, x):
            return x * self.factor

    x = random(4)
    assert_close(Scale().apply(x), x * 3)


# Indices and axes are NumPy's


def test_negative_indices_of_functions():
    x, along = random(5, 3), np.array([[-1, 0, 2], [-5, 4, -2]])
    index, updates = np.array([-1, 0, -5]), random(3, 3)

    def check(function, *arrays):
        np.testing.assert_array_equal(fuser.jit(function)(*arrays), function(*arrays))

    check(lambda x, index: np.take(x, index, 0), x, index)
    check(lambda x, index: np.take(x, index), x, index)  # Of all elements in row-major order.
    check(lambda x: np.take(x, -2, 1), x)
    check(lambda x, index: np.take_along_axis(x, index, 0), x, along.astype(np.int32))
    check(lambda x, index: np.take_along_axis(x, index, None), x, index)
    check(lambda x: np.take(x, index, -2), x)  # An array beside the arguments.

    added, copied = np.array(x), np.array(x)
    np.add.at(added, index, updates)
    copied[index] = updates
    np.testing.assert_allclose(fuser.jit(lambda *args: fnp.index_add(*args))(x, index, updates), added, rtol=1e-6)
    np.testing.assert_array_equal(fuser.jit(lambda *args: fnp.index_copy(*args))(x, index, updates), copied)
    np.put_along_axis(copied, along, 7, 0)
    np.testing.assert_array_equal(fuser.jit(lambda x, i: fnp.scatter(x, i, 7, 0))(np.array(copied), along), copied)


def test_an_index_beyond_the_start_is_no_element():
    assert np.isnan(fuser.jit(lambda x, i: np.take(x, i, 0))(random(4), np.array([-5, 4]))).all()


def test_booleans_are_no_indices():
    with pytest.raises(TypeError, match="expected indices, got booleans"):
        fuser.jit(lambda x: x[x > 0])(random(3))


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (0, 2), (6,), (2, 1, 3)])
def test_without_an_axis_all_elements_count(shape):
    x = random(*shape)
    functions = [
        np.cumsum,
        np.cumprod,
        lambda x: np.argsort(x, axis=None),
        lambda x: np.concatenate([x, x], axis=None),
        lambda x: np.roll(x, 2),
        lambda x: np.roll(x, -2 * x.ndim),
        lambda x: np.cumsum(x, axis=-1),
        lambda x: np.roll(x, 1, axis=0),
        lambda x: x.cumsum(),
    ]
    for function in functions:
        assert_close(fuser.jit(function)(x), function(x), 1e-5)


def test_what_a_function_says_of_itself():
    function = fuser.jit(softmax)
    line = softmax.__code__.co_firstlineno
    assert repr(function) == f"<fuser.jit function softmax of {__file__}:{line}: 0 programs>"


def test_names_that_are_spelled_wrong():
    with pytest.raises(TypeError, match="got np.nanquantile$"):
        fuser.jit(lambda x: np.nanquantile(x, 0.5))(random(3))
    with pytest.raises(TypeError, match="got np.unwrap$"):
        fuser.jit(lambda x: np.unwrap(x))(random(3, 3))
    with pytest.raises(TypeError, match=re.escape("got np.trapezoid: write ((y[1:] + y[:-1])")):
        fuser.jit(lambda x: np.trapezoid(x, x))(random(3))


def test_calls_of_arrays_that_come_again():
    """The second call of a kind goes another way: types, numbers of dimensions, sizes of 1 and numbers stay what they are."""
    calls = []

    @fuser.jit
    def function(x, y=2, *, z=1):
        calls.append(x.dtype)
        return x * y + z

    x = np.arange(6, dtype=np.float32)
    kinds = [
        x,
        x.astype(np.int32),
        x.astype(np.float16),
        x.reshape(2, 3),
        x.reshape(1, 6),
        x.reshape(6, 1),
        x > 2,
        x[:1],
    ]
    for round_ in range(3):
        for each in kinds:
            result, expected = function(each), each * 2 + 1
            assert result.shape == expected.shape and (result == expected).all()
        assert len(calls) == function.num_programs == len(kinds), round_
    np.testing.assert_array_equal(function(x, 3), x * 3 + 1)
    np.testing.assert_array_equal(function(x, 3.5), x * 3.5 + 1)
    np.testing.assert_array_equal(function(x, x), x * x + 1)
    np.testing.assert_array_equal(function(x, np.float32(4)), x * 4 + 1)
    np.testing.assert_array_equal(function(x, np.float32(5)), x * 5 + 1)
    np.testing.assert_array_equal(function(x, z=x), x * 2 + x)
    np.testing.assert_array_equal(function(x[::2]), x[::2] * 2 + 1)
    np.testing.assert_array_equal(function(x), x * 2 + 1)


# What ends where others do


def test_steps_that_are_floats_give_floats():
    result = fuser.jit(lambda x: x + fnp.arange(0, 1, 0.25))(np.zeros(4, np.float32))
    np.testing.assert_array_equal(result, np.arange(0, 1, 0.25, dtype=np.float32))
    assert fuser.jit(lambda x: fnp.arange(0, 1, 0.25) + 0 * x.sum())(random(2)).dtype == np.float32
    assert fuser.jit(lambda x: fnp.arange(4))(random(2)).dtype == np.int64
    with pytest.raises(fuser.Error, match="'arange': expected integers beside what the program computes, got a float"):
        fuser.jit(lambda x: fnp.arange(0, x.shape[0], 0.5))(random(3))


@pytest.mark.parametrize("key", [[True, False, True], True, (slice(None), False)])
def test_lists_of_booleans_are_no_indices(key):
    with pytest.raises(TypeError, match="expected indices, got booleans"):
        fuser.jit(lambda x: x[key])(random(3, 3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: fnp.moveaxis(x, 5, 0),
        lambda x: np.swapaxes(x, 0, 2),
        lambda x: fnp.unstack(x, axis=-3),
        lambda x: fnp.tensordot(x, x, ([2], [0])),
    ],
)
def test_dimensions_that_there_are_not(function):
    line = rf"test_jit.py:{function.__code__.co_firstlineno}: error: '\w+': "
    with pytest.raises(
        fuser.Error, match=f"{line}expected a dimension of -2 to 1, of a tensor of 2 dimensions, got -?[0-9]"
    ):
        fuser.jit(function)(random(2, 2))
    with pytest.raises(
        fuser.Error, match=f"{line}expected (a tensor as operand 0, got a scalar of 'f32'|no dimension of a tensor)"
    ):
        fuser.jit(function)(np.float32(1).reshape(()))
    with pytest.raises(fuser.Error, match="expected no dimension of a tensor that has none, got -?[0-9]"):
        fuser.jit(lambda x: function(x.sum()))(random(2, 2))


def test_what_has_no_dimension_has_no_length():
    with pytest.raises(TypeError, match="expected an array with a dimension"):
        fuser.jit(lambda x: x * len(x))(np.float32(1).reshape(()))


def test_great_steps_take_one_element():
    x = random(5, 3)
    np.testing.assert_array_equal(fuser.jit(lambda x: x[:: 2**63 - 1])(x), x[:1])


def test_messages_name_what_was_called():
    @fuser.jit
    def scale(x, w):
        return x * w

    with pytest.raises(TypeError, match=r"^scale\(x, w\): missing a required argument: 'w'"):
        scale(np.ones(3, np.float32))
    with pytest.raises(TypeError, match=r"^max: expected an array or a number, got '1'"):
        fuser.jit(lambda x: fnp.maximum(x, "1"))(np.ones(3))
    with pytest.raises(TypeError, match=r"as the order of a norm of matrices, got 'nuc': fuser\.numpy\.vector_norm"):
        fuser.jit(lambda x: np.linalg.norm(x, "nuc"))(np.ones((3, 3)))
    with pytest.raises(TypeError, match=r"neither their open sizes.*fnp\.arange\(x\.shape\[0\]\)"):
        fuser.jit(lambda x: x * np.arange(x.shape[0]))(np.ones(3))


def test_sizes_that_do_not_fit_are_at_their_line():
    def add(x, w):
        y = x * 2
        return y + w

    def center(x):
        mean = x.mean(axis=1)
        return x - mean

    x = np.ones((3, 4), np.float32)
    for function, arguments in ((add, (x, np.ones(5, np.float32))), (center, (x,))):
        line = function.__code__.co_firstlineno + 2
        traced = fuser.jit(function)
        with pytest.raises(fuser.Error, match=rf"test_jit\.py:{line}: error: ") as caught:
            traced(*arguments)
        # One traceback: what the call found says less.
        assert "expected dimension" in str(caught.value.__context__) and caught.value.__suppress_context__
    # Other sizes are of the same program.
    assert center(np.ones((4, 4), np.float32)).shape == fuser.jit(center)(np.ones((4, 4), np.float32)).shape
