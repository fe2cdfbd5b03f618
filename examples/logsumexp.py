# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of three ops, compiled and called: logsumexp.py (with the package on PYTHONPATH)."""

import fuser
import numpy as np

logsumexp = fuser.compile("""
func.func @logsumexp(%x: tensor<?x1024xf32>) -> tensor<?x1xf32> {
  %e = fusion.exp %x : tensor<?x1024xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
  %y = fusion.log %s : tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}""")
x = np.random.default_rng(0).standard_normal((5, 1024), dtype=np.float32)
np.testing.assert_allclose(logsumexp(x), np.log(np.exp(x).sum(1, keepdims=True)), rtol=1e-5)
print(logsumexp.num_segments, "segment:", logsumexp.input_types, "->", logsumexp.output_types)
