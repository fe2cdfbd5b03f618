# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of a builder, most of them wrong: each gives values or an error that names the line, and the program that is left compiles."""

import copy
import functools
import inspect
import random
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest
from fuser import _fuser

OPS = _fuser._op_names().split()
SCALARS = ["f64", "f32", "f16", "bf16", "i1", "i32", "i64"]
#: What is random of attributes that are no number: a list of numbers, or one of these words.
LISTS = {"dims", "shape", "starts", "stops", "steps", "index", "values", "shifts", "repeats", "low", "high"}
WORDS = {
    "kind": ["sum", "max", "min", "mean", "prod"],
    "type": [*_fuser.ELEMENTS, "f8"],
    "mode": ["constant", "replicate", "reflect", "circular"],
    "combine": ["sum", "prod", "max", "min", "mean"],
    "rounding": ["floor", "ceil", "trunc"],
}


@functools.cache
def get_attributes(name):
    """The attributes of an op, of which an error about another one tells."""
    with pytest.raises(fuser.Error) as caught:
        fuser.Builder()._program.op(name, (), {"unknown": 1})
    text = str(caught.value)
    known = re.search(f"'{name}': expected (no attributes|attributes (.*)), got 'unknown'", text)
    assert known, text
    return re.findall(r"'(\w+)'", known[2] or "")


class Caller:
    """Makes one program of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.program = fuser.Builder()._program
        self.values = []

    def number(self):
        choices = [None, -1, 0, 1, 2, 3, 4]
        if self.random.random() < 0.2:
            choices = [-2, 5, 2**40, 2**62, -(2**63), 2**63 - 1]
        return self.random.choice(choices)

    def attribute(self, name):
        if self.random.random() < 0.02:
            name = self.random.choice(["dims", "type", "keep"])
        if name in LISTS:
            return [self.number() for _ in range(self.random.randint(0, 4))]
        return self.random.choice(WORDS[name]) if name in WORDS else self.number() or 0

    def operand(self):
        if self.values and self.random.random() < 0.8:
            return self.random.choice(self.values)
        return self.random.choice([0, 1, True, 2.5, float("nan"), -3, 2**40, 1e300])

    def add_input(self):
        sizes = [self.random.choice([None, None, 0, 1, 2, 3, 4]) for _ in range(self.random.randint(0, 4))]
        if self.random.random() < 0.25:
            self.values.append(self.program.input(self.random.choice(SCALARS), None))
        else:
            self.values.append(self.program.input(self.random.choice([*_fuser.ELEMENTS]), sizes))

    def add_op(self, name):
        """True if it was one."""
        operands = [self.operand() for _ in range(self.random.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]))]
        known = get_attributes(name) if name in OPS else []
        attributes = {each: self.attribute(each) for each in known if self.random.random() < 0.9}
        if self.random.random() < 0.02:
            attributes["unknown"] = 1
        try:
            results = self.program.op(name, operands, attributes)
        except fuser.Error as error:
            text = str(error)
            assert f"{__file__}:" in text and ": error: " in text and ("expected" in text or "must be" in text)
            assert error.code == 1
            return False
        self.values.extend(results if isinstance(results, tuple) else [results])
        assert all(self.program.type(value)[0] in _fuser.ELEMENTS for value in self.values)
        return True


def run(seed):
    """How many calls were right: one of each op, and others by names that are none."""
    caller = Caller(seed)
    for _ in range(caller.random.randint(1, 4)):
        caller.add_input()
    names = ["no_op", *OPS]
    caller.random.shuffle(names)
    right = sum(caller.add_op(name) for name in names)
    for value in caller.random.sample(caller.values, min(3, len(caller.values))):
        caller.program.output(value)
    assert caller.program.finish() and "return" in caller.program.text()
    return right


def test_random_calls():
    count = 40
    right = sum(run(seed) for seed in range(count))
    assert len(OPS) * count / 10 < right < len(OPS) * count * 0.9


@pytest.mark.parametrize("correction", [float("nan"), float("inf"), [0.5, 1.5], "1"])
def test_corrections_that_are_no_number(correction):
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match="expected an integer as 'correction'"):
        b.var(b.input((3,)), correction=correction)


def make_bytes():
    b = fuser.Builder("rms")
    x, w = b.input((None, 64), "float32", name="x"), b.input((64,), name="w")
    b.output(x * b.rsqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * w)
    return bytes(b._program.finish())


def test_damaged_programs():
    """Of a builder: each bit counts, and MLIR's reader, which crashes, does not see them."""
    program, choices = make_bytes(), random.Random(1)
    assert fuser.compile(program).num_segments == 1
    for _ in range(200):
        damaged = bytearray(program)
        damaged[choices.randrange(len(damaged))] ^= 1 << choices.randrange(8)
        # The first bytes say what it is, without which it would be a text.
        with pytest.raises(
            fuser.Error, match='expected (the checksum that it was written with|the magic "FUSERFX|a text in UTF-8)'
        ):
            fuser.compile(bytes(damaged))
    for size, message in (
        (0, "expected a header of 32 bytes, got a file of 0 bytes"),
        (7, "got a program that is built"),
    ):
        with pytest.raises(fuser.Error, match=message):
            fuser.compile(program[:size])
    for size in (8, 12, 16, len(program) - 1):
        with pytest.raises(fuser.Error, match="expected the checksum that it was written with"):
            fuser.compile(program[:size])
    with pytest.raises(fuser.Error, match="expected a program's text, or the bytes of a builder, got MLIR bytecode"):
        fuser.compile(program[16:])


