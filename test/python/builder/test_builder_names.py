# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of names and arguments that a builder and its values do not have, and by which name errors call a function."""

import math
import operator
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

EXPECTED = {fuser.Value: "an attribute of a fuser.Value", fuser.Builder: "a method of fuser.Builder"}


def fail(build, kind=TypeError):
    """What the error of a program says, of three inputs: one known, one of open rows, indices."""
    b = fuser.Builder()
    inputs = b.input((4, 6)), b.input((None, 6)), b.input((4,), "int64")
    with pytest.raises(kind) as caught:
        build(b, *inputs)
    assert caught.value.__cause__ is None and (caught.value.__suppress_context__ or caught.value.__context__ is None)
    return str(caught.value)


# Names


@pytest.mark.parametrize(
    "name, advice",
    [
        ("permute", ": write x.permute_dims(axes)"),
        ("transpose", ": write x.permute_dims(axes), or b.swapaxes(x, axis1, axis2)"),
        ("unsqueeze", ": write x.expand_dims(axis)"),
        ("t", ": write x.T"),
        ("float", ": write x.astype('float32')"),
        ("double", ": write x.astype('float64')"),
        ("bool", ": write x.astype('bool')"),
        ("cfloat", ": write x.astype('complex64')"),
        ("to", ": write x.astype(dtype)"),
        ("size", ": write b.size(x, axis)"),
        ("dim", ": write x.ndim"),
        ("relu", ": write b.relu(x)"),
        ("gather", ": write b.take_along_axis(x, indices, axis=-1)"),
        ("flatten", ": write x.reshape(-1)"),
        ("clone", ": write x, which no op changes"),
        ("item", ": write x as an output: elements are known when the program runs"),
        ("numel", ": write the product of b.size(x, axis) of each dimension"),
        ("cuda", ": write target= of compile, which says where the program runs"),
        ("max_pool2d", ": fuser has no pooling"),
        ("astyp", "; did you mean x.astype(dtype)?"),
        ("softmx", "; did you mean b.softmax(x, axis=-1)?"),
        ("frobnicate", ""),
        ("_shape", ""),
    ],
)
def test_attributes_of_a_value(name, advice):
    message = fail(lambda b, x, y, n: getattr(x, name), AttributeError)
    assert message == f"expected an attribute of a fuser.Value, got '{name}'{advice}"
    assert not hasattr(fuser.Builder().input((3,)), name)


@pytest.mark.parametrize(
    "name, advice",
    [
        ("permute", ": write b.permute_dims(x, axes)"),
        ("view", ": write b.reshape(x, *shape)"),
        ("concatenate", ": write b.concat(arrays, axis=0)"),
        ("mul", ": write b.multiply(x1, x2)"),
        ("T", ": write x.T"),
        ("one_hot", ": write x[..., None] == b.arange(n)"),
        ("tensor", ": write b.constant(values, shape) for a few numbers, b.input(shape, dtype) for an array"),
        ("scatter_add", ": write b.scatter(x, indices, updates, axis, reduce='sum')"),
        ("addmm", ": write c + b.matmul(a, b)"),
        ("conv2d", ": fuser has no convolutions"),
        ("softmx", "; did you mean b.softmax(x, axis=-1)?"),
        ("frobnicate", ""),
    ],
)
def test_methods_of_a_builder(name, advice):
    message = fail(lambda b, x, y, n: getattr(b, name), AttributeError)
    assert message == f"expected a method of fuser.Builder, got '{name}'{advice}"


def test_what_is_said_to_write_is_there():
    from fuser._array.names import _OF_OTHERS, CASTS, INSTEAD, OF_NUMPY

    b = fuser.Builder()
    x = b.input((4, 6))
    for own in (*OF_NUMPY.values(), *_OF_OTHERS.values()):
        assert hasattr(b, own) or hasattr(x, own), own
    for text in INSTEAD.values():
        assert all(hasattr(b, name) for name in re.findall(r"\{0\}\.(\w+)", text))
        assert all(hasattr(x, name) for name in re.findall(r"x\.(\w+)", text))
    for name, element in CASTS.items():
        advice = re.search(r"astype\('(\w+)'\)", fail(lambda b, x, y, n, name=name: getattr(x, name), AttributeError))
        assert x._program.type(x.astype(advice[1]))[0] == element


