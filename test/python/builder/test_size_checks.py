"""Sizes that a program asks for, and that only a call shows not to fit: errors, also where nothing is left to compute."""

import sys

import fuser
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition

BROADCAST = "test_size_checks.py:[0-9]+: expected a shape of size {} in dimension {}, as the operand has, got {}$"
RESHAPE = r"test_size_checks.py:[0-9]+: fusion.reshape: expected a shape of as many elements as the input has, {}, got {}: from {} to {}$"
ROWS = RESHAPE.format(24, 16, r"\[3, 8\]", r"\[2, 8\]")


def sizes(b, x):
    return b.size(x, 0), b.size(x, 1)


# What is asked of y by the sizes of z; what y is, and what the error says of y of 3 x 8 and z of 2 x 8.
ASKED = {
    "broadcast_to": (lambda b, y, z: b.broadcast_to(y, sizes(b, z)), (None, None), BROADCAST.format(3, 0, 2)),
    "broadcast_to a known size": (lambda b, y, z: b.broadcast_to(y, sizes(b, z)), (3, 8), BROADCAST.format(3, 0, 2)),
    "broadcast_to of more": (
        lambda b, y, z: b.broadcast_to(y, (4, *sizes(b, z))),
        (None, 8),
        BROADCAST.format(3, 1, 2),
    ),
    "broadcast_to, -1": (lambda b, y, z: b.broadcast_to(y, (b.size(z, 0), -1)), (None, 8), BROADCAST.format(3, 0, 2)),
    "reshape": (lambda b, y, z: y.reshape(b.size(z, 0), 8), (None, 8), ROWS),
    "reshape of two open": (lambda b, y, z: y.reshape(*sizes(b, z)), (None, None), ROWS),
    "reshape and back": (
        lambda b, y, z: y.reshape(b.size(z, 0), 2, 4).reshape(b.size(y, 0), 8),
        (None, 8),
        RESHAPE.format(24, 16, r"\[3, 8\]", r"\[2, 2, 4\]"),
    ),
    "where": (
        lambda b, y, z: b.where(b.full((b.size(y, 0), 8), True, "bool"), y, b.full((b.size(z, 0), 8), 0.0)),
        (None, 8),
        "to be 3, as dimension 0 of input 0 'y', got 2$",
    ),
    "slice of one value": (
        lambda b, y, z: y + b.full((b.size(z, 0), 8), 1.0)[: b.size(y, 0)],
        (None, 8),
        "expected a slice of the 2 elements of the input, got offset 0, size 3 and step 1$",
    ),
}


@pytest.mark.parametrize("case", ASKED)
def test_asked_sizes(case):
    ask, shape, message = ASKED[case]
    b = fuser.Builder()
    y, z = b.input(shape, name="y"), b.input((None, None), name="z")
    b.output(ask(b, y, z))
    program = b.compile()
    given = np.arange(24, dtype=np.float32).reshape(3, 8)
    got = program(given, np.ones((3, 8), np.float32))
    added = 1 if case == "slice of one value" else 0
    np.testing.assert_array_equal(got, np.broadcast_to(given + added, got.shape))
    with pytest.raises(fuser.Error, match=message):
        program(given, np.ones((2, 8), np.float32))


def slice_of(b, x):
    return x[1:]  # Makes the size.


def test_who_needs_a_size_is_named():
    """Not who made it."""
    b = fuser.Builder()
    x, y, z = b.input((None, 8), name="x"), b.input((None, 8), name="y"), b.input((None,), name="z")
    part = slice_of(b, x)
    line = sys._getframe().f_lineno + 1
    b.output(part * y)
    flat = y.reshape(-1)
    b.output(flat + z)
    program = b.compile()

    def ones(*shape):
        return np.ones(shape, np.float32)

    place = r"test_size_checks\.py:{}: fusion.{}: expected "
    wrong = place.format(line, "mul") + "a size of fusion.slice to be 4, as dimension 0 of input 1 'y', got 3$"
    with pytest.raises(fuser.Error, match=wrong):
        program(ones(4, 8), ones(4, 8), ones(32))
    wrong = place.format(line + 2, "add")
    wrong += "dimension 0 of the result of fusion.reshape to be 31, as dimension 0 of input 2 'z', got 32$"
    with pytest.raises(fuser.Error, match=wrong):
        program(ones(5, 8), ones(4, 8), ones(31))
    program(ones(5, 8), ones(4, 8), ones(32))