@pytest.mark.parametrize(
    "text", ["module {" * 4000 + "}" * 4000, "(" * 5000, "tuple<" * 6000, "[[" * 4000, "- " * 6000]
)
def test_nesting_has_an_end(text):
    with pytest.raises(
        fuser.Error, match="expected a program whose brackets and signs are nested at most 500 deep, got [4-8]000"
    ):
        fuser.compile(text)


def test_brackets_in_strings_and_comments_are_none():
    text = make_text().replace("module {", "// " + "(" * 2000 + '\nmodule attributes {a.b = "' + '\\"<' * 2000 + '"} {')
    assert fuser.compile(text).num_segments == 1


def make_text():
    b = fuser.Builder()
    b.output(b.input((4,)) + 1)
    return b.text()


def test_too_many_dimensions():
    b = fuser.Builder()
    b.output(b.input((1,) * 70) + 1)
    with pytest.raises(
        fuser.Error, match=rf"{__file__}:\d+: error: expected at most 64 dimensions of an argument or a result, got 70"
    ):
        b.compile()


def test_constants_are_numbers():
    with pytest.raises(TypeError, match="constant: expected numbers, got None at 0"):
        fuser.Builder().constant([None, 1], (2,), "int64")


@pytest.mark.parametrize(
    ("target", "weight", "expected"),
    [
        (1, 7, r"expected size 4 in dimension 0 of 'tensor<1xi64>', as dimension 0 of 'tensor<4x7xf32>' has, got 1"),
        (4, 5, r"expected size 7 in dimension 0 of 'tensor<5xf32>', as dimension 1 of 'tensor<4x7xf32>' has, got 5"),
    ],
)
def test_sizes_of_a_cross_entropy(target, weight, expected):
    b = fuser.Builder()
    logits, labels, weights = b.input((4, 7)), b.input((target,), "int64"), b.input((weight,))
    with pytest.raises(fuser.Error, match=expected):
        b.cross_entropy(logits, labels, weight=weights)
    b = fuser.Builder()
    b.output(b.cross_entropy(b.input((None, None)), b.input((None,), "int64"), weight=b.input((None,)))[0])
    zeros = [np.zeros(shape, dtype) for shape, dtype in (((4, 7), "f4"), (target, "i8"), (weight, "f4"))]
    sizes = "to be 4 because .*, got 1$" if target == 1 else "to be 7 because .*, got 5$"
    with pytest.raises(fuser.Error, match=sizes):
        b.compile()(*zeros)