def test_one_hot_as_it_is_said():
    indices = np.array([[2, 0], [1, 1]])
    got = fuser.jit(lambda x: x[..., None] == fnp.arange(3))(indices)
    np.testing.assert_array_equal(got, np.eye(3, dtype=bool)[indices])


def test_names_of_the_package():
    with pytest.raises(AttributeError, match=r"^module 'fuser' has no attribute 'Bilder'; did you mean 'Builder'\?$"):
        fuser.Bilder  # noqa: B018
    with pytest.raises(AttributeError, match="^module 'fuser' has no attribute '_unknown'$"):
        fuser._unknown  # noqa: B018


# Arguments


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, y, n: b.softmax(x, dim=0), "softmax: expected (x, axis=-1): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        (lambda b, x, y, n: b.concat([x, x], dim=0), "concat: expected (arrays, axis=0): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        (
            lambda b, x, y, n: b.sum(x, 0, keepdim=True),
            "sum: expected (x, axis=None, dtype=None, keepdims=False): got an unexpected keyword argument 'keepdim'; did you mean 'keepdims'?",
        ),
        (
            lambda b, x, y, n: x.sum(dim=0),
            "sum: expected (axis=None, dtype=None, keepdims=False): got an unexpected keyword argument 'dim'; did you mean 'axis'?",
        ),
        (lambda b, x, y, n: b.normalize(x, dim=1), "normalize: expected (x, p=2.0, axis=1, eps=1e-12): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        (lambda b, x, y, n: b.roll(x, 1, dim=1), "roll: expected (x, shift, axis=None): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        (lambda b, x, y, n: b.flip(x, dims=1), "flip: expected (x, axis=None): got an unexpected keyword argument 'dims'; did you mean 'axis'?"),
        (lambda b, x, y, n: b.median(x, dim=1), "median: expected (x, axis=None, keepdims=False): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        (lambda b, x, y, n: b.stack([x], dim=1), "stack: expected (arrays, axis=0): got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
        # Of several reasons the one that tells most.
        (
            lambda b, x, y, n: b.linear(x, weigth=x),
            "linear: expected (x, weight, bias=None, dtype=None): got an unexpected keyword argument 'weigth'; did you mean 'weight'?",
        ),
        (lambda b, x, y, n: b.linear(x), "linear: expected (x, weight, bias=None, dtype=None): missing a required argument: 'weight'"),
        (lambda b, x, y, n: b.exp(x, 2), "exp: expected (x): too many positional arguments"),
        (lambda b, x, y, n: b.input((3,), dtyp="int8"), "input: expected (shape, dtype='float32', name=None, *, stride_order=None): got an unexpected keyword argument 'dtyp'; did you mean 'dtype'?"),
        (lambda b, x, y, n: x.view(6, 4), "view: expected (dtype): too many positional arguments; PyTorch's view is reshape here"),
    ],
)  # fmt: skip
def test_arguments(build, message):
    assert fail(build) == message


def test_a_view_of_sizes():
    for build in (lambda b, x, y, n: x.view(-1), lambda b, x, y, n: x.view((6, 4))):
        assert fail(build, fuser.Error).endswith(": x.reshape takes sizes")


@pytest.mark.parametrize(
    "build",
    [
        lambda b, x, y, n: y.reshape(y.shape[0], 2, 3),
        lambda b, x, y, n: b.reshape(y, (None, 2, 3)),
        lambda b, x, y, n: b.full((None, 2), 1),
        lambda b, x, y, n: b.zeros((None,)),
        lambda b, x, y, n: b.broadcast_to(x, (None, 4, 6)),
        lambda b, x, y, n: b.iota((None,)),
    ],
)
def test_open_sizes_of_a_shape(build):
    name, _, text = fail(build).partition(": ")
    assert name.isidentifier() and text == (
        "expected an integer as a size or a bound, got None: an open size is a scalar, Builder.size(x, axis), and x.shape[axis] in a function that"
        " fuser.jit traces"
    )


