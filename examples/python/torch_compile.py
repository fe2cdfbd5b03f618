# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of PyTorch, compiled by fuser, and its gradients; it needs PyTorch.

PYTHONPATH=build/python python examples/python/torch_compile.py
"""

import torch


@torch.compile(backend="fuser")
def norm_gelu(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(torch.nn.functional.rms_norm(x, w.shape, w)) + x


x = torch.randn(7, 1024, requires_grad=True)  # or device="cuda"
w = torch.ones(1024, requires_grad=True)
y = norm_gelu(x, w)
gradients = torch.autograd.grad(y.sum(), [x, w])
print(y.shape, [gradient.shape for gradient in gradients])
