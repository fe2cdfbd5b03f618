# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program built op by op, compiled and called: build.py (with the package on PYTHONPATH)."""

import fuser
import numpy as np

b = fuser.Builder("rms")
x, w = b.input((None, 1024), "float32", name="x"), b.input((1024,), name="w")
b.output(x * b.rsqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * w)
rms = b.compile()  # or b.compile("cuda")

random = np.random.default_rng(0)
a, c = random.standard_normal((5, 1024), np.float32), random.standard_normal(1024, np.float32)
np.testing.assert_allclose(rms(a, c), a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-6) * c, rtol=1e-5)
print(rms.num_segments, "segment:", rms)
