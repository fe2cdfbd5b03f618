# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that is wrong, for the message."""

import fuser

b = fuser.Builder()
x = b.input((None, 512), name="x")
w = b.input((511,), name="w")
b.output(x * w)
