# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling a program and calling it with tensors: call.py (with the package on PYTHONPATH)."""

from pathlib import Path

import fuser
import numpy as np

text = Path(__file__).with_name("rms.mlir").read_text()
rms = fuser.compile(text)  # or fuser.compile(text, "cuda")

x = np.random.default_rng(0).standard_normal((5, 1024), dtype=np.float32)
y = rms(x)  # any tensor with DLPack; y is of the same framework
np.testing.assert_allclose(y, x / np.sqrt((x**2).mean(1, keepdims=True)), rtol=1e-5)

out = np.empty_like(x)
assert rms(x, out=out) is out  # into memory of the caller

try:
    rms(x.astype(np.float16))
except fuser.Error as error:
    print(error)
