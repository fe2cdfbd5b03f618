# ===- many_inputs.py - Programs with more inputs than a launch takes -----===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""many_inputs.py KIND COUNT. Prints a program of COUNT inputs (or ops) that one kernel could compute.

sum       adds tensors of one static size
strided   adds tensors of any sizes and strides
scalars   multiplies a tensor by one scalar after the other
shared    multiplies a tensor by one scalar, again and again
cat       one op that reads all of them
inputs    no program, but the options of fuser-run for the inputs of `sum`
"""

import sys


def add(count, element, attributes):
    arguments = ", ".join(f"%x{i}: {element}{attributes}" for i in range(count))
    print(f"func.func @f({arguments}) -> {element} {{")
    print(f"  %s1 = fusion.add %x0, %x1 : {element}")
    for i in range(2, count):
        print(f"  %s{i} = fusion.add %s{i - 1}, %x{i} : {element}")
    print(f"  return %s{count - 1} : {element}\n}}")


def multiply(count, scalars):
    arguments = ", ".join(f"%a{i}: f32" for i in range(scalars))
    print(f"func.func @f(%p0: tensor<64xf32>, {arguments}) -> tensor<64xf32> {{")
    for i in range(count):
        scalar = f"%a{i % scalars}"
        print(f"  %t{i} = fusion.full {scalar} : tensor<64xf32>")
        print(f"  %p{i + 1} = fusion.mul %p{i}, %t{i} : tensor<64xf32>")
    print(f"  return %p{count} : tensor<64xf32>\n}}")


def cat(count):
    element = "tensor<1xf32>"
    names = [f"%x{i}" for i in range(count)]
    print(f"func.func @f({', '.join(f'{name}: {element}' for name in names)}) -> tensor<{count}xf32> {{")
    print(f"  %c = fusion.cat {', '.join(names)} dim 0 : {', '.join([element] * count)} to tensor<{count}xf32>")
    print(f"  return %c : tensor<{count}xf32>\n}}")


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    if kind == "sum":
        add(count, "tensor<4x8xf32>", "")
    elif kind == "strided":
        add(count, "tensor<?x?xf32>", ' {fusion.layout = "any"}')
    elif kind == "cat":
        cat(count)
    elif kind == "inputs":
        print("\n".join(f"--input=4x8xf32=random:{i}" for i in range(count)))
    else:
        multiply(count, count if kind == "scalars" else 1)


if __name__ == "__main__":
    main()
