# ===- products.py - Matrix products beside PyTorch's ----------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""products.py: `fusion.linear` in bf16 on a GPU and PyTorch's, in one process.

Both call cuBLASLt, so the time on the GPU should be the same, and so should each bit. Prints a line a size: M, N, K, the median time of
each in us by CUDA events around 20 calls, their ratio, the host's time of a call, and the largest difference. Needs PyTorch with CUDA and the `fuser` package.
"""

import statistics
import time
from functools import partial

import fuser
import torch

SIZES = [(4096, 4096, 4096), (8192, 8192, 2048), (128, 4096, 4096), (1, 4096, 4096)]
CALLS, ROUNDS = 20, 15


def gpu_time(call):
    times = []
    for _ in range(ROUNDS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(CALLS):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / CALLS * 1000)
    return statistics.median(times)


def host_time(call):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return elapsed / CALLS * 1e6


def main():
    print(torch.cuda.get_device_name())
    print("    M     N     K   fuser us   torch us   torch/fuser   host us (torch)   difference")
    for m, n, k in SIZES:
        types = f"tensor<?x{k}xbf16>, tensor<{n}x{k}xbf16> to tensor<?x{n}xbf16>"
        program = fuser.compile(
            f"func.func @f(%x: tensor<?x{k}xbf16>, %w: tensor<{n}x{k}xbf16>) -> tensor<?x{n}xbf16> {{\n"
            f"  %r = fusion.linear %x, %w : {types}\n  return %r : tensor<?x{n}xbf16>\n}}",
            "cuda",
        )
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
        ours, theirs = partial(program, x, w), partial(torch.nn.functional.linear, x, w)
        difference = (ours().float() - theirs().float()).abs().max().item()
        fuser_us, torch_us = gpu_time(ours), gpu_time(theirs)
        hosts = f"{host_time(ours):.1f} ({host_time(theirs):.1f})"
        print(
            f"{m:5} {n:5} {k:5} {fuser_us:10.1f} {torch_us:10.1f} {torch_us / fuser_us:13.2f} {hosts:>17} {difference:12.3g}"
        )


if __name__ == "__main__":
    main()
