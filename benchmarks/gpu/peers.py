"""Memory-bound fusions on one GPU beside torch.compile and the floor, in one run.

    python3 peers.py [--only REGEX] [--json FILE] [--no-autotune]

The floor of a case is a device copy that moves the same number of bytes (each input read once, each
output written once). Times are medians over repeated launches with the L2 cache flushed before each
(triton.testing.do_bench), all in the same process. Results are compared with eager PyTorch in f32 or f64.
Needs PyTorch with CUDA, Triton, and the `fuser` package.
"""

import argparse
import json
import pathlib
import re
import time

import fuser
import torch
import torch.nn.functional as F
from triton.testing import do_bench

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
BF16 = torch.bfloat16


def random(*sizes):
    return torch.randn(*sizes, device="cuda", dtype=torch.float32).to(BF16)


def rmsnorm_add(x, y, w):
    s = x + y
    h = s.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5) * w.float()).to(BF16), s


def swiglu(gate, up):
    return F.silu(gate.float()).to(BF16) * up


def softmax(x):
    return torch.softmax(x.float(), -1).to(BF16)


def rope(q, c, s):
    q = q.transpose(1, 2)
    h = torch.cat((-q[..., 64:], q[..., :64]), -1)
    return q * c + h * s


def permuted_output(x):
    return torch.exp(x).t().contiguous().t()


# name: (example file, row lengths in the file and here if they differ, function, inputs)
CASES = {
    "rmsnorm_add/16384x8192": (
        "rmsnorm_add.mlir",
        ("4096", "8192"),
        rmsnorm_add,
        lambda: (random(16384, 8192), random(16384, 8192), random(8192)),
    ),
    "swiglu/16384x14336": (
        "swiglu.mlir",
        None,
        swiglu,
        lambda: (random(16384, 14336), random(16384, 14336)),
    ),
    "softmax/16384x8192": ("softmax.mlir", None, softmax, lambda: (random(16384, 8192),)),
    "rope_llama3/8x32x4096x128": (
        "rope.mlir",
        None,
        rope,
        lambda: (random(8, 4096, 32, 128), random(4096, 128), random(4096, 128)),
    ),
    "permuted_output/16384x8192": (
        "permuted_output.mlir",
        ("4096", "8192"),
        permuted_output,
        lambda: (random(16384, 8192).float(),),
    ),
}


def as_tuple(value):
    return value if isinstance(value, (tuple, list)) else (value,)


def num_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def time_us(function):
    return do_bench(function, warmup=50, rep=200, return_mode="median") * 1e3


def copy_us(size):
    source = torch.empty(size // 2, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    return time_us(lambda: target.copy_(source))


def measure(name, autotune):
    file, length, function, make = CASES[name]
    text = (EXAMPLES / file).read_text()
    if length:
        text = text.replace(f"{length[0]}x", f"{length[1]}x")
    inputs = make()
    expected = as_tuple(function(*inputs))
    row = {"bytes": num_bytes(inputs) + num_bytes(expected)}
    started = time.perf_counter()
    program = fuser.compile(text, target="cuda")
    layout = torch.preserve_format if function is permuted_output else torch.contiguous_format
    outputs = [torch.full_like(t, float("nan"), memory_format=layout) for t in expected]
    program(*inputs, out=outputs)
    torch.cuda.synchronize()
    row["first_call_s"] = time.perf_counter() - started
    row["difference"] = max(
        ((a.float() - b.float()).norm() / b.float().norm()).item() for a, b in zip(outputs, expected)
    )
    row["floor_us"] = copy_us(row["bytes"])
    row["fuser_us"] = time_us(lambda: program(*inputs, out=outputs))
    row["fuser_new_outputs_us"] = time_us(lambda: program(*inputs))
    torch._dynamo.reset()
    compiled = torch.compile(function, dynamic=False)
    compiled(*inputs)
    row["inductor_us"] = time_us(lambda: compiled(*inputs))
    if autotune:
        torch._dynamo.reset()
        compiled = torch.compile(function, dynamic=False, mode="max-autotune-no-cudagraphs")
        compiled(*inputs)
        row["autotune_us"] = time_us(lambda: compiled(*inputs))
    row["floor_again_us"] = copy_us(row["bytes"])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=".")
    parser.add_argument("--json")
    parser.add_argument("--no-autotune", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    print(
        f"{'case':28s} {'floor us':>9s} {'fuser':>9s} {'floor/':>7s} {'inductor':>9s} {'autotune':>9s} {'best/':>6s} {'differ':>8s}"
    )
    rows = {}
    for name in CASES:
        if not re.search(options.only, name):
            continue
        row = rows[name] = measure(name, not options.no_autotune)
        floor = min(row["floor_us"], row["floor_again_us"])
        best = min(row["inductor_us"], row.get("autotune_us", float("inf")))
        print(
            f"{name:28s} {floor:9.1f} {row['fuser_us']:9.1f} {floor / row['fuser_us']:7.3f} "
            f"{row['inductor_us']:9.1f} {row.get('autotune_us', float('nan')):9.1f} {floor / best:6.3f} "
            f"{row['difference']:8.1e}",
            flush=True,
        )
        torch.cuda.empty_cache()
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cases": rows}, indent=1)
        )


if __name__ == "__main__":
    main()
