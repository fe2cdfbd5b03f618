# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and arguments of nvFuser's Python module: programs may say an argument by its name."""

import ast
import inspect
from pathlib import Path

import fuser
import numpy as np
import pytest
from fuser import nvfuser_direct
from fuser._nvfuser_ops import Ops, TensorView
from fuser.builder import Composites
from fuser.nvfuser_direct import (
    DataType,
    FusionDefinition,
    FusionExecutorCache,
    LRUCache,
    LruFusionCache,
    pytorch_utils,
)
from scenario import check, random, run
from test_nvfuser_ops import TWO

_REDUCTION = "arg dim dims keepdim dtype"
_SCALED = "mat1 mat2 scale1 scale2 alpha bias beta dtype output_block_scale_size output_block_scale_dtype output_gamma"
#: nvFuser's names of arguments, in order. Other ops of one operand take it by its place alone.
ARGUMENTS = {
    "complex": "real imag",
    "lerp": "x y weight",
    "where": "condition x y",
    "clamp": "input min max",
    "threshold": "input threshold value",
    "addcmul": "input1 input2 input3 alpha",
    **dict.fromkeys(("max", "min", "prod", "sum"), _REDUCTION),
    **dict.fromkeys(("var", "var_mean"), "arg dims correction keepdim"),
    "welford": "arg dims",
    **dict.fromkeys(("cumsum", "cumprod", "cummin", "cummax"), "arg dim init"),
    "cast": "arg dtype",
    "triu": "arg diagonal",
    "matmul": "arg1 arg2",
    "linear": "arg1 arg2 bias",
    "grouped_mm": _SCALED.replace("mat2", "mat2 offsets"),
    "scaled_mm": _SCALED,
    "broadcast": "arg is_broadcast_dim",
    "broadcast_in_dim": "arg shape broadcast_dims",
    "reshape": "arg new_shape",
    "permute": "arg dims",
    "expand": "arg shape",
    "squeeze": "arg dims squeeze_expanded",
    "slice": "arg start_indices end_indices strides manual_normalization",
    "size": "arg dim",
    "shape": "arg",
    "stride_order": "arg stride_order",
    **dict.fromkeys(("index_select", "select", "gather", "take_along_axis"), "arg index dim"),
    "scatter": "arg index src dim",
    "pad": "arg pad_widths value",
    "cat": "tensors dim manual_padding",
    "embedding_fwd": "input weight padding_idx max_norm norm_type scale_grad_by_freq sparse",
    "iota": "length start step dtype",
    "full": "shape fill_value dtype",
    "topk": "arg k dim largest sorted",
    "argsort": "arg dim descending stable",
    "sdpfa_fwd": "query key value bias mask dropout_p is_causal scale",
    "sdpfa_bwd": ("grad_output query key value output logsumexp dropout_p is_causal philox_seed philox_offset scale"),
    "nv_block_quantize": "input global_scale swizzle_block_scales block_size dtype",
    "nv_grouped_block_quantize": "input input_offsets output_offsets global_scale block_size dtype",
    "preprocess_grouped_matmul_input_sf": "input input_offsets output_offsets",
    "cutlass_nvfp4_grouped_mm": "mat1 mat2 scale1 scale2 alpha problem_sizes expert_offsets sf_offsets dtype",
    "normal": "mean std shape rng_seed rng_offset dtype",
    "uniform": "minval maxval shape rng_seed rng_offset dtype",
    **dict.fromkeys(("rand_like", "randn_like"), "arg rng_seed rng_offset"),
    **dict.fromkeys(TWO, "lhs rhs"),
}


def get_arguments(name):
    """An op's names of arguments."""
    return list(inspect.signature(getattr(Ops, name)).parameters)[1:]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_names_of_arguments(name):
    ours, expected = get_arguments(name), ARGUMENTS[name].split()
    assert set(expected) <= set(ours)
    if ARGUMENTS[name] != _REDUCTION:  # These have two names for the dimensions.
        assert [each for each in ours if each in expected] == expected


def test_all_ops_are_compared():
    """An op that is not in the table has one operand."""
    for name, op in vars(Ops).items():
        if name.startswith("_") or name in ARGUMENTS or name in vars(Composites):
            continue
        if name not in ("std", "std_mean"):  # nvFuser's Python has none.
            assert list(inspect.signature(inspect.unwrap(op)).parameters) == ["self", "arg"], name


