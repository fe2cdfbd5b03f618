# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `Executable` shows of a program (schedules, a graph of segments, a script that reproduces a call), and what compilations are at."""

import collections
import math
import os
import sys
import threading
import time

from . import _fuser
from ._program import get_element, is_bool, is_integer


def _escape(text):
    import html  # When a notebook shows something: importing fuser would take 5 % longer.

    return html.escape(text)


def _read(text):
    import json  # The same.

    return json.loads(text)


_CHARACTER, _LINE, _PAD, _GAP = 7, 16, 8, 36
_STYLE = "font-family:monospace;font-size:12px"
_TENSORS = ("tensor", "memref")
_COLORS = {"input": "#eef4ff", "segment": "#fff6e0", "op": "#f0f0f0", "output": "#eaf7ea"}


def get_schedules(executable):
    """The schedule of each segment in order, as text."""
    nodes = _read(executable._describe())["nodes"]
    return tuple(node.get("schedule") for node in nodes if "scheduler" in node)


class Graph:
    """The segments of a program and the tensors between them.

    `nodes`: pairs of a kind (input, segment, op, output) and lines of text. `edges`: triples of two numbers of nodes and a type.
    """

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges

    @property
    def dot(self):
        """The graph in Graphviz's language."""
        import json

        lines = ["digraph program {", "  node [shape=box, style=filled, fontname=monospace];"]
        for number, (kind, texts) in enumerate(self.nodes):
            label = json.dumps("\n".join(texts), ensure_ascii=False)
            lines.append(f'  n{number} [label={label}, fillcolor="{_COLORS[kind]}"];')
        for begin, end, type_ in self.edges:
            lines.append(f"  n{begin} -> n{end} [label={json.dumps(type_)}];")
        return "\n".join([*lines, "}", ""])

    @property
    def svg(self):
        """A picture of the graph."""
        boxes, width, height = self._place()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0 0L8 4L0 8z"/></marker></defs>',
        ]
        for begin, end, type_ in self.edges:
            (x0, y0, w0, h0), (x1, y1, w1, _) = boxes[begin], boxes[end]
            line = f'x1="{x0 + w0 // 2}" y1="{y0 + h0}" x2="{x1 + w1 // 2}" y2="{y1}"'
            title = f"<title>{_escape(type_)}</title>"
            parts.append(f'<line {line} stroke="#555" marker-end="url(#tip)">{title}</line>')
        for (kind, texts), (x, y, w, h) in zip(self.nodes, boxes):
            parts.append(
                f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4" fill="{_COLORS[kind]}" stroke="#555"/>'
            )
            for number, text in enumerate(texts):
                place = f'x="{x + _PAD}" y="{y + _PAD + _LINE * number + 12}"'
                parts.append(f'<text {place} style="{_STYLE}">{_escape(text)}</text>')
        return "".join([*parts, "</svg>"])

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<fuser.Graph of {_count(sum(kind == 'segment' for kind, _ in self.nodes), 'segment')}>"

    def _place(self):
        """A box (x, y, width, height) for each node: in rows, each below all that it needs; and the size of the whole."""
        depth = [0] * len(self.nodes)
        for begin, end, _ in self.edges:  # In the order of the program.
            depth[end] = max(depth[end], depth[begin] + 1)
        rows = collections.defaultdict(list)
        for number, row in enumerate(depth):
            rows[row].append(number)
        boxes, y, width = [None] * len(self.nodes), _GAP // 2, 0
        for row in sorted(rows):
            x, tallest = _GAP // 2, 0
            for number in rows[row]:
                texts = self.nodes[number][1]
                w, h = _CHARACTER * max(map(len, texts)) + 2 * _PAD, _LINE * len(texts) + 2 * _PAD
                boxes[number] = (x, y, w, h)
                x, tallest = x + w + _GAP // 2, max(tallest, h)
            y, width = y + tallest + _GAP, max(width, x)
        return boxes, width, y - _GAP // 2


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def _cut(text, limit=80):
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _describe_node(node, number):
    """A kind and lines of text."""
    if "scheduler" not in node:
        return "op", [node["op"]]
    counts = collections.Counter(node["ops"])
    ops = ", ".join(name if count == 1 else f"{count} {name}" for name, count in counts.items())
    return "segment", [f"segment {number}: {node['scheduler']}", _cut(ops), _cut(node.get("schedule", ""))]


