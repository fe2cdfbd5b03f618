# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend: PyTorch's graphs of a function, forward and backward, with fuser's programs in them."""

import functools

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition

from . import _foreach
from ._check import Options
from ._functions import Rewriting
from ._ops import WHOLE
from ._stages import fuse

try:
    from torch.fx.graph import _BoxedCodeGen
except ImportError:  # An older PyTorch: arguments live until a graph has run.
    _BoxedCodeGen = None

_aten = torch.ops.aten
#: Core ops that are made of simpler ones.
_COMPOSITES = [
    _aten._softmax,
    _aten._log_softmax,
    _aten.native_layer_norm,
    _aten.native_group_norm,
    _aten.native_batch_norm,
    _aten._native_batch_norm_legit,
    _aten._native_batch_norm_legit_functional,
    _aten._native_batch_norm_legit_no_training,
    _aten.gelu,
    _aten.elu,
    _aten.leaky_relu,
    _aten.hardtanh,
]
#: What PyTorch has a better kernel for than its decomposition is, random numbers that are to be the same ones, what fuser has itself, and
#: detach: a view of its decomposition, an alias, would have the gradient of what it is of.
_KEPT = [
    _aten.detach,
    _aten._scaled_dot_product_flash_attention_for_cpu,
    _aten.embedding_dense_backward,
    _aten.index_copy,
    _aten.index_add,
    _aten.baddbmm,
    _aten.bernoulli,
    _aten.roll,
    _aten._unsafe_index,
    _aten._unsafe_masked_index,
    _aten._unsafe_masked_index_put_accumulate,
]


def _repeat(x, repeats):
    """As PyTorch's kernel: row-major whatever x is, which the decomposition of PyTorch is not where there are sizes or repeats of 1."""
    sizes = [1] * (len(repeats) - x.dim()) + list(x.shape)
    split = x.reshape([number for size in sizes for number in (1, size)])
    wide = split.expand([number for pair in zip(repeats, sizes, strict=True) for number in pair])
    wide = wide.clone(memory_format=torch.contiguous_format)
    return wide.view([count * size for count, size in zip(repeats, sizes, strict=True)])


@functools.cache
def _get_tables():
    table = dict(core_aten_decompositions())
    table |= get_decompositions(_COMPOSITES)
    table |= _foreach.get_decompositions() | {_aten.repeat.default: _repeat}
    packets = [*_KEPT, *(getattr(_aten, name) for name in WHOLE)]
    kept = {getattr(packet, name) for packet in packets for name in packet.overloads()}
    return {op: function for op, function in table.items() if op not in kept}


def _get_decompositions():
    table = dict(_get_tables())
    # What Dynamo makes of addcmul_; there is such an op once Inductor was imported.
    if fma := getattr(torch.ops.prims, "fma", None):
        table[fma.default] = lambda a, b, c: _aten.add(_aten.mul(a, b), c)
    return table


def _partition(joint, inputs, **options):
    """The graphs forward and backward of one of both."""
    # What autograd saves is detached. PyTorch's partitioner sees through an alias to compute it anew, but not through detach.
    for node in joint.graph.nodes:
        if node.target is _aten.detach.default:
            node.target = _aten.alias.default
            node.meta["is_detached"] = True
    modules = min_cut_rematerialization_partition(joint, inputs, **options)
    for module in modules:
        for node in module.graph.nodes:
            if node.target is _aten.alias.default and "is_detached" in node.meta:
                node.target = _aten.detach.default
        module.recompile()
    return modules


def _compile(module, _inputs, options):
    """A graph of ATen's ops as a function of a list of tensors, which it empties."""
    module = fuse(module, options)
    if _BoxedCodeGen is None:
        return make_boxed_func(module.forward)
    module.graph.set_codegen(_BoxedCodeGen())
    module.recompile()

    def run(args):
        return module.forward(args)

    run._boxed_call = True
    return run


def backend(module, example_inputs, *, options=None, mode=None):
    """Compiles a graph of torch.compile; not called by users, but by torch.compile(function, backend="fuser").

    module: the graph. example_inputs: its inputs, or fake ones. options: {"target": "sim"} runs what is for tensors of the CPU on
    the simulator of GPUs; {"products": "fuser"} makes products of matrices part of fuser's programs, {"attention": "fuser"} attention, and
    {"random": "fuser"} random numbers, which are others than PyTorch's then. mode: None or "default". Returns a function of as many tensors. A ValueError:
    options or a mode that are not there.
    """
    if mode not in (None, "default"):
        raise ValueError(f"expected no mode, or mode='default', as the backend 'fuser' has no other, got mode={mode!r}")
    options = Options.read(options)
    compiler = functools.partial(_compile, options=options)
    make = aot_autograd(fw_compiler=compiler, decompositions=_get_decompositions(), partition_fn=_partition)
    with Rewriting(options):
        return make(module, example_inputs)
