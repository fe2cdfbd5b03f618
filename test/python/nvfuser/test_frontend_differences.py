# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's Python tests whose end differs here, complex numbers, and small ones; docs/nvfuser-tests.md lists all of them."""

import gc
import sys
import threading

import fuser
import ml_dtypes
import numpy as np
import pytest
from fuser.fusion_definition import get_data_type
from fuser.nvfuser_direct import DataType, FusionDefinition, version
from scenario import RNG, check, check_result, random, run


def test_import_correct():
    import fuser.nvfuser_direct as module

    assert module.__all__ == sorted(module.__all__, key=lambda name: (name[0].islower(), name))
    assert all(hasattr(module, name) for name in module.__all__)


def test_contiguous():
    """The stride of a size of 1 means nothing."""
    x = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (1, 1), (8, 4))

    def define(fd):
        t0 = fd.define_tensor([-1, -1], dtype=DataType.Float, contiguity=True)
        fd.add_output(fd.ops.sum(t0, [-1]))

    check(define, [x], np.ones(1, np.float32))


# Elements


@pytest.mark.parametrize("left", [np.float16, np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("right", [np.float16, np.float32, ml_dtypes.bfloat16])
def test_where_of_two_types(left, right):
    condition, x, y = RNG.random(5) > 0.5, random(5, dtype=left), random(5, dtype=right)

    def define(fd):
        t0 = fd.define_tensor(sizes=[5], strides=[1], dtype=DataType.Bool)
        t1, t2 = (fd.define_tensor(sizes=[5], strides=[1], dtype=get_data_type(each.dtype)) for each in (x, y))
        fd.add_output(fd.ops.where(t0, t1, t2))

    dtype = left if left == right else np.float32
    check(define, [condition, x, y], np.where(condition, x.astype(dtype), y.astype(dtype)))


def test_where():
    condition, x, y = RNG.random((5, 3)) > 0.5, random(5, 3), random(5, 3)

    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (condition, x, y))
        fd.add_output(fd.ops.where(t0, t1, t2))
        fd.add_output(fd.ops.where(t0, fd.define_scalar(1.5), t2))

    check(define, [condition, x, y], np.where(condition, x, y), np.where(condition, 1.5, y))


def test_var_correction():
    x = random(2, 8, 4)

    def define(fd):
        t0 = fd.from_pytorch(x)
        for correction in (0, 1, 2):
            fd.add_output(fd.ops.var(t0, [-1], correction))
            fd.add_output(fd.ops.var(t0, [0, 2], correction=correction, keepdim=True))

    expected = []
    for correction in (0, 1, 2):
        expected += [x.var(-1, ddof=correction), x.var((0, 2), ddof=correction, keepdims=True)]
    check(define, [x], *expected)


def test_input_scalar():
    x = random(3, 4)

    def define(fd):
        t0, s0 = fd.from_pytorch(x), fd.define_scalar()
        fd.add_output(fd.ops.mul(t0, s0))

    check(define, [x, 0.25], x * 0.25)
    check(define, [x, -3.0], x * -3)


def test_packed_fp4():
    """Two numbers lie in a byte; the size of the definition is that of the numbers, and nvFuser's Float4_e2m1fn_x2 is not there."""
    data = RNG.integers(0, 256, (64, 16), dtype=np.uint8)

    def define(fd):
        t0 = fd.define_tensor(shape=[64, 32], contiguity=[True, True], dtype=DataType.Float4_e2m1fn)
        fd.add_output(fd.ops.relu(fd.ops.cast(t0, DataType.Float)))

    numbers = np.stack([data & 15, data >> 4], -1).reshape(64, 32).view(ml_dtypes.float4_e2m1fn)
    check(define, [data], np.maximum(numbers.astype(np.float32), 0))
    with pytest.raises(
        NotImplementedError, match="Float4_e2m1fn_x2: fuser has no tensors of it; there are .*Float4_e2m1fn"
    ):
        FusionDefinition().define_tensor(shape=[64, 16], dtype=DataType.Float4_e2m1fn_x2)


# Complex numbers


def numbers(*shape, dtype=np.complex64):
    return (random(*shape, dtype=np.float64) + 1j * random(*shape, dtype=np.float64)).astype(dtype)


COMPLEX = pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)


