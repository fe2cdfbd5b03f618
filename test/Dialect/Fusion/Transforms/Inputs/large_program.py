# ===- large_program.py - Programs of many ops -----------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Prints a function of about COUNT ops. Usage: large_program.py KIND COUNT [ATTRIBUTES-OF-ARGUMENTS]"""

import random
import sys

T = "tensor<?x64xf32>"
R = "tensor<64xf32>"


def chain(count):
    """Each op uses the one before."""
    for i in range(count):
        yield f"%v{i + 1} = fusion.neg %v{i} : {T}"
    yield f"return %v{count} : {T}"


def star(count):
    """Every other op hangs on the first one and cannot join it; the others form a chain that can."""
    results, types = [], []
    for i in range(count // 2):
        yield f"%s{i} = fusion.reduce <sum> %v1 dims [0] : {T} to {R}" if i else f"%v1 = fusion.exp %v0 : {T}"
        yield f"%v{i + 2} = fusion.add %v{i + 1}, %v1 : {T}"
        if i:
            results.append(f"%s{i}")
            types.append(R)
    yield f"return {', '.join(results)}, %v{count // 2 + 1} : {', '.join(types)}, {T}"


def fan(count):
    """All but the last hang on the first one and cannot join it; the last could, if the search for a path were cheap."""
    yield f"%v1 = fusion.exp %v0 : {T}"
    shapes = [f"tensor<{1 + i % 63}xf32>" for i in range(count)]  # So that they do not join each other.
    for i, shape in enumerate(shapes):
        part = shape.replace("<", "<?x")
        yield f"%t{i} = fusion.slice %v1 offsets [0, 0] sizes [%n, {1 + i % 63}] steps [1, 1] : {T} to {part}"
        yield f"%s{i} = fusion.reduce <sum> %t{i} dims [0] : {part} to {shape}"
    yield f"%g = fusion.neg %v0 : {T}"
    yield f"%b = fusion.segment_set %g : {T}"
    yield f"%c = fusion.add %v1, %b : {T}"
    yield f"return {', '.join(f'%s{i}' for i in range(count))}, %c : {', '.join(shapes)}, {T}"


def layers(count):
    """Norms and pointwise work in turn, each adding to the tensor before, with outer reductions in between."""
    v, n = "%v0", 0
    while n < count:
        p = f"%l{n}"
        yield f"{p}q = fusion.mul {v}, {v} : {T}"
        yield f"{p}s = fusion.reduce <mean> {p}q dims [1] keep : {T} to tensor<?x1xf32>"
        yield f"{p}r = fusion.rsqrt {p}s : tensor<?x1xf32>"
        yield f"{p}x = fusion.expand {p}r : tensor<?x1xf32> to {T}"
        yield f"{p}h = fusion.mul {v}, {p}x : {T}"
        yield f"{p}o = fusion.reduce <sum> {p}h dims [0] keep : {T} to tensor<1x64xf32>"
        yield f"{p}e = fusion.expand {p}o sizes(%n) : tensor<1x64xf32> to {T}"
        yield f"{p}a = fusion.add {p}h, {p}e : {T}"
        yield f"{p}y = fusion.add {p}a, {v} : {T}"
        v, n = f"{p}y", n + 9
    yield f"return {v} : {T}"


def mesh(count):
    """Operands at random among the last ops, with a boundary here and there."""
    rng = random.Random(7)
    for i in range(1, count + 1):
        a, b = (max(0, i - 1 - rng.randrange(40)) for _ in range(2))
        if rng.random() < 0.1:
            yield f"%v{i} = fusion.segment_set %v{i - 1} : {T}"
        else:
            yield f"%v{i} = fusion.add %v{a}, %v{b} : {T}"
    yield f"return %v{count} : {T}"


def residual(count):
    """Norms and pointwise work in turn, added to the tensor before: nothing that cannot be one kernel."""
    v = "%v0"
    for n in range(count // 8):
        p = f"%l{n}"
        yield f"{p}q = fusion.mul {v}, {v} : {T}"
        yield f"{p}s = fusion.reduce <mean> {p}q dims [1] keep : {T} to tensor<?x1xf32>"
        yield f"{p}r = fusion.rsqrt {p}s : tensor<?x1xf32>"
        yield f"{p}x = fusion.expand {p}r : tensor<?x1xf32> to {T}"
        yield f"{p}h = fusion.mul {v}, {p}x : {T}"
        yield f"{p}g = fusion.tanh {p}h : {T}"
        yield f"{p}a = fusion.mul {p}g, {p}h : {T}"
        yield f"{p}y = fusion.add {p}a, {v} : {T}"
        v = f"{p}y"
    yield f"return {v} : {T}"


def sums(count):
    """Each row sum is of what the one before was taken from."""
    v = "%v0"
    for n in range(count // 3):
        yield f"%s{n} = fusion.reduce <sum> {v} dims [1] keep : {T} to tensor<?x1xf32>"
        yield f"%x{n} = fusion.expand %s{n} : tensor<?x1xf32> to {T}"
        yield f"%d{n} = fusion.sub {v}, %x{n} : {T}"
        v = f"%d{n}"
    yield f"return {v} : {T}"


def costly(count):
    """Pointwise ops that are many instructions each."""
    v = "%v0"
    for n in range(count // 4):
        yield f"%g{n} = fusion.tanh {v} : {T}"
        yield f"%e{n} = fusion.exp %g{n} : {T}"
        yield f"%d{n} = fusion.div %g{n}, %e{n} : {T}"
        yield f"%a{n} = fusion.add %d{n}, {v} : {T}"
        v = f"%a{n}"
    yield f"return {v} : {T}"


def outputs(count):
    """Each op is of an input of its own, and a result."""
    for i in range(count):
        yield f"%r{i} = fusion.exp %v{i} : {T}"
    yield f"return {', '.join(f'%r{i}' for i in range(count))} : {', '.join([T] * count)}"


def inputs(count):
    """The sum of all inputs."""
    for i in range(1, count):
        yield f"%s{i} = fusion.add {f'%s{i - 1}' if i > 1 else '%v0'}, %v{i} : {T}"
    yield f"return %s{count - 1} : {T}"


def calls(count):
    """A host program that does nothing else."""
    yield "%s = host.get_stream"
    for _ in range(count):
        yield "host.sync %s"
    yield "return"


def columns(count):
    """One op, of many operands side by side."""
    wide = T.replace("64", str(64 * count))
    yield f"%c = fusion.cat {', '.join(['%v0'] * count)} dim 1 : {', '.join([T] * count)} to {wide}"
    yield f"%r = fusion.neg %c : {wide}"
    yield f"return %r : {wide}"


def twins(count):
    """Two ops of the same many operands."""
    wide = T.replace("64", str(64 * count))
    types = ", ".join([T] * count)
    for i in range(count):
        yield f"%x{i} = fusion.mul %v0, {i}.0 : {T}"
    for name, order in ("c", range(count)), ("d", reversed(range(count))):
        yield f"%{name} = fusion.cat {', '.join(f'%x{i}' for i in order)} dim 1 : {types} to {wide}"
    yield f"return %c, %d : {wide}, {wide}"


KINDS = [chain, star, fan, layers, mesh, residual, sums, costly, outputs, inputs, calls, columns, twins]


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    # What is behind the count goes behind each argument.
    attributes = " ".join(sys.argv[3:])
    body = list({f.__name__: f for f in KINDS}[kind](count))
    if kind == "calls":
        print("func.func @calls() attributes {host.program} {")
    else:
        types = body[-1].split(" : ")[1]
        num_arguments = count if kind in ("outputs", "inputs") else 1
        arguments = ", ".join(f"%v{i}: {T} {attributes}".rstrip() for i in range(num_arguments))
        print(f"func.func @{kind}({arguments}) -> ({types}) {{")
        print("  %c0 = arith.constant 0 : index")
        print(f"  %n = tensor.dim %v0, %c0 : {T}")
    print("\n".join("  " + line for line in body))
    print("}")


main()
