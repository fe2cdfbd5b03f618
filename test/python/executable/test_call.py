# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calling programs with NumPy arrays."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fuser
import numpy as np
import pytest
from conftest import EXAMPLES

EXP = """
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""

TWO = """
func.func @two(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x1xf32>) {
  %0 = fusion.neg %x : tensor<?x8xf32>
  %1 = fusion.reduce <sum> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x1xf32>
}
"""

REUSE = """
func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>)
    -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.add %x, %y : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


MAKERS = [fuser.compile, lambda text: fuser.load(fuser.compile_to_bytes(text))]


def rows(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 8), dtype=np.float32)


def test_numpy_in_and_out():
    exe = fuser.compile(EXP)
    x = rows(5)
    y = exe(x)
    assert type(y) is np.ndarray and y.dtype == np.float32
    np.testing.assert_allclose(y, np.exp(x), rtol=2e-6)


@pytest.mark.parametrize("n", [0, 1, 7, 2048])
def test_any_number_of_rows(n):
    x = rows(n)
    np.testing.assert_allclose(fuser.compile(EXP)(x), np.exp(x), rtol=2e-6)


def test_two_outputs_are_a_tuple():
    x = rows(3)
    a, b = fuser.compile(TWO)(x)
    np.testing.assert_array_equal(a, -x)
    np.testing.assert_allclose(b, x.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)


def test_description():
    exe = fuser.compile(TWO)
    assert exe.name == "two"
    assert exe.input_types == ("tensor<?x8xf32>",)
    assert exe.output_types == ("tensor<?x8xf32>", "tensor<?x1xf32>")
    assert exe.num_scalars == 0 and exe.num_segments >= 1
    assert repr(exe) == "<fuser.Executable two(tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x1xf32>)>"


def test_output_outlives_executable_and_input():
    x = rows(64)
    expected = np.exp(x)
    y = fuser.compile(EXP)(x)
    del x
    np.testing.assert_allclose(y, expected, rtol=2e-6)


def test_non_contiguous_and_unaligned_inputs():
    exe = fuser.compile(EXP)
    base = rows(8)
    for x in (
        base.T.copy().T,
        np.ascontiguousarray(base)[::2],
        np.arange(81, dtype=np.float32)[1:].reshape(-1, 8) / 81,
    ):
        np.testing.assert_allclose(exe(x), np.exp(x), rtol=2e-6)
    assert exe.num_variants > 1


def test_out_is_written_and_returned():
    exe, x = fuser.compile(EXP), rows(4)
    out = np.empty_like(x)
    assert exe(x, out=out) is out
    np.testing.assert_allclose(out, np.exp(x), rtol=2e-6)


