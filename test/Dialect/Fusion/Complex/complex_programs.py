# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of complex tensors against NumPy: complex_programs.py TARGET [name...]

Each program runs with --check, too: kernels against the reference, which computes the same formulas in f64, and both against what NumPy says. Prints the
programs that are wrong, and how many are right.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DTYPES = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}
# Units in the last place of the larger part.
UNITS = 8
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


class Case:
    """A function of arguments `inputs`, by name, and what its results are to be."""

    def __init__(self, body, inputs, results, expected, units=UNITS):
        self.body, self.inputs, self.results, self.expected, self.units = body, inputs, results, expected, units
        # How inputs lie in memory, behind their names on the command line.
        self.placement = ""


def element_of(array):
    return {"complex64": "complex<f32>", "complex128": "complex<f64>", "float32": "f32", "float64": "f64"}.get(
        str(array.dtype)
    ) or {"bool": "i1", "int64": "i64", "int32": "i32"}[str(array.dtype)]


def tensor(shape, element):
    sizes = "".join("?x" if size is None else f"{size}x" for size in shape)
    return f"tensor<{sizes}{element}>"


def numbers(shape, dtype, seed, size=2.0):
    random = np.random.default_rng(seed)
    return (random.uniform(-size, size, shape) + 1j * random.uniform(-size, size, shape)).astype(dtype)


# Element by element

UNARY = {
    "neg": lambda z: -z,
    "conj": np.conj,
    "sqrt": np.sqrt,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "exp": np.exp,
    "exp2": lambda z: np.exp(z * np.log(2)),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "silu": lambda z: z / (1 + np.exp(-z)),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "set": lambda z: z,
    "segment_set": lambda z: z,
}
OF_PARTS = {"real": np.real, "imag": np.imag, "modulus": np.abs, "angle": np.angle}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


@program
def unary(element):
    z = numbers((5, 7), DTYPES[element], 1)
    wide = z.astype(np.complex128)
    type = tensor((None, 7), element)
    for name, function in UNARY.items():
        yield name, Case([f"%r = fusion.{name} %z : {type}"], {"z": (z, type)}, [("r", type)], [function(wide)], 16)
    part = tensor((None, 7), PARTS[element])
    for name, function in OF_PARTS.items():
        yield name, Case([f"%r = fusion.{name} %z : {type}"], {"z": (z, type)}, [("r", part)], [function(wide)])
    special = np.array([0, np.nan, 1j * np.inf, complex(np.nan, 1), complex(1, -np.inf), 1, -2j], DTYPES[element])
    for name, function in TESTS.items():
        yield (
            name,
            Case(
                [f"%r = fusion.{name} %z : {type}"],
                {"z": (np.stack([special, z[0]]), type)},
                [("r", tensor((None, 7), "i1"))],
                [function(np.stack([special, z[0]]))],
            ),
        )


@program
def binary(element):
    x, y = (numbers((3, 6), DTYPES[element], seed) for seed in (1, 2))
    type = tensor((None, 6), element)
    for name, function in BINARY.items():
        expected = function(x.astype(np.complex128), y.astype(np.complex128))
        yield (
            name,
            Case(
                [f"%r = fusion.{name} %x, %y : {type}"], {"x": (x, type), "y": (y, type)}, [("r", type)], [expected], 16
            ),
        )
    y[0], mask = x[0], tensor((None, 6), "i1")
    for name, function in {"eq": np.equal, "ne": np.not_equal}.items():
        body = [f"%r = fusion.cmp <{name}> %x, %y : {type}", f"%s = fusion.where %r, %x, %y : {type}"]
        equal = function(x, y)
        yield (
            name,
            Case(body, {"x": (x, type), "y": (y, type)}, [("r", mask), ("s", type)], [equal, np.where(equal, x, y)]),
        )


@program
def large(element):
    """Quotients, sizes and roots of numbers whose squares overflow or underflow."""
    finfo = np.finfo(DTYPES[element])
    sizes = np.array([finfo.max / 4, finfo.tiny * 4, 1], finfo.dtype)
    z = (numbers((2, 3), DTYPES[element], 3, 1.0) * sizes).astype(DTYPES[element])
    type, part = tensor((2, 3), element), tensor((2, 3), PARTS[element])
    body = [
        f"%a = fusion.div %z, %z : {type}",
        f"%b = fusion.modulus %z : {type}",
        f"%c = fusion.sqrt %z : {type}",
        f"%d = fusion.log %z : {type}",
    ]
    wide = z.astype(np.clongdouble)
    expected = [np.ones((2, 3)), np.abs(wide), np.sqrt(wide), np.log(wide)]
    yield "large", Case(body, {"z": (z, type)}, [("a", type), ("b", part), ("c", type), ("d", type)], expected, 4)