def test_who_needs_a_size_is_named_in_text():
    program = fuser.compile(
        """func.func @f(%x: tensor<?x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x8xf32> to tensor<?xf32>
  %1 = fusion.slice %0 offsets [0] sizes [%n] steps [1] : tensor<?xf32> to tensor<?xf32>
  %2 = fusion.reshape %1 : tensor<?xf32> to tensor<8xf32>
  %3 = fusion.add %2, %y : tensor<8xf32>
  return %3 : tensor<8xf32>
}""",
        file_name="f.mlir",
    )
    with pytest.raises(fuser.Error, match="f.mlir:6:8: fusion.reshape: expected a shape of as many elements"):
        program(np.ones((9, 8), np.float32), np.ones(8, np.float32))


def refuse(program, *shapes):
    """The error of a call."""
    with pytest.raises(fuser.Error) as caught:
        program(*(np.ones(shape, np.float32) for shape in shapes))
    return str(caught.value)


def test_the_line_that_compares_inputs_is_named():
    """Of sizes of inputs, which are compared before the program runs."""
    b = fuser.Builder()
    x, y, z = b.input((None, 8), name="x"), b.input((None, 8), name="y"), b.input((None,), name="z")
    line = sys._getframe().f_lineno + 1
    both = x * y
    b.output(both.sum(0) + z)
    program = b.compile()
    wrong = "input 1 'y': expected dimension 0 to be 4 because input 0 'x' dimension 0 is 4, got 3"
    assert refuse(program, (4, 8), (3, 8), (8,)) == f"{__file__}:{line}: fusion.mul: {wrong}"
    wrong = "input 2 'z': expected dimension 0 to be 8, got 7"
    assert refuse(program, (4, 8), (4, 8), (7,)) == f"{__file__}:{line + 1}: 'add': {wrong}"
    # No op asks for that.
    wrong = "input 1 'y': expected dimension 1 to be 8, got 7"
    assert refuse(program, (4, 8), (4, 7), (8,)) == f"program 'fusion': {wrong}"
    # Another variant says the same.
    program(np.ones((4, 16), np.float32)[:, ::2], np.ones((4, 8), np.float32), np.ones(8, np.float32))
    assert refuse(program, (4, 8), (4, 8), (7,)).startswith(f"{__file__}:{line + 1}: 'add': input 2 'z': ")


#: What the user calls, with weights of other sizes; and where the program knows both, one of them or none.
COMPOSITES = {
    "layer_norm": lambda b, x, w: b.layer_norm(x, w)[0],
    "batch_norm": lambda b, x, w: b.batch_norm(x, bias=w)[0],
    "mse_loss": lambda b, x, w: b.mse_loss(x, w),
    "cosine_similarity": lambda b, x, w: b.cosine_similarity(x, w),
    "stack": lambda b, x, w: b.stack([x[0], w]),
}


@pytest.mark.parametrize("width", [4, None])
@pytest.mark.parametrize("length", [7, None])
@pytest.mark.parametrize("name", COMPOSITES)
def test_composites_are_named(name, width, length):
    """Not what they are made of."""

    def run():
        b = fuser.Builder()
        x, w = b.input((None, width), name="x"), b.input((length,), name="w")
        b.output(COMPOSITES[name](b, x, w))
        b.compile()(np.ones((3, 4), np.float32), np.ones(7, np.float32))

    with pytest.raises(fuser.Error, match=rf"test_size_checks.py:\d+: (error: )?'{name}': .*expected "):
        run()


def test_composites_of_a_text_are_named():
    text = """func.func @loss(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<f32> {
      %0 = fusion.mse_loss %x, %w : tensor<?x?xf32>, tensor<?xf32>
      return %0 : tensor<f32>
    }"""
    with pytest.raises(fuser.Error, match=r"^mine.mlir:2:12: 'mse_loss': input 1 '%w': expected .* to be 4 because"):
        fuser.compile(text, file_name="mine.mlir")(np.ones((3, 4), np.float32), np.ones(7, np.float32))