def make_graph(executable):
    """The Graph of a program."""
    program = _read(executable._describe())
    nodes, edges, made, segments = [], [], {}, 0
    names = (*executable.input_names, *executable.scalar_names)
    for number, value in enumerate(program["inputs"]):
        made[value["id"]] = (len(nodes), value["type"])
        name = names[number] if len(names) == len(program["inputs"]) else f"input {number}"
        nodes.append(("input", [name, value["type"]]))
    for node in program["nodes"]:
        # Sizes and other numbers that the host computes, and checks of these, are no part of the picture.
        touched = node["results"] or [{"type": made[each][1]} for each in node["operands"] if each in made]
        if not any(value["type"].startswith(_TENSORS) for value in touched):
            continue
        kind, texts = _describe_node(node, segments)
        segments += kind == "segment"
        operands = [operand for operand in dict.fromkeys(node["operands"]) if operand in made]
        edges += [(made[operand][0], len(nodes), made[operand][1]) for operand in operands]
        for value in node["results"]:
            made[value["id"]] = (len(nodes), value["type"])
        nodes.append((kind, texts))
    for number, identity in enumerate(program["outputs"]):
        begin, type_ = made[identity]
        edges.append((begin, len(nodes), type_))
        nodes.append(("output", [executable.output_names[number], type_]))
    return Graph(nodes, edges)


class Report:
    """What a call of a program takes, as `Executable.report` measures it. It prints as a table.

    `kernels`: a dict for each kernel, or other work of a stream, in the order in which they ran: "name", "schedule", "launches" of a call, "us" of a launch,
    "bytes" that it reads and writes, "gbps", "floor_us", the time of a copy of as many bytes, "floor_share", the part that it is of "us", and of a GPU "registers",
    "shared_bytes", "local_bytes", "occupancy_percent", "threads" and "grid". What is not known is not in it; floors are not measured on a simulator.
    """

    def __init__(self, json_text):
        #: All figures: what lists, numbers and strings JSON has.
        self.data = _read(json_text)
        self._text = self.data.pop("text")

    @property
    def kernels(self):
        """The figures of kernels."""
        return self.data["kernels"]

    @property
    def compile_ms(self):
        """Milliseconds to compile the program, without the cache."""
        return self.data["compile_ms"]

    @property
    def stages_ms(self):
        """Milliseconds of each stage of the compiler."""
        return self.data["stages_ms"]

    @property
    def explanation(self):
        """Where the program was cut and why, as `Executable.explain` says it."""
        return self.data["explanation"]

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<fuser.Report of {_count(len(self.kernels), 'kernel')}>"

    def _repr_html_(self):
        return f"<pre>{_escape(self._text)}</pre>"


def make_report(executable, *inputs, out=None):
    """The Report of a call."""
    return Report(executable._report(*inputs, out=out))


#: Of so many elements at most integers are written out: bounds of groups are in order, and numbers of rows are each another one.
_FEW = 64


def _read_integers(value):
    """The elements of a tensor of integers or booleans as an array of NumPy's; None of another one, and of one whose memory NumPy does not reach."""
    element = get_element(value.dtype)
    if not is_integer(element) and not is_bool(element):
        return None
    import numpy

    for name in ("cpu", "get"):  # Of PyTorch; of CuPy.
        value = getattr(value, name, lambda value=value: value)()
    try:
        return numpy.asarray(value)
    except (BufferError, RuntimeError, TypeError, _fuser.Error):
        return None


