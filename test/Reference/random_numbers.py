# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of the reference and of targets, beside Philox in NumPy: the same bits.

usage: random_numbers.py FUSER_RUN FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

U32 = np.uint64(0xFFFFFFFF)
BITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}


def philox(key, counter):
    """The words of Philox4x32-10 for a key of two and counters of four words, as Random123 defines it."""
    c = [np.asarray(word, dtype=np.uint64) for word in np.broadcast_arrays(*counter)]
    key = [np.uint64(word) for word in key]
    for _ in range(10):
        products = [np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]]
        c = [
            (products[1] >> np.uint64(32)) ^ c[1] ^ key[0],
            products[1] & U32,
            (products[0] >> np.uint64(32)) ^ c[3] ^ key[1],
            products[0] & U32,
        ]
        key = [(word + np.uint64(step)) & U32 for word, step in zip(key, (0x9E3779B9, 0xBB67AE85), strict=True)]
    return np.stack(c)


def halves(number):
    number &= (1 << 64) - 1
    return number & 0xFFFFFFFF, number >> 32


def words(seed, offset, calls):
    calls = np.asarray(calls, dtype=np.uint64)
    return philox(halves(seed), (*halves(offset), calls & U32, calls >> np.uint64(32)))


def bits(seed, offset, count, width):
    """As fusion.random_bits has them, as unsigned integers."""
    number = np.arange(count)
    if width == 32:
        return words(seed, offset, number // 4)[number % 4, number]
    all_words = words(seed, offset, number // 2)
    low, high = (all_words[2 * (number % 2) + half, number] for half in (0, 1))
    return low | high << np.uint64(32)


def uniform(seed, offset, count, element):
    width, kept = 64 if element == "f64" else 32, BITS[element]
    return (bits(seed, offset, count, width) >> np.uint64(width - kept)).astype(np.float64) * 2.0**-kept


def program(shape):
    """Each kind of numbers; bf16 and f16 as f32, which NumPy reads."""
    kind = "x".join(["?", *map(str, shape[1:])])
    lines, results, types = [], [], []
    for element in ("i32", "i64", "ui32", "ui64"):
        lines.append(f"%{element} = fusion.random_bits seed %s offset %o sizes(%n) : tensor<{kind}x{element}>")
        results.append(f"%{element}")
        types.append(f"tensor<{kind}x{element}>")
    for element in BITS:
        lines.append(f"%{element} = fusion.uniform seed %s offset %o sizes(%n) : tensor<{kind}x{element}>")
        wide = "f64" if element == "f64" else "f32"
        if element in ("f16", "bf16"):
            lines.append(f"%w{element} = fusion.cast %{element} : tensor<{kind}x{element}> to tensor<{kind}xf32>")
        results.append(f"%w{element}" if element in ("f16", "bf16") else f"%{element}")
        types.append(f"tensor<{kind}x{wide}>")
    head = f"func.func @f(%s: i64, %o: i64, %n: index) -> ({', '.join(types)}) {{"
    return "\n  ".join([head, *lines, f"return {', '.join(results)} : {', '.join(types)}\n}}\n"])


def check(fuser_run, folder, where, shape, seed, offset):
    (folder / "random.mlir").write_text(program(shape))
    outputs = [folder / f"random{i}.npy" for i in range(8)]
    command = [fuser_run, str(folder / "random.mlir"), *where]
    command += [f"--scalar={number}" for number in (seed, offset, shape[0])] + [f"--output={path}" for path in outputs]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    got = [np.load(path).reshape(-1) for path in outputs]
    count = int(np.prod(shape))
    expected = [bits(seed, offset, count, width).astype(np.uint64) for width in (32, 64)]
    for width, result, wanted in zip((32, 64), got, expected, strict=False):
        assert np.array_equal(result.astype(np.int64).view(np.uint64) & (U32 if width == 32 else ~np.uint64(0)), wanted)
    for result, wanted in zip(got[2:4], expected, strict=True):
        assert result.dtype.kind == "u" and np.array_equal(result, wanted)
    for element, result in zip(BITS, got[4:], strict=True):
        wanted = uniform(seed, offset, count, element)
        assert np.array_equal(result.astype(np.float64), wanted), (where, shape, element)
        assert count < 100 or (0 <= wanted.min() and wanted.max() < 1 and abs(wanted.mean() - 0.5) < 0.1)


def main():
    fuser_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    # Known answers of Random123.
    assert [hex(w) for w in philox((0, 0), (0, 0, 0, 0))] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    runs = 0
    for where in (["--reference"], ["--target=cpu"], ["--target=sim", "--sim-check"]):
        for shape in ((5,), (3, 64), (7, 33), (2, 3, 5), (0, 8)):
            for seed, offset in ((0, 0), (123456789012345678, 1 << 40), (-1, 3)):
                check(fuser_run, folder, where, shape, seed, offset)
                runs += 1
    print(f"{runs} programs, the same bits")


if __name__ == "__main__":
    main()