def test_the_line_of_a_definition_is_named():
    line = sys._getframe().f_lineno + 3
    with FusionDefinition() as fd:
        x, y = (fd.define_tensor([-1], [True], dtype=DataType.Float) for _ in range(2))
        fd.add_output(fd.ops.add(x, y))
    with pytest.raises(fuser.Error, match=rf"^{__file__}:{line}: fusion.add: input 1 .*to be 4 because .*, got 3$"):
        fd.execute([np.ones(4, np.float32), np.ones(3, np.float32)])


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_what_follows_from_other_sizes_is_no_class(target):
    """The size that y has to have is a multiple of 8; a call that breaks it has an error of the program, and not of what a variant counts on."""
    b = fuser.Builder()
    x, y = b.input((None, None), name="x"), b.input((None,), name="y")
    b.output((x.reshape(-1) + y).cumsum(0))
    program = b.compile(target)
    x, y = np.ones((4, 16), np.float32), np.ones(126, np.float32)
    message = "expected dimension 0 of the result of fusion.reshape to be 63, as dimension 0 of input 1 'y', got 64$"
    for given in (y[:63], y[::2]):
        with pytest.raises(fuser.Error, match=message):
            program(x, given)
    np.testing.assert_array_equal(program(x, np.ones(128, np.float32)[::2]), 2 * np.arange(1, 65))


def test_own_sizes_are_not_checked():
    """What is a tensor's own size needs no check, and no op."""
    b = fuser.Builder()
    y = b.input((None, None))
    b.output(-b.broadcast_to(y, sizes(b, y)).reshape(*sizes(b, y)))
    text = b.text()
    assert "fusion.neg" in text
    assert "fusion.check" not in text and "reshape" not in text and "expand" not in text


def test_groups_of_open_channels():
    b = fuser.Builder()
    b.output(b.group_norm(b.input((None, None, 5)), 3)[0])
    norm = b.compile()
    x = np.random.default_rng(1).standard_normal((2, 6, 5), np.float32)
    groups = x.reshape(2, 3, 10).astype(np.float64)
    expected = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(norm(x), expected.reshape(x.shape), rtol=1e-5, atol=1e-6)
    with pytest.raises(fuser.Error, match="expected a number of groups that divides the 4 channels, got 3$"):
        norm(np.ascontiguousarray(x[:, :4]))


# Sizes of one letter, or of one group: what the operands are, and of which shapes those are that do not fit (though as many elements are there).
PAIRS = {
    "einsum batch": (lambda b, x, y: b.einsum("bi,bi->b", x, y), (2, 6), (2, 6), (3, 4)),
    "einsum letters": (lambda b, x, y: b.einsum("ij,ij->ij", x, y), (2, 6), (2, 6), (3, 4)),
    "einsum two batches": (lambda b, x, y: b.einsum("bcik,bckj->bcij", x, y), (2, 3, 4, 5), (2, 3, 5, 6), (3, 2, 5, 6)),
    "einsum one summed": (lambda b, x, y: b.einsum("bij,bjk->bik", x, y), (2, 3, 4), (2, 4, 5), (4, 2, 5)),
    "einsum two summed": (lambda b, x, y: b.einsum("ijk,jkl->il", x, y), (2, 3, 4), (3, 4, 5), (4, 3, 5)),
    "einsum diagonal": (lambda b, x, y: b.einsum("ii,jj->ij", x, y), (4, 4), (3, 3), (2, 8)),
    "gradient of a group norm": (
        lambda b, x, y: b._program.op("group_norm_backward", (y, x, *b.group_norm(x, 2, eps=1e-5)[1:]), {"groups": 2}),
        (4, 6, 5),
        (4, 6, 5),
        (4, 5, 6),
    ),
}


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("case", PAIRS)
def test_sizes_that_belong_together(case, is_open):
    build, shape, other, wrong = PAIRS[case]

    def compile_of(other):
        b = fuser.Builder()
        x, y = (b.input([None] * len(each) if is_open else each) for each in (shape, other))
        b.output(build(b, x, y))
        return b.compile()

    x, good, bad = (np.random.default_rng(1).standard_normal(each, np.float32) for each in (shape, other, wrong))
    assert compile_of(other)(x, good) is not None
    with pytest.raises(fuser.Error, match="expected"):
        compile_of(wrong)(x, bad)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_matrix_for_each_group(is_open):
    def compile_of(groups):
        b = fuser.Builder()
        x, y = (b.input([None] * len(each) if is_open else each) for each in ((6, 4), (groups, 4, 2)))
        b.output(b.grouped_mm(x, y, b.input((None,) if is_open else (3,), "int32")))
        return b.compile()

    ends, x = np.array([2, 4, 6], np.int32), np.ones((6, 4), np.float32)
    np.testing.assert_array_equal(compile_of(3)(x, np.ones((3, 4, 2), np.float32), ends), np.full((6, 2), 4))
    for groups in (2, 5):
        with pytest.raises(fuser.Error, match="expected size"):
            compile_of(groups)(x, np.ones((groups, 4, 2), np.float32), ends)


