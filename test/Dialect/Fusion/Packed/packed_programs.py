# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of 4-bit floats against NumPy: packed_programs.py TARGET

Each program runs with --check, too: kernels against the reference, which rounds by itself. Bits of results are those of ml_dtypes, of which the tables here
are copies. Prints the programs that are wrong, and how many are right.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NUMBERS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
TABLE = np.concatenate([NUMBERS, -NUMBERS])
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def unpack(data):
    """Codes of bytes, of which the low half comes first."""
    return np.stack([data & 15, data >> 4], axis=-1).reshape(*data.shape[:-1], 2 * data.shape[-1])


def pack(codes):
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


def decode(data):
    return TABLE[unpack(data)]


def encode(x):
    """The nearest number, of two as near that with an even place; beyond the greatest one that; NaN is -0."""
    x = np.asarray(x, np.float64)
    size = np.abs(np.where(np.isnan(x), 0, x))
    middles = (NUMBERS[:-1] + NUMBERS[1:]).astype(np.float64) / 2
    even = np.arange(7) % 2 == 0
    place = np.where(even, size[..., None] > middles, size[..., None] >= middles).sum(axis=-1)
    return np.where(np.isnan(x), 8, place + 8 * np.signbit(x)).astype(np.uint8)


def every_byte(rows=8):
    return np.arange(256, dtype=np.uint8).reshape(rows, -1)


def some_floats(shape, seed=0):
    """Numbers, middles between them and their neighbours, and what is special."""
    random = np.random.default_rng(seed)
    x = random.normal(0, 2.5, shape).astype(np.float32).ravel()
    middles = (NUMBERS[:-1] + NUMBERS[1:]) / 2
    points = np.concatenate([NUMBERS, middles, [7, 100, 3e38, np.inf, 1e-40, 1e-30, 0.1]]).astype(np.float32)
    points = np.concatenate([points, np.nextafter(points, np.float32(0)), np.nextafter(points, np.float32(8))])
    special = np.concatenate([points, -points, [np.nan, -0.0, 0.0]]).astype(np.float32)
    x[: min(len(x), len(special))] = special[: len(x)]
    return x.reshape(shape)


@program
def casts(element, dtype):
    data = every_byte()
    text = f"""func.func @f(%x: tensor<?x64xf4E2M1FN>) -> tensor<?x64x{element}> {{
  %0 = fusion.cast %x : tensor<?x64xf4E2M1FN> to {element}
  return %0 : tensor<?x64x{element}>
}}"""
    yield "from", text, [("8x64xf4E2M1FN", data)], [decode(data)]
    for shape, type in (
        ((4, 64), "?x64"),
        ((3, 70), "?x?"),
        ((258,), "258"),
        ((2, 3, 50), "2x?x50"),
        ((0, 64), "?x64"),
    ):
        x = some_floats(shape)
        if dtype == np.uint16:
            x = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        else:
            with np.errstate(over="ignore"):
                x = x.astype(dtype)
        text = f"""func.func @f(%x: tensor<{type}x{element}>) -> tensor<{type}xf4E2M1FN> {{
  %0 = fusion.cast %x : tensor<{type}x{element}> to f4E2M1FN
  return %0 : tensor<{type}xf4E2M1FN>
}}"""
        stored = (x.view(np.uint32) >> 16).astype(np.uint16) if dtype == np.uint16 else x
        yield f"to {shape}", text, [("x".join(map(str, shape)) + f"x{element}", stored)], [pack(encode(x))]