def _get_strides(value):
    """In elements."""
    if hasattr(value, "stride"):
        return tuple(value.stride())
    strides = getattr(value, "strides", None)
    if strides is None:  # Row-major.
        return tuple(math.prod(value.shape[dim + 1 :]) for dim in range(len(value.shape)))
    # A fuser.Tensor has elements, other arrays bytes.
    return tuple(strides) if isinstance(value, _fuser.Tensor) else tuple(each // value.itemsize for each in strides)


def write_input(value):
    """An expression for an input like `value`, by the function of MAKE_INPUTS; of a number, or a list of numbers, for itself.

    Elements are random, but for few integers, which are the same ones, and integers stay between the least and the greatest: they may be labels or indices.
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(write_input, value))}]"
    if not hasattr(value, "__dlpack__"):
        number = value.item() if hasattr(value, "item") else value
        return repr(number) if not isinstance(number, float) or math.isfinite(number) else f'float("{number}")'
    dtype = str(value.dtype).removeprefix("torch.")
    known, integers = "", _read_integers(value)
    if integers is not None and 0 < integers.size <= _FEW:
        known = f", values={integers.tolist()}"
    elif integers is not None and integers.size:
        known = f", low={int(integers.min())}, high={int(integers.max())}"
    return f"make({tuple(value.shape)}, {_get_strides(value)}, {dtype!r}{known})"


#: The function of which `write_input` writes calls.
MAKE_INPUTS = """
random = numpy.random.default_rng(0)


def make(shape, strides, dtype, low=0, high=1, values=None):
    \"\"\"An array with these strides, in elements: of these values or random ones, integers from low to high.\"\"\"
    if dtype.startswith("float4_"):  # Bytes of two numbers.
        dtype, high = "uint8", 255
    if dtype.startswith(("bfloat", "float8_")):
        import ml_dtypes

        least = 0.5 if "e8m0" in dtype else -2  # These are not negative.
        dtype = getattr(ml_dtypes, dtype)
    else:
        least = -2
    dtype = numpy.dtype(dtype)
    size = 1 + sum((n - 1) * abs(s) for n, s in zip(shape, strides)) if all(shape) else 0
    start = sum((1 - n) * s for n, s in zip(shape, strides) if s < 0)
    if dtype.kind in "biu":
        memory = random.integers(low, high, size, dtype, endpoint=True)
    else:
        memory = random.uniform(least, 2, size).astype(dtype)
    array = numpy.lib.stride_tricks.as_strided(memory[start:], shape, [s * memory.itemsize for s in strides])
    if values is not None:
        array[...] = values
    return array


"""


def make_repro(executable, *inputs):
    """A script that compiles the program again, and calls it with inputs like `inputs`, as write_input has them."""
    text = executable.ir("program")
    header = f"# {executable!r}\n# target {executable.target}, {executable.arch}\nimport fuser\n"
    call = ""
    if inputs:
        header += "import numpy\n" + MAKE_INPUTS
        call = f"inputs = [{', '.join(map(write_input, inputs))}]\nprint(exe(*inputs))\n"
    program = f"exe = fuser.compile(TEXT, {executable.target!r}, {executable.name!r}, cache=False)\n"
    return f"{header}TEXT = {text!r}\n{program}{call}"


#: Seconds: a compilation that takes longer is shown, and its line is written anew so often.
_LONG, _INTERVAL = 2.0, 0.5


class _Watcher:
    """A thread that runs while something is compiled."""

    def __init__(self):
        self._lock = threading.Lock()
        self._is_running = self._is_wanted = False

    def begin_anew(self):
        """In a process that has been forked, which has neither the thread nor what held the lock."""
        self.__init__()

    def start(self):
        """Is called before each compilation."""
        with self._lock:
            self._is_wanted = True
            if self._is_running:
                return
            self._is_running = True
        threading.Thread(target=self._run, name="fuser-progress", daemon=True).start()

    def _run(self):
        display = _Display()
        time.sleep(_LONG)
        while self._goes_on(active := _fuser._compilations()):
            display.show(_describe(active))
            time.sleep(_INTERVAL)
        display.show("")

    def _goes_on(self, active):
        with self._lock:
            # One that is about to begin is not among the active ones yet.
            self._is_running = bool(active) or self._is_wanted
            self._is_wanted = False
            return self._is_running


def _describe(active):
    long = [entry for entry in active if entry[0] >= _LONG]
    if not long:
        return ""
    # The program's name is there where the extension module tells it.
    seconds, step, *name = max(long)
    others = f", and {len(active) - 1} more" if len(active) > 1 else ""
    return f"fuser: compiling {''.join(f'{each} ' for each in name)}for {seconds:.0f} s: {step}{others}"


class _Display:
    """Standard error: a line that is written anew on a terminal; elsewhere, in a log, lines, each after twice the time of the one before."""

    def __init__(self):
        self._width, self._pause, self._next = 0, _LONG, 0.0

    def show(self, text):
        """Shows what compilations are at; "" is nothing."""
        if sys.stderr is None:
            return
        if sys.stderr.isatty():
            self._write_over(text)
        elif not text:
            self._pause, self._next = _LONG, 0.0
        elif time.monotonic() >= self._next:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
            self._next = time.monotonic() + self._pause
            self._pause *= 2

    def _write_over(self, text):
        if text or self._width:
            sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            sys.stderr.flush()
        self._width = len(text)


_watcher = _Watcher()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watcher.begin_anew)


def show_progress(show=True):
    """Whether a compilation that takes longer than two seconds says on standard error what it is at.

    Without this call it does so where standard error is a terminal. Elsewhere it writes lines, after 2 s, 4 s, 8 s and so on.
    """
    _fuser._set_progress(_watcher.start if show else None)


show_progress(sys.stderr is not None and sys.stderr.isatty())
