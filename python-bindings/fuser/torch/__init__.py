# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuser as a backend of torch.compile, for tensors of the CPU and of GPUs.

    import fuser.torch
    model = torch.compile(model, backend="fuser")

Element-wise ops, reductions and ops that move elements are fused, forward and backward, with static and with dynamic shapes; scans, sorts and scatters are kernels beside them. What fuser does not
take runs in PyTorch as before: matrix products and attention (unless options say otherwise) and convolutions, for which a library is best, random numbers, and ops or element types
that it does not have. The logger "fuser.torch" says once for each op why, with the line of the user's code: of the first kind as INFO, of the second as WARNING.
"""

from importlib.metadata import entry_points

from torch._dynamo.backends.registry import register_backend

from ._backend import backend

__all__ = ["backend"]

# An installed package is found by its entry point, which registers it.
if "fuser" not in entry_points(group="torch_dynamo_backends").names:
    register_backend(compiler_fn=backend, name="fuser")