def test_complex_constants():
    x = np.arange(2).astype(np.complex64)
    (got,) = check(
        lambda fd: fd.add_output(fd.ops.mul(fd.from_pytorch(x), fd.define_scalar(3.0 + 0.5j))), [x], x * (3 + 0.5j)
    )
    assert got.dtype == np.complex64


@COMPLEX
def test_complex_rsqrt(dtype):
    x = numbers(4, dtype=dtype)
    check(lambda fd: fd.add_output(fd.ops.rsqrt(fd.from_pytorch(x))), [x], 1 / np.sqrt(x))


@COMPLEX
def test_real_imag(dtype):
    x = numbers(5, dtype=dtype)

    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.real(t0))
        fd.add_output(fd.ops.imag(t0))

    check(define, [x], x.real, x.imag)


@COMPLEX
def test_reduction_complex_number(dtype):
    x = numbers(2, 32, dtype=dtype)
    name = DataType.ComplexFloat if dtype == np.complex64 else DataType.ComplexDouble
    (got,) = check(lambda fd: fd.add_output(fd.ops.sum(fd.from_pytorch(x), [-1], False, name)), [x], x.sum(-1))
    assert got.dtype == dtype


# Memory and devices


def test_mark_alias_pass():
    """The output has memory of its own, with what the value was defined to be."""
    x = random(2, 3, 4)
    (got,) = check(
        lambda fd: fd.add_output(fd.ops.reshape(fd.define_tensor([2, 3, 4]), [2, 12])), [x], x.reshape(2, 12)
    )
    assert not np.shares_memory(got, x)


def test_broadcast_in_dim_no_redundant_set():
    """Of dimensions that are all there already it is the same program as an expansion."""
    row, x = random(1, 4), random(3, 4)

    def define(fd, broadcast):
        t0 = fd.define_tensor(shape=[1, -1], contiguity=[None, True])
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True])
        if broadcast:
            t2 = fd.ops.broadcast_in_dim(t0, t1.shape(), [0, 1])
        else:
            t2 = fd.ops.expand(t0, t1.shape())
        fd.add_output(fd.ops.add(t2, t1))

    texts = []
    for broadcast in (True, False):
        check(lambda fd, b=broadcast: define(fd, b), [row, x], row + x)
        with FusionDefinition() as fd:
            define(fd, broadcast)
        texts.append(str(fd.fusion))
    assert texts[0] == texts[1] and "fusion.set" not in texts[0]


def test_input_forwarding_device():
    x = np.asarray(2.0, np.float32)
    (got,) = check(lambda fd: fd.add_output(fd.from_pytorch(x)), [x], x)
    assert isinstance(got, np.ndarray)


def test_single_segment_multi_device():
    """Tensors of one device: what needs no other input is no error."""
    x, y = np.asarray(2.0, np.float32), np.asarray(3.0, np.float32)

    def define(fd):
        t0, s0 = fd.from_pytorch(x), fd.define_scalar(3.0)
        t1, t2 = fd.ops.add(t0, s0), fd.from_pytorch(y)
        fd.ops.add(t1, t2)
        fd.add_output(t1)
        fd.add_output(t2)

    check(define, [x, y], np.float32(5), np.float32(3))


def test_issue2853():
    """A part of the program of which the inputs are tensors without dimensions is no error."""
    x, y = np.asarray(2.0, np.float32), random(3)

    def define(fd):
        t0, t1, s0 = fd.from_pytorch(x), fd.from_pytorch(y), fd.define_scalar(3.0)
        fd.add_output(fd.ops.add(t0, s0))
        fd.add_output(fd.ops.add(t1, s0))

    check(define, [x, y], np.float32(5), y + 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16, np.int64, np.bool_])