def test_none_is_no_number():
    """A size of `x.shape` that is open."""
    advice = ": an open size is a scalar, Builder.size(x, axis), and x.shape[axis] in a function that fuser.jit traces"
    for name, build in {
        "arange": lambda b, x, y, n: b.arange(y.shape[0]),
        "/": lambda b, x, y, n: y.sum(axis=0) / y.shape[0],
    }.items():
        assert fail(build) == f"{name}: expected a value of the program or a number, got None{advice}"


def test_a_size_is_no_number_of_pythons():
    advice = "a size that is known is in x.shape, and b.arange(n) has the numbers below one that is open"
    expected = f"expected an integer that is known while the program is built, got <fuser.Value i64>, which it computes: {advice}"
    for use in (range, operator.index, "abc".__getitem__):
        assert fail(lambda b, x, y, n, use=use: use(b.size(y, 0))) == expected
    assert fail(lambda b, x, y, n: b.topk(x, b.size(y, 0))) == "topk: expected an integer as k, got <fuser.Value i64>"


def test_elements_are_no_numbers_of_pythons():
    """Once `float() argument must be a string or a real number, not 'Value'`."""
    is_known = "that is known while the program is built, got {}, which it computes: write "
    in_place = "x itself in arithmetic, {}, or exp(x) of the program in place of math.exp(x)"
    where = "where(condition, x, y), or a & b, a | b and ~a for 'and', 'or' and 'not'"
    fd = fuser.FusionDefinition()
    own, of_nvfuser = fuser.Builder().input((4, 6)), fd.define_tensor(shape=[4, 6])
    for x, cast in ((own, "x.astype(dtype)"), (of_nvfuser, "fd.ops.cast(x, dtype)")):
        for use, what, instead in [
            (float, "a number", in_place.format(cast)),
            (math.sqrt, "a number", in_place.format(cast)),
            (complex, "a number", in_place.format(cast)),
            (int, "an integer", f"x itself in arithmetic, or {cast}"),
            (bool, "a value", where),
        ]:
            assert fail(lambda *_, use=use, x=x: use(x)) == f"expected {what} {is_known.format(x)}{instead}"


@pytest.mark.parametrize(
    "call, name, instead",
    [
        (lambda x: np.exp(x), "exp", ": write b.exp(x)"),
        (lambda x: np.arcsin(x), "arcsin", ": write b.asin(x)"),
        (lambda x: np.maximum(x, 0), "maximum", ": write b.maximum(x1, x2)"),
        (lambda x: np.ones((4, 4)) @ x, "matmul", ": write b.matmul(x1, x2, dtype=None)"),
        (lambda x: np.add(x, 1, dtype=np.float32), "add", ": write b.add(x1, x2)"),
        (lambda x: np.add.reduce(x), "add", ": write b.add(x1, x2)"),
    ],
)
def test_functions_of_numpys(call, name, instead):
    """Once `operand 'Value' does not support ufuncs`."""
    got = fail(lambda b, x, y, n: call(x))
    assert got == f"np.{name}: expected arrays, got <fuser.Value tensor<4x6xf32>>{instead}"


def test_operators_beside_numpys_scalars():
    numbers = "add sub mul truediv floordiv mod pow lt le gt ge eq ne".split()
    bits = "and_ or_ xor lshift rshift".split()
    cases = [(getattr(operator, name), np.float32(2), np.arange(1, 4, dtype=np.float32), "float32") for name in numbers]
    cases += [(getattr(operator, name), np.int32(2), np.arange(1, 4, dtype=np.int32), "int32") for name in bits]
    for function, scalar, array, dtype in cases:
        b = fuser.Builder()
        x = b.input((3,), dtype)
        b.output(function(scalar, x))
        b.output(function(x, scalar))
        left, right = b.compile()(array)
        np.testing.assert_array_equal(left, function(scalar, array))
        np.testing.assert_array_equal(right, function(array, scalar))
        got = fail(lambda b, x, y, n, function=function, array=array: function(array, x))
        assert got.endswith("got ndarray: an array is an input of the program, and given when it is called")


