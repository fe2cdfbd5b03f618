# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors are exceptions that say where and why."""

import sys

import fuser
import numpy as np
import pytest

EXP = """func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


def test_syntax_error_has_its_place():
    with pytest.raises(fuser.Error, match=r"my\.mlir\D+2:8") as caught:
        fuser.compile(EXP.replace("fusion.exp", "fusion.nonsense"), file_name="my.mlir")
    assert caught.value.code == 1


def test_type_error_in_the_program():
    with pytest.raises(fuser.Error, match="f32"):
        fuser.compile(EXP.replace("exp %x : tensor<?x8xf32>", "exp %x : tensor<?x8xf16>"))


def test_what_the_compiler_refuses_has_its_place():
    # Parsed and verified, then refused by a pass.
    text = EXP.replace("fusion.exp %x", "arith.addf %x, %x")
    with pytest.raises(fuser.Error, match=r"my\.mlir:2:8: error: .*expected only ops of the fusion dialect") as caught:
        fuser.compile(text, file_name="my.mlir")
    assert caught.value.code == 1


def test_several_functions_need_an_entry():
    with pytest.raises(fuser.Error, match="entry"):
        fuser.compile(EXP + EXP.replace("@f", "@g"))
    with pytest.raises(fuser.Error, match="nobody"):
        fuser.compile(EXP, entry="nobody")


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((3, 7), np.float32),
        np.zeros((3, 8), np.float64),
        np.zeros(8, np.float32),
    ],
    ids=["size", "type", "rank"],
)
def test_wrong_input(x):
    with pytest.raises(fuser.Error, match="expected"):
        fuser.compile(EXP)(x)


def test_wrong_number_of_inputs():
    exe, x = fuser.compile(EXP), np.zeros((3, 8), np.float32)
    with pytest.raises(fuser.Error, match="expected"):
        exe()
    with pytest.raises(fuser.Error, match="expected"):
        exe(x, x)
    with pytest.raises(fuser.Error, match="expected"):
        exe(x, 3)


def test_wrong_output():
    exe, x = fuser.compile(EXP), np.zeros((3, 8), np.float32)
    with pytest.raises(fuser.Error, match="expected"):
        exe(x, out=np.zeros((4, 8), np.float32))
    with pytest.raises(ValueError, match="expected 1 outputs"):
        exe(x, out=(None, None))
    out = np.zeros((3, 8), np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        exe(x, out=out)


def test_dynamic_sizes_that_disagree():
    text = """
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.add %x, %y : tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    """
    with pytest.raises(fuser.Error, match="expected") as caught:
        fuser.compile(text)(np.zeros((3, 8), np.float32), np.zeros((4, 8), np.float32))
    assert caught.value.code == 1


def test_overlapping_output():
    buffer = np.arange(40, dtype=np.float32)
    with pytest.raises(fuser.Error, match="overlap"):
        fuser.compile(EXP)(buffer[:32].reshape(4, 8), out=buffer[8:].reshape(4, 8))


def test_errors_leak_no_reference():
    exe, x, wrong = fuser.compile(EXP), np.zeros((3, 8), np.float32), np.zeros((3, 7), np.float32)
    before = [sys.getrefcount(o) for o in (x, wrong)]
    for _ in range(100):
        for call in (lambda: exe(wrong), lambda: exe(x, wrong), lambda: exe(x, out=wrong), lambda: exe(x, "text")):
            with pytest.raises((fuser.Error, TypeError)):
                call()
    assert [sys.getrefcount(o) for o in (x, wrong)] == before


def test_not_a_tensor():
    with pytest.raises(TypeError, match="argument 0: expected a number or a tensor with __dlpack__, got"):
        fuser.compile(EXP)("text")
    with pytest.raises(TypeError, match="keyword"):
        fuser.compile(EXP)(np.zeros((3, 8), np.float32), nonsense=1)


def test_unknown_target():
    with pytest.raises(ValueError, match="expected target 'cpu' or 'cuda', got 'tpu'"):
        fuser.compile(EXP, target="tpu")


def test_damaged_program():
    program = bytearray(fuser.compile_to_bytes(EXP))
    program[len(program) // 2] ^= 1
    with pytest.raises(fuser.Error) as caught:
        fuser.load(bytes(program))
    assert caught.value.code == 5


def test_program_without_compiler_refuses_other_strides():
    exe = fuser.load(fuser.compile_to_bytes(EXP))
    with pytest.raises(fuser.Error) as caught:
        exe(np.asfortranarray(np.zeros((3, 8), np.float32)))
    assert caught.value.code == 6


def test_no_gpu_is_an_error():
    try:
        fuser.Context("cuda", 99)
    except fuser.Error as error:
        assert error.code == 3
    else:
        pytest.fail("expected an error")
