# ===- check_tolerance.py - What --check accepts and what it does not -----===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compiles one program, and checks it against the source of another that differs a little.

check_tolerance.py FUSER_RUN. Prints one line a case.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

SCALED = """
func.func @f(%x: tensor<?xT>) -> tensor<?xT> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xT>
  %s = arith.constant VALUE : f64
  %d = fusion.cast %x : tensor<?xT> to tensor<?xf64>
  %f = fusion.full %s sizes(%n) : tensor<?xf64>
  %m = fusion.mul %d, %f : tensor<?xf64>
  %y = fusion.cast %m : tensor<?xf64> to tensor<?xT>
  return %y : tensor<?xT>
}
"""

FUNCTION = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = arith.constant VALUE : f32
  %f = fusion.full %s sizes(%n) : tensor<?xf32>
  %e = fusion.exp %x : tensor<?xf32>
  %y = fusion.mul %e, %f : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

SUM = """
func.func @f(%x: tensor<?x4096xT>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xT>
  %h = fusion.cast %x : tensor<?x4096xT> to tensor<?x4096xf32>
  %p = fusion.slice %h offsets [0, 0] sizes [%n, VALUE] steps [1, 1] : tensor<?x4096xf32> to tensor<?xVALUExf32>
  %s = fusion.reduce <KIND> %p dims [1] : tensor<?xVALUExf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
"""

# The same sum, in a first step to VALUE numbers, which are then rounded to T.
ROUNDED_SUM = """
func.func @f(%x: tensor<?x4096xbf16>) -> tensor<?xf32> {
  %h = fusion.cast %x : tensor<?x4096xbf16> to tensor<?x4096xf32>
  %r = fusion.reshape %h : tensor<?x4096xf32> to tensor<?x64x64xf32>
  %a = fusion.reduce <sum> %r dims [2] : tensor<?x64x64xf32> to tensor<?x64xf32>
  %b = fusion.cast %a : tensor<?x64xf32> to tensor<?x64xbf16>
  %c = fusion.cast %b : tensor<?x64xbf16> to tensor<?x64xf32>
  %s = fusion.reduce <sum> %c dims [1] : tensor<?x64xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
"""

RMSNORM = """
func.func @f(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %eps = arith.constant VALUE : f32
  %q = fusion.mul %x, %x : tensor<?x4096xf32>
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %e = fusion.full %eps sizes(%n) : tensor<?x1xf32>
  %a = fusion.add %m, %e : tensor<?x1xf32>
  %r = fusion.rsqrt %a : tensor<?x1xf32>
  %b = fusion.expand %r : tensor<?x1xf32> to tensor<?x4096xf32>
  %y = fusion.mul %x, %b : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
"""

COUNT = """
func.func @f(%x: tensor<?x4096xf32>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %v = arith.constant VALUE : f32
  %t = fusion.full %v sizes(%n) : tensor<?x4096xf32>
  %c = fusion.cmp <gt> %x, %t : tensor<?x4096xf32>
  %i = fusion.cast %c : tensor<?x4096xi1> to tensor<?x4096xi64>
  %s = fusion.reduce <sum> %i dims [1] : tensor<?x4096xi64> to tensor<?xi64>
  return %s : tensor<?xi64>
}
"""

# %s is %x but for two roundings, %w is %x + %x.
COMPARED = """
func.func @f(%x: tensor<?x64xT>) -> tensor<RESULT> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xT>
  %three = arith.constant 3.0 : T
  %two = arith.constant 2.0 : T
  %t = fusion.full %three sizes(%n) : tensor<?x64xT>
  %o = fusion.full %two sizes(%n) : tensor<?x64xT>
  %d = fusion.div %x, %t : tensor<?x64xT>
  %s = fusion.mul %d, %t : tensor<?x64xT>
  %w = fusion.add %x, %x : tensor<?x64xT>
  %v = fusion.mul %x, %o : tensor<?x64xT>
BODY
  return %y : tensor<RESULT>
}
"""

