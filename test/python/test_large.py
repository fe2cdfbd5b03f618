# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of more than 2^31 and of more than 2^32 elements, at odd sizes."""

import os

import fuser
import numpy
import pytest

BIAS = """
func.func @bias(%x: tensor<?x?xbf16>, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %row = fusion.broadcast %b dims [0] : tensor<?xbf16> to tensor<1x?xbf16>
  %all = fusion.expand %row sizes(%m) : tensor<1x?xbf16> to tensor<?x?xbf16>
  %y = fusion.add %x, %all : tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
"""

NEGATE = """
func.func @negate(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = fusion.neg %x : tensor<?xbf16>
  return %y : tensor<?xbf16>
}
"""

DIFFER = """
func.func @differ(%x: tensor<?xi1>, %y: tensor<?xi1>) -> tensor<?xi1> {
  %z = fusion.cmp <ne> %x, %y : tensor<?xi1>
  return %z : tensor<?xi1>
}
"""


@pytest.fixture
def torch():
    module = pytest.importorskip("torch")
    if module.cuda.get_device_properties(0).total_memory < 40 << 30:
        pytest.skip("the GPU has less than 40 GiB")
    yield module
    module.cuda.empty_cache()


def random(torch, *sizes):
    return torch.empty(sizes, dtype=torch.bfloat16, device="cuda").uniform_(-1, 1)


@pytest.mark.cuda
def test_flat(torch):
    x = random(torch, 2**32 + 7)
    assert torch.equal(fuser.compile(NEGATE, "cuda")(x), -x)


@pytest.mark.cuda
def test_odd_rows(torch):
    x, b = random(torch, 524289, 4097), random(torch, 4097)
    assert torch.equal(fuser.compile(BIAS, "cuda")(x, b), x + b)


@pytest.mark.cuda
def test_row_reduction(torch, example):
    exe = fuser.compile(example("softmax"), "cuda")
    x = random(torch, 262401, 8192)
    y = exe(x)
    for rows in (slice(0, 64), slice(262100, 262180), slice(-64, None)):
        expected = torch.softmax(x[rows].double(), -1)
        torch.testing.assert_close(y[rows].double(), expected, rtol=2**-8, atol=0)
        assert torch.equal(exe(x[rows]), y[rows])
    assert torch.all((y.sum(1, dtype=torch.float32) - 1).abs() < 2**-8)


@pytest.mark.cuda
def test_outer_reduction(torch, example):
    x = random(torch, 524301, 4096)
    (y,) = [fuser.compile(example("bias_grad"), "cuda")(x)]
    expected = sum(part.double().sum(0) for part in x.split(65536))
    magnitude = sum(part.double().abs().sum(0) for part in x.split(65536)).max().item()
    torch.testing.assert_close(y.double(), expected, rtol=2**-8, atol=2**-20 * magnitude)


@pytest.mark.skipif(
    os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 12 << 30, reason="less than 12 GiB of memory"
)
def test_on_cpu():
    count = 2**31 + 77
    x, y = numpy.zeros(count, bool), numpy.zeros(count, bool)
    x[2**31 - 3 :: 5] = True
    y[2**31 - 3 :: 3] = True
    z = fuser.compile(DIFFER)(x, y)
    assert numpy.array_equal(z[-1000:], x[-1000:] ^ y[-1000:])
    assert numpy.count_nonzero(z) == numpy.count_nonzero(x[-1000:] ^ y[-1000:])
