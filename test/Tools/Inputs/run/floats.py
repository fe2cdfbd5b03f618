# ===- floats.py - The last elements of a file ----------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""floats.py FILE COUNT. Prints the last so many f32 of a .npy file."""

import struct
import sys
from pathlib import Path

count = int(sys.argv[2])
print(*struct.unpack(f"<{count}f", Path(sys.argv[1]).read_bytes()[-4 * count :]))