def test_arguments_by_name():
    x, y = random(3, 4), random(4, 2)

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.matmul(arg1=t0, arg2=t1))
        fd.add_output(fd.ops.imag(fd.ops.complex(real=t0, imag=fd.ops.neg(t0))))
        fd.add_output(fd.ops.sub(rhs=t0, lhs=1.0))
        fd.add_output(fd.ops.cumsum(arg=t0, dim=1, init=None))

    check(define, [x, y], x @ y, -x, 1 - x, x.cumsum(1))


# Scans that begin with a number


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
@pytest.mark.parametrize("given", ["number", "constant", "input"])
def test_init_of_scans(name, given):
    function = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}[name]
    x, init = random(5, 8), 0.75
    expected = function.accumulate(np.insert(x, 0, init, 1), 1)[:, 1:]

    def define(fd):
        t0 = fd.from_pytorch(x)
        first = init if given == "number" else fd.define_scalar(*([init] if given == "constant" else []))
        fd.add_output(getattr(fd.ops, name)(t0, 1, first))
        fd.add_output(getattr(fd.ops, name)(t0, dim=-1, init=first))

    got = check(define, [x, init] if given == "input" else [x], expected, expected)
    assert all(each.dtype == np.float32 for each in got)


def test_init_of_scans_of_integers():
    """A number is of the result's type, as the fill of full is."""
    x = np.arange(-3, 5, dtype=np.int32)
    (got,) = check(lambda fd: fd.add_output(fd.ops.cumsum(fd.from_pytorch(x), 0, 10)), [x], x.cumsum() + 10)
    assert got.dtype == np.int64
    check(lambda fd: fd.add_output(fd.ops.cummax(fd.from_pytorch(x), 0, 1.5)), [x], np.maximum(x, 1))
    one = random(1)  # Of one element, too.
    check(lambda fd: fd.add_output(fd.ops.cumsum(fd.from_pytorch(one), 0, 2.0)), [one], one + 2)


def test_init_of_scans_is_no_tensor():
    with pytest.raises(
        fuser.Error,
        match=r"test_signatures.py:\d+: error: expected a number or a scalar as init, got <tensor .* f32>: it is",
    ):
        run(lambda fd: fd.ops.cumsum(fd.from_pytorch(random(3)), 0, fd.from_pytorch(random(3))), [])


# What was compiled


def define_powers(count):
    with FusionDefinition() as fd:
        t0 = t1 = fd.define_tensor(shape=[-1])
        for _ in range(count):
            t1 = fd.ops.mul(t1, t0)
        fd.add_output(t1)
    return fd


def test_counts_of_a_cache():
    create = LruFusionCache(max_fusions=10)(define_powers)
    assert create.stats() == "Max Fusions Allowed: 10\nThe fusion cache is empty.\n"
    x = random(4)
    for _ in range(5):
        first, second = create(1), create(2)
        np.testing.assert_allclose(first.execute([x])[0], x**2, rtol=1e-6)
        np.testing.assert_allclose(second.execute([x])[0], x**3, rtol=1e-6)
        assert first.fusion == first.fusion and first.fusion != second.fusion
    lines = ["Max Fusions Allowed: 10", "Total Fusions in Cache: 2", "Total Unique Fusions Compiled: 2"]
    lines += ["Cache Hits by LRU ordering:", "\t0 -> 4 hits", "\t1 -> 4 hits"]
    lines += ["Cache Lookups: 10", "Cache Hits: 8", "Hit Rate: 80%", ""]
    assert create.stats() == "\n".join(lines) and create.num_fusions() == 2