# What is said in words of the package's


def test_sizes_that_are_negative():
    """Once it named a constant of C."""
    for shape, got in (((-3,), -3), ((4, -2), -2), (-5, -5)):
        with pytest.raises(
            fuser.Error,
            match=f"misuse.py:.*: error: expected sizes that are not negative, or None or -1 for an open one, got {got}$",
        ):
            fuser.Builder().input(shape)
    b = fuser.Builder()
    assert b.input(3).shape == (3,) and b.input((-1, None)).shape == (None, None)


def test_lengths():
    b = fuser.Builder()
    assert len(b.input((3, None))) == 3
    for value, got in (
        (b.input((None, 3)), "an open one"),
        (b.input(()), "a value without dimensions"),
        (b.scalar(), "a value without dimensions"),
    ):
        with pytest.raises(
            TypeError, match=re.escape(f"whose size is known, got {got}: Builder.size(x, 0) is a scalar")
        ):
            len(value)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x, z: x & 1, "'&': expected booleans or integers as operand 0, got 'tensor<3xf32>'"),
        (lambda x, z: abs(x > 0), "'abs': expected integers or floats as operand 0, got 'tensor<3xi1>'"),
        (lambda x, z: z << 1, "'<<': expected integers as operand 0, got 'tensor<3xcomplex<f32>>'"),
        (
            lambda x, z: (x > 0) - (x > 0),
            "'sub': expected integers, floats or complex numbers as operand 0, got 'tensor<3xi1>'",
        ),
    ],
)
def test_element_types_have_names(call, message):
    b = fuser.Builder()
    x, z = b.input((3,)), b.input((3,), "complex64")
    with pytest.raises(fuser.Error) as caught:
        call(x, z)
    line = call.__code__.co_firstlineno
    assert (
        str(caught.value) == f"{__file__}:{line}: error: {message}: x.astype(dtype) converts them"
        and caught.value.code == 1
    )


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda b, n: b.random_bits((n, 3), 1, 2, "int8"), "'random_bits': expected elements of int32, int64, uint32 or uint64, got int8"),
        (lambda b, n: b.uniform((3,), 1, 2, "float8_e8m0fnu"), "'uniform': expected elements of float64, float32, float16, bfloat16, float8_e4m3fn or float8_e5m2, got float8_e8m0fnu"),
        (lambda b, n: b.full((n,), 1.0, "float4_e2m1fn"), "float8_e5m2 or float8_e8m0fnu, got float4_e2m1fn_x2"),
    ],
)  # fmt: skip
def test_element_types_of_results_have_names(call, message):
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match=f"{re.escape(message)}$"):
        call(b, b.size(b.input((None,)), 0))


def test_two_inputs_of_one_name():
    b = fuser.Builder()
    b.input((3,), name="x")
    b.scalar()
    b.scalar()
    for add in (lambda: b.input((3,), name="x"), lambda: b.scalar(name="x")):
        with pytest.raises(fuser.Error, match="expected a name that no other input has, got 'x' twice"):
            add()
    b.output(b.input((3,), name="y"))
    assert b.compile().input_names == ("x", "y")


def test_booleans_are_no_dimensions():
    b = fuser.Builder()
    x = b.input((2, 3))
    for call in (
        lambda: x.sum(axis=True),
        lambda: x.mean(axis=(0, False)),
        lambda: x.argmax(np.True_),
        lambda: x.cumsum(True),
        lambda: b.concat([x, x], True),
        lambda: b.flip(x, True),
        lambda: b.softmax(x, True),
    ):
        with pytest.raises(TypeError, match="expected a dimension.* got (np.)?(True|False)"):
            call()
    for function in (lambda x: np.sum(x, axis=True), lambda x: np.sum(x, True)):
        with pytest.raises(TypeError, match="expected a dimension as axis, got True"):
            fuser.jit(function)(np.ones((2, 3), np.float32))
    assert x.sum(axis=np.int64(1)).shape == (2,)


