# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans and sorts by NVIDIA's CUB, which nvcc compiles from cub.cu: a peer of peers.py, where CUDA's toolkit is installed."""

import ctypes
import functools
import pathlib
import shutil
import subprocess
import tempfile

import torch

ENTRIES = {("cumsum", "f32"): "scan_f32", ("cumsum", "bf16"): "scan_bf16", ("sort", "f32"): "sort_f32"}


def find_nvcc():
    """Its path, or None."""
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


@functools.cache
def load_library():
    """cub.cu compiled for this GPU, once a process."""
    nvcc = find_nvcc()
    if nvcc is None:
        raise RuntimeError("expected nvcc in PATH or in /usr/local/cuda/bin, got none")
    source = pathlib.Path(__file__).with_name("cub.cu")
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "cub.so"
        flags = ["-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler=-fPIC"]
        compiled = subprocess.run([nvcc, *flags, "-o", library, source], capture_output=True, text=True)
        if compiled.returncode:
            raise RuntimeError(f"nvcc: {compiled.stderr.strip()}")
        return ctypes.CDLL(str(library))


def takes(case):
    """Whether CUB has what the case is."""
    return (case.entry, case.inputs[0][1]) in ENTRIES


def prepare(case, x):
    """A function that computes the case of the matrix `x`, and its results."""
    function = getattr(load_library(), ENTRIES[case.entry, case.inputs[0][1]])
    rows, columns = x.shape
    results = [torch.empty_like(x)]
    tensors = [x, results[0]]
    if case.entry == "sort":
        places = torch.arange(columns, device=x.device).repeat(rows)
        results.append(torch.empty_like(x, dtype=torch.int64))
        tensors += [places, results[1]]
    arguments = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
    arguments += [
        ctypes.c_int64(rows),
        ctypes.c_int64(columns),
        ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
    ]
    size = ctypes.c_size_t()

    def call(workspace):
        if error := function(ctypes.c_void_p(workspace), ctypes.byref(size), *arguments):
            raise RuntimeError(f"CUB: CUDA error {error}")

    call(None)
    workspace = torch.empty(max(size.value, 1), dtype=torch.uint8, device=x.device)
    # The tensors live as long as the function.
    return lambda tensors=tensors: call(workspace.data_ptr()), results