@program
def casts(element):
    x = np.random.default_rng(1).uniform(-2, 2, (4, 3)).astype(np.float32)
    z = numbers((4, 3), DTYPES[element], 1)
    z[1, 2] = 0
    other = "complex<f64>" if element == "complex<f32>" else "complex<f32>"
    real, own, wide = tensor((None, 3), "f32"), tensor((None, 3), element), tensor((None, 3), other)
    body = [
        f"%a = fusion.cast %x : {real} to {own}",
        f"%b = fusion.cast %z : {own} to {other}",
        f"%c = fusion.cast %z : {own} to i1",
    ]
    results = [("a", own), ("b", wide), ("c", tensor((None, 3), "i1"))]
    yield (
        "cast",
        Case(
            body, {"x": (x, real), "z": (z, own)}, results, [x.astype(DTYPES[element]), z.astype(DTYPES[other]), z != 0]
        ),
    )


@program
def factories(element):
    own, part = tensor((2,), element), tensor((None, 3), PARTS[element])
    wide = tensor((None, 3), element)
    body = [
        f"%a = fusion.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : {own}",
        f"%one = arith.constant 1.0 : {PARTS[element]}",
        "%zero = arith.constant 0 : index",
        f"%n = tensor.dim %z, %zero : {wide}",
        f"%re = fusion.full %one sizes(%n) : {part}",
        f"%b = fusion.complex %re, %re : {part}",
        f"%c = fusion.constant dense<(1.0, -1.0)> : {tensor((4,), element)}",
    ]
    z = numbers((4, 3), DTYPES[element], 1)
    results = [("a", own), ("b", wide), ("c", tensor((4,), element))]
    yield (
        "constant",
        Case(
            body, {"z": (z, wide)}, results, [np.array([1 + 2j, 3 - 4j]), np.full((4, 3), 1 + 1j), np.full(4, 1 - 1j)]
        ),
    )


# Layouts


def moves(name, of_argument, element):
    """Every op that moves elements: of an argument, or of what is computed."""
    z = numbers((4, 6), DTYPES[element], 1)
    t = lambda *shape: tensor(shape, element)  # noqa: E731
    first = [] if of_argument else [f"%w = fusion.mul %z, %z : {t(None, 6)}"]
    w, v = ("z", z) if of_argument else ("w", z * z)
    i = np.array([2, 0, 3], np.int64)
    j = np.random.default_rng(2).integers(0, 4, (2, 6))
    scattered = v.copy()
    scattered[i] = v[1:4]
    along = v.copy()
    np.put_along_axis(along, np.broadcast_to(np.array([[1], [3]]), (2, 6)), v[:2], 0)
    ops = {
        f"%b1 = fusion.broadcast %{w} dims [1] : {t(None, 6)}": (t(None, 1, 6), v[:, None]),
        f"%b2 = fusion.broadcast_in_dim %{w} dims [1, 2] : {t(None, 6)} to {t(3, None, 6)}": (
            t(3, None, 6),
            np.stack([v] * 3),
        ),
        f"%b3 = fusion.expand %b1 : {t(None, 1, 6)} to {t(None, 2, 6)}": (t(None, 2, 6), np.stack([v, v], 1)),
        f"%b4 = fusion.permute %{w} [1, 0] : {t(None, 6)}": (t(6, None), v.T),
        f"%b5 = fusion.reshape %{w} : {t(None, 6)} to {t(None, 2)}": (t(None, 2), v.reshape(-1, 2)),
        f"%b6 = fusion.slice %{w} offsets [1, 1] sizes [2, 3] steps [1, 2] : {t(None, 6)} to {t(2, 3)}": (
            t(2, 3),
            v[1:3, 1::2],
        ),
        f"%b7 = fusion.cat %{w}, %{w} dim 1 : {t(None, 6)}, {t(None, 6)} to {t(None, 12)}": (
            t(None, 12),
            np.concatenate([v, v], 1),
        ),
        f"%b8 = fusion.pad <constant> %{w} low [1, 0] high [0, 2] : {t(None, 6)}": (
            t(None, 8),
            np.pad(v, ((1, 0), (0, 2))),
        ),
        f"%b9 = fusion.pad <reflect> %{w} low [0, 1] high [0, 2] : {t(None, 6)}": (
            t(None, 9),
            np.pad(v, ((0, 0), (1, 2)), "reflect"),
        ),
        f"%b10 = fusion.take %{w}, %i dim 0 : {t(None, 6)}, tensor<3xi64> to {t(3, 6)}": (t(3, 6), v[i]),
        f"%b11 = fusion.take_along_axis %{w}, %j dim 0 : {t(None, 6)}, tensor<2x6xi64> to {t(2, 6)}": (
            t(2, 6),
            np.take_along_axis(v, j, 0),
        ),
        f"%u = fusion.slice %{w} offsets [1, 0] sizes [3, 6] steps [1, 1] : {t(None, 6)} to {t(3, 6)}": (
            t(3, 6),
            v[1:4],
        ),
        f"%b12 = fusion.scatter %{w}, %i, %u dim 0 : {t(None, 6)}, tensor<3xi64>, {t(3, 6)}": (t(None, 6), scattered),
        f"%b13 = fusion.scatter %{w}, %i, %u dim 0 combine <sum> : {t(None, 6)}, tensor<3xi64>, {t(3, 6)}": (
            t(None, 6),
            v + np.stack([v[2], 0 * v[0], v[1], v[3]]),
        ),
        f"%b14 = fusion.set %{w} : {t(None, 6)}": (t(None, 6), v),
        f"%b15 = fusion.segment_set %{w} : {t(None, 6)}": (t(None, 6), v),
    }
    results = [(line.split()[0][1:], type) for line, (type, _) in ops.items()]
    body = [*first, *ops]
    inputs = {"z": (z, t(None, 6)), "i": (i, "tensor<3xi64>"), "j": (j.astype(np.int64), "tensor<2x6xi64>")}
    yield name, Case(body, inputs, results, [value for _, value in ops.values()], 4)