@pytest.mark.parametrize("rows", [None, 0, 4])
@pytest.mark.parametrize("shape", [(0, -1), (-1, 0), (2, -1, 0)])
def test_no_size_follows_beside_one_of_zero(rows, shape):
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match="'reshape': expected no size of 0 beside -1, which would be any size"):
        b.input((rows, 3)).reshape(shape)


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin", "median", "std", "vector_norm"]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_tensor_without_dimensions_is_one_element(name, keepdims):
    """Along 0 and -1, as in PyTorch, and in NumPy where these are ufuncs."""
    b = fuser.Builder()
    x = b.input(())
    reduce = getattr(b, name)
    for axis in (None, 0, -1):
        b.output(reduce(x, axis=axis, keepdims=keepdims))
    for axis in (1, -2, (0, 0)):
        with pytest.raises(fuser.Error, match="expected (no dimension of a tensor that has none|each dimension once)"):
            reduce(x, axis=axis, keepdims=keepdims)
    everything, *along = b.compile()(np.array(5, np.float32))
    for got in along:
        assert got.shape == everything.shape == ()
        np.testing.assert_array_equal(got, everything)


def test_which_operand_and_dimension():
    b = fuser.Builder()
    x = b.input((3, 4), name="x")
    with pytest.raises(
        fuser.Error, match="'concat': .* of input 2, got 'tensor<4x3xf32>': size 3 in dimension 1, expected 4$"
    ):
        b.concat([x, x, x.T])


@pytest.mark.parametrize(
    "shape, wrong", [((None, None), "dimension 1 to be 3 because .*, got 4"), ((None, 4), "dimension 0 to be 4, got 3")]
)
@pytest.mark.parametrize(
    "build, name",
    [
        (lambda b, x: x - x.max(axis=1), "sub"),
        (lambda b, x: x / b.sqrt((x * x).mean(axis=1) + 1e-5), "true_divide"),
        (lambda b, x: b.where(x > x.argmax(axis=1), x, 0), "gt"),
    ],
)
def test_a_reduction_that_has_lost_its_dimensions_is_named(build, name, shape, wrong):
    b = fuser.Builder()
    b.output(build(b, b.input(shape, name="x")))
    program = b.compile()
    program(np.ones((4, 4), np.float32))
    reduction = rf"{name}'? of a reduction without 'keep' \(keepdims=True\)"
    with pytest.raises(
        fuser.Error, match=f"^.*test_size_checks.py:[0-9]+: .*{reduction}: input 0 'x': expected {wrong}$"
    ):
        program(np.ones((3, 4), np.float32))


@pytest.mark.parametrize(
    "build",
    [
        # Along the first dimensions nothing is lost.
        lambda b, x, y: x - y.max(axis=0),
        lambda b, x, y: x - y.max(axis=1, keepdims=True) - y,
        lambda b, x, y: x - y,
    ],
)
def test_no_reduction_is_named_where_sizes_alone_differ(build):
    b = fuser.Builder()
    b.output(build(b, b.input((None, None), name="x"), b.input((None, None), name="y")))
    with pytest.raises(fuser.Error, match="^((?!reduction).)*got 5$"):
        b.compile()(np.ones((3, 4), np.float32), np.ones((3, 5), np.float32))