def test_executor_caches():
    """Of equal programs one; a definition that is given it executes what was compiled for the other one."""
    cache, x = LRUCache(max_fusions=1), random(4)
    first, again, other = define_powers(1), define_powers(1), define_powers(2)
    compiled = cache.cache_compile(first.fusion)
    assert isinstance(compiled, FusionExecutorCache) and not compiled.is_compiled([x])
    assert cache.cache_compile(again.fusion) is compiled and compiled.fusion() == again.fusion
    again.fec = compiled
    assert not again.fec.is_compiled([x])
    np.testing.assert_allclose(compiled.execute([x])[0], x**2, rtol=1e-6)
    assert again.fec.is_compiled([x]) and again._executables is first._executables
    np.testing.assert_allclose(again.execute([x])[0], x**2, rtol=1e-6)
    with pytest.raises(fuser.Error, match="expected what was compiled of the same program, got that of another one"):
        other.fec = compiled
    cache.cache_compile(other.fusion)
    assert cache.num_fusions() == 1 and cache.cache_compile(again.fusion) is not compiled
    with pytest.raises(fuser.Error, match="expected room for at least 1 program as max_fusions, got 0"):
        LRUCache(max_fusions=0)


def test_what_was_used_last_stays():
    cache = LRUCache(max_fusions=2)
    first, second, third = (define_powers(count).fusion for count in (1, 2, 3))
    kept = cache.cache_compile(first)
    cache.cache_compile(second)
    assert cache.cache_compile(first) is kept and "\t0 -> 1 hits\n\t1 -> 0 hits" in cache.stats()
    cache.cache_compile(third)
    assert cache.cache_compile(first) is kept and cache.num_fusions() == 2


def test_translate_fusion():
    fd = define_powers(2)
    text = nvfuser_direct.translate_fusion(fd.fusion)
    assert text == repr(fd) and text.count("fd.ops.mul") == 2


# What is not there says so


#: What nvFuser's extension module and its package (81c4b22f) have beside the names of `__all__`, without the modules benchmark_utils and nvfuser_direct_version.
OTHERS = """
    BroadcastOp CacheOp CircularBufferOptions ClusterDims Communicator CommunicatorBackend CompileParams DeviceMesh Expr FusionGuard GemmTile HeuristicParams
    IdMappingMode IdModel IterDomain KernelExecutor LaunchParams LoadStoreOpType MatMulTileOptions MatmulBufferingLoopLevel
    MatmulCircularBufferingStrategy MatmulParams MatmulTileRasterizationOrder MatmulTilingStrategy MemoryType Merge MmaMacro MmaMacroArch
    MmaMacroEncode MultiDeviceExecutor MultiDeviceExecutorParams ParallelType PointwiseParams ReductionParams ReshapeOp SchedulerType Sharding Split
    SqueezeOp Statement SupportedVectorization TensorDomain Val ValGraph define_scalar define_tensor execute_with_dtensors get_val_tolerances idm
    multidevice nvf_cutlass ops schedule validate_with_auto_inferred_outputs
"""


def test_no_name_of_nvfusers_is_forgotten():
    assert set(OTHERS.split()) == set(nvfuser_direct._UNSUPPORTED)


def test_names_that_are_not_there():
    for name in nvfuser_direct._UNSUPPORTED:
        with pytest.raises(NotImplementedError, match=rf"fuser\.nvfuser_direct\.{name}: fuser does not have "):
            getattr(nvfuser_direct, name)
        assert not hasattr(nvfuser_direct, name) and getattr(nvfuser_direct, name, None) is None
    with pytest.raises(ImportError, match="kernels of CUTLASS: fd.ops has scaled_mm"):
        from fuser.nvfuser_direct import nvf_cutlass  # noqa: F401
    with pytest.raises(AttributeError, match="module 'fuser.nvfuser_direct' has no attribute 'nothing'$"):
        nvfuser_direct.nothing  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"has no attribute 'FusionDefinitions'; did you mean 'FusionDefinition'\?"
    ):
        nvfuser_direct.FusionDefinitions  # noqa: B018


def test_names_that_are_near():
    fd = FusionDefinition()
    with pytest.raises(AttributeError, match=r"expected an op of nvFuser's, got 'sofmax'; did you mean 'softmax'\?"):
        fd.ops.sofmax  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"expected an attribute of a TensorView, got 'shap'; did you mean 'shape'\?"
    ):
        fd.define_tensor([-1]).shap  # noqa: B018