@program
def layouts(element):
    yield from moves("of-arguments", True, element)
    yield from moves("of-computed", False, element)


@program
def memory(element):
    """Scalars, nothing, and arguments of any strides."""
    for shape in ((), (0, 3), (3, 0), (1,), (5, 4)):
        z = numbers(shape, DTYPES[element], 1)
        type = tensor(shape, element)
        yield (
            f"shape-{len(shape)}-{z.size}",
            Case(
                [f"%r = fusion.mul %z, %z : {type}", f"%s = fusion.imag %r : {type}"],
                {"z": (z, type)},
                [("r", type), ("s", tensor(shape, PARTS[element])), ("z", type)],
                [z * z, (z * z).imag, z],
            ),
        )
    z, type = numbers((5, 4), DTYPES[element], 1), tensor((None, 4), element)
    expected = [np.conj(z), z.real, z]
    body = [f"%r = fusion.conj %z : {type}", f"%s = fusion.real %z : {type}"]
    results = [("r", type), ("s", tensor((None, 4), PARTS[element])), ("z", type)]
    for placement in (",strides=1x5", ",strides=12x3,offset=1", ",strides=0x1", ",strides=8x1,offset=3"):
        given = np.broadcast_to(z[-1:], z.shape) if "0x1" in placement else z
        expected = [np.conj(given), given.real, given]
        case = Case(body, {"z": (given, type)}, results, expected)
        case.placement = placement
        yield f"strides{placement}", case


# Sums


@program
def reductions(element):
    z = numbers((3, 5, 4), DTYPES[element], 1)
    wide, t = z.astype(np.complex128), lambda *shape: tensor(shape, element)
    for dims in ([0], [2], [0, 1, 2], [1, 2]):
        axes, left = tuple(dims), [size for dim, size in enumerate((None, 5, 4)) if dim not in dims]
        body = [
            f"%{kind} = fusion.reduce <{kind}> %z dims {dims} : {t(None, 5, 4)}" for kind in ("sum", "mean", "prod")
        ]
        expected = [np.sum(wide, axes), np.mean(wide, axes), np.prod(wide, axes)]
        yield (
            f"reduce-{dims}",
            Case(body, {"z": (z, t(None, 5, 4))}, [(k, t(*left)) for k in ("sum", "mean", "prod")], expected, 40),
        )
    body = [
        f"%{kind}{dim} = fusion.scan <{kind}> %z dim {dim} : {t(None, 5, 4)}"
        for kind in ("sum", "prod")
        for dim in (0, 2)
    ]
    expected = [function(wide, dim) for function in (np.cumsum, np.cumprod) for dim in (0, 2)]
    yield (
        "scan",
        Case(body, {"z": (z, t(None, 5, 4))}, [(line.split()[0][1:], t(None, 5, 4)) for line in body], expected, 40),
    )
    axis = np.array([[2, -1, 3j, 0.5], [1j, 1j, -1j, 4]], DTYPES[element])
    yield (
        "prod-of-axes",
        Case(
            [f"%r = fusion.reduce <prod> %z dims [1] : {t(2, 4)}"],
            {"z": (axis, t(2, 4))},
            [("r", t(2))],
            [np.prod(axis, 1)],
            1,
        ),
    )


