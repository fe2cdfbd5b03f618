# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled program: saved.py FILE.fx"""

import sys
from pathlib import Path

import fuser
import numpy as np

if len(sys.argv) != 2:
    sys.exit("usage: saved.py FILE.fx")
center = fuser.load(Path(sys.argv[1]).read_bytes())
y, mean = center(np.ones((3, 512), np.float32), np.ones(512, np.float32))
print(y.sum(), mean)
