# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvFuser's profiler: what an execution takes, the three scenarios of nvFuser's own tests, and that measuring is not seen in the caller's tensors."""

import time

import fuser
import numpy as np
import pytest
from fuser.nvfuser_direct import (
    FusionDefinition,
    FusionProfile,
    PythonProfiler,
    get_fusion_profile,
    reset_profiler,
)
from scenario import random


@pytest.fixture(autouse=True)
def forgotten():
    """No profile of another test."""
    reset_profiler()


def define_sums(x, y):
    """A sum of rows and the sum of these: two segments."""
    with FusionDefinition() as fd:
        rows = fd.ops.sum(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y)), dims=[-1])
        fd.add_output(fd.ops.sum(rows, dims=[-1]))
    return fd


def define_double(x):
    with FusionDefinition() as fd:
        fd.add_output(fd.from_pytorch(x) * 2.0)
    return fd


def define_in_place(x):
    """Adds 1 to its input, and returns the double of that."""
    with FusionDefinition() as fd:
        t0 = fd.from_pytorch(x)
        t1 = fd.ops.add(t0, 1.0)
        fd.add_output(t1, alias_input=t0)
        fd.add_output(fd.ops.mul(t1, 2.0))
    return fd


# nvFuser's scenarios


def test_fusion_profiler_auto_scheduled():
    x, y = random(2, 5), random(2, 5)
    fd = define_sums(x, y)
    with PythonProfiler() as prof:
        (got,) = fd.execute([x, y])
    np.testing.assert_allclose(got, (x + y).sum(), rtol=1e-5, atol=1e-5)
    profile = prof.profile
    assert isinstance(profile, FusionProfile) and profile.fusion_id >= 0
    # A row of an open length may be long: a kernel of its own adds parts of it.
    assert profile.segments == 2 and len(profile.kernel_profiles) == 3
    assert all(each.name and each.scheduler == "row_reduction" for each in profile.kernel_profiles)
    assert len({each.name for each in profile.kernel_profiles}) == 3


def test_fusion_profiler_user_scheduled():
    """Without a schedule by hand, which is not there: neither is its profiler, and the compiler's schedule has its own name."""
    x, y = random(2, 5), random(2, 5)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y)))
    with pytest.raises(NotImplementedError, match=r"^PythonProfiler with auto_scheduled=False: a schedule by hand is"):
        PythonProfiler(auto_scheduled=False)
    with PythonProfiler() as prof:
        fd.execute([x, y])
    assert prof.profile.fusion_id >= 0 and prof.profile.segments == 1
    (kernel,) = prof.profile.kernel_profiles
    assert kernel.scheduler == "pointwise" and "pointwise" in kernel.schedule


def test_fusion_profiler_with_noncodegen_kernels():
    """A product that a library does, and a sum."""
    x, y, weight = random(2, 4, 16), random(2, 4, 16), random(16, 16)
    with FusionDefinition() as fd:
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, weight))
        fd.add_output(fd.ops.add(fd.ops.linear(t0, t2), t1))
    with PythonProfiler() as prof:
        (got,) = fd.execute([x, y, weight])
    np.testing.assert_allclose(got, x @ weight.T + y, rtol=1e-4, atol=1e-4)
    assert prof.profile.fusion_id >= 0 and prof.profile.segments == 2
    product, add = prof.profile.kernel_profiles
    assert (product.name, product.scheduler, add.scheduler) == ("matmul", "library", "pointwise")
    # What is not known is not made up.
    assert product.bytes is None and product.effective_bandwidth_gbs is None and product.grid is None


# Figures


def test_figures_fit_together():
    x, y = random(300, 70), random(300, 70)
    fd = define_sums(x, y)
    start = time.perf_counter()
    with PythonProfiler() as prof:
        fd.execute([x, y])
        took = 1e3 * (time.perf_counter() - start)
    profile = prof.profile
    assert 0 < profile.host_time_ms <= took
    assert profile.compile_time_ms == profile.report.compile_ms > 0
    kernels = profile.kernel_profiles
    assert profile.kernel_time_ms == sum(each.time_ms * each.launches for each in kernels) > 0
    assert (profile.input_bytes, profile.output_bytes) == (2 * 300 * 70 * 4, 4)
    assert profile.effective_bandwidth_gbs == pytest.approx((2 * 300 * 70 * 4 + 4) / profile.kernel_time_ms / 1e6)
    assert profile.verbose is False and str(profile) == str(profile.report)
    first = kernels[0]
    assert first.bytes == 2 * 300 * 70 * 4 + 300 * 4
    assert first.effective_bandwidth_gbs == pytest.approx(first.bytes / first.time_ms / 1e6)
    assert (first.device, first.launches, first.grid_str) == (0, 1, str(list(first.grid)))
    assert first.device_name == profile.report.data["device"]
    assert first.registers is first.threads is first.shared_bytes is None


