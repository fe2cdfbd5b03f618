# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of PyTorch, compiled by fuser, and its gradients; it needs PyTorch.

PYTHONPATH=build/python python examples/torch_compile.py
"""

import torch


@torch.compile(backend="fuser")
def norm_gelu(x, w):
    return torch.nn.functional.gelu(torch.nn.functional.rms_norm(x, w.shape, w)) + x


x = torch.randn(7, 1024, requires_grad=True)  # or device="cuda"
w = torch.ones(1024, requires_grad=True)
y = norm_gelu(x, w)
y.sum().backward()
print(y.shape, x.grad.shape, w.grad.shape)