def test_tensors_of_the_cpu(dtype):
    """The program takes their elements, so that others may be on a GPU."""
    x, y = np.ones(3, dtype), np.array(1, dtype)
    element = get_data_type(y.dtype)
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[], dtype=element, is_cpu=True)
        t1, s2 = fd.define_tensor(shape=[-1], dtype=element), fd.define_scalar(DataType.Int)
        t3 = fd.define_tensor(sizes=[], strides=[], is_cpu=True)
        fd.add_output(fd.ops.add(t0, t1))
        fd.add_output(fd.ops.add(t3, s2))
        fd.add_output(fd.ops.uniform(0.0, 1.0, [2]))
    assert "(%arg0: " in fd.fusion.print_math() and f"%arg0: tensor<{element.value}>" not in fd.fusion.print_math()
    assert [each.is_tensor() for each in fd.fusion.inputs()] == [True, True, False, True]
    inputs = [y, x, 2, np.array(0.5, np.float32)]
    for got in (fd.validate(inputs), fd.execute(inputs, save_repro_inputs=True)):
        check_result(got[0], x + y)
        check_result(got[1], np.float32(2.5))
    assert fd.fec.get_scheduled_ir(inputs) == fd.fec.get_most_recent_scheduled_ir()
    scope = {}
    exec(fd.last_repro_script(), scope)
    for wrong in (x, y.astype(np.int8)):
        with pytest.raises(fuser.Error, match="expected a tensor of .* without dimensions as input 0, got one of"):
            fd.execute([wrong, *inputs[1:]])


def test_tensors_of_the_cpu_that_are_none():
    fd = FusionDefinition()
    with pytest.raises(ValueError, match="expected a tensor without dimensions where is_cpu=True, got one of 2"):
        fd.define_tensor(shape=[-1, 1], is_cpu=True)
    with pytest.raises(NotImplementedError, match="of complex64 with is_cpu=True: .* leave is_cpu out"):
        fd.define_tensor(shape=[], dtype=DataType.ComplexFloat, is_cpu=True)


def test_from_pytorch_fails_on_cpu_tensor():
    """It does not: tensors of the CPU are as good as any."""
    x = random(4, 4)
    check(lambda fd: fd.add_output(fd.ops.relu(fd.from_pytorch(x))), [x], np.maximum(x, 0))


def test_python_version_API():
    """It is a str as any other, without nvFuser's class of versions."""
    assert version() == fuser.__version__ and version() > "0.0.0"


def test_fusion_empty():
    with pytest.raises(fuser.Error, match="expected a program with at least one output, got none"), FusionDefinition():
        pass


def define_sum():
    """A definition as nvFuser's tests of texts have it, and its two inputs and its result."""
    with FusionDefinition() as fd:
        t0, t1 = fd.define_tensor(shape=[2, 4, 8]), fd.define_tensor(shape=[2, 4, 8])
        t2 = fd.ops.add(t0, t1)
        fd.add_output(t2)
    return fd, (t0, t1, t2)


SUM = """module {
  func.func @fusion(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = fusion.add %arg0, %arg1 : tensor<2x4x8xf32>
    return %0 : tensor<2x4x8xf32>
  }
}
"""


def test_fusion_definition_print():
    """Texts are of our program, and of kernels in PTX, those of a simulated GPU before there is one. No tensor has nvFuser's domains."""
    fd, tensors = define_sum()
    assert fd.fusion.print_math() == str(fd.fusion) == SUM
    kernel = fd.fusion.print_kernel()
    assert ".target sm_90" in kernel and kernel.count(".visible .entry") == 1 and "add.rn.f32" in kernel
    assert fd.fusion.print_kernel(compile_params=None) == kernel
    assert [str(each) for each in tensors] == ["<tensor [2, 4, 8] f32>"] * 3
    for name in ("domain", "axis"):
        assert not hasattr(tensors[0], name)


