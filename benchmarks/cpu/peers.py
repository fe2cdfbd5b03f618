# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples on a CPU beside torch.compile, eager PyTorch, NumPy and a copy, in one process.

    PYTHONPATH=build/python python benchmarks/cpu/peers.py [--only REGEX] [--threads N] [--rounds N] [--json FILE]

Needs PyTorch (the CPU build; docs/how-to/compile-pytorch.md says how to install it) and the `fuser` package. Contenders
take turns: in each round each makes one call that is not timed and then a few that are; a figure is the median over the
rounds of a call's mean time.

  fuser            compiled program, outputs preallocated
  inductor         torch.compile that writes into preallocated outputs
  inductor-alloc   torch.compile that returns new tensors (default use)
  eager            PyTorch without a compiler, new tensors
  numpy            NumPy into preallocated arrays where its functions allow it; one thread; bf16 tensors are f32
                   there, since NumPy has no bf16
  copy             the floor: the faster of PyTorch's copy_ and memcpy, on as many threads, of as many bytes
                   (inputs read once, outputs written once)

`floor/time` is 1 at the speed of a copy; `peer/time` is the time of the faster of both inductors, eager and NumPy
over ours, more than 1 where ours is faster.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import re
import statistics
import threading
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=3, help="timed calls of a contender in a round")
    parser.add_argument("--peers", default="", help="contenders that match this regular expression (fuser always)")
    parser.add_argument("--json", help="write the figures to this file")
    return parser.parse_args()


ARGS = parse_arguments()
os.environ.setdefault("OMP_NUM_THREADS", str(ARGS.threads))

import fuser  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

BF16 = torch.bfloat16
CONTEXT = fuser.Context("cpu", threads=ARGS.threads)


# ---- The programs in PyTorch: the same roundings as in the examples.


def rmsnorm_add(x, r, w):
    s = x + r
    h = s.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5) * w.float()).to(BF16), s


def swiglu(gate, up):
    return F.silu(gate.float()).to(BF16) * up


def rope(q, cos, sin):
    q = q.transpose(1, 2)
    h = torch.cat((-q[..., 64:], q[..., :64]), -1).float()
    return (q.float() * cos.float() + h * sin.float()).to(BF16)


def softmax(x):
    return torch.softmax(x.float(), -1).to(BF16)


def log_softmax(x):
    return torch.log_softmax(x.float(), -1).to(BF16)


def layernorm(x, w, b):
    h = x.float()
    mean = h.mean(-1, keepdim=True)
    d = h - mean
    rstd = torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)
    return (d * rstd * w.float() + b.float()).to(BF16), mean, rstd


def bias_gelu(x, bias):
    return F.gelu((x + bias).float(), approximate="tanh").to(BF16)


def bias_grad(g):
    return g.float().sum(0)


def permuted_output(x):
    return torch.exp(x)


# ---- The same in NumPy, in f32, into preallocated memory.


def np_rmsnorm_add(y, s, x, r, w):
    np.add(x, r, out=s)
    np.multiply(s, s, out=y)
    rstd = 1 / np.sqrt(y.mean(-1, keepdims=True) + np.float32(1e-5))
    np.multiply(s, rstd, out=y)
    np.multiply(y, w, out=y)


def np_swiglu(y, gate, up):
    np.negative(gate, out=y)
    np.exp(y, out=y)
    np.add(y, 1, out=y)
    np.divide(gate, y, out=y)
    np.multiply(y, up, out=y)


def np_rope(y, q, cos, sin):
    q = q.transpose(0, 2, 1, 3)
    np.multiply(q, cos, out=y)
    y[..., :64] -= q[..., 64:] * sin[:, :64]
    y[..., 64:] += q[..., :64] * sin[:, 64:]


def np_softmax(y, x):
    np.subtract(x, x.max(-1, keepdims=True), out=y)
    np.exp(y, out=y)
    np.divide(y, y.sum(-1, keepdims=True), out=y)


def np_log_softmax(y, x):
    np.subtract(x, x.max(-1, keepdims=True), out=y)
    np.subtract(y, np.log(np.exp(y).sum(-1, keepdims=True)), out=y)


def np_layernorm(y, mean, rstd, x, w, b):
    x.mean(-1, keepdims=True, out=mean)
    np.subtract(x, mean, out=y)
    rstd[:] = 1 / np.sqrt(np.square(y).mean(-1, keepdims=True) + np.float32(1e-5))
    np.multiply(y, rstd, out=y)
    np.multiply(y, w, out=y)
    np.add(y, b, out=y)


def np_bias_gelu(y, x, bias):
    h = x + bias
    np.multiply(h, h, out=y)
    np.multiply(y, h, out=y)
    np.multiply(y, np.float32(0.044715), out=y)
    np.add(y, h, out=y)
    np.multiply(y, np.float32(math.sqrt(2 / math.pi)), out=y)
    np.tanh(y, out=y)
    np.add(y, 1, out=y)
    np.multiply(h, np.float32(0.5), out=h)
    np.multiply(y, h, out=y)


def np_bias_grad(y, g):
    g.sum(0, out=y)


def np_permuted_output(y, x):
    np.exp(x, out=y)


# ---- Cases


def randn(*shape, dtype=BF16):
    return torch.randn(*shape).to(dtype)


