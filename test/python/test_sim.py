# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU that is simulated on the CPU."""

import fuser
import numpy as np
import pytest

# A row is summed by the threads of a block.
SUM = """
func.func @f(%x: tensor<?x256xf32>) -> tensor<?x1xf32> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x256xf32> to tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}
"""

# Each thread reads what another one writes, without a barrier in between.
RACE = """
gpu.module @m {
  gpu.func @race(%x: memref<64xf32>, %y: memref<64xf32>) workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    %r = arith.subi %c63, %t : index
    %w = memref.load %s[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
}
func.func @race(%x: memref<64xf32>) -> memref<64xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<64xf32>
  host.launch @m::@race grid(%c1, %c1, %c1) block(64, 1, 1)
    args(%x, %out : memref<64xf32>, memref<64xf32>) writes [1]
  return %out : memref<64xf32>
}
"""

ROWS = np.random.default_rng(0).standard_normal((5, 256), dtype=np.float32)


@pytest.mark.parametrize("options", [{}, {"checks": "all"}, {"checks": "races,bounds", "seed": 7}, {"seed": 2**64 - 1}])
def test_kernels_run_and_are_right(options):
    context = fuser.Context("sim", threads=2, **options)
    assert context.arch == "sim" and "simulated GPU" in context.device_name
    y = fuser.compile(SUM, context=context)(ROWS)
    assert type(y) is np.ndarray
    np.testing.assert_allclose(y, ROWS.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)


def test_by_its_name():
    exe = fuser.compile(SUM, "sim")
    np.testing.assert_allclose(exe(ROWS), ROWS.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("said", [True, False])
def test_a_launch_that_may_write_refuses_read_only_memory(said):
    """Without `writes`, a launch may write into all of its buffers."""
    text = RACE if said else RACE.replace("writes [1]", "")
    exe = fuser.compile(text, "sim")
    x = np.arange(64, dtype=np.float32)
    x.flags.writeable = False
    if said:
        assert exe(x).shape == (64,)
        return
    with pytest.raises(ValueError, match="input 0 '%x': expected a writable tensor because the program may write"):
        exe(x)


TWO = """
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.add %a, %a : tensor<?xf32>
  %1 = fusion.mul %b, %b : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
"""

LINE = np.arange(4096, dtype=np.float32)


@pytest.mark.parametrize(
    "pairs",
    [
        [(LINE[:1000], LINE[:1000]), (LINE, LINE)],
        [(LINE, LINE), (LINE[:1000], LINE[8:])],
        [(LINE[:1000], LINE)],
        [(LINE[:2048], LINE[1024:3072])],
        [(LINE[::-2], LINE[3000:])],
    ],
)
def test_arrays_that_share_memory(pairs):
    exe = fuser.compile(TWO, context=fuser.Context("sim", checks="all"))
    for a, b in pairs:
        x, y = exe(a, b)
        np.testing.assert_array_equal(x, a + a)
        np.testing.assert_array_equal(y, b * b)


def test_arrays_are_forgotten_with_their_call():
    exe = fuser.compile(TWO, context=fuser.Context("sim", checks="all"))
    for i in range(60):
        a = np.ones((100, 1000, 5000, 20000, 3)[i * 7 % 5], np.float32)
        assert exe(a, a)[0].sum() == 2 * len(a)


def test_a_race_is_found_where_it_is_looked_for():
    x = np.arange(64, dtype=np.float32)
    for checks in ("all", "races"):
        racing = fuser.compile(RACE, context=fuser.Context("sim", checks=checks))
        with pytest.raises(fuser.Error, match="race: kernel 'race'"):
            racing(x)
    for checks in (None, "bounds"):
        fuser.compile(RACE, context=fuser.Context("sim", checks=checks))(x)


def test_a_saved_program():
    context = fuser.Context("sim", checks="races")
    program = fuser.compile_to_bytes(RACE, "sim", check_kernels=True)
    with pytest.raises(fuser.Error, match="race: kernel 'race'"):
        fuser.load(program, context=context)(np.zeros(64, np.float32))
    fuser.load(fuser.compile_to_bytes(SUM, "sim"), "sim")(ROWS)
    with pytest.raises(fuser.Error, match="it is for a GPU|sim"):
        fuser.load(program)


@pytest.mark.parametrize(
    ("checks", "got"),
    [("rases", "rases"), ("", ""), ("races,", ""), ("races, bounds", " bounds"), ("all,Races", "Races")],
)
def test_wrong_checks(checks, got):
    expected = "checks: expected some of races, bounds, uninit, divergence, alignment and barriers, or all, got "
    with pytest.raises(ValueError, match=f"^{expected}'{got}'$"):
        fuser.Context("sim", checks=checks)


@pytest.mark.parametrize("checks", [1, ["races"]])
def test_checks_that_are_no_text(checks):
    with pytest.raises(TypeError, match="checks: expected None or a str, got "):
        fuser.Context("sim", checks=checks)


@pytest.mark.parametrize(
    "seed, error, message",
    [
        (-1, OverflowError, "negative int"),
        (2**64, OverflowError, "too big"),
        ("1", TypeError, "must be int, not str"),
    ],
)
def test_wrong_seeds(seed, error, message):
    with pytest.raises(error, match=message):
        fuser.Context("sim", seed=seed)


def test_only_what_is_simulated_is_checked():
    with pytest.raises(fuser.Error, match="expected a context of a simulated GPU"):
        fuser.Context("cpu", checks="all")


def test_code_without_checks_is_refused_where_it_is_to_be_checked():
    data = fuser.compile_to_bytes(SUM, "sim")
    exe = fuser.load(data, context=fuser.Context("sim", checks="races"))
    with pytest.raises(fuser.Error, match="expected code that was compiled with checks .*, got code without"):
        exe(ROWS)