# What a comparison is made into.
USES = {
    "?x64xi1": "%y = fusion.set %c : tensor<?x64xi1>",
    "?x64xT": "%y = fusion.where %c, %t, %o : tensor<?x64xT>",
    "?x64xi32": "%y = fusion.cast %c : tensor<?x64xi1> to tensor<?x64xi32>",
    "?xi64": """%i = fusion.cast %c : tensor<?x64xi1> to tensor<?x64xi64>
  %y = fusion.reduce <sum> %i dims [1] : tensor<?x64xi64> to tensor<?xi64>""",
    "?x64xf64": """%f = fusion.cmp <lt> %x, %o : tensor<?x64xT>
  %i = fusion.cmp <ne> %c, %f : tensor<?x64xi1>
  %y = fusion.cast %i : tensor<?x64xi1> to tensor<?x64xf64>""",
    "?xf32": """%i = fusion.cast %c : tensor<?x64xi1> to tensor<?x64xf32>
  %y = fusion.reduce <min> %i dims [1] : tensor<?x64xf32> to tensor<?xf32>""",
}

LOGISTIC = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = fusion.OP %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

# %p is infinite in f32, and not in f64.
BEYOND = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %p = fusion.mul %x, %x : tensor<?xf32>
  %y = fusion.BODY : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

ROWS = "7x4096x{}=normal:1"


def fill(text, value, element="", kind=""):
    return text.replace("VALUE", str(value)).replace("xT", f"x{element}").replace("KIND", kind)


def compared(condition, result="?x64xi1", element="f32"):
    body = f"  {condition}\n  {USES[result]}"
    return COMPARED.replace("RESULT", result).replace("BODY", body).replace("T", element)


def comparison(predicate, operands):
    return f"%c = fusion.cmp <{predicate}> {operands} : tensor<?x64xT>"


def comparisons():
    """The cases of what is true or false."""
    rows = "50x64x{}=normal:1"
    to_bool = "%e = fusion.sub %s, %x : tensor<?x64xT>\n  %c = fusion.cast %e : tensor<?x64xT> to tensor<?x64xi1>"
    for element in ("f32", "bf16", "f64"):
        for predicate in ("eq", "ne", "lt", "ge"):
            source = compared(comparison(predicate, "%s, %x"), element=element)
            yield f"{element} {predicate} after rounding", source, source, rows.format(element), True
    for result in USES:
        for name, condition in (("equality", comparison("eq", "%s, %x")), ("cast to i1", to_bool)):
            source = compared(condition, result)
            yield f"{result} of {name} after rounding", source, source, rows.format("f32"), True
        right, wrong = (compared(comparison(p, "%x, %o"), result) for p in ("lt", "gt"))
        yield f"{result} of gt for lt", wrong, right, rows.format("f32"), False
        right, wrong = (compared(comparison(p, "%w, %v"), result) for p in ("eq", "ne"))
        yield f"{result} of ne for eq of what is exact", wrong, right, rows.format("f32"), False
    right, wrong = (compared(comparison(p, "%s, %x"), element="bf16") for p in ("eq", "ne"))
    yield "bf16 ne for eq after rounding", wrong, right, rows.format("bf16"), False
    right, wrong = (compared(comparison(p, "%s, %o")) for p in ("lt", "gt"))
    yield "gt for lt after rounding", wrong, right, rows.format("f32"), False
    # Whole numbers, or a little less.
    count = COMPARED.replace("RESULT", "?x64xi32").replace("T", "f32")
    whole = (
        "  %a = fusion.cast %x : tensor<?x64xf32> to tensor<?x64xi32>\n"
        "  %b = fusion.cast %a : tensor<?x64xi32> to tensor<?x64xf32>\n"
    )
    shrunk = "  %p = fusion.div %b, %s : tensor<?x64xf32>\n  %q = fusion.mul %p, %s : tensor<?x64xf32>\n"
    last = "  %y = fusion.cast VALUE : tensor<?x64xf32> to tensor<?x64xi32>"
    source = count.replace("BODY", whole + shrunk + last.replace("VALUE", "%q"))
    yield "integers of what is nearly whole", source, source, rows.format("f32"), True
    right, wrong = (count.replace("BODY", last.replace("VALUE", value)) for value in ("%s", "%d"))
    yield "integers of another number", wrong, right, rows.format("f32"), False