@pytest.mark.parametrize(
    "name, advice",
    [
        ("Float32", ": write DataType.Float"),
        ("float16", ": write DataType.Half"),
        ("Int64", ": write DataType.Int"),
        ("Complex64", ": write DataType.ComplexFloat"),
        ("Halv", "; did you mean 'Half'?"),
    ],
)
def test_types_have_nvfusers_names(name, advice):
    with pytest.raises(AttributeError, match=rf"^expected a DataType, got '{name}'{re.escape(advice)}$"):
        getattr(fuser.DataType, name)
    assert fuser.DataType.Float.value == "f32" and not hasattr(fuser.DataType, "__wrapped__")


def test_types_that_are_spelled_otherwise():
    for name, own in (("fp32", "float32"), ("fp16", "float16")):
        got = fail(lambda b, x, y, n, name=name: x.astype(name), fuser.Error)
        assert got.endswith(f"got '{name}'; did you mean '{own}'?")


def test_what_is_said_of_open_sizes_works():
    b = fuser.Builder()
    y = b.input((None, 6))
    b.output(y.reshape(b.size(y, 0), 2, 3))
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    np.testing.assert_array_equal(b.compile()(x), x.reshape(2, 2, 3))
    np.testing.assert_array_equal(fuser.jit(lambda x: x.reshape(x.shape[0], 2, 3))(x), x.reshape(2, 2, 3))


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, y, n: b.group_norm(x, 2.0), "group_norm: expected an integer as 'num_groups', got 2.0"),
        (lambda b, x, y, n: b.layer_norm(x, ndim=1.5), "layer_norm: expected an integer as 'ndim', got 1.5"),
        (lambda b, x, y, n: b.size(x, 0.5), "size: expected a dimension as axis, got 0.5"),
    ],
)
def test_numbers_that_are_no_integers(build, message):
    """Once `object of type 'float' has no len()`."""
    assert fail(build) == message


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, y, n: b.batch_norm(x, running=x), "batch_norm: expected running=(mean, variance), got <fuser.Value tensor<4x6xf32>>"),
        (lambda b, x, y, n: b.batch_norm(x, running=(x,)), "batch_norm: expected running=(mean, variance), got a tuple of length 1"),
        (lambda b, x, y, n: b.layer_norm_backward(x, x, x), "layer_norm_backward: expected statistics=(mean, rstd), got <fuser.Value tensor<4x6xf32>>"),
        (lambda b, x, y, n: b.group_norm_backward(x, x, (x,), num_groups=2), "group_norm_backward: expected statistics=(mean, rstd), got a tuple of length 1"),
        (lambda b, x, y, n: b.grouped_mm(x, x, n, scales=[x]), "grouped_mm: expected scales=(of a, of b), got a list of length 1"),
        (lambda b, x, y, n: b.sdpa(x, x, x, dropout=0.1), "sdpa: expected dropout=(rate, seed, offset), got 0.1"),
        (lambda b, x, y, n: b.sdpa(x, x, x, dropout=(0.1, 1)), "sdpa: expected dropout=(rate, seed, offset), got a tuple of length 2"),
        (lambda b, x, y, n: b.sdpa_backward(x, (x, x), (x, x)), "sdpa_backward: expected inputs=(query, key, value), got a tuple of length 2"),
        (lambda b, x, y, n: b.sdpa_backward(x, (x, x, x), x), "sdpa_backward: expected results=(y, logsumexp), got <fuser.Value tensor<4x6xf32>>"),
    ],
)  # fmt: skip
def test_operands_that_belong_together(build, message):
    """Once the number of an operand of the compiler's was named, or Python's unpacking."""
    assert fail(build) == message


