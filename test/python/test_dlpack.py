# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors cross by DLPack, with and without versions."""

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
    with pytest.raises(BufferError, match="expected device"):
        y.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="a fuser.Tensor is not copied"):
        y.__dlpack__(copy=True)


def test_memory_outlives_the_tensor():
    y = np.from_dlpack(fuser.compile(DOUBLE)(Producer(np.ones((1000, 8), np.float32))))
    np.testing.assert_array_equal(y, np.full((1000, 8), 2, np.float32))


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    y = fuser.compile(DOUBLE)(jnp.ones((2, 8), jnp.float32))
    assert isinstance(y, type(jnp.ones(1))) and float(y.sum()) == 32
