# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with nvFuser's names, on the CPU."""

import numpy as np
from fuser.nvfuser_direct import DataType, FusionDefinition

with FusionDefinition() as fd:
    t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half)
    t1 = fd.ops.cast(t0, DataType.Float)
    var, mean = fd.ops.var_mean(t1, dims=[1], correction=0, keepdim=True)
    t2 = fd.ops.mul(fd.ops.sub(t1, mean), fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(1e-5))))
    fd.add_output(fd.ops.cast(t2, DataType.Half))

x = np.random.default_rng(0).standard_normal((4, 256)).astype(np.float16)
(y,) = fd.execute([x])
wide = x.astype(np.float32)
expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
np.testing.assert_allclose(y, expected, atol=5e-3)
print(fd)
