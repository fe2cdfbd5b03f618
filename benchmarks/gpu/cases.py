# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of peers.py: a program of peers.mlir, its sizes, and how many bytes it must move."""

import math
import pathlib
import re
from dataclasses import dataclass

TEMPLATES = {
    match.group(1): match.group(0)
    for match in re.finditer(
        r"^func\.func @(\w+).*?^}\n", pathlib.Path(__file__).with_name("peers.mlir").read_text(), re.M | re.S
    )
}
ELEMENT_BYTES = {"bf16": 2, "f32": 4, "i64": 8}
# What does not fit on the chip between two passes has to be read twice: of these programs the first input.
READ_TWICE = {"batchnorm_train_nhwc"}
# Of a table these read as many rows as they have results.
READ_IN_PART = {"embedding", "index_select"}
# A table's rows have one size in programs with open ones, too.
ALWAYS_KNOWN = {"T", "V"}


@dataclass(frozen=True)
class Case:
    entry: str
    shape: str
    """What follows the program's name in the case's."""
    sizes: dict
    """From the capital letters of the program to sizes, and to an element type for T."""
    dynamic: bool = False

    @property
    def name(self):
        return f"{self.entry}/{self.shape}" + (" dynamic" if self.dynamic else "")

    @property
    def text(self):
        """The program."""
        text = re.sub(r"tensor<([^>]*)>", lambda match: f"tensor<{self._type(match.group(1))}>", TEMPLATES[self.entry])
        text = re.sub(r"\[([^]]*)\]", lambda match: f"[{self._list(match.group(1))}]", text)
        return text if self.dynamic else re.sub(r" sizes\([^)]*\)", "", text)

    @property
    def inputs(self):
        """Shapes and element types, as in ([16, 8], "bf16")."""
        return self._tensors(0)

    @property
    def outputs(self):
        return self._tensors(1)

    @property
    def bytes(self):
        """Each input read once and each output written once."""
        read = self.inputs
        if self.entry in READ_TWICE:
            read = [*read, read[0]]
        if self.entry in READ_IN_PART:
            read = [*self.outputs, *read[1:]]
        return sum(math.prod(shape) * ELEMENT_BYTES[element] for shape, element in read + self.outputs)

    def _type(self, text):
        def replace(part):
            is_open = self.dynamic and part in self.sizes and part not in ALWAYS_KNOWN
            return "?" if is_open else str(self.sizes.get(part, part))

        return "x".join(map(replace, text.split("x")))

    def _list(self, text):
        def replace(part):
            return f"%dim_{part.lower()}" if self.dynamic and part in self.sizes else str(self.sizes.get(part, part))

        return ", ".join(map(replace, text.split(", ")))

    def _tensors(self, side):
        """Of the arguments (0) or of the results (1)."""
        header = TEMPLATES[self.entry].partition(" {\n")[0].split("->")[side]
        tensors = []
        for text in re.findall(r"tensor<([^>]*)>", header):
            *shape, element = (self.sizes.get(part, part) for part in text.split("x"))
            tensors.append(([int(size) for size in shape], element))
        return tensors


def matrix(entry, rows, columns, dynamic=False, element="bf16", places=61):
    """places: rows of the table of a program that has one."""
    shape = f"{rows}x{columns}" + ("" if element == "bf16" else f" {element}")
    return Case(entry, shape, {"M": rows, "N": columns, "T": element, "V": places}, dynamic)