CASES = {
    "rmsnorm_add": (rmsnorm_add, np_rmsnorm_add, lambda: (randn(2048, 4096), randn(2048, 4096), randn(4096))),
    "swiglu": (swiglu, np_swiglu, lambda: (randn(2048, 14336), randn(2048, 14336))),
    "rope": (rope, np_rope, lambda: (randn(1, 2048, 32, 128), randn(2048, 128), randn(2048, 128))),
    "softmax": (softmax, np_softmax, lambda: (randn(2048, 8192),)),
    "layernorm": (layernorm, np_layernorm, lambda: (randn(2048, 4096), randn(4096), randn(4096))),
    "log_softmax": (log_softmax, np_log_softmax, lambda: (randn(2048, 8192),)),
    "bias_gelu": (bias_gelu, np_bias_gelu, lambda: (randn(2048, 12288), randn(12288))),
    "bias_grad": (bias_grad, np_bias_grad, lambda: (randn(2048, 4096),)),
    "permuted_output": (permuted_output, np_permuted_output, lambda: (randn(2048, 4096, dtype=torch.float32),)),
}


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def make_outputs(name, results):
    outputs = [torch.empty(result.shape, dtype=result.dtype) for result in results]
    if name == "permuted_output":
        outputs = [torch.empty(*results[0].shape[::-1]).t()]
    for output in outputs:
        output.zero_()
    return outputs


def writes_into(function):
    """`function` with its outputs first; the compiler fuses the copies."""

    def run(outputs, *inputs):
        for output, value in zip(outputs, as_tuple(function(*inputs))):
            output.copy_(value)

    return run


def make_memcpy(source, target):
    """memcpy on all threads; ctypes lets go of the interpreter's lock."""
    size = source.numel() * source.element_size()
    part = -(-size // ARGS.threads)

    def copy(begin):
        ctypes.memmove(target.data_ptr() + begin, source.data_ptr() + begin, min(part, size - begin))

    def run():
        threads = [threading.Thread(target=copy, args=(begin,)) for begin in range(part, size, part)]
        for thread in threads:
            thread.start()
        copy(0)
        for thread in threads:
            thread.join()

    return run


def make_contenders(name):
    function, in_numpy, make_inputs = CASES[name]
    inputs = make_inputs()
    expected = as_tuple(function(*inputs))
    outputs = make_outputs(name, expected)
    exe = fuser.compile((EXAMPLES / f"{name}.mlir").read_text(), target="cpu", context=CONTEXT)
    out = outputs[0] if len(outputs) == 1 else outputs
    exe(*inputs, out=out)
    check(name, outputs, expected)
    torch._dynamo.reset()
    into = torch.compile(writes_into(function), dynamic=False)
    fresh = torch.compile(function, dynamic=False)
    np_inputs = [tensor.float().numpy() for tensor in inputs]
    np_outputs = [
        np.zeros(tensor.shape, np.float32, order="F" if name == "permuted_output" else "C") for tensor in expected
    ]
    moved = bytes_of(inputs) + bytes_of(outputs)
    source, target = torch.zeros(moved // 8), torch.zeros(moved // 8)
    contenders = {
        "fuser": lambda: exe(*inputs, out=out),
        "inductor": lambda: into(outputs, *inputs),
        "inductor-alloc": lambda: fresh(*inputs),
        "eager": lambda: function(*inputs),
        "numpy": lambda: in_numpy(*np_outputs, *np_inputs),
        "copy_": lambda: target.copy_(source),
        "memcpy": make_memcpy(source, target),
    }
    chosen = {key: run for key, run in contenders.items() if key == "fuser" or re.search(ARGS.peers, key)}
    return chosen, moved


def check(name, outputs, expected):
    for output, value in zip(outputs, expected):
        error = (output.double() - value.double()).abs().max().item()
        scale = value.double().abs().max().item()
        if not error <= 2**-7 * scale:
            raise SystemExit(f"{name}: results differ by {error:g}, largest value {scale:g}")


def measure(contenders):
    """Median milliseconds a call of each."""
    times = {key: [] for key in contenders}
    for run in contenders.values():
        run()
        run()
    for _ in range(ARGS.rounds):
        for key, run in contenders.items():
            run()
            start = time.perf_counter()
            for _ in range(ARGS.calls):
                run()
            times[key].append((time.perf_counter() - start) * 1e3 / ARGS.calls)
    return {key: statistics.median(values) for key, values in times.items()}


def run_case(name):
    contenders, moved = make_contenders(name)
    times = measure(contenders)
    copies = [times.pop(key) for key in ("copy_", "memcpy") if key in times]
    result = {"bytes": moved, "ms": times}
    if copies:
        times["copy"] = min(copies)
        result["floor/time"] = times["copy"] / times["fuser"]
    peers = {key: value for key, value in times.items() if key not in ("fuser", "copy")}
    if peers:
        result["fastest peer"] = min(peers, key=peers.get)
        result["peer/time"] = min(peers.values()) / times["fuser"]
    return result


COLUMNS = ["fuser", "inductor", "inductor-alloc", "eager", "numpy", "copy"]


def main():
    torch.set_num_threads(ARGS.threads)
    torch.manual_seed(1)
    print(f"{ARGS.threads} threads, PyTorch {torch.__version__}, NumPy {np.__version__}; milliseconds a call")
    print("".join(f"{title:>16}" for title in ["case", *COLUMNS, "floor/time", "peer/time"]))
    results = {}
    for name in CASES:
        if not re.search(ARGS.only, name):
            continue
        results[name] = result = run_case(name)
        figures = [f"{result['ms'].get(column, math.nan):.2f}" for column in COLUMNS]
        figures += [f"{result.get(key, math.nan):.2f}" for key in ("floor/time", "peer/time")]
        print("".join(f"{text:>16}" for text in [name, *figures]), flush=True)
    if ARGS.json:
        document = {"threads": ARGS.threads, "torch": torch.__version__, "numpy": np.__version__, "cases": results}
        pathlib.Path(ARGS.json).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    with torch.inference_mode():
        main()