@program
def around(element, dtype):
    """What is computed before and behind a cast; a result that is rounded on the way alone."""
    if element != "f32":
        return
    data, x = every_byte(4), some_floats((4, 128), 1)
    x = np.where(np.isfinite(x), x, 1)
    scale = np.array([[0.5], [2], [1], [4]], np.float32)
    text = """func.func @f(%x: tensor<?x128xf4E2M1FN>, %y: tensor<?x128xf32>, %s: tensor<?x1xf32>)
    -> (tensor<?x128xf4E2M1FN>, tensor<?x128xf32>, tensor<?xf32>) {
  %0 = fusion.cast %x : tensor<?x128xf4E2M1FN> to f32
  %1 = fusion.expand %s : tensor<?x1xf32> to tensor<?x128xf32>
  %2 = fusion.mul %0, %1 : tensor<?x128xf32>
  %3 = fusion.cast %2 : tensor<?x128xf32> to f4E2M1FN
  %4 = fusion.cast %y : tensor<?x128xf32> to f4E2M1FN
  %5 = fusion.cast %4 : tensor<?x128xf4E2M1FN> to f32
  %6 = fusion.reduce <sum> %2 dims [1] : tensor<?x128xf32> to tensor<?xf32>
  return %3, %5, %6 : tensor<?x128xf4E2M1FN>, tensor<?x128xf32>, tensor<?xf32>
}"""
    wide = decode(data) * scale
    yield (
        "computed",
        text,
        [("4x128xf4E2M1FN", data), ("4x128xf32", x), ("4x1xf32", scale)],
        [pack(encode(wide)), TABLE[encode(x)], wide.sum(axis=1)],
    )


@program
def moved(element, dtype):
    """What is moved is cast, too; an argument may be a result, and lie as it likes."""
    if element != "bf16":
        return
    data = every_byte(4)
    text = """func.func @f(%x: tensor<4x128xf4E2M1FN>) -> (tensor<128x4xf4E2M1FN>, tensor<4x128xf4E2M1FN>) {
  %0 = fusion.cast %x : tensor<4x128xf4E2M1FN> to bf16
  %1 = fusion.permute %0 [1, 0] : tensor<4x128xbf16> to tensor<128x4xbf16>
  %2 = fusion.cast %1 : tensor<128x4xbf16> to f4E2M1FN
  return %2, %x : tensor<128x4xf4E2M1FN>, tensor<4x128xf4E2M1FN>
}"""
    yield "transposed", text, [("4x128xf4E2M1FN", data)], [pack(unpack(data).T), data]
    text = """func.func @f(%x: tensor<4x128xf4E2M1FN>) -> (tensor<128x4xf4E2M1FN>, tensor<4x128xf4E2M1FN>) {
  %0 = fusion.permute %x [1, 0] : tensor<4x128xf4E2M1FN> to tensor<128x4xf4E2M1FN>
  return %0, %x : tensor<128x4xf4E2M1FN>, tensor<4x128xf4E2M1FN>
}"""
    yield "permuted", text, [("4x128xf4E2M1FN", data)], [pack(unpack(data).T), data]
    strided = text.replace("f4E2M1FN>) ->", 'f4E2M1FN> {fusion.layout = "any"}) ->', 1)
    yield "strided", strided, [("4x128xf4E2M1FN", data, ",strides=1x4,offset=3")], [pack(unpack(data).T), data]


