# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a graph of ATen's ops into what fuser and what PyTorch runs.

Stages count up along the graph: even ones are fuser's, odd ones PyTorch's, and inputs are of stage -1. A node has the first stage of its kind that its operands
allow, so that all of fuser's nodes of a stage can be one program: no path between two of them leaves the stage.
"""

import operator

import torch

from .. import Error
from ._check import explain, get_device, say
from ._ops import VIEWS
from ._program import SEED, FusedProgram, Refused
from ._random import draw_seed
from ._sizes import Sources


def _is_size(node):
    return isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool))


def _is_random(node):
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in node.target.tags


def _is_barrier(node):
    """True if it is not known to be a function of its operands alone."""
    if node.op != "call_function":
        return True
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.is_mutable
    module = getattr(node.target, "__module__", "")
    return not (_is_size(node) or module in ("_operator", "math", "torch"))


def _get_first_stages(graph, fused):
    """The first stage of each node that its operands allow."""
    stages = {}
    latest, barrier, random = -1, -1, -1
    for node in graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            stages[node] = -1
            continue
        is_fused = node in fused
        # Sizes in a program of fuser are computed from the graph's inputs.
        operands = [each for each in node.all_input_nodes if not (is_fused and _is_size(each))]
        stage = max([barrier, *(stages[each] for each in operands)])
        # Those of PyTorch's generator stay in their order.
        is_ordered = _is_random(node) and not is_fused
        if is_ordered:
            stage = max(stage, random)
        if node.op != "output" and _is_barrier(node):
            stage = latest
        stages[node] = stage + (stage % 2 == is_fused)
        if is_ordered:
            random = stages[node]
        latest = max(latest, stages[node])
        if node.op != "output" and _is_barrier(node):
            barrier = latest = stages[node]
    return stages


def _sink(graph, fused, stages):
    """Moves what the first stage of fuser's could compute to where it is needed, so that it needs no memory until then."""
    if any(node.op == "call_function" and _is_barrier(node) for node in graph.nodes):
        return
    for node in reversed(graph.nodes):
        is_part = isinstance(node.meta.get("val"), (tuple, list)) or node.target is operator.getitem
        if node not in fused or stages[node] != 0 or is_part or not node.users:
            continue
        if any(user.op == "output" for user in node.users):
            continue
        first = min(stages[user] for user in node.users)
        stages[node] = first - first % 2


def _take_out_views(graph, fused, stages):
    """Gives each stage a view of its own. What PyTorch needs it views itself: there that costs no kernel, and shares memory as the graph says."""
    for node in reversed(graph.nodes):
        if node not in fused or node.target not in VIEWS:
            continue
        places = {}
        for user in node.users:
            stage = stages[user] if user in fused else stages[node] + 1
            if stage != stages[node]:
                places.setdefault(stage, set()).add(user)
        for stage, users in places.items():
            with graph.inserting_after(node):
                copy = graph.node_copy(node)
            stages[copy] = stage
            if stage % 2 == 0:
                fused[copy] = fused[node]
            node.replace_all_uses_with(copy, delete_user_cb=lambda user, users=users: user in users)
        if not node.users:
            del fused[node]
            graph.erase_node(node)


def _group(graph, fused, stages):
    """Lists of nodes, in the order of their stages: a node of PyTorch's alone, or all of a program."""
    programs, entries = {}, []
    for number, node in enumerate(graph.nodes):
        if node in fused:
            key = (stages[node], str(fused[node]))
            if key not in programs:
                programs[key] = []
                entries.append((stages[node], number, programs[key]))
            programs[key].append(node)
        elif node.op not in ("placeholder", "output"):
            entries.append((stages[node], number, [node]))
    entries.sort(key=operator.itemgetter(0, 1))
    return [nodes for _, _, nodes in entries]


class _Rewriter:
    """Makes the new graph."""

    def __init__(self, module, sources):
        self._module = module
        self._sources = sources
        self.graph = torch.fx.Graph()
        self._nodes = {}

    def copy(self, node):
        self._nodes[node] = self.graph.node_copy(node, self._nodes.__getitem__)

    def call(self, program):
        """Replaces the nodes of a program by a call."""
        sizes = [self._get_size(symbol) for symbol in program.symbols]
        args = (*(self._nodes[each] for each in program.inputs), *sizes)
        result = self.graph.call_function(program.function, args)
        for number, node in enumerate(program.outputs):
            part = result
            if len(program.outputs) > 1:
                part = self.graph.call_function(operator.getitem, (result, number))
            part.meta = node.meta.copy()
            self._nodes[node] = part

    def _get_size(self, symbol):
        if symbol is SEED:
            return self.graph.call_function(draw_seed)
        node, dim = self._sources[symbol]
        if dim is None:
            return self._nodes[node]
        return self.graph.call_function(torch.ops.aten.sym_size.int, (self._nodes[node], dim))

    def finish(self):
        return torch.fx.GraphModule(self._module, self.graph)