def test_host_time_is_of_the_call_alone():
    """What follows in the block is not in it, and the compilation, which the profile says beside it, neither where the program is compiled already."""
    x = random(8)
    fd = define_double(x)
    fd.execute([x])
    start = time.perf_counter()
    with PythonProfiler() as prof:
        fd.execute([x])
        took = 1e3 * (time.perf_counter() - start)
        time.sleep(0.2)
    # An order, whatever the machine does beside it: the clock stops before `took` is read, and the measurement's compilation begins after the block.
    assert 0 < prof.profile.host_time_ms <= took
    assert prof.profile.compile_time_ms > 0


def test_numbers_of_definitions():
    x = random(3)
    numbers = []
    for fd in [define_double(x)] * 2 + [define_double(x)]:
        with PythonProfiler() as prof:
            fd.execute([x])
        numbers.append(prof.profile.fusion_id)
    assert numbers[0] == numbers[1] != numbers[2]


def test_other_ways_to_execute():
    x = random(3)
    fd = define_double(x)
    for execute in (fd.fec.execute, lambda inputs: fd.validate(inputs, [x * 2])):
        with PythonProfiler() as prof:
            execute([x])
        assert len(prof.profile.kernel_profiles) == 1


@pytest.mark.parametrize("name", ["cuda_evt_time_ms", "percentage_peak_bandwith"])
def test_what_a_profile_does_not_know(name):
    x = random(3)
    fd = define_double(x)
    with PythonProfiler() as prof:
        fd.execute([x])
    assert not hasattr(prof.profile, name)
    with pytest.raises(NotImplementedError, match=rf"^FusionProfile\.{name}: .*kernel"):
        getattr(prof.profile, name)
    (kernel,) = prof.profile.kernel_profiles
    with pytest.raises(NotImplementedError, match=r"^KernelProfile\.input_bytes: `bytes` is"):
        _ = kernel.input_bytes
    with pytest.raises(AttributeError, match="expected an attribute of a KernelProfile, got 'times'"):
        _ = kernel.times


# The caller's tensors


@pytest.mark.parametrize("view", [np.s_[:], np.s_[::2], np.s_[::-1], np.s_[1:, ::-3]], ids=str)
def test_an_in_place_program_runs_once_for_the_caller(view):
    """It is measured with copies, which lie in memory as the inputs do."""
    whole = random(8, 12)
    x, before = whole[view], whole.copy()
    fd = define_in_place(x)
    with PythonProfiler() as prof:
        (got,) = fd.execute([x])
        np.testing.assert_array_equal(x, before[view] + 1)
    before[view] += 1
    np.testing.assert_array_equal(whole, before)
    np.testing.assert_array_equal(got, before[view] * 2)
    assert prof.profile.output_bytes == 2 * prof.profile.input_bytes == 2 * x.nbytes


def test_in_place_without_elements():
    x = random(0, 3)
    with PythonProfiler() as prof:
        define_in_place(x).execute([x])
    assert prof.profile.input_bytes == 0


def test_a_tensor_that_is_passed_twice():
    """It is refused as without a profiler: copies do not hide that inputs overlap."""
    x = random(5)
    before = x.copy()
    with FusionDefinition() as fd:
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(x)
        fd.add_output(fd.ops.add(t0, t1), alias_input=t0)
    with pytest.raises(fuser.Error, match="expected memory apart from input 0"), PythonProfiler():
        fd.execute([x, x])
    np.testing.assert_array_equal(x, before)