def test_schedules_of_tensors_are_not_there():
    t0 = FusionDefinition().define_tensor(shape=[-1, -1])
    for name in ("split", "merge", "axis", "cache_after", "set_memory_type"):
        assert not hasattr(t0, name)
        with pytest.raises(NotImplementedError, match=rf"TensorView\.{name}: a schedule by hand is an attribute"):
            getattr(t0, name)
    with pytest.raises(AttributeError, match="expected an attribute of a TensorView, got 'nothing'"):
        t0.nothing  # noqa: B018
    assert isinstance(t0, TensorView)
    fd = define_powers(1)
    with pytest.raises(NotImplementedError, match="get_output_shardings: several ranks"):
        fd.fec.get_output_shardings()
    with pytest.raises(NotImplementedError, match="print_kernel with compile_params: a schedule by hand"):
        fd.fusion.print_kernel({})
    for name in ("add_input", "add_output"):
        assert not hasattr(fd.fusion, name)
        with pytest.raises(NotImplementedError, match=rf"Fusion\.{name}: the program has ended; fd.define_tensor"):
            getattr(fd.fusion, name)
    with pytest.raises(
        AttributeError, match=r"expected an attribute of a Fusion, got 'print_maths'; did you mean 'print_math'\?"
    ):
        fd.fusion.print_maths  # noqa: B018
    with pytest.raises(NotImplementedError, match="auto_schedule=False: a schedule by hand"):
        FusionExecutorCache(define_powers(1).fusion, auto_schedule=False)


def test_validate_takes_what_execute_takes():
    x = random(4)
    define_powers(1).validate([x], [x**2], _enable_options=["id_model"], save_repro_inputs=True)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        define_powers(1).validate([x], [x**2 + 1])
    with pytest.raises(TypeError, match="expected the keywords .*, got 'nothing'"):
        define_powers(1).validate([x], [x**2], nothing=1)


def define_copy(x):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.set(fd.from_pytorch(x)))
    return fd


Z = np.array([1 + 2j, 3 - 4j], np.complex64)
N = np.array([1, 10**9])


@pytest.mark.parametrize(
    "x, wrong, text",
    [
        (Z, Z.conj(), "output 0"),
        (Z, Z.real + 1000j * Z.imag, "output 0"),
        (Z, Z.real, r"expected f32 \[2\], got complex<f32> \[2\]"),
        (N, N + [0, 1], "output 0"),
        (N, N.astype(np.float64), r"expected f64 \[2\], got i64 \[2\]"),
        (N == 1, N != 1, "output 0"),
        (np.ones(3, np.float32), np.array(1, np.float32), r"expected f32 \[\], got f32 \[3\]"),
        (np.ones(3, np.float32), np.ones((1, 3), np.float32), r"expected f32 \[1, 3\], got f32 \[3\]"),
        (np.ones(3, np.float32), 1.0, r"expected f64 \[\], got f32 \[3\]"),
        (np.float32([1, 4]) * np.float32(1e-5), np.zeros(2, np.float32), "output 0"),
        (np.ones(3), np.ones(3) + 1e-8, "output 0"),
        (np.ones(3), np.array([1, np.nan, 1]), "output 0"),
    ],
)
def test_validate_refuses(x, wrong, text):
    with pytest.raises(AssertionError, match=text):
        define_copy(x).validate([x], [wrong])


@pytest.mark.parametrize(
    "x, error",
    [
        (Z, 2e-5j),
        (N, 0),
        (N == 1, 0),
        (np.float32([1e4, 0, np.nan, np.inf]), 0.1),
        (np.float16([1, 0]), 5e-3),
        (np.ones(2), 1e-11),
    ],
)
def test_validate_takes_errors_of_the_element_type(x, error):
    """Of the greatest element, too: the second one of Float may be all that is left of two that cancel."""
    define_copy(x).validate([x], [(x + error).astype(x.dtype)])


def test_validate_takes_tensors_of_torch():
    torch = pytest.importorskip("torch")
    for x in (
        torch.tensor(Z),
        torch.ones(2, dtype=torch.bfloat16),
        torch.ones(2, dtype=torch.float8_e4m3fn),
        torch.tensor([3, 4]),
    ):
        fd = define_copy(x)
        fd.validate([x], [x.clone()])
        with pytest.raises(AssertionError, match="output 0"):
            fd.validate(
                [x], [(x.to(torch.complex64) * 2j).to(x.dtype) if x.is_complex() else (x.float() * 2).to(x.dtype)]
            )
    # What PyTorch keeps as a bit beside the memory.
    z = torch.tensor(Z)
    define_copy(z).validate([z.conj().resolve_conj()], [z.conj()])


