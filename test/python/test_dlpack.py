# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors cross by DLPack, with and without versions."""

import ctypes

import fuser
import numpy as np
import pytest

DOUBLE = """
func.func @double(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.add %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


class Producer:
    """A tensor of no framework that is known."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldProducer(Producer):
    """One from before versions."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


@pytest.mark.parametrize("kind", [Producer, OldProducer])
def test_other_frameworks_get_a_fuser_tensor(kind):
    x = np.arange(16, dtype=np.float32).reshape(2, 8)
    y = fuser.compile(DOUBLE)(kind(x))
    assert isinstance(y, fuser.Tensor) and y.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(y), 2 * x)


def test_tensor_can_be_an_input():
    exe = fuser.compile(DOUBLE)
    x = np.ones((2, 8), np.float32)
    np.testing.assert_array_equal(np.from_dlpack(exe(exe(Producer(x)))), 4 * x)


def test_capsules_with_and_without_version():
    y = fuser.compile(DOUBLE)(Producer(np.ones((2, 8), np.float32)))
    assert "dltensor_versioned" in repr(y.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(y.__dlpack__())
    with pytest.raises(BufferError, match=r"expected device \(1, 0\), where the tensor is, got \(2, 0\)"):
        y.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="a fuser.Tensor is not copied"):
        y.__dlpack__(copy=True)


class NoTruth:
    def __bool__(self):
        raise RuntimeError("neither")


def test_whether_a_tensor_is_copied_is_a_truth():
    y = fuser.compile(DOUBLE)(Producer(np.ones((2, 8), np.float32)))
    for value in (None, False, 0, np.False_):
        assert y.__dlpack__(copy=value)
    with pytest.raises(BufferError, match="a fuser.Tensor is not copied"):
        y.__dlpack__(copy=np.True_)
    for call in (y.__dlpack__, y.__array__):
        with pytest.raises(RuntimeError, match="neither"):
            call(copy=NoTruth())


def test_arrays_of_numpy():
    """A copy is made where it is asked for, or another type needs one."""
    y = fuser.compile(DOUBLE)(Producer(np.ones((2, 8), np.float32)))
    memory = np.from_dlpack(y)
    for dtype in (None, "f4", np.float32, np.dtype("float32")):
        for copy in (None, False):
            assert np.shares_memory(np.array(y, dtype, copy=copy), memory)
        assert not np.shares_memory(np.array(y, dtype), memory)
        for copy in (True, np.True_):
            array = y.__array__(dtype, copy=copy)
            assert not np.shares_memory(array, memory) and array.dtype == np.float32
            np.testing.assert_array_equal(array, memory)
    for dtype in ("f8", ">f4"):
        array = np.asarray(y, dtype)
        assert array.dtype == dtype and not np.shares_memory(array, memory)
        np.testing.assert_array_equal(array, memory)
        with pytest.raises(ValueError, match="the type of the tensor, float32, which needs no copy, got dtype"):
            np.array(y, dtype, copy=False)


def test_memory_outlives_the_tensor():
    y = np.from_dlpack(fuser.compile(DOUBLE)(Producer(np.ones((1000, 8), np.float32))))
    np.testing.assert_array_equal(y, np.full((1000, 8), 2, np.float32))


class TensorStruct(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
    ]


class ManagedStruct(ctypes.Structure):
    _fields_ = [
        ("tensor", TensorStruct),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


class PythonProducer:
    """A tensor whose deleter, and whose capsule's destructor, are Python functions."""

    def __init__(self, array, name=b"dltensor"):
        self.array, self.name, self.calls = array, name, []
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        deleter = ManagedStruct._fields_[2][1](lambda _: self.calls.append("deleter"))
        code = {"f": 2, "i": 0}[array.dtype.kind]
        tensor = TensorStruct(array.ctypes.data, (1, 0), array.ndim, code, 32, 1, self.shape, None, 0)
        self.managed = ManagedStruct(tensor, None, deleter)
        self.destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(lambda _: self.calls.append("destructor"))

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), self.name, ctypes.cast(self.destructor, ctypes.c_void_p))


def test_deleters_in_python():
    exe = fuser.compile(DOUBLE)
    good = PythonProducer(np.ones((3, 8), np.float32))
    np.testing.assert_array_equal(np.from_dlpack(exe(good)), np.full((3, 8), 2, np.float32))
    assert sorted(good.calls) == ["deleter", "destructor"]
    # They run while the exception is on its way.
    wrong = PythonProducer(np.ones((3, 8), np.int32))
    with pytest.raises(fuser.Error, match="expected element type f32, got i32"):
        exe(wrong)
    assert sorted(wrong.calls) == ["deleter", "destructor"]
    unknown = PythonProducer(np.ones((3, 8), np.float32), b"no tensor")
    with pytest.raises(BufferError, match="input 0 '%x': .* expected a capsule with a tensor that nobody has taken"):
        exe(unknown)
    assert unknown.calls == ["destructor"]


def test_a_view_of_a_read_only_tensor_needs_a_version():
    text = """
    func.func @view(%x: tensor<?x8xf32>) -> (tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
      %0 = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
      return %0 : tensor<8x?xf32>
    }
    """
    x = np.ones((2, 8), np.float32)
    exe = fuser.compile(text)
    assert '"dltensor"' in repr(exe(Producer(x)).__dlpack__())
    x.flags.writeable = False
    y = exe(Producer(x))
    assert "dltensor_versioned" in repr(y.__dlpack__(max_version=(1, 0)))
    with pytest.raises(BufferError, match=r"read-only, which only DLPack 1\.0 and later can say"):
        y.__dlpack__()


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    y = fuser.compile(DOUBLE)(jnp.ones((2, 8), jnp.float32))
    assert isinstance(y, type(jnp.ones(1))) and float(y.sum()) == 32