def _choose(graph, options, sources):
    """The device of each node that fuser takes; says why it does not take the others."""
    fused = {}
    for node in graph.nodes:
        if node.op != "call_function" or _is_size(node):
            continue
        if node.target is operator.getitem:
            if node.args[0] in fused:
                fused[node] = fused[node.args[0]]
            continue
        reason = explain(node, options, sources)
        if reason is None:
            fused[node] = get_device(node)
        else:
            say(node, reason)
    return fused


def _move_numbers(graph):
    """Makes tensors of one number on the CPU where the others are, as their values are known."""
    for node in graph.nodes:
        if node.target not in (torch.ops.aten.full.default, torch.ops.aten.scalar_tensor.default):
            continue
        value = node.meta["val"]
        devices = {get_device(user) for user in node.users if user.op == "call_function"}
        if value.dim() or value.device.type != "cpu" or len(devices) != 1:
            continue
        (device,) = devices
        if device is not None and device.type == "cuda":
            node.kwargs = node.kwargs | {"device": device}
            node.meta["val"] = value.to(device)


def _split_by_slices(graph):
    """Makes each part that a split gives a view of its own."""
    for node in list(graph.nodes):
        if node.target is not torch.ops.aten.split_with_sizes.default:
            continue
        x, sizes, dim = (*node.args, 0)[:3]
        for part in list(node.users):
            number = part.args[1]
            with graph.inserting_before(part):
                start = _add_up(graph, sizes[:number])
                stop = _add_up(graph, sizes[: number + 1])
                view = graph.call_function(torch.ops.aten.slice.Tensor, (x, dim, start, stop))
            view.meta = part.meta | {"stack_trace": node.meta.get("stack_trace")}
            part.replace_all_uses_with(view)
            graph.erase_node(part)
        graph.erase_node(node)


def _add_up(graph, sizes):
    """The sum of numbers and of nodes that are sizes."""
    total = 0
    for size in sizes:
        if not isinstance(size, torch.fx.Node) and not isinstance(total, torch.fx.Node):
            total += size
            continue
        value = sum(each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in (total, size))
        total = graph.call_function(operator.add, (total, size))
        total.meta["val"] = value
    return total


def _refuse(node, reason, fused):
    """Leaves a node to PyTorch, and the parts of its result."""
    say(node, reason)
    for each in (node, *node.users):
        if each is node or each.target is operator.getitem:
            fused.pop(each, None)


def _build(nodes, fused):
    """The program of a group; None if it is one node of PyTorch's, or if nodes of it were refused."""
    inside = set(nodes)
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    try:
        program = FusedProgram(nodes, outputs)
    except Refused as refused:
        _refuse(refused.node, refused.reason, fused)
        return None
    if not program.inputs:
        # Numbers alone are no work for a program, which would not know PyTorch's stream either.
        for node in nodes:
            fused.pop(node, None)
        return None
    return program


def _build_all(graph, fused, options):
    """Groups of nodes with their programs, in order; None if nodes were refused, which `fused` then does not have any more."""
    stages = _get_first_stages(graph, fused)
    _sink(graph, fused, stages)
    _take_out_views(graph, fused, stages)
    groups, count = _group(graph, fused, stages), len(fused)
    steps = [(nodes, _build(nodes, fused) if nodes[0] in fused else None) for nodes in groups]
    if len(fused) < count:
        return None
    for nodes, program in steps:
        try:
            if program is not None:
                program.function = program.compile(options.target)
        except Error as error:
            for node in nodes:
                _refuse(node, str(error), fused)
            return None
    return steps


def fuse(module, options):
    """The module with calls of fuser's programs in place of the nodes that they compute. options: a fuser.torch._check.Options."""
    graph = module.graph
    graph.eliminate_dead_code()
    _split_by_slices(graph)
    _move_numbers(graph)
    sources = Sources(graph)
    fused = _choose(graph, options, sources)
    while (steps := _build_all(graph, fused, options)) is None:
        pass
    rewriter = _Rewriter(module, sources)
    for node in graph.nodes:
        if node.op == "placeholder":
            rewriter.copy(node)
    for nodes, program in steps:
        if program is None:
            rewriter.copy(nodes[0])
        else:
            rewriter.call(program)
    rewriter.copy(next(iter(reversed(graph.nodes))))
    return rewriter.finish()