def test_validate_computes_its_own_references():
    """nvFuser's form: on another target, with the same random numbers, and inputs as they were before the program wrote over them."""
    x, y = random(4, 6), random(6).astype(np.float64)
    with FusionDefinition() as fd:
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        noisy = fd.ops.mul(t0, fd.ops.uniform(0.0, 1.0, [4, 6]))
        fd.add_output(fd.ops.sum(noisy, 1))
        fd.add_output(fd.ops.add(t0, t1))
        fd.add_output(fd.ops.exp(t0), t0)
    before = x.copy()
    summed, added = fd.validate([x, y])
    np.testing.assert_array_equal(added, before + y)
    np.testing.assert_allclose(x, np.exp(before), rtol=1e-6)
    assert summed.shape == (4,) and fd.executable.target == "cpu"
    # Something else on the other target is found.
    with FusionDefinition() as other:
        other.add_output(other.ops.sin(other.from_pytorch(x)))
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.cos(fd.from_pytorch(x)))
    other.execute([x], device="sim")
    fd._executables["sim", 0] = other._executables["sim", 0]
    with pytest.raises(AssertionError, match="output 0"):
        fd.validate([x])


def test_validate_takes_tensors_alone_too():
    torch = pytest.importorskip("torch")
    x = torch.randn(3, 5, requires_grad=True)
    with FusionDefinition() as fd:
        t0, s0 = fd.from_pytorch(x), fd.define_scalar()
        fd.add_output(fd.ops.mul(fd.ops.permute(t0, [1, 0]), s0))
    (got,) = fd.validate([x, 2.0])
    torch.testing.assert_close(got, 2 * x.detach().T)


# What ops say of their arguments