def test_messages_are_of_what_was_called():
    b = fuser.Builder()
    x = b.input((3,))
    with pytest.raises(TypeError, match=r"pow: expected two operands, got 3 as a third one: write x\*\*y % z"):
        pow(x, 2, 3)
    with pytest.raises(TypeError, match="pow: expected two operands"):
        fuser.jit(lambda x: pow(x, 2, 3))(np.ones(3, np.float32))
    with pytest.raises(fuser.Error, match=f"error: expected sizes below 2\\*\\*63, got {2**64}"):
        b.input((2**64,))
    with pytest.raises(TypeError, match="vector_norm: expected a number as ord, of a norm of vectors, got 'fro'"):
        b.vector_norm(x, "fro")
    with pytest.raises(TypeError, match=r"Operand.__add__\(\) missing 1 required"):
        x.__add__()


# Arguments that are something else

#: What functions need beside arrays.
NEEDED = {"axis": 0, "axes": (1, 0), "axis1": 0, "axis2": 1, "destination": 1, "dtype": "float32", "fill_value": 2.0}
NEEDED |= {"indices_or_sections": 2, "pad_width": 1, "q": 0.5, "shape": (16,), "source": 0}
NEEDED |= dict.fromkeys(("chunks", "columns", "k", "num", "num_groups", "repeats", "repetitions", "rows", "shift"), 2)
#: Functions of a builder that compute something.
FUNCTIONS = {
    name: list(inspect.signature(method).parameters.values())[1:]
    for name, method in inspect.getmembers(fuser.Builder, inspect.isfunction)
    if not name.startswith("_") and name not in ("compile", "compile_to_bytes", "input", "output", "scalar", "text")
}
OF_X = [name for name, parameters in FUNCTIONS.items() if parameters and parameters[0].name == "x"]


def list_required(parameters, others):
    """Arguments for those without a default."""
    return [NEEDED.get(each.name, others) for each in parameters if each.default is each.empty and each.kind in (0, 1)]


def test_a_value_in_place_of_an_option_ends(monkeypatch):
    """Once elements were taken from it, of a large one for ever."""
    count, read = 0, []
    monkeypatch.setattr(fuser.Value, "__getitem__", lambda x, key: read.append((x, key)))
    for name, parameters in FUNCTIONS.items():
        for at, parameter in enumerate(parameters[1:], 1):
            b = fuser.Builder()
            x, many = b.input((4, 4)), b.input((8,))
            given = list_required(parameters[:at], x)
            for value in (many, [many], (1, many)):
                try:
                    getattr(b, name)(*given, **{parameter.name: value})
                except (TypeError, ValueError, fuser.Error):
                    count += 1
                assert not read, f"{name}: {parameter.name}"
    assert count > 700


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda b, x, y: b.mse_loss(x, x, reduction=y), "mse_loss: expected what is known while the program is built as 'reduction', got {y}, which the program computes"),
        (lambda b, x, y: b.group_norm(x, y), "group_norm: expected what is known while the program is built as 'num_groups', got {y}, which the program computes"),
        (lambda b, x, y: b.layer_norm(x, ndim=[1, y]), "layer_norm: expected what is known while the program is built in 'ndim', got {y}, which the program computes"),
        (lambda b, x, y: b.constant([1, y], (2,)), "constant: expected what is known while the program is built in 'values', got {y}, which the program computes"),
    ],
)  # fmt: skip
def test_options_are_known(call, message):
    b = fuser.Builder()
    x, y = b.input((4, 4)), b.input((8,))
    with pytest.raises(TypeError) as caught:
        call(b, x, y)
    assert str(caught.value) == message.format(y=repr(y))
    # A size of a program that it leaves open is an argument where sizes are, and of a traced function its integers are known.
    assert b.reshape(x, (b.size(x, 0), 4)).ndim == 2
    kept = fuser.jit(lambda x, n: fnp.group_norm(x, n)[0])(np.ones((1, 4), np.float32), np.int64(2))
    assert kept.shape == (1, 4)