@program
def pieces(element, dtype):
    """Where halves of bytes move, and rows that indices say."""
    if element != "bf16":
        return
    a, b, rows = every_byte(4), every_byte(4)[::-1].copy(), np.array([3, 0, 0, 2, 1], np.int32)
    text = """func.func @f(%a: tensor<?x128xf4E2M1FN>, %b: tensor<4x128xf4E2M1FN>, %rows: tensor<?xi32>)
    -> (tensor<4x254xf4E2M1FN>, tensor<?x128xf4E2M1FN>, tensor<4x128xf4E2M1FN>, tensor<2x256xf4E2M1FN>) {
  %0 = fusion.slice %b offsets [0, 1] sizes [4, 127] steps [1, 1] : tensor<4x128xf4E2M1FN> to tensor<4x127xf4E2M1FN>
  %1 = fusion.cat %0, %0 dim 1 : tensor<4x127xf4E2M1FN>, tensor<4x127xf4E2M1FN> to tensor<4x254xf4E2M1FN>
  %2 = fusion.take %a, %rows dim 0 : tensor<?x128xf4E2M1FN>, tensor<?xi32> to tensor<?x128xf4E2M1FN>
  %3 = fusion.cast %b : tensor<4x128xf4E2M1FN> to f32
  %4 = fusion.cmp <gt> %3, 1.0 : tensor<4x128xf32>
  %5 = fusion.set %b : tensor<4x128xf4E2M1FN>
  %6 = fusion.slice %a offsets [0, 0] sizes [4, 128] steps [1, 1] : tensor<?x128xf4E2M1FN> to tensor<4x128xf4E2M1FN>
  %7 = fusion.where %4, %5, %6 : tensor<4x128xf4E2M1FN>
  %8 = fusion.reshape %b : tensor<4x128xf4E2M1FN> to tensor<2x256xf4E2M1FN>
  return %1, %2, %7, %8 : tensor<4x254xf4E2M1FN>, tensor<?x128xf4E2M1FN>, tensor<4x128xf4E2M1FN>, tensor<2x256xf4E2M1FN>
}"""
    late, chosen = unpack(b)[:, 1:], np.where(decode(b) > 1, unpack(b), unpack(a))
    yield (
        "pieces",
        text,
        [("4x128xf4E2M1FN", a), ("4x128xf4E2M1FN", b), ("5xi32", rows)],
        [pack(np.concatenate([late, late], 1)), a[rows], pack(chosen), b.reshape(2, 128)],
    )


@program
def products(element, dtype):
    if element != "bf16":
        return
    a, b = every_byte(8), every_byte(8)[::-1].copy()
    text = """func.func @f(%a: tensor<8x64xf4E2M1FN>, %b: tensor<8x64xf4E2M1FN>) -> tensor<8x8xbf16> {
  %0 = fusion.cast %a : tensor<8x64xf4E2M1FN> to bf16
  %1 = fusion.cast %b : tensor<8x64xf4E2M1FN> to bf16
  %2 = fusion.linear %0, %1 : tensor<8x64xbf16>, tensor<8x64xbf16> to tensor<8x8xbf16>
  return %2 : tensor<8x8xbf16>
}"""
    yield "linear", text, [("8x64xf4E2M1FN", a), ("8x64xf4E2M1FN", b)], [None]


def read(path, element):
    got = np.load(path)
    return (got.astype(np.uint32) << 16).view(np.float32) if element == "bf16" and got.dtype == np.uint16 else got


def run(target, element, text, inputs, expected):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "f.mlir").write_text(text)
        command = ["fuser-run", folder / "f.mlir", f"--target={target}", "--check"]
        for number, (shape, array, *placement) in enumerate(inputs):
            np.save(folder / f"{number}.npy", array)
            command.append(f"--input={shape}={folder}/{number}.npy{''.join(placement)}")
        command += [f"--output={folder}/r{number}.npy" for number in range(len(expected))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr + done.stdout + text
        for number, want in enumerate(expected):
            got = read(folder / f"r{number}.npy", element)
            # Also -0, and what is rounded without an error.
            if want is not None and (
                got.shape != want.shape or not np.array_equal(got, want) or np.any(np.signbit(got) != np.signbit(want))
            ):
                wrong = np.argwhere(got != want)[:4].tolist() if got.shape == want.shape else got.shape
                return f"result {number}: expected {want.ravel()[:8]}, got {got.ravel()[:8]}, wrong at {wrong}"
    return None


def main(target):
    right = total = 0
    for element, dtype in {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}.items():
        for group, make in PROGRAMS.items():
            for name, *case in make(element, dtype):
                total += 1
                fault = run(target, element, *case)
                right += fault is None
                if fault:
                    print(f"{group}, {name}, {element}: {fault}", flush=True)
    print(f"{right} of {total} programs right")


main(sys.argv[1])