def test_arguments_that_are_wrong():
    """Once it named functions of the package's own, or no op."""
    fd = FusionDefinition()
    t0 = fd.define_tensor([4, 4])
    for call, message in [
        (
            lambda: fd.ops.uniform(0, 1, [3], seed=1),
            r"fd.ops.uniform: expected \(.*\): got an unexpected keyword argument 'seed'; did you mean 'rng_seed'\?",
        ),
        (lambda: fd.ops.normal(0, 1), r"fd.ops.normal: expected \(.*\): missing a required argument: 'shape'"),
        (lambda: fd.ops.scaled_mm(t0, t0), r"fd.ops.scaled_mm: expected \(.*\): missing a required argument: 'scale1'"),
        (
            lambda: fd.ops.scaled_mm(t0, t0, t0, t0, out_dtype=DataType.Half),
            r"argument 'out_dtype'; did you mean 'dtype'\?",
        ),
        (
            lambda: fd.ops.max(t0, [1], keepdims=True),
            r"fd.ops.max: expected \(arg, dims=None, keepdim=False, .*\): .* 'keepdims'; did you mean 'keepdim'\?",
        ),
        (lambda: fd.ops.sum(t0, axis=0), r"fd.ops.sum: expected \(arg, dims=None, .*'axis'; did you mean 'dims'\?$"),
        (lambda: fd.ops.var(t0, axis=0), r"fd.ops.var: expected .*'axis'; did you mean 'dims'\?$"),
        (lambda: fd.ops.var(t0, [0], ddof=0), r"fd.ops.var: expected .*'ddof'; did you mean 'correction'\?$"),
        (lambda: fd.ops.cumsum(t0, axis=0), r"fd.ops.cumsum: expected .*'axis'; did you mean 'dim'\?$"),
        (lambda: fd.ops.cat([t0], axis=0), r"fd.ops.cat: expected .*'axis'; did you mean 'dim'\?$"),
        (lambda: fd.ops.permute(t0, axes=[1, 0]), r"fd.ops.permute: expected .*'axes'; did you mean 'dims'\?$"),
        (lambda: fd.ops.reshape(t0, shape=[16]), r"fd.ops.reshape: expected .*'shape'; did you mean 'new_shape'\?$"),
        (lambda: fd.ops.full(size=[4], fill_value=1), r"fd.ops.full: expected .*'size'; did you mean 'shape'\?$"),
        (lambda: fd.ops.exp(input=t0), r"fd.ops.exp: expected \(arg\): .*'input'; did you mean 'arg'\?$"),
        (lambda: fd.ops.add(t0, other=t0), r"fd.ops.add: expected .*'other'; did you mean 'rhs'\?$"),
        (lambda: fd.ops.add(t0), r"fd.ops.add: expected \(lhs, rhs\): missing a required argument: 'rhs'"),
        (
            lambda: fd.ops.grouped_mm(t0, t0, t0, dtype=DataType.Half),
            "expected scale1 and scale2, or no argument behind offsets, got others",
        ),
        (lambda: fd.ops.sdpfa_fwd(t0, t0), r"fd.ops.sdpfa_fwd: expected \(.*\): missing a required argument: 'value'"),
        (lambda: fd.add_output(t0, 3), "expected an input of the program as alias, got 3"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(ValueError, match="expected rng_seed and rng_offset, or neither of them, got one of them"):
        fd.ops.uniform(0, 1, [3], rng_seed=1)
    for make in (
        lambda: fd.define_tensor(shape=[-3]),
        lambda: fd.define_tensor(sizes=[-3], strides=[1], static_sizes=True),
    ):
        with pytest.raises(
            fuser.Error, match="expected sizes that are not negative, or None or -1 for an open one, got -3"
        ):
            make()
    with pytest.raises(
        fuser.Error, match="'bitwise_and': expected booleans or integers as operand 0, got 'tensor<4x4xf32>'"
    ):
        fd.ops.bitwise_and(t0, t0)


def test_signatures_have_names_alone():
    for name, op in vars(Ops).items():
        if not name.startswith("_"):
            kinds = {each.kind for each in inspect.signature(op).parameters.values()}
            assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}, name
    text = "(self, minval, maxval, shape, *, rng_seed=None, rng_offset=None, dtype=DataType.Float)"
    assert str(inspect.signature(Ops.uniform)) == text


# What is wrong with inputs


def test_inputs_are_a_list():
    x = random(3, 2)
    fd = define_copy(x)
    for call in (fd.execute, fd.fec.execute, fd.fec.is_compiled, fd.repro_script_for):
        with pytest.raises(TypeError, match=r"expected a list of inputs, got one tensor: write .*\(\[x\]\)"):
            call(x)
    with pytest.raises(
        TypeError, match=r"^fd\.execute: expected a list of inputs, got 2\.0: write fd\.execute\(\[x\]\)"
    ):
        fd.execute(2.0)
    np.testing.assert_array_equal(fd.execute(each for each in [x])[0], x)


def test_seeds_are_no_inputs_of_the_user():
    with FusionDefinition() as fd:
        t0, s0 = fd.define_tensor([-1]), fd.define_scalar()
        fd.add_output(fd.ops.add(fd.ops.mul(t0, s0), fd.ops.rand_like(t0)))
    x = random(3)
    for inputs, got in (([x], "1 and 0"), ([x, 1.0, 2.0], "1 and 2"), ([2.0, 1.0], "0 and 2"), ([x, x], "2 and 0")):
        with pytest.raises(fuser.Error, match=f"expected 1 tensor and 1 number, got {got}$") as caught:
            fd.execute(inputs)
        assert caught.value.code == 1
    assert fd.execute([x, 1.0])[0].shape == (3,)


@pytest.mark.parametrize(
    "args, named, text",
    [
        ((-1, -1), {}, "expected a list of integers as sizes, got -1$"),
        ((-1,), {}, "expected a list of integers as shape, got -1$"),
        (([-1], -1), {}, "expected a list of integers as strides, got -1$"),
        (([1.5],), {}, "expected integers as shape, got 1.5$"),
        ((), {}, "expected the arguments shape, contiguity, dtype, is_cpu, stride_order: missing .* 'shape'$"),
        (([-1],), {"stride_oder": [0]}, r"unexpected keyword argument 'stride_oder'; did you mean 'stride_order'\?$"),
        (
            (),
            {"sizes": [2], "strides": [1], "static": True},
            "expected the arguments sizes, strides, .* argument 'static'",
        ),
        (([-1], True, DataType.Float, False, [], 3), {}, "too many positional arguments$"),
    ],
)
def test_arguments_of_define_tensor(args, named, text):
    with pytest.raises(TypeError, match=text):
        FusionDefinition().define_tensor(*args, **named)


# What type checkers read


@pytest.mark.parametrize("module", [nvfuser_direct, pytorch_utils], ids=lambda module: module.__name__)
def test_stubs(module):
    """What the stub says of functions and methods is so; all public ones are in it."""
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text())
    listed = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            listed |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            listed[node.name] = node
    real = {}
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) != module.__name__ or name.startswith("_"):
            continue
        methods = vars(value) if inspect.isclass(value) else {}
        real |= {f"{name}.{each}": method for each, method in methods.items() if inspect.isfunction(method)} or {
            name: value
        }
    assert listed.keys() == real.keys()
    for name, node in listed.items():
        assert [each.arg for each in node.args.args] == list(inspect.signature(real[name]).parameters), name
    exported = next(
        (
            ast.literal_eval(node.value)
            for node in stub.body
            if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
        ),
        None,
    )
    assert exported == getattr(module, "__all__", None)


