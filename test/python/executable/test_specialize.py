# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executable.specialize: what an executable tells is of the code that runs for these inputs."""

import fuser
import numpy as np
import pytest

SOFTMAX = """
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.softmax %x {dim = -1} : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
X = np.random.default_rng(0).standard_normal((3, 1024), dtype=np.float32)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.fixture
def general():
    """A GPU's rows of open length are not kept in registers."""
    return fuser.compile(SOFTMAX, "sim")


def test_texts_are_of_what_runs(general):
    assert general.num_segments == len(general.schedules) > 1
    assert "the length of its rows is not known" in general.explain()
    own = general.specialize(X)
    assert (own.num_segments, own.num_variants, own.target) == (1, 1, "sim")
    (schedule,) = own.schedules
    assert "row_reduction" in schedule
    assert "a row of at most 1024 elements is read once" in own.explain()
    assert own.ptx.count(".entry") == 1 < general.ptx.count(".entry")
    assert repr(own.graph()) == "<fuser.Graph of 1 segment>"
    assert "class_bounds = array<i64: -1, 1024>" in own.ir("segments")
    np.testing.assert_allclose(own(X), softmax(X), rtol=1e-5, atol=1e-7)
    assert own.num_variants == 1


def test_other_sizes_are_compiled_for(general):
    own = general.specialize(X)
    y = np.random.default_rng(1).standard_normal((2, 3001), dtype=np.float32)
    np.testing.assert_allclose(own(y), softmax(y), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(own(X[:, ::2]), softmax(X[:, ::2]), rtol=1e-5, atol=1e-7)
    assert own.num_variants == 3


@pytest.mark.parametrize(
    "shape, bound, vector", [((3, 6, 28, 28), 6272, 4), ((3, 6, 27, 29), 7168, 2), ((3, 3, 27, 29), 3584, 1)]
)
def test_rows_of_several_open_dimensions_have_a_bound_of_each(shape, bound, vector):
    b = fuser.Builder()
    x = b.input((None,) * 4, "float32")
    mean, variance = x.mean((1, 2, 3), keepdims=True), x.var((1, 2, 3), 0, True)
    b.output((x - mean) / b.sqrt(variance + 1e-5))
    exe = b.compile("sim")
    assert exe.num_segments > 1
    image = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    own = exe.specialize(image)
    (schedule,) = own.schedules
    assert "row_reduction" in schedule
    assert f"a row of at most {bound} elements is read once" in own.explain()
    assert f"accesses take {vector} element" in own.explain()
    wanted = (image - image.mean((1, 2, 3), keepdims=True)) / np.sqrt(image.var((1, 2, 3), keepdims=True) + 1e-5)
    np.testing.assert_allclose(own(image), wanted, rtol=1e-4, atol=1e-5)


def test_reports_are_of_what_runs(general):
    report = general.report(X)
    assert report.data["segments"] == len(report.kernels) == 1
    assert "a row of at most 1024 elements is read once" in report.explanation
    assert "1 segment, compiled in" in str(report)


def test_schedules_of_a_class(general):
    own = general.specialize(X)
    (chosen,) = own.schedules
    other = chosen.replace(
        "layout = [[], [r2, l5, w2]], repeat = [1, 2]", "layout = [[], [r2, l5, w1]], repeat = [1, 4]"
    )
    assert other != chosen
    changed = own.with_schedules([other])
    assert changed.schedules == (other,)
    np.testing.assert_allclose(changed(X), softmax(X), rtol=1e-5, atol=1e-7)
    # Rows of another class have other schedules.
    wide = np.random.default_rng(1).random((2, 4096), np.float32)
    np.testing.assert_allclose(changed(wide), softmax(wide), rtol=1e-5, atol=1e-7)
    assert changed.schedules == (other,)


def test_errors_of_schedules_are_at_the_lines_of_the_program(general):
    own = general.specialize(X)
    with pytest.raises(fuser.Error, match=r"schedules\[0\]: expected a schedule that fits segment 0"):
        own.with_schedules(["#fusion.generic<threads = 0>"])
    assert "<text>:3:" in own.with_schedules(own.schedules).explain()


@pytest.mark.parametrize(
    "inputs, text",
    [
        ((), r"expected 1 input tensor \('%x'\), got 0$"),
        ((X, X), r"expected 1 input tensor \('%x'\), got 2$"),
        ((X[0],), "of rank 2, got rank 1$"),
        ((X.astype(np.float64),), "expected element type f32, got f64$"),
    ],
)
def test_inputs_that_do_not_fit(general, inputs, text):
    with pytest.raises(fuser.Error, match=text):
        general.specialize(*inputs)


def test_numbers_may_be_left_out():
    b = fuser.Builder()
    x, factor = b.input((None, None)), b.scalar("float32")
    b.output((x * factor).sum(1))
    exe = b.compile(target="sim")
    for own in (exe.specialize(X), exe.specialize(X, 3.0)):
        np.testing.assert_allclose(own(X, 2.0), (X * 2).sum(1), rtol=1e-4, atol=1e-4)


def test_loaded_programs_have_no_compiler():
    loaded = fuser.load(fuser.compile_to_bytes(SOFTMAX))
    with pytest.raises(ValueError, match="expected a program that was compiled from its text"):
        loaded.specialize(X)


def test_long_rows_of_open_length_are_sorted_by_digits():
    b = fuser.Builder()
    for each in b.sort(b.input((None, None), "float32")):
        b.output(each)
    exe = b.compile("sim")
    rows = np.random.default_rng(1).standard_normal((2, 5120), dtype=np.float32)
    assert "digit" not in exe.explain()
    assert "digit" not in exe.specialize(rows[:, :4096]).explain()
    assert "digit after the other" in exe.specialize(rows).explain()
    # Sizes that are too large for a divisor.
    assert "digit after the other" in exe.specialize(np.empty((1, 2**21), np.float32)).explain()
    for length in (5120, 4097, 3, 0, 4096):
        values, places = map(np.asarray, exe(rows[:, :length]))
        np.testing.assert_array_equal(places, rows[:, :length].argsort(axis=1, kind="stable"))
        np.testing.assert_array_equal(values, np.take_along_axis(rows[:, :length], places, 1))


@pytest.mark.parametrize("names", [("sort", "sum"), ("sum", "sort"), ("sort", "cumsum"), ("cumsum", "sort")])
def test_a_size_has_the_bound_that_any_op_asks_for(names):
    b = fuser.Builder()
    x = b.input((None,), "float32")
    for name in names:
        result = getattr(b, name)(x)
        b.output(result[0] if name == "sort" else result)
    own = b.compile("sim").specialize(np.empty(2**19, np.float32))
    assert "digit after the other" in own.explain()


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_inputs_that_are_slow_to_read_are_named(target):
    b = fuser.Builder()
    b.output(b.input((None, None), name="x") + b.input((None, None), name="y"))
    exe, dense = b.compile(target), np.ones((8, 8), np.float32)
    strided, apart = "input {} does not lie dense in row-major order: ", np.ones((8, 16), np.float32)[:, ::2]
    ordered = "input {} lies dense in the order [1, 0] of its dimensions: "
    unaligned = np.zeros(8 * 8 * 4 + 4, np.uint8)[4:].view(np.float32).reshape(8, 8)
    for x, y, named, known in [
        (dense, dense, [], []),
        (apart, dense, [0], []),
        (dense, dense.T, [], [1]),
        (apart, dense.T, [0], [1]),
    ]:
        text = exe.specialize(x, y).explain()
        for said, expected in (strided, named), (ordered, known):
            assert [each for each in (0, 1) if said.format(f"{each} '{'xy'[each]}'") in text] == expected
    # A CPU reads vectors from any element on.
    is_named = "input 1 'y' is not aligned to 16 bytes, " in exe.specialize(dense, unaligned).explain()
    assert is_named == (target == "sim")
    assert "row-major" not in exe.explain()


@pytest.mark.parametrize("target", ["cpu", "sim", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0)])
@pytest.mark.parametrize("shape", [(3, 40, 37), (2, 1, 64), (17, 16, 1), (0, 4, 5), (1, 1, 1)])
def test_orders_of_memory(target, order, shape):
    """An input that is dense in an order of its own: what it is for does not depend on it."""
    b = fuser.Builder()
    x, y = b.input((None, None, None), name="x"), b.input((None, None, None), name="y")
    b.output(b.exp(x) + y)
    b.output(b.sum(x, 1))
    b.output(b.reshape(x, (-1,)))
    exe = b.compile(target)
    memory = np.random.default_rng(1).standard_normal([shape[d] for d in order]).astype(np.float32)
    x, y = memory.transpose(np.argsort(order)), np.ones(shape, np.float32)
    assert x.shape == shape
    if target == "cuda":
        torch = pytest.importorskip("torch")
        x, y = torch.from_numpy(memory).cuda().permute(*np.argsort(order).tolist()), torch.from_numpy(y).cuda()
    # Another one of this order, its copy, and one with gaps are right as well.
    for each in (x, x, x.copy() if target != "cuda" else x.contiguous(), x[:, ::2]):
        other = y[:, ::2] if each.shape != shape else y
        results = [np.asarray(r.cpu() if target == "cuda" else r) for r in exe(each, other)]
        given = np.asarray(each.cpu() if target == "cuda" else each)
        np.testing.assert_allclose(results[0], np.exp(given) + 1, rtol=1e-6)
        np.testing.assert_allclose(results[1], given.sum(1), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(results[2], given.reshape(-1))
        assert all(r.flags.c_contiguous for r in results)


def test_a_known_order_is_read_in_squares():
    b = fuser.Builder()
    b.output(-b.input((None, None)))
    exe, x = b.compile("cpu"), np.ones((64, 32), np.float32)
    assert "cpu_squares" in str(exe.specialize(x.T).schedules)
    assert "cpu_squares" not in str(exe.specialize(x).schedules)
    assert "cpu_squares" not in str(exe.specialize(np.ones((64, 64), np.float32)[:, ::2].T).schedules)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_a_result_in_an_input_of_another_order(target):
    """It lies as the input does, whatever order that has in a call."""
    exe = fuser.compile(
        """
        func.func @f(%x: tensor<?x17xf32>, %y: tensor<?x17xf32>) -> (tensor<?x17xf32> {fusion.alias = #fusion.alias<reuse, 1>}) {
          %0 = fusion.sub %x, %y : tensor<?x17xf32>
          return %0 : tensor<?x17xf32>
        }
        """,
        target,
    )
    x = np.arange(5 * 17, dtype=np.float32).reshape(5, 17)
    for y in (np.ones((5, 17), np.float32), np.ones((17, 5), np.float32).T, np.ones((5, 34), np.float32)[:, ::2]):
        result = exe(x, y)
        np.testing.assert_array_equal(y, x - 1)
        np.testing.assert_array_equal(np.asarray(result), x - 1)