def test_some_outputs_preallocated():
    exe, x = fuser.compile(TWO), rows(4)
    b = np.empty((4, 1), np.float32)
    a, c = exe(x, out=(None, b))
    assert c is b
    np.testing.assert_array_equal(a, -x)
    np.testing.assert_allclose(b, x.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("make", MAKERS)
def test_in_place(make):
    x, y = rows(4), rows(4, 1)
    expected = x + y
    assert make(REUSE)(x, y) is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("make", MAKERS)
def test_in_place_refuses_a_read_only_array(make):
    x, y = rows(4), rows(4, 1)
    before = x.copy()
    x.flags.writeable = False
    message = "input 0 '%x': expected a writable tensor because output 0 'result0' is written into it, got a read-only"
    with pytest.raises(ValueError, match=message):
        make(REUSE)(x, y)
    np.testing.assert_array_equal(x, before)


# Host programs that write into %y: all of it, and a part by a name.
WRITES = [
    """
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) attributes {host.program} {
      host.copy %x, %y : memref<?xf32>, memref<?xf32>
      return
    }
    """,
    """
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) attributes {host.program} {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      %name = host.declare "part" : memref<?xf32, strided<[1], offset: ?>>
      %part = host.slice %y dim 0 from %c0 size %n : memref<?xf32>
      host.alias %name, %part : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>
      host.copy %x, %name : memref<?xf32>, memref<?xf32, strided<[1], offset: ?>>
      return
    }
    """,
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("text", WRITES)
def test_a_host_program_refuses_to_write_into_read_only_memory(make, text):
    exe = make(text)
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    x.flags.writeable = False
    exe(x, y)
    np.testing.assert_array_equal(y, x)
    bytes_of_y = bytes(16)
    y[:] = 0
    y.flags.writeable = False
    message = "input 1 '%y': expected a writable tensor because the program may write into it, got a read-only one"
    for target in (y, np.frombuffer(bytes_of_y, np.float32)):
        with pytest.raises(ValueError, match=message):
            exe(x, target)
        np.testing.assert_array_equal(target, 0)
    assert bytes_of_y == bytes(16)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("count", [0, 2, 3, 5, 12])
def test_in_place_with_another_size(make, count):
    """An output that reuses an input: of the same size, or refused with the memory as it was."""
    exe = make("""
    func.func @f(%x: tensor<?x2xf32>, %n: index) -> (tensor<?x2xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
      %v = arith.constant 7.0 : f32
      %0 = fusion.full %v sizes(%n) : tensor<?x2xf32>
      return %0 : tensor<?x2xf32>
    }
    """)
    memory = np.arange(24, dtype=np.float32)
    x, before = memory[:6].reshape(3, 2), memory.copy()
    if count == 3:
        assert exe(x, 3) is x and np.all(x == 7)
        before[:6] = 7
    else:
        message = f"output 0 'result0': expected dimension 0 to be 3 because .* memory of input 0 '%x', got {count}$"
        with pytest.raises(fuser.Error, match=message) as caught:
            exe(x, count)
        assert caught.value.code == 1
    np.testing.assert_array_equal(memory, before)


@pytest.mark.parametrize("make", MAKERS)
def test_a_view_of_a_read_only_array_is_read_only(make):
    text = """
    func.func @f(%x: tensor<?x8xf32>) -> (tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
      %0 = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
      return %0 : tensor<8x?xf32>
    }
    """
    x = rows(4)
    y = make(text)(x)
    assert np.shares_memory(x, y) and y.flags.writeable
    x.flags.writeable = False
    y = make(text)(x)
    assert np.shares_memory(x, y) and not y.flags.writeable


@pytest.mark.parametrize("make", MAKERS)
def test_view_shares_memory_and_keeps_it(example, make):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(3 * 4096, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(3, 4096)
    y = make(example("view"))(x)
    assert y.shape == (32, 3, 128) and y.dtype == ml_dtypes.bfloat16
    expected = x.reshape(3, 32, 128).transpose(1, 0, 2).copy()
    assert np.shares_memory(x, y)
    del x
    np.testing.assert_array_equal(y.astype(np.float32), expected.astype(np.float32))


def test_bf16_through_ml_dtypes(example):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(1)
    x, r = (rng.standard_normal((3, 4096)).astype(ml_dtypes.bfloat16) for _ in range(2))
    w = rng.standard_normal(4096).astype(ml_dtypes.bfloat16)
    y, s = fuser.compile(example("rmsnorm_add"))(x, r, w)
    assert y.dtype == s.dtype == ml_dtypes.bfloat16
    expected_sum = (x + r).astype(np.float64)
    np.testing.assert_array_equal(s.astype(np.float64), expected_sum)
    scale = 1 / np.sqrt((expected_sum**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y.astype(np.float64), expected_sum * scale * w.astype(np.float64), rtol=2**-8)


def test_scalars():
    exe = fuser.compile("""
    func.func @f(%v: f32, %n: index) -> tensor<?x4xf32> {
      %0 = fusion.full %v sizes(%n) : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    """)
    y = exe(1.5, 3)
    assert isinstance(y, fuser.Tensor) and y.shape == (3, 4) and y.dtype == "float32"
    assert repr(y) == "<fuser.Tensor (3, 4) of float32 in the memory of the CPU>"
    assert np.asarray(y).shape == (3, 4) and np.asarray(y, np.float64).dtype == np.float64
    np.testing.assert_array_equal(np.from_dlpack(y), np.full((3, 4), 1.5, np.float32))
    np.testing.assert_array_equal(np.from_dlpack(exe(np.float32(2), np.int64(1))), np.full((1, 4), 2, np.float32))


CHOOSE = """
func.func @f(%b: i1, %n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %m = fusion.full %b sizes(%n) : tensor<?xi1>
  %z = fusion.neg %x : tensor<?xf32>
  %y = fusion.where %m, %x, %z : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


@pytest.mark.parametrize("kind", [bool, np.bool_, int, np.int32])
def test_truth_values(kind):
    exe, x = fuser.compile(CHOOSE), np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(exe(kind(1), 4, x), x)
    np.testing.assert_array_equal(exe(kind(0), 4, x), -x)


def test_tensor_of_no_dimensions():
    exe = fuser.compile("""
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %0 = fusion.neg %x : tensor<f32>
      return %0 : tensor<f32>
    }
    """)
    assert exe(np.asarray(np.float32(2))) == -2


def test_program_bytes(tmp_path):
    program = fuser.compile_to_bytes(EXP)
    x = rows(4)
    (tmp_path / "f.fx").write_bytes(program)
    for exe in (fuser.load(program), fuser.load(tmp_path / "f.fx")):
        np.testing.assert_allclose(exe(x), np.exp(x), rtol=2e-6)


def test_a_loaded_program_takes_any_layout():
    exe = fuser.load(fuser.compile_to_bytes(EXP))
    memory = np.linspace(0, 1, 81, dtype=np.float32)
    for x in (
        memory[:80].reshape(-1, 8),
        memory[1:].reshape(-1, 8),
        memory[:80].reshape(8, -1).T,
        memory[80:0:-1].reshape(-1, 8),
    ):
        np.testing.assert_array_equal(exe(x), fuser.compile(EXP)(x))
    out = memory[1:].reshape(-1, 8).copy()
    assert exe(out.copy(), out=out) is out
    assert exe.num_variants == 2


def test_what_any_layout_fits_is_saved_once():
    text = EXP.replace("f32>)", 'f32> {fusion.layout = "any", fusion.alignment = 4 : i64})')
    text = text.replace("-> tensor<?x8xf32>", "-> (tensor<?x8xf32> {fusion.alignment = 4 : i64})")
    assert fuser.load(fuser.compile_to_bytes(text)).num_variants == 1


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES.glob("*.mlir")])
def test_a_loaded_program_is_described_as_a_compiled_one(example, name):
    text = example(name)
    compiled, loaded = fuser.compile(text), fuser.load(fuser.compile_to_bytes(text))

    def describe(exe):
        names = ("name", "input_names", "scalar_names", "output_names", "input_types", "output_types")
        return [getattr(exe, name) for name in (*names, "num_scalars", "num_segments")] + [repr(exe)]

    assert describe(compiled) == describe(loaded)
    assert all(name.startswith("%") for name in compiled.input_names)
    wrong = [np.zeros((2,) * 7, np.int8)] * len(compiled.input_names) + [1] * compiled.num_scalars
    errors = []
    for exe in (compiled, loaded):
        with pytest.raises(fuser.Error) as caught:
            exe(*wrong)
        errors.append((str(caught.value), caught.value.code))
    assert errors[0] == errors[1]


def test_entry_chooses_a_function():
    exe = fuser.compile(EXP + TWO, entry="two")
    assert exe.name == "two"


def test_own_context():
    context = fuser.Context("cpu", threads=1)
    np.testing.assert_allclose(fuser.compile(EXP, context=context)(rows(9)), np.exp(rows(9)), rtol=2e-6)


def test_calls_from_several_threads():
    exe = fuser.compile(EXP)

    def work(seed):
        x = rows(seed % 7 + 1, seed)
        np.testing.assert_allclose(exe(x), np.exp(x), rtol=2e-6)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(200)))


def test_no_memory_is_leaked():
    def grown(work, count):
        before = int(Path("/proc/self/statm").read_text().split()[1])
        for _ in range(count):
            work()
        return (int(Path("/proc/self/statm").read_text().split()[1]) - before) * 4096

    exe, x = fuser.compile(EXP), rows(4096)
    grown(lambda: exe(x), 50)
    assert grown(lambda: exe(x), 500) < 8 * x.nbytes
    grown(lambda: fuser.compile(EXP), 3)
    assert grown(lambda: fuser.compile(EXP), 30) < 15 << 20


def test_no_reference_is_leaked():
    exe, x = fuser.compile(EXP), rows(4)
    out = np.empty_like(x)
    before = sys.getrefcount(x), sys.getrefcount(out)
    for _ in range(100):
        exe(x)
        exe(x, out=out)
    assert (sys.getrefcount(x), sys.getrefcount(out)) == before