# What an older frontend of nvFuser's has


def test_a_class_with_a_definition():
    """The method is not called: the error says so, and where the object was made."""

    class Scale(FusionDefinition):
        def definition(self):
            self.add_output(self.from_pytorch(np.ones(3, np.float32)) * 2.0)

    fd = Scale()
    line = test_a_class_with_a_definition.__code__.co_firstlineno + 7
    expected = rf"test_signatures\.py:{line}: error: expected a program with at least one output, got none: a method definition\(\) is of"
    for wrong in (lambda: fd.execute([np.ones(3, np.float32)]), fd.validate_definition, lambda: fd.fusion):
        with pytest.raises(fuser.Error, match=expected) as caught:
            wrong()
        assert caught.value.code == 1
    fd.definition()
    np.testing.assert_array_equal(fd.execute([np.ones(3, np.float32)])[0], [2, 2, 2])


def test_no_outputs_are_at_the_definition():
    fd = FusionDefinition()
    line = test_no_outputs_are_at_the_definition.__code__.co_firstlineno + 1
    with pytest.raises(
        fuser.Error, match=rf"\.py:{line}: error: expected a program with at least one output, got none$"
    ):
        fd.execute([])


@pytest.mark.parametrize(
    "name, instead",
    [
        ("profile", r"fd\.executable\.report"),
        ("print_repro", r"print\(fd\.repro_script_for\(inputs\)\)"),
        ("override_user_schedule", "a schedule by hand is an attribute of the program's text"),
        ("capture_debug_output", r"fd\.executable\.ir"),
    ],
)
def test_keywords_of_execute(name, instead):
    with FusionDefinition() as fd:
        fd.add_output(fd.from_pytorch(x := np.ones(3, np.float32)) * 2.0)
    with pytest.raises(NotImplementedError, match=rf"^fd\.execute with {name}=True: .*{instead}"):
        fd.execute([x], **{name: True})
    np.testing.assert_array_equal(fd.execute([x], **{name: False})[0], x * 2)
    with pytest.raises(
        TypeError, match=r"fd\.execute: expected the keywords .*, got 'save_repro'; did you mean 'save_repro_inputs'\?"
    ):
        fd.execute([x], save_repro=True)


def test_names_of_definitions_that_are_spelled_wrong():
    fd = FusionDefinition()
    with pytest.raises(AttributeError, match="of a FusionDefinition, got 'defin_tensor'; did you mean 'define_tensor'"):
        fd.defin_tensor([4, 4])
    assert not hasattr(fd, "definition") and not hasattr(fd, "_nothing")


@pytest.mark.parametrize("flags", [[True, False], [True, False, True], []])
def test_errors_of_broadcast_name_its_argument(flags):
    own = flags.count(False)
    with FusionDefinition() as fd:
        t = fd.define_tensor([-1, -1])
        fd.add_output(t)
        text = f"'broadcast': expected a False in 'is_broadcast_dim' for each of the 2 dimensions .*, got {own} of {len(flags)}$"
        with pytest.raises(fuser.Error, match=text):
            fd.ops.broadcast(t, flags)
        with pytest.raises(TypeError, match="expected a list of bools as is_broadcast_dim, .*, got 7$"):
            fd.ops.broadcast(t, is_broadcast_dim=7)