def test_what_is_printed_defines_the_same_program():
    """What a definition prints defines the same program."""
    fd = FusionDefinition()
    with fd:
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half)
        s0 = fd.define_scalar(DataType.Double)
        var, mean = fd.ops.var_mean(fd.ops.cast(t0, DataType.Float), [1], correction=0, keepdim=True)
        t1 = fd.ops.broadcast_in_dim(mean, [t0.size(0), t0.size(1)], [0, 1]) * s0 + (var // 2.0) - float("inf")
        fd.add_output(fd.ops.clamp(-t1, max=3.0))
        fd.add_output(fd.ops.full(fd.define_vector(2), True, DataType.Bool))
    scope = {"FusionDefinition": FusionDefinition, "DataType": DataType}
    exec(repr(fd), scope)
    with FusionDefinition() as again:
        scope["nvfuser_fusion"](again)
    assert str(again.fusion) == str(fd.fusion)
    assert "S1 = fd.define_scalar(DataType.Double)" in repr(fd)


def test_fusion_execution_cache():
    fd, tensors = define_sum()
    inputs = [random(2, 4, 8), random(2, 4, 8)]
    assert not fd.fec.is_compiled(inputs)
    check_result(fd.execute(inputs)[0], inputs[0] + inputs[1])
    # Tensors are there after an execution, without nvFuser's domains.
    assert [(str(each), each.dtype(), each.ndim) for each in tensors] == [
        ("<tensor [2, 4, 8] f32>", DataType.Float, 3)
    ] * 3
    assert not hasattr(tensors[0], "domain")
    with pytest.raises(NotImplementedError, match="fd.manual_execute: a schedule by hand"):
        fd.manual_execute(inputs)
    assert fd.fusion.print_math() == SUM
    assert fd.fec.is_compiled(inputs)
    scheduled = fd.fec.get_scheduled_ir(inputs)
    assert scheduled.count("fusion.segment ") == scheduled.count("schedule = #fusion.") == 1
    assert "fusion.add" in scheduled and "fusion.specialized" in scheduled
    assert fd.fec.get_most_recent_scheduled_ir() == scheduled
    assert fd.executable.specialize(*inputs).ir("schedules") == scheduled
    check_result(fuser.compile(scheduled)(*inputs), inputs[0] + inputs[1])
    kernels = fd.fec.get_scheduled_ir(inputs, tensor_transforms=True)
    assert "memref<2x4x8xf32>" in kernels and fd.fec.get_most_recent_scheduled_ir(True) == kernels
    kernel = fd.fec.get_cuda_kernel(inputs)
    assert ".target sm_90" in kernel and kernel.count(".visible .entry") == 1 and "add.rn.f32" in kernel
    assert fd.fec.get_cuda_kernel(inputs, intrinsic_code=True) == kernel == fd.fec.get_cuda_kernel(inputs, device="sim")


def test_texts_are_of_the_sizes_that_are_asked_for():
    """There is one executable for all sizes, and code of its own for a class of them."""
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.define_tensor(shape=[-1, -1]), [1]) * fd.define_vector(2)[1])
        fd.add_output(fd.ops.uniform(0.0, 1.0, [2]))
    few, many = [random(2, 64), [1, 2]], [random(2, 70000), [1, 2]]
    for inputs in (few, many):
        check_result(fd.execute(inputs, device="sim")[0], inputs[0].sum(1) * 2, rtol=1e-3)
    assert len(fd._executables) == 1
    texts = [fd.fec.get_scheduled_ir(inputs, device="sim") for inputs in (few, many)]
    assert texts[0] != texts[1] == fd.fec.get_most_recent_scheduled_ir()
    assert len({fd.fec.get_cuda_kernel(inputs) for inputs in (few, many)}) == 2


def test_inputs_of_the_last_execution_are_not_kept():
    fd, _ = define_sum()
    with pytest.raises(fuser.Error, match="expected a program that was executed, got one that was not"):
        fd.fec.get_most_recent_scheduled_ir()
    other, _ = define_sum()
    other.fec = fd.fec
    inputs = [random(2, 4, 8), random(2, 4, 8)]
    other.execute(inputs)
    assert fd.fec.get_most_recent_scheduled_ir() == fd.fec.get_scheduled_ir(inputs)
    del inputs
    gc.collect()
    with pytest.raises(
        fuser.Error, match=r"expected the tensors of the last execution to be alive, .* get_scheduled_ir\(inputs\)"
    ):
        fd.fec.get_most_recent_scheduled_ir()


