# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that run no Python code: tensors by DLPack's C functions, where PyTorch has them, and arrays by the buffer protocol."""

import ctypes
import sys

import fuser
import numpy as np
import pytest

DOUBLE = """
func.func @double(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.add %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""
COLUMN_MAJOR = """
func.func @exp(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


@pytest.fixture
def torch():
    module = pytest.importorskip("torch")
    if not hasattr(module.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this version of PyTorch has no table of DLPack's C functions")
    return module


def record_python(call):
    """The Python functions that run meanwhile."""
    names = []
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [name for name in names if name != "<lambda>"]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_no_python_runs_with_torch(torch, dtype):
    exe = fuser.compile(DOUBLE.replace("f32", {"float32": "f32", "bfloat16": "bf16"}[dtype]))
    x = torch.ones(3, 8, dtype=getattr(torch, dtype))
    out = torch.empty_like(x)
    exe(x, out=out)
    assert record_python(lambda: exe(x, out=out)) == []
    assert record_python(lambda: exe(x)) == []
    assert record_python(lambda: torch.from_dlpack(x)) != []  # What would be seen.
    assert exe(x).tolist() == out.tolist() == [[2.0] * 8] * 3


def test_no_python_runs_with_numpy():
    exe, x, out = fuser.compile(DOUBLE), np.ones((3, 8), np.float32), np.empty((3, 8), np.float32)
    exe(x, out=out)
    assert record_python(lambda: exe(x, out=out)) == []
    assert record_python(lambda: exe(x)) == []


def test_outputs_are_from_torchs_allocator(torch):
    exe, x = fuser.compile(DOUBLE), torch.ones(3, 8)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        y = exe(x)
    assert "aten::empty" in [event.key for event in profile.key_averages()]
    assert type(y) is torch.Tensor and y.shape == x.shape and y.tolist() == (2 * x).tolist()


@pytest.mark.cuda
def test_outputs_are_from_torchs_allocator_on_a_gpu(torch):
    exe, x = fuser.compile(DOUBLE, "cuda"), torch.ones(1 << 16, 8, device="cuda")
    before = torch.cuda.memory_allocated()
    y = exe(x)
    assert torch.cuda.memory_allocated() - before >= y.nbytes
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        z = exe(y)
    stream.synchronize()
    assert (z == 4).all()
    del y, z
    assert torch.cuda.memory_allocated() == before


def test_an_output_of_another_order(torch):
    x = torch.randn(3, 8)
    y = fuser.compile(COLUMN_MAJOR)(x)
    assert y.stride() == (1, 3)
    torch.testing.assert_close(y, x.exp())


def test_an_output_lives_longer_than_all_else(torch):
    y = fuser.compile(DOUBLE, context=fuser.Context("cpu"))(torch.ones(1000, 8))
    assert y.sum() == 16000


def test_gradients(torch):
    exe, weight = fuser.compile(DOUBLE), torch.nn.Parameter(torch.ones(3, 8))
    with pytest.raises(BufferError, match="require gradient"):
        exe(weight)
    with pytest.raises(BufferError, match="require gradient"):
        exe(torch.ones(3, 8), out=weight)
    with torch.no_grad():
        y = exe(weight)
    assert type(y) is torch.Tensor and not y.requires_grad and y.sum() == 48


@pytest.mark.parametrize("kind", ["sparse", "meta"])
def test_tensors_without_memory(torch, kind):
    x = torch.ones(3, 8).to_sparse() if kind == "sparse" else torch.ones(3, 8, device="meta")
    with pytest.raises(BufferError, match="layout|meta"):
        fuser.compile(DOUBLE)(x)


def test_sizes_of_the_time_of_the_call(torch):
    exe, x = fuser.compile(DOUBLE), torch.ones(3, 8)
    assert exe(x).shape == (3, 8)
    x.resize_(1, 8)
    assert exe(x).shape == (1, 8)
    with pytest.raises(fuser.Error, match="of rank 2, got rank 1"):
        exe(x.view(-1))


class Header(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p)]


def make_type(torch, name, address):
    """A type of tensors with a table at `address`."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(address, b"dlpack_exchange_api", None) if address else None
    return type(name, (torch.Tensor,), {"__dlpack_c_exchange_api__": capsule})


def test_tables_of_other_versions(torch):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    known = get(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
    newer, unknown = Header(99, 0, known), Header(99, 0, None)
    exe, x = fuser.compile(DOUBLE), torch.ones(3, 8)
    for header, uses_table in ((newer, True), (unknown, False), (None, False)):
        kind = make_type(torch, "Kind", ctypes.addressof(header) if header else None)
        given = x.as_subclass(kind)
        assert exe(given).sum() == 48
        # Of a type derived from torch.Tensor, `requires_grad` runs Python code too.
        assert ("__dlpack__" not in record_python(lambda: exe(given))) == uses_table  # noqa: B023


def test_two_frameworks(torch):
    text = """
    func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = fusion.add %x, %y : tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    """
    exe = fuser.compile(text)
    assert isinstance(exe(np.ones(3, np.float32), torch.ones(3)), np.ndarray)
    assert isinstance(exe(torch.ones(3), np.ones(3, np.float32)), torch.Tensor)
    out = np.empty(3, np.float32)
    assert exe(torch.ones(3), torch.ones(3), out=out) is out and out.tolist() == [2, 2, 2]


@pytest.mark.parametrize("name", ["bool", "int32", "int64", "float16", "float32", "float64"])
def test_types_of_numpy(name):
    element = {"bool": "i1", "int32": "i32", "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64"}[name]
    text = """
    func.func @copy(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
      %0 = fusion.set %x : tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    """
    exe = fuser.compile(text.replace("f32", element))
    x = np.array([[0, 1, 1], [1, 0, 1]], name)
    for given in (x, x[::-1], np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[:1], x[:0]):
        y = exe(given)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y, given)
    with pytest.raises(fuser.Error, match=f"input 0 '%x': expected element type {element}, got ui8$"):
        exe(x.astype("uint8"))


def test_arrays_that_dlpack_refuses():
    exe = fuser.compile(DOUBLE)
    with pytest.raises(BufferError, match="byte order|native"):
        exe(np.ones((3, 8), ">f4"))
    fields = np.zeros((3, 8), [("a", "i1"), ("b", "f4")])
    with pytest.raises(BufferError, match="strides"):
        exe(fields["b"])
    with pytest.raises(BufferError, match="DLPack only supports signed/unsigned integers, float"):
        exe(fields)


def test_read_only_arrays():
    exe, x = fuser.compile(DOUBLE), np.ones((3, 8), np.float32)
    x.flags.writeable = False
    assert exe(x).sum() == 48
    with pytest.raises(ValueError, match="expected a writable tensor, got a read-only one"):
        exe(np.ones((3, 8), np.float32), out=x)


@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_many_dimensions(framework):
    module = pytest.importorskip(framework)
    exe = fuser.compile(DOUBLE.replace("?x8x", "1x1x1x1x1x1x1x1x?x8x"))
    x = module.ones((1,) * 8 + (3, 8), dtype=module.float32)
    assert exe(x).shape == x.shape and exe(x).sum() == 48


def test_buffers_are_given_back():
    exe, memory = fuser.compile(DOUBLE), bytearray(96)
    x = np.frombuffer(memory, np.float32).reshape(3, 8)
    exe(x)
    with pytest.raises(fuser.Error, match="of rank 2, got rank 1$"):
        exe(x[0])
    del x
    memory.append(0)  # A BufferError as long as someone holds it.


@pytest.mark.parametrize("base", [np.memmap, np.matrix, np.recarray])
def test_classes_that_are_derived_from_arrays(base, tmp_path):
    exe = fuser.compile(DOUBLE)

    class Own(base):
        pass

    for kind in (base, Own):
        x = np.ones((3, 8), np.float32).view(kind)
        # The operators of matrices mean something else, so that functions do not take them.
        for call in [exe] if base is np.matrix else [exe, fuser.jit(lambda x: x + x)]:
            result = call(x)
            assert type(result) is np.ndarray and result.sum() == 48
    out = np.zeros((3, 8), np.float32).view(Own)
    assert exe(x, out=out) is out and out.sum() == 48


def test_masked_arrays():
    exe, x = fuser.compile(DOUBLE), np.ma.masked_array(np.ones((3, 8), np.float32), np.eye(3, 8))
    for call in (
        lambda: exe(x),
        lambda: fuser.jit(lambda x: x + x)(x),
        lambda: exe(np.ones((3, 8), np.float32), out=x),
    ):
        with pytest.raises(
            TypeError, match=r"expected an array without a mask, got a numpy.ma.MaskedArray: pass array.fi"
        ):
            call()


@pytest.mark.parametrize("out", ["abc", 3, {}, b"abc", np.float32(1)])
def test_outputs_that_are_no_tensors(out):
    exe, x = fuser.compile(DOUBLE), np.ones((3, 8), np.float32)
    for given in (out, (out,)):
        with pytest.raises(TypeError, match=f"expected a tensor with __dlpack__, got {type(out).__name__}$"):
            exe(x, out=given)
    # As an argument it stays what it was.
    with pytest.raises((TypeError, fuser.Error), match="argument 0: expected a number|expected 1 tensor and 0"):
        exe(out)


def test_what_is_refused_is_named():
    exe, x = fuser.compile(DOUBLE), np.ones((3, 8), np.float32)
    wrong = x.astype(">f4")
    with pytest.raises(BufferError, match=r"^program '\w+': input 0 '%x': expected an array .* got one of >f4: "):
        exe(wrong)
    with pytest.raises(BufferError, match=r"^program '\w+': output 0 '\w+': expected an array .* got one of >f4: "):
        exe(x, out=wrong)
    with pytest.raises(TypeError, match=r"^program '\w+': input 0 '%x': expected an array without a mask"):
        exe(np.ma.masked_array(x, x > 0))