@pytest.mark.parametrize("name", OF_X)
def test_the_first_argument_is_a_value(name):
    """Once an AttributeError named what arrays of NumPy's do not have, and a value of another builder was one of its own program."""
    b = fuser.Builder()
    function, others = getattr(b, name), list_required(FUNCTIONS[name][1:], b.input((4, 4)))
    array = f"{name}: expected a value of the program or a number, got ndarray: an array is an input of the program, and given when it is called"
    wrong = {"[1, 2]": [1, 2], "None": None, "'x'": "x"}
    wrong = {f"{name}: expected a value of the program or a number as x, got {got}": x for got, x in wrong.items()}
    for message, x in {array: np.ones(4), **wrong}.items():
        with pytest.raises(TypeError) as caught:
            function(x, *others)
        assert str(caught.value) == message
    with pytest.raises(
        OverflowError, match=f"{name}: expected integers of -2..63 to 2..63 - 1, or floats, got {2**64}"
    ):
        function(2**64, *others)
    with pytest.raises(fuser.Error) as caught:
        function(fuser.Builder().input((4, 4)), *others)
    assert re.search(
        rf"misuse.py:\d+: error: expected operand 0 of '{name}' to be a value of this builder, got one of another$",
        str(caught.value),
    )
    try:
        function(2.0, *others)
    except (TypeError, ValueError, fuser.Error) as error:
        assert "expected" in str(error)


def test_arrays_of_a_list_are_values():
    b = fuser.Builder()
    for x in (np.ones((2, 2)), [1, 2]):
        with pytest.raises(TypeError, match="concat: expected a value of the program or a number"):
            b.concat([x, x], None)
    with pytest.raises(
        fuser.Error, match="expected operand 0 of 'concat' to be a value of this builder, got one of an"
    ):
        b.concat([fuser.Builder().input((4,))], None)


@pytest.mark.parametrize("of", [fuser.Builder, fuser.FusionDefinition])
def test_several_results_are_no_value(of):
    """`loss * 2` was each of them twice."""
    made = of()
    make, ops = (made.input, made) if of is fuser.Builder else (made.define_tensor, made.ops)
    x, target = make((4, 8)), make((4,), dtype="int64" if of is fuser.Builder else fuser.DataType.Int)
    loss = ops.cross_entropy(x, target)
    expected = re.escape(
        "got the 2 results of cross_entropy, a tuple: the first one is y[0], or y, *others = cross_entropy(...)"
    )
    add_output = made.output if of is fuser.Builder else made.add_output
    for use in [
        *(lambda: loss * 2, lambda: 2 * loss, lambda: -loss, lambda: loss + x, lambda: x - loss, lambda: loss - x),
        *(lambda: loss > 0, lambda: float(loss), lambda: ops.exp(loss), lambda: ops.add(x, loss)),
        *(lambda: ops.where(x, loss, 0), lambda: add_output(loss)),
    ]:
        with pytest.raises(TypeError, match=f"{expected}$"):
            use()
    with pytest.raises(AttributeError, match="'tuple' object has no attribute 'mean', of the 2 results of cross_en"):
        loss.mean()
    first, second = loss
    assert isinstance(loss, tuple) and loss[0] is first and loss == (first, second) and (*loss, x)[2] is x
    assert type(loss + (x,)) is tuple and not hasattr(loss, "__array__") and copy.copy(loss) == loss


def test_several_results_of_a_traced_function():
    x, target = np.ones((4, 8), np.float32), np.zeros(4, np.int64)
    assert type(fuser.jit(fnp.cross_entropy)(x, target)) is tuple
    for use in (lambda y: y * 2, fnp.exp, lambda y: y + x, lambda y: np.exp(y[0]) * y):
        with pytest.raises(TypeError, match="got the 2 results of cross_entropy, a tuple: the first one is y"):
            fuser.jit(lambda x, target, use=use: use(fnp.cross_entropy(x, target)))(x, target)
