# ===- torch_compile.py - torch.compile with fuser, Inductor and without ---===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""torch_compile.py: modules of PyTorch by torch.compile's backends "fuser" and "inductor" and eager, in one process.

    PYTHONPATH=build/python python benchmarks/gpu/torch_compile.py [--device cpu] [--only REGEX] [--dynamic] [--json FILE]

A line a module and backend: ms of a forward (fw) and of forward with backward (step), the median of rounds in which the backends take turns;
kernels of a step that the GPU ran; s of the first step, which compiles; and the greatest difference of the result and of the gradients from those of the module in float64, as a part of
the greatest element of each, or of all gradients. A CPU has no count of kernels.

Needs PyTorch (docs/how-to/compile-pytorch.md says how to install it) and the `fuser` package.
"""

import argparse
import copy
import json
import os
import re
import statistics
import time

import torch
import torch._inductor.config
from llama import Block

F = torch.nn.functional


class Norms(torch.nn.Module):
    """Two norms and activations: nothing of a library's."""

    def __init__(self, width):
        super().__init__()
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.RMSNorm(width)

    def forward(self, x):
        y = F.gelu(self.first(x)) + x
        return self.second(y) * y.softmax(-1)


class PublishedBlock(torch.nn.Module):
    """A decoder layer of Llama as the package `transformers` has it, with its rotary embedding and random weights."""

    def __init__(self, width, heads, inner):
        super().__init__()
        from transformers import LlamaConfig
        from transformers.models.llama import modeling_llama

        sizes = {"hidden_size": width, "num_attention_heads": heads, "intermediate_size": inner}
        config = LlamaConfig(**sizes, num_key_value_heads=heads // 4, attn_implementation="sdpa", vocab_size=8)
        self.layer = modeling_llama.LlamaDecoderLayer(config, layer_idx=0)
        self.embedding = modeling_llama.LlamaRotaryEmbedding(config)

    def forward(self, x):
        places = torch.arange(x.shape[1], device=x.device)[None]
        result = self.layer(x, position_ids=places, position_embeddings=self.embedding(x, places))
        return result if isinstance(result, torch.Tensor) else result[0]


def make_modules(device):
    """Modules by name, and the shape of their input; that of `transformers` where it is installed."""
    # Sizes of Llama 3 8B on a GPU.
    b, n, width, heads, inner = (2, 2048, 4096, 32, 14336) if device == "cuda" else (2, 256, 512, 8, 1024)
    encoder = torch.nn.TransformerEncoderLayer(width, heads, inner, dropout=0.0, activation="gelu", batch_first=True)
    shape = (b, n, width)
    modules = {"norms": Norms(width), "llama": Block(width, heads, inner), "encoder": encoder}
    try:
        modules["llama_hf"] = PublishedBlock(width, heads, inner)
    except ImportError as error:
        print(f"without the layer of transformers: {error}")
    return {name: (module, shape) for name, module in modules.items()}


def run_step(module, function, x):
    """The result, then the gradients."""
    module.zero_grad(set_to_none=True)
    x = x.detach().requires_grad_()
    y = function(x)
    # A sum of squares of a norm's result has no gradient.
    y.sin().sum().backward()
    return [y.detach(), x.grad, *(p.grad for p in module.parameters())]


def get_error(results, expected):
    result = ((results[0].double() - expected[0]).abs().max() / expected[0].abs().max()).item()
    greatest = max(each.abs().max() for each in expected[1:])
    gradients = max((a.double() - b).abs().max() / greatest for a, b in zip(results[1:], expected[1:], strict=True))
    return max(result, float(gradients))


def measure_ms(call, device):
    if device == "cpu":
        start = time.perf_counter()
        call()
        return (time.perf_counter() - start) * 1e3
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def count_kernels(call, device):
    if device == "cpu":
        return None
    call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events())


def compile_with(name, module, dynamic):
    return module if name == "eager" else torch.compile(module, backend=name, dynamic=dynamic, fullgraph=True)


def measure(module, shape, options):
    """Figures by backend."""
    device, dtype = options.device, getattr(torch, options.dtype)
    torch._dynamo.reset()
    x = torch.randn(shape).to(device, dtype)
    module = module.to(device, dtype)
    exact = copy.deepcopy(module).double()
    expected = run_step(exact, exact, x.double())
    del exact
    rows, steps, forwards = {}, {}, {}
    for name in options.backends.split(","):
        function = compile_with(name, module, options.dynamic)
        steps[name] = lambda function=function: run_step(module, function, x)
        forwards[name] = lambda function=function: function(x)
        start = time.perf_counter()
        results = steps[name]()
        if device == "cuda":
            torch.cuda.synchronize()
        rows[name] = {"compile_s": time.perf_counter() - start, "error": get_error(results, expected)}
        rows[name]["kernels"] = count_kernels(steps[name], device)
    for kind, calls in (("forward_ms", forwards), ("step_ms", steps)):
        times = {name: [] for name in calls}
        for _ in range(options.rounds):
            for name, call in calls.items():
                with torch.set_grad_enabled(kind == "step_ms"):
                    call()
                    times[name].append(measure_ms(call, device))
        for name, each in times.items():
            rows[name][kind] = statistics.median(each)
    return rows


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--dtype", help="float32, bfloat16 or float16; by default bfloat16 on a GPU")
    parser.add_argument("--backends", default="eager,inductor,fuser", help="in the order in which they take turns")
    parser.add_argument("--only", default="", help="modules whose name matches this regular expression")
    parser.add_argument("--dynamic", action="store_true", help="all sizes open")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    options = parser.parse_args()
    options.dtype = options.dtype or ("bfloat16" if options.device == "cuda" else "float32")
    return options


def main():
    options = parse_arguments()
    torch.manual_seed(0)
    # What an earlier run left would compile in no time.
    os.environ["FUSER_CACHE_DIR"] = ""
    torch._inductor.config.force_disable_caches = True
    where = torch.cuda.get_device_name() if options.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{where}, PyTorch {torch.__version__}, {options.dtype}")
    print(f"{'module':10}{'backend':10}{'fw ms':>10}{'step ms':>10}{'kernels':>9}{'first s':>9}{'error':>10}")
    figures = {}
    for name, (module, shape) in make_modules(options.device).items():
        if not re.search(options.only, name):
            continue
        figures[name] = measure(module, shape, options)
        for backend, row in figures[name].items():
            kernels = "-" if row["kernels"] is None else row["kernels"]
            times = f"{row['forward_ms']:10.3f}{row['step_ms']:10.3f}{kernels:>9}{row['compile_s']:9.2f}"
            print(f"{name:10}{backend:10}{times}{row['error']:10.1e}", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": where, "torch": torch.__version__, "modules": figures}, file, indent=2)


if __name__ == "__main__":
    main()
