# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""doubling.py N [once]: prints a program of so many functions, of which each calls the next one twice, or once, after an op."""

import sys

TYPE = "tensor<4xf32>"

count, is_once = int(sys.argv[1]), sys.argv[2:] == ["once"]
for number in range(count):
    kind = "private " if number else ""
    print(f"func.func {kind}@f{number}(%x: {TYPE}) -> {TYPE} {{")
    for result, operand in (("%0", "%x"), ("%1", "%0")):
        if number + 1 < count and not (is_once and operand == "%x"):
            print(f"  {result} = call @f{number + 1}({operand}) : ({TYPE}) -> {TYPE}")
        else:
            print(f"  {result} = fusion.neg {operand} : {TYPE}")
    print(f"  return %1 : {TYPE}")
    print("}")