class Hooked:
    """A tensor that does something while a call takes it."""

    def __init__(self, array, hook):
        self.array, self.hook = array, hook

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **given):
        self.hook()
        return self.array.__dlpack__(**given)

    def get(self, order):
        return self.array.copy(order)


def execute_elsewhere(fd, *inputs):
    other = threading.Thread(target=fd.execute, args=(inputs,), kwargs={"device": "sim"})
    other.start()
    other.join()


def test_threads_that_execute_on_other_devices(monkeypatch):
    """Each call runs on its own device, and what is left is of the one that ended last."""
    fd, _ = define_sum()
    x, y = random(2, 4, 8), random(2, 4, 8)
    hooked = Hooked(x, lambda: execute_elsewhere(fd, x, y))
    fd.execute([hooked, y], device="cpu")
    assert fd.executable.target == "cpu" and fd._executables.recent[0] == ("cpu", 0)
    # The other one of the targets is what it compares with.
    compiled, compile_ = [], FusionDefinition._compile
    monkeypatch.setattr(FusionDefinition, "_compile", lambda *given: compiled.append(given[1]) or compile_(*given))
    fd.validate([hooked, y], device="cpu")
    assert (compiled[0], compiled[-1]) == ("cpu", "sim")


def test_threads_that_execute_on_other_devices_before_it_is_compiled(monkeypatch):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.uniform(0.0, 1.0, [2]))
    randint = np.random.randint

    def draw(*args, **kwargs):
        if threading.current_thread() is threading.main_thread():
            execute_elsewhere(fd)
        return randint(*args, **kwargs)

    monkeypatch.setattr(np.random, "randint", draw)
    monkeypatch.setitem(sys.modules, "torch", None)
    fd.execute([], device="cpu")
    assert fd.fec.is_compiled([], "cpu") and fd.fec.is_compiled([], "sim")


def test_values_of_a_fusion():
    with FusionDefinition() as fd:
        t0, s1, (s2, s3) = fd.define_tensor([-1]), fd.define_scalar(), fd.define_vector(2)
        t4 = fd.ops.mul(t0, s1)
        t5 = fd.ops.neg(t4)  # No output needs it.
        t6 = fd.ops.uniform(0.0, 1.0, [s2, s3])
        fd.add_output(t4, t0)
        fd.add_output(t6)

    def are(values, expected):
        return all(one is other for one, other in zip(values, expected, strict=True))

    fusion = fd.fusion
    # Seeds that executions draw are the program's alone.
    assert are(fusion.inputs(), [t0, s1, s2, s3]) and are(fusion.outputs(), [t4, t6])
    assert are(fusion.vals(), [t0, s1, s2, s3, t4, t5, t6])
    assert [each.is_tensor() for each in fusion.inputs()] == [True, False, False, False]
    assert "fusion.neg" not in fusion.print_math() and "fd.ops.neg" in repr(fd)
    with pytest.raises(NotImplementedError, match="from_outputs_only=False: repr of the definition shows"):
        fusion.print_math(from_outputs_only=False)


def test_kernel_executor():
    """Without a schedule by hand, which is not there, the same program has one of the compiler's."""
    x, y = random(2, 4, 8), random(2, 4, 8)

    def define(fd):
        t0, t1 = fd.define_tensor(shape=[2, 4, 8]), fd.define_tensor(shape=[2, 4, 8])
        fd.add_output(fd.ops.add(t0, t1))

    check(define, [x, y], x + y)
    with FusionDefinition() as fd:
        define(fd)
    for call in (fd.manual_execute, fd.manual_validate):
        with pytest.raises(NotImplementedError, match="a schedule by hand is an attribute of the program's text"):
            call([x, y])


def test_enable_disable_options():
    """nvFuser's options choose among its schedulers; here they change nothing."""
    x, y = random(24, 8), random(8, 16)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.matmul(fd.from_pytorch(x), fd.from_pytorch(y)))
    (plain,) = fd.execute([x, y])
    (got,) = fd.execute([x, y], _enable_options=["fuse_matmul"], _disable_options=["matmul_expr_eval"])
    np.testing.assert_array_equal(got, plain)
    np.testing.assert_allclose(got, x @ y, rtol=1e-5, atol=1e-5)


