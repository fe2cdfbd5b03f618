# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that takes the mean from a sum of tensors, for each channel: many_tensors.py TENSORS HEIGHT_X_WIDTH; of none it is a mean of random numbers."""

import sys

count, size = int(sys.argv[1]), sys.argv[2]
tensor = f"tensor<32x64x{size}xf32>"
inputs = (
    ", ".join(f"%x{i}: {tensor} {{fusion.alignment = 16 : i64}}" for i in range(count)) or "%seed: i64, %offset: i64"
)
print(f"func.func @f({inputs}) -> {tensor} {{")
value = "%x0"
if count == 0:
    value = "%u"
    print(f"  %u = fusion.uniform seed %seed offset %offset : {tensor}")
for i in range(1, count):
    print(f"  %sum{i} = fusion.add {value}, %x{i} : {tensor}")
    value = f"%sum{i}"
print(f"  %mean = fusion.reduce <mean> {value} dims [0, 2] keep : {tensor}")
print(f"  %m = fusion.broadcast_in_dim %mean dims [0, 1, 2] : tensor<1x64x1xf32> to {tensor}")
print(f"  %d = fusion.sub {value}, %m : {tensor}")
print(f"  return %d : {tensor}\n}}")