def scaled(element, digits):
    """1 becomes 1 and so many units in the last place."""
    bits = {"bf16": 7, "f16": 10, "f32": 23, "f64": 52}[element]
    return fill(SCALED, f"0x{(0x3FF << 52) + (digits << (52 - bits)):016X}", element)


def cases():
    """name, what is compiled, what it is checked against, the input, whether it is right."""
    for element in ("bf16", "f16", "f32", "f64"):
        for digits in (1, 2, 3):
            name = f"{element} off by {digits} ulp"
            yield name, scaled(element, digits), scaled(element, 0), f"1000x{element}=value:1", digits == 1
    for value, right in (("1.0", True), ("1.0000002", True), ("1.000001", False)):
        yield f"exp times {value}", fill(FUNCTION, value), fill(FUNCTION, "1.0"), "1000xf32=random:1", right
    for body in ("div %p, %x", "sub %p, %x", "abs %p", "rsqrt %p"):
        source = BEYOND.replace("BODY", body)
        yield f"{body} beyond f32", source, source, "9xf32=value:-1e20", True
    other = BEYOND.replace("BODY", "neg %p")
    yield "neg of an infinity", other, BEYOND.replace("BODY", "abs %p"), "9xf32=value:-1e20", False
    # Where e ** -x overflows in f32, and not in f64, they are 0.
    for op in ("sigmoid", "silu"):
        source = LOGISTIC.replace("OP", op)
        yield f"{op} of -89.5", source, source, "1000xf32=value:-89.5", True
    whole = fill(SUM, 4096, "f32", "sum")
    yield "sum of all", whole, whole, ROWS.format("f32"), True
    yield "sum without one", fill(SUM, 4095, "f32", "sum"), whole, ROWS.format("f32"), False
    yield "sum without one of 1", fill(SUM, 4095, "f32", "sum"), whole, "7x4096xf32=value:1", False
    mean = fill(SUM, 4096, "bf16", "mean")
    yield "mean near zero", mean, mean, ROWS.format("bf16"), True
    yield "mean without one", fill(SUM, 4095, "bf16", "mean"), mean, ROWS.format("bf16"), False
    yield "sum by way of bf16", ROUNDED_SUM, fill(SUM, 4096, "bf16", "sum"), ROWS.format("bf16"), False
    norm = fill(RMSNORM, "1.0e-5")
    yield "rmsnorm", norm, norm, ROWS.format("f32"), True
    yield "rmsnorm with another eps", fill(RMSNORM, "2.0e-5"), norm, ROWS.format("f32"), False
    count = fill(COUNT, "0.5")
    yield "count", count, count, ROWS.format("f32"), True
    yield "count with another threshold", fill(COUNT, "0.501"), count, ROWS.format("f32"), False
    yield from comparisons()


def main():
    fuser_run = sys.argv[1]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program, source = Path(folder, "program.fx"), Path(folder, "source.mlir")
        for name, compiled, against, tensor, right in cases():
            source.write_text(compiled)
            subprocess.run([fuser_run, str(source), "--emit", str(program)], check=True)
            source.write_text(against)
            command = [fuser_run, str(program), "--source", str(source), "--check", f"--input={tensor}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            accepted = done.returncode == 0
            known = accepted or "elements differ by more than is allowed" in said
            failures += accepted != right or not known
            print(f"{name}: {'accepted' if accepted else 'refused'}{'' if accepted == right and known else ' WRONGLY'}")
            if accepted != right or not known:
                print(said)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