def test_an_in_place_program_of_what_cannot_be_copied():
    class Opaque:
        """A tensor that others may write, and nobody copy."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __deepcopy__(self, memo):
            raise TypeError("no copies")

    x = random(3)
    before = x.copy()
    fd = define_in_place(x)
    with pytest.raises(TypeError, match="expected tensors that copy.deepcopy takes, .* got an? Opaque"):
        with PythonProfiler():
            fd.execute([Opaque(x)])
    np.testing.assert_array_equal(x, before)
    # Nothing is copied of a program that writes over nothing; how many bytes it has, this tensor does not say.
    with PythonProfiler() as prof:
        define_double(x).execute([Opaque(x)])
    assert prof.profile.input_bytes is None and prof.profile.effective_bandwidth_gbs is None


def test_random_numbers_are_drawn_once():
    """Those of the executions after it are the same as without a profiler."""

    def draw(is_profiled):
        with FusionDefinition() as fd:
            t0 = fd.from_pytorch(x)
            fd.add_output(fd.ops.uniform(0.0, 1.0, fd.ops.shape(t0)))
        np.random.seed(0)
        results = []
        for _ in range(2):
            if is_profiled:
                with PythonProfiler():
                    results += fd.execute([x])
            else:
                results += fd.execute([x])
        return results

    x = random(4)
    np.testing.assert_array_equal(draw(True), draw(False))


# Wrong use


def test_no_execution():
    prof = PythonProfiler()
    with pytest.raises(
        fuser.Error, match=r"expected an execution in its block, such as fd\.execute\(inputs\), got none"
    ):
        with prof:
            pass
    with pytest.raises(
        fuser.Error, match="expected a block that has ended, with one execution, got a block without one"
    ):
        _ = prof.profile


def test_several_executions():
    """The second one is the error, before it runs; reset_profiler forgets the first."""
    x = random(3)
    fd, other = define_double(x), define_in_place(x)
    before = x.copy()
    with pytest.raises(fuser.Error, match="expected one execution in its block, got a second one: .*reset_profiler"):
        with PythonProfiler():
            fd.execute([x])
            other.execute([x])
    np.testing.assert_array_equal(x, before)
    with PythonProfiler() as prof:
        fd.execute([x])
        reset_profiler()
        other.execute([x])
    assert prof.profile.fusion_id == other._number


def test_a_profile_before_its_block_ended():
    x = random(3)
    fd = define_double(x)
    prof = PythonProfiler()
    with pytest.raises(fuser.Error, match="expected a block that has ended, .* got a block that has not begun"):
        _ = prof.profile
    with prof:
        fd.execute([x])
        with pytest.raises(fuser.Error, match="expected a block that has ended, .* got a block that has not ended"):
            _ = prof.profile
    assert prof.profile.segments == 1
    prof.reset()
    with pytest.raises(fuser.Error, match="got a profiler that was reset"):
        _ = prof.profile


def test_an_exception_goes_through():
    """An execution that failed is none, and the next block is a new one."""
    x = random(3)
    fd = define_double(x)
    prof = PythonProfiler()
    with pytest.raises(ZeroDivisionError):
        with prof:
            fd.execute([x])
            _ = 1 / 0
    with pytest.raises(fuser.Error, match="got a block that ended with ZeroDivisionError"):
        _ = prof.profile
    with prof:
        with pytest.raises(fuser.Error, match="expected 1 tensor and 0 numbers, got 0 and 1"):
            fd.execute([2.0])
        fd.execute([x])
    assert prof.profile.segments == 1


def test_blocks_are_not_within_each_other():
    x = random(3)
    fd = define_double(x)
    with PythonProfiler() as prof:
        with pytest.raises(fuser.Error, match="expected a block that is not within one of another profiler"):
            with PythonProfiler():
                pass
        fd.execute([x])
    assert prof.profile.segments == 1


def test_the_profile_that_was_made_last():
    x = random(3)
    fd = define_double(x)
    with pytest.raises(fuser.Error, match=r"expected an execution in `with PythonProfiler\(\):` before, got none"):
        get_fusion_profile()
    with PythonProfiler() as prof:
        fd.execute([x])
    fd.execute([x])
    assert get_fusion_profile() is prof.profile
    reset_profiler()
    with pytest.raises(fuser.Error, match="got none"):
        get_fusion_profile()