# Slices, which are Python's


@pytest.mark.parametrize("size", [10, 5])
@pytest.mark.parametrize(
    "start, end, strides",
    [
        ([-1, -2], [5, 5], [7, 7]),
        ([3, 4], [1, 2], [1, 1]),
        ([0, 0], [5, 5], [5, 5]),
        ([2, 2], [4, 4], None),
        ([6, 6], [8, 8], [1, 1]),
    ],
)
def test_slice_error_checks(size, start, end, strides):
    """nvFuser refuses the first three."""
    x = random(size, size)
    expected = x[tuple(slice(*each) for each in zip(start, end, strides or [1, 1], strict=True))]

    def define(fd):
        fd.add_output(fd.ops.slice(fd.from_pytorch(x, static_sizes=True), start, end, strides))

    check(define, [x], expected)


@pytest.mark.parametrize(
    "start, end, strides",
    [
        ([0] * 3, [4] * 3, [1] * 3),
        ([0] * 3, [4] * 2, [1] * 2),
        ([0] * 2, [4] * 3, [1] * 2),
        ([0] * 2, [4] * 2, [1] * 3),
    ],
)
def test_slices_of_another_rank(start, end, strides):
    """The other errors of test_slice_error_checks."""
    got = f"{len(start)}, {len(end)} and {len(strides)}"
    expected = rf"expected a start, a stop and a step for each dimension of 'tensor<10x10xf32>', got {got}$"
    with pytest.raises(fuser.Error, match=expected):
        run(lambda fd: fd.add_output(fd.ops.slice(fd.define_tensor([10, 10]), start, end, strides)), [random(10, 10)])


# Random numbers


@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_deterministic_random(name):
    """Of the same seed and offset the same numbers; without them each execution draws a seed, and the offset stays."""
    x = random(5, 9)

    def define(fd, is_known):
        t0, a, b = fd.from_pytorch(x), fd.define_scalar(0.3, DataType.Float), fd.define_scalar(1.7, DataType.Float)
        state = {key: fd.define_scalar(DataType.Int) for key in ("rng_seed", "rng_offset")} if is_known else {}
        fd.add_output(fd.ops.mul(t0, getattr(fd.ops, name)(a, b, shape=[5, 9], **state)))

    definitions = []
    for is_known in (False, True):
        with FusionDefinition() as fd:
            define(fd, is_known)
        definitions.append(fd)
    drawing, knowing = definitions
    for seed in (0, 1, 2**40 + 7):
        results = [knowing.execute([x, seed, offset])[0] for offset in range(4)]
        again = [knowing.execute([x, seed, offset])[0] for offset in range(4)]
        np.testing.assert_array_equal(results, again)
        assert len({each.tobytes() for each in results}) == 4
        np.random.seed(seed % 1000)
        drawn = [drawing.execute([x])[0] for _ in range(4)]
        np.random.seed(seed % 1000)
        for each in drawn:
            chosen = int(np.random.randint(2**62, dtype=np.int64))
            np.testing.assert_array_equal(each, knowing.execute([x, chosen, 0])[0])


def test_mismatched_input_types():
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, is_cpu=False, stride_order=[0])
        fd.add_output(fd.ops.mul(t0, fd.define_scalar()))
    x = random(15)
    with pytest.raises(fuser.Error, match="expected 1 tensor and 1 number, got 0 and 2; arguments 0, 1 are numbers"):
        fd.execute([2.0, 2.0])
    with pytest.raises(fuser.Error, match="expected 1 tensor and 1 number, got 2 and 0; arguments 0, 1 are tensors"):
        fd.execute([x, x])
    for dtype, name in ((np.float16, "f16"), (np.float64, "f64")):
        with pytest.raises(fuser.Error, match=f"input 0 'arg0': expected element type f32, got {name}$"):
            fd.execute([x.astype(dtype), 2.0])
    with pytest.raises(TypeError, match="argument 1: expected a number or a tensor with __dlpack__, got complex"):
        fd.execute([x, 2.0 + 1.0j])