# Names in errors of the compiler


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b, x, y, n: x @ x, "'matmul': expected dimension 0 of the right operand to be 6"),
        (lambda b, x, y, n: b.matmul(x, x), "'matmul': expected dimension 0 of the right operand to be 6"),
        (lambda b, x, y, n: b.linear(x, b.full((2, 5), 1.0)), "'linear': expected dimension 1 of the right operand to be 6"),
        (lambda b, x, y, n: b.linear(x, b.input((6, 8))), ", of 'tensor<4x6xf32>' and 'tensor<6x8xf32>': a weight is [out, in]; 'matmul' takes it as"),
        (lambda b, x, y, n: x @ b.input((8, 6)), ", of 'tensor<4x6xf32>' and 'tensor<8x6xf32>': a matrix on the right is [in, out]; 'linear' takes"),
        (lambda b, x, y, n: x - x.max(axis=1), "'tensor<4xf32>': 'tensor<4x1xf32>' would broadcast, as a reduction leaves it with 'keep' (keepdims=True)"),
        (lambda b, x, y, n: b.divide(x, x.std(axis=1) + 1e-5), "'tensor<4xf32>': 'tensor<4x1xf32>' would broadcast, as a reduction leaves it with"),
        # What is said of flags is for text.
        (lambda b, x, y, n: b.layer_norm(x, eps=x), "'layer_norm': expected a scalar as operand 1, eps, got 'tensor<4x6xf32>'"),
        (lambda b, x, y, n: b.layer_norm(x, 2.0), "'layer_norm': expected a tensor as operand 2, weight, got a scalar of 'f64'"),
        (lambda b, x, y, n: x + b.input((5, 6)), "'add': expected shapes that broadcast"),
        (lambda b, x, y, n: b.hypot(x, b.input((5, 6))), "'hypot': expected shapes that broadcast, got size 4"),
        (lambda b, x, y, n: b.add(x, b.input((5, 6))), "'add': expected shapes that broadcast"),
        (lambda b, x, y, n: b.subtract(x, b.input((5, 6))), "'subtract': expected shapes that broadcast"),
        (lambda b, x, y, n: x.reshape(5, 5), "'reshape': expected as many elements in the result as in the input"),
        (lambda b, x, y, n: x.sum(axis=2), "'sum': expected a dimension of -2 to 1"),
        (lambda b, x, y, n: b.concat([x, b.input((4, 7))]), "'concat': expected the type"),
        (lambda b, x, y, n: b.stack([x, b.input((4, 7))]), "'stack': expected tensors of one shape, got"),
        (lambda b, x, y, n: b.topk(x, 9), "'topk': expected k to be at most the size 6"),
        (lambda b, x, y, n: x.permute_dims((0, 0)), "'permute_dims': expected each of the 2 dimensions"),
        (lambda b, x, y, n: x.astype("complex64") > 0, "'gt': expected eq or ne for complex numbers"),
        (lambda b, x, y, n: x.astype("complex64").astype("float32"), "by real"),
        (lambda b, x, y, n: b.group_norm(x, 4), "'group_norm': expected"),
        (lambda b, x, y, n: b.cumulative_sum(x, axis=3), "'cumulative_sum': expected a dimension of -2 to 1"),
    ],
)  # fmt: skip
def test_errors_name_what_was_called(build, message):
    got = fail(build, fuser.Error)
    line = build.__code__.co_firstlineno
    assert re.match(rf"{re.escape(__file__)}:{line}: error: '\w+': ", got) and message in got
    assert "fusion." not in got.replace(__file__, "")
    # One fault is one error, however many ops find it.
    assert got.count("error: ") == 1 and "its operands are" not in got


def test_no_reduction_is_named_without_one():
    got = fail(lambda b, x, y, n: x * b.input((4,)), fuser.Error)
    assert got.endswith("'tensor<4xf32>': 'tensor<4x1xf32>' would broadcast")
    # Size 1 at no place is of help.
    got = fail(lambda b, x, y, n: x * b.input((5,)), fuser.Error)
    assert got.endswith("and 5 in dimension 0 of 'tensor<5xf32>'")


def test_a_file_keeps_its_name(tmp_path):
    """Also if it is called as the dialect."""
    file = tmp_path / "fusion.py"
    file.write_text("def build(b, x):\n    return x @ x\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    message = fail(lambda b, x, y, n: scope["build"](b, x), fuser.Error)
    assert message.startswith(f"{file}:2: error: 'matmul': expected")


def test_other_programs_name_ops_as_well():
    fd = fuser.FusionDefinition()
    x = fd.define_tensor(shape=[4, 6])
    with pytest.raises(fuser.Error, match=r"error: 'matmul': expected dimension 0 of the right operand to be 6"):
        fd.ops.matmul(x, x)
    with pytest.raises(
        TypeError, match=r"^sdpa: expected \(query, key, value, .*\): got an unexpected .*'enable_gqa'$"
    ):
        fd.ops.sdpa(x, x, x, enable_gqa=True)