@program
def contractions(element):
    t = lambda *shape: tensor(shape, element)  # noqa: E731
    a, b, c = (numbers(shape, DTYPES[element], seed) for seed, shape in enumerate(((2, 3, 5), (2, 5, 4), (4, 5))))
    body = [
        f"%r = fusion.matmul %a, %b : {t(2, None, 5)}, {t(2, 5, None)} to {t(2, None, None)}",
        f"%s = fusion.linear %a, %c : {t(2, None, 5)}, {t(4, 5)} to {t(2, None, 4)}",
        f"%e = fusion.exp %a : {t(2, None, 5)}",
        f"%f = fusion.matmul %e, %b : {t(2, None, 5)}, {t(2, 5, None)} to {t(2, None, None)}",
    ]
    inputs = {"a": (a, t(2, None, 5)), "b": (b, t(2, 5, None)), "c": (c, t(4, 5))}
    results = [("r", t(2, None, None)), ("s", t(2, None, 4)), ("f", t(2, None, None))]
    yield "matmul", Case(body, inputs, results, [a @ b, a @ c.T, np.exp(a) @ b], 64)


# Running


def write(case, folder):
    arguments = ", ".join(f"%{name}: {type}" for name, (_, type) in case.inputs.items())
    types = ", ".join(type for _, type in case.results)
    layout = ' {fusion.layout = "any"}' if case.placement else ""
    text = f"func.func @f({arguments}{layout}) -> ({types}) {{\n  " + "\n  ".join(case.body)
    text += f"\n  return {', '.join(f'%{name}' for name, _ in case.results)} : {types}\n}}\n"
    (folder / "f.mlir").write_text(text)
    command = []
    for name, (array, _) in case.inputs.items():
        np.save(folder / f"{name}.npy", array)
        shape = "x".join([*map(str, array.shape), element_of(array)])
        command.append(f"--input={shape}={folder}/{name}.npy{case.placement}")
    return command + [f"--output={folder}/r{number}.npy" for number in range(len(case.results))]


def find_fault(got, expected, units):
    """What is wrong with a result; None if nothing is."""
    if got.shape != np.shape(expected):
        return f"expected the shape {np.shape(expected)}, got {got.shape}"
    if got.dtype == bool:
        return None if np.array_equal(got, expected) else f"expected {expected}, got {got}"
    expected = np.asarray(expected)
    finfo = np.finfo(got.dtype)
    size = np.maximum(np.abs(expected.astype(np.clongdouble)), finfo.tiny)
    difference = np.abs(got.astype(np.clongdouble) - expected) / size / finfo.eps
    worst = float(np.max(difference, initial=0))
    return (
        None
        if worst <= units
        else f"expected {units} units at most, got {worst:.3g}: {got.ravel()[:6]} for {expected.ravel()[:6]}"
    )


def run(case, target):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = write(case, folder)
        done = subprocess.run(
            ["fuser-run", folder / "f.mlir", f"--target={target}", "--check", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return done.stderr + done.stdout + (folder / "f.mlir").read_text()
        for number, expected in enumerate(case.expected):
            got = np.load(folder / f"r{number}.npy")
            if fault := find_fault(got, expected, case.units):
                return f"result {number}: {fault}"
    return None


def main(target, names):
    right = total = 0
    for element in DTYPES:
        for group, make in PROGRAMS.items():
            for name, case in make(element):
                if names and name not in names and group not in names:
                    continue
                total += 1
                fault = run(case, target)
                right += fault is None
                if fault:
                    print(f"{group}, {name}, {element}: {fault}", flush=True)
    print(f"{right} of {total} programs right")


main(sys.argv[1], sys.argv[2:])
