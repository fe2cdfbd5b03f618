# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which nodes of a graph fuser takes, and how it says why it does not take one."""

import logging
import os
import re
from typing import NamedTuple

import torch

import fuser

from .._program import ELEMENTS, explain_family, get_element
from . import _attention, _fibres, _random  # noqa: F401
from ._ops import TABLE

_log = logging.getLogger("fuser.torch")
_said = set()
_TORCH = os.path.dirname(torch.__file__) + os.sep

_PRODUCT = "a library's product of matrices is as fast"
_ATTENTION = "a library's kernel keeps no scores in memory"
_NOT_OURS = "fuser's own attention takes four dimensions, equal batches and types, no dropout and no gradient of a mask"
_CONVOLUTION = "fuser has no convolutions"
_ASSERTION = "an assertion gives no tensor, and ends the call where it does not hold"
_RANDOM = "its random numbers are those of PyTorch's generator"
_aten = torch.ops.aten
#: Ops that are PyTorch's if the options do not say otherwise.
_PRODUCTS = {_aten.mm, _aten.addmm, _aten.bmm, _aten.baddbmm, _aten._int_mm}
_NUMBERS = {_aten.native_dropout, _aten.bernoulli, _aten.rand, _aten.rand_like, _aten.randn, _aten.randn_like}
#: What is PyTorch's by choice.
_LIBRARY = {
    **dict.fromkeys(_PRODUCTS, _PRODUCT),
    **dict.fromkeys(_NUMBERS, _RANDOM),
    **dict.fromkeys((_aten._assert_async, _aten._assert_scalar, _aten._assert_tensor_metadata), _ASSERTION),
    _aten.as_strided: "a view costs no kernel there",
    _aten.convolution: _CONVOLUTION,
    _aten.convolution_backward: _CONVOLUTION,
    _aten._scaled_dot_product_flash_attention_for_cpu: _ATTENTION,
    _aten._scaled_dot_product_flash_attention_for_cpu_backward: _ATTENTION,
    _aten._scaled_dot_product_flash_attention: _ATTENTION,
    _aten._scaled_dot_product_flash_attention_backward: _ATTENTION,
    _aten._scaled_dot_product_efficient_attention: _ATTENTION,
    _aten._scaled_dot_product_efficient_attention_backward: _ATTENTION,
    _aten._scaled_dot_product_cudnn_attention: _ATTENTION,
    _aten._scaled_dot_product_cudnn_attention_backward: _ATTENTION,
}


#: Why nothing could be there for an op, by what PyTorch says of it.
_TAGS = {
    torch.Tag.dynamic_output_shape: "the size of its result depends on elements",
    torch.Tag.data_dependent_output: "what it gives is a number that depends on elements",
    torch.Tag.nondeterministic_seeded: _RANDOM,
}
#: Whose ops are PyTorch's own, and of which some are taken.
_LIBRARIES = {"aten", "prims", "fuser"}

#: What takes a float that is computed of sizes in place of a number.
_TAKE_FLOATS = {
    getattr(packet, overload)
    for packet in (_aten.add, _aten.sub, _aten.mul, _aten.div)
    for overload in ("Tensor", "Scalar")
}