def rope(batch, heads, length, size, dynamic=False):
    sizes = {"B": batch, "S": length, "H": heads, "D": size, "E": size // 2}
    return Case("rope_llama3", f"{batch}x{heads}x{length}x{size}", sizes, dynamic)


def copy(elements):
    """The floor's kernel, of bf16."""
    return Case("copy", str(elements), {"N": elements})


def public_cases(dynamic):
    """What the peers are measured with."""
    sizes = {
        "silu_mul": [(16384, 14336)],
        "bias_gelu": [(16384, 12288)],
        "softmax": [(65536, 768), (32768, 4096), (16384, 8192), (8192, 32768), (4096, 131072), (16384, 8194)],
        "cross_entropy": [(8192, 128256)],
        "rmsnorm": [(65536, 768), (32768, 4096), (16384, 8192), (8192, 32768), (2048, 131072)],
        "rmsnorm_add": [(16384, 8192)],
        "rmsnorm_bwd": [(16384, 8192)],
        "layernorm": [(16384, 8192)],
        "layernorm_bwd": [(16384, 8192)],
        "sum_inner": [(16384, 16384)],
        "sum_outer": [(16384, 16384)],
        "sum_all": [(16384, 16384)],
        "transpose_add": [(16384, 16384)],
        "transpose": [(16384, 16384)],
        "gelu_bwd_reduction": [(16384, 8192)],
        "batchnorm_train_nhwc": [(128 * 56 * 56, 256)],
    }
    cases = [matrix(entry, *size, dynamic) for entry, all in sizes.items() for size in all]
    return [*cases, rope(8, 32, 4096, 128, dynamic)]


def sums(dynamic):
    """More sums: in f32, tall, small, of a few long rows."""
    cases = [
        ("sum_outer", 16384, 16384, "f32"),
        ("sum_outer", 1048576, 128, "f32"),
        ("sum_outer", 401408, 256, "bf16"),
        ("sum_outer", 65536, 768, "bf16"),
        ("sum_outer", 1024, 1024, "f32"),
        ("sum_all", 16384, 16384, "f32"),
        ("sum_all", 2048, 2048, "bf16"),
        ("moments", 16, 8388608, "bf16"),
    ]
    return [matrix(entry, rows, columns, dynamic, element) for entry, rows, columns, element in cases]


def functions(dynamic):
    """Activations, which are mostly arithmetic, and sines."""
    entries = ("gelu", "gelu_bwd", "mish", "logsigmoid", "elu", "sincos")
    return [matrix(entry, 16384, 8192, dynamic, element) for entry in entries for element in ("bf16", "f32")]


def few_rows(dynamic):
    """As few as in inference, and long rows few in number."""
    sizes = [(1, 4096), (64, 4096), (2048, 4096), (8, 32768)]
    return [matrix(entry, *size, dynamic) for entry in ("softmax", "rmsnorm_add", "layernorm") for size in sizes]


def fibres(dynamic):
    """Scans, sorts, and rows at computed places."""
    cases = [
        ("cumsum", 16384, 8192, "f32"),
        ("cumsum", 16384, 8192, "bf16"),
        ("cumsum", 65536, 768, "f32"),
        ("cumsum", 64, 1048576, "f32"),
        ("cumsum", 1, 16777216, "f32"),
        ("cumsum", 1, 134217728, "bf16"),
        ("cumsum", 1, 65536, "f32"),
        ("cumsum_outer", 16384, 8192, "f32"),
        ("cumsum_outer", 16384, 8192, "bf16"),
        ("sort", 16384, 1024, "f32"),
        ("sort", 2048, 8192, "f32"),
        ("sort", 64, 16384, "f32"),
        ("sort", 64, 262144, "f32"),
        ("sort", 1, 65536, "f32"),
        ("sort", 1, 1048576, "f32"),
        ("sort", 1, 16777216, "f32"),
        ("topk", 8192, 128, "f32"),
        ("topk", 64, 50257, "f32"),
        ("topk", 1, 1048576, "f32"),
        ("embedding", 32768, 4096, "bf16"),
        ("embedding", 32768, 1000, "f32"),
        ("index_select", 32768, 4096, "bf16"),
        ("index_select", 32768, 1000, "f32"),
        ("index_add", 1024, 1024, "f32"),
        ("index_add", 32768, 1024, "f32"),
        ("index_add", 131072, 1024, "f32"),
        ("index_add", 4097, 64, "f32"),
        ("index_add", 262144, 64, "f32"),
        ("dropout_layernorm", 16384, 4096, "bf16"),
    ]
    return [matrix(entry, rows, columns, dynamic, element, places=50257) for entry, rows, columns, element in cases]


SWEPT = ["softmax", "rmsnorm", "layernorm", "rmsnorm_bwd", "layernorm_bwd"]
# Powers of two from 256 to 262,144, and lengths that are none, short and odd ones among them.
LENGTHS = sorted(
    [2**power for power in range(8, 19)]
    + [10, 17, 33, 66, 100, 129, 192, 257, 769, 1000, 1025, 1536, 4097, 8194, 12288, 20480, 40000, 50257, 100003]
)


def sweep(dynamic):
    """Reductions of rows of many lengths, 2^27 elements in all."""
    return [matrix(entry, round(2**27 / length), length, dynamic) for entry in SWEPT for length in LENGTHS]


def small_cases(dynamic):
    """Every program, at sizes that show wrong results soon."""
    cases = []
    for entry in TEMPLATES:
        if entry == "rope_llama3":
            cases += [rope(2, 3, 5, 16, dynamic), rope(1, 2, 7, 10, dynamic)]
        elif entry != "copy":
            cases += [matrix(entry, 5, 64, dynamic), matrix(entry, 37, 129, dynamic)]
        if entry in SWEPT:
            cases += [matrix(entry, 3, 8194, dynamic)]
        if "xT>" in TEMPLATES[entry]:
            cases += [matrix(entry, 37, 129, dynamic, "f32")]
    return cases