def find_location(node):
    """(file, line) of the user's code that a node comes from, or (None, 0)."""
    places = re.findall(r'File "(.*?)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [place for place in places if not place[0].startswith(_TORCH)]
    if not places:
        return None, 0
    file, line = (own or places)[-1]
    return file, int(line)


def _get_op(node):
    """The op that the user has called, of which PyTorch wraps those with effects: prints, writes to files."""
    is_wrapped = getattr(node.target, "__name__", "") == "with_effects"
    return next((each for each in node.args if is_wrapped and isinstance(each, torch._ops.OpOverload)), node.target)


def say(node, reason):
    """Logs why an op is PyTorch's, once for each op and place."""
    file, line = find_location(node)
    # In an expression of sizes symbols have other names when PyTorch compiles again.
    key = (_get_op(node), file, line) if file else (_get_op(node), reason)
    if key in _said:
        return
    _said.add(key)
    where = f"{file}:{line}: " if file else ""
    is_choice = _get_packet(node) in _LIBRARY or reason == _fibres.LONG
    level = logging.INFO if is_choice else logging.WARNING
    _log.log(level, "%s%s runs in PyTorch: %s", where, _get_op(node), reason)


def _get_packet(node):
    return getattr(node.target, "overloadpacket", None)


def get_tensors(value):
    """The tensors of what a node gives."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [each for each in value if isinstance(each, torch.Tensor)] if isinstance(value, (list, tuple)) else []


def get_device(node):
    """The device of a node's results; None if it has no tensor."""
    return next((tensor.device for tensor in get_tensors(node.meta.get("val"))), None)


def get_target(device, target):
    """Of fuser.compile: the target and the number of a device. target: that of tensors on the CPU."""
    return ("cuda", device.index or 0) if device.type == "cuda" else (target, 0)


def _explain_device(device, target):
    if device.type not in ("cpu", "cuda"):
        return f"fuser runs on CPUs and NVIDIA GPUs, not on {device.type}"
    try:
        # It is kept where there is one: a failure, such as for want of memory, may pass.
        fuser._default_context(*get_target(device, target))
    except fuser.Error as error:
        return str(error)
    return None


def _explain_tensor(tensor, device, sources):
    if get_element(tensor.dtype) not in ELEMENTS:
        return f"fuser has no tensors of {tensor.dtype}"
    if tensor.dtype is getattr(torch, "float4_e2m1fn_x2", None):
        return f"graphs have pairs of numbers as elements of {tensor.dtype}"
    if tensor.layout != torch.strided or tensor.is_quantized:
        return f"fuser has no tensors of layout {tensor.layout}"
    if tensor.device != device:
        return f"its tensors are on {tensor.device} and {device}"
    for size in tensor.shape:
        reason = sources.explain(size)
        if reason:
            return reason
    return None


def _explain_number(value, sources, target):
    if isinstance(value, torch.SymInt):
        return sources.explain(value)
    if isinstance(value, torch.SymFloat) and target in _TAKE_FLOATS and not sources.explain(value):
        return None
    if isinstance(value, (torch.SymFloat, torch.SymBool)):
        return "a number that is not an integer is computed while the graph runs"
    return None


class Options(NamedTuple):
    """What a user may choose.

    target: "cpu", or "sim", which runs what is for tensors of the CPU on the simulator of GPUs. The others are "pytorch", or "fuser", which makes part of
    its programs: products, those of matrices, by cuBLASLt on a GPU, by plain loops on a CPU; attention, as such products and a softmax; random, random
    numbers and dropout, by its own generator.
    """

    target: str = "cpu"
    products: str = "pytorch"
    attention: str = "pytorch"
    random: str = "pytorch"

    @classmethod
    def read(cls, given):
        """Options of torch.compile; a ValueError if there are others."""
        values = dict.fromkeys(("products", "attention", "random"), ("pytorch", "fuser")) | {"target": ("cpu", "sim")}
        for name, value in (given or {}).items():
            if value not in values.get(name, ()):
                raise ValueError(
                    "expected the options 'target' ('cpu' or 'sim'), 'products', 'attention' and 'random' ('pytorch' or 'fuser'),"
                    f" got {name!r}: {value!r}"
                )
        return cls(**(given or {}))

    def leaves(self, packet):
        """Whether an op that fuser has is to be PyTorch's."""
        return (packet in _PRODUCTS and self.products == "pytorch") or (packet in _NUMBERS and self.random == "pytorch")


def _explain_missing(node):
    """Why there is nothing for an op that is PyTorch's."""
    if _get_op(node) is not node.target:
        return "it does something beside its results, and calls that do stay in their order"
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return "the backend takes no functions that an op calls"
    tags = getattr(node.target, "tags", ())
    for tag, reason in _TAGS.items():
        if tag in tags:
            return reason
    library, _, name = str(node.target).partition(".")
    if isinstance(node.target, torch._ops.OpOverload) and library not in _LIBRARIES:
        return f"it is an op of {library}, of which only its own kernel is known"
    return explain_family(name.partition(".")[0]) or "the backend does not take this op"


def explain(node, options, sources):
    """Why fuser does not take a node; None if it does, as far as one can see without building a program."""
    packet = _get_packet(node)
    if node.target not in TABLE or options.leaves(packet):
        reason = _LIBRARY.get(packet)
        if reason == _ATTENTION and options.attention == "fuser":
            return _NOT_OURS
        return reason or _explain_missing(node)
    results = get_tensors(node.meta.get("val"))
    if not results:
        return "the types of its results are not known"
    device = results[0].device
    operands = [each.meta.get("val") for each in node.all_input_nodes]
    tensors = results + [tensor for each in operands for tensor in get_tensors(each)]
    reasons = [_explain_device(device, options.target)]
    reasons += [_explain_tensor(each, device, sources) for each in tensors]
    reasons += [_explain_number(each, sources, node.target) for each in operands]
    return next(filter(None, reasons), None)
