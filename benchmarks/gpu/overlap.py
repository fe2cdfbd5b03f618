#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a product after an all_gather on two GPUs: in order, and chunk by chunk on streams.

usage: benchmarks/gpu/overlap.py [--rows N] [--terms K] [--columns M]

The rows of x, N of bf16 on each rank, are gathered and multiplied with w (M x K). `order`: all_gather, then one product. `streams`: each rank's rows
are sent and multiplied as a chunk of a stream loop, on a stream of its own. `product` and `gather` are the parts alone. All in one run; fuser-run is
found in PATH.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

PROGRAM = """
func.func @main(%x: memref<{rows}x{terms}xbf16>, %w: memref<{columns}x{terms}xbf16>) -> memref<{all}x{columns}xbf16> attributes {{host.program}} {{
  %pair = host.group [[0, 1]]
  %g = host.alloc () {mark} : memref<{all}x{terms}xbf16>
  {gather}
  %o = host.output 0 () {mark} : memref<{all}x{columns}xbf16>
  {product}
  return %o : memref<{all}x{columns}xbf16>
}}
"""
GATHER = "%0 = host.all_gather %x, %g dim 0 in %pair : memref<{rows}x{terms}xbf16>, memref<{all}x{terms}xbf16>"
PRODUCT = (
    "host.linear %g, %w, %o : memref<{all}x{terms}xbf16>, memref<{columns}x{terms}xbf16>, memref<{all}x{columns}xbf16>"
)


def time(folder, name, mark, parts, sizes):
    source = folder / f"{name}.mlir"
    texts = {
        part: text.format(**sizes) if part in parts else "" for part, text in (("gather", GATHER), ("product", PRODUCT))
    }
    source.write_text(PROGRAM.format(mark=mark, **texts, **sizes))
    command = ["fuser-run", str(source), "--target", "cuda", "--ranks", "2", "--bench"]
    command += [f"--input={sizes['rows']}x{sizes['terms']}xbf16=normal:{{rank}}"]
    command += [f"--input={sizes['columns']}x{sizes['terms']}xbf16=normal:7"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr}")
    return float(re.search(r"([\d.]+) us a run", done.stdout).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("rows", 4096), ("terms", 8192), ("columns", 8192)):
        parser.add_argument(f"--{name}", type=int, default=default)
    sizes = vars(parser.parse_args())
    sizes["all"] = 2 * sizes["rows"]
    both = ("gather", "product")
    with tempfile.TemporaryDirectory() as folder:
        times = {
            "gather": time(Path(folder), "gather", "", ("gather",), sizes),
            "product": time(Path(folder), "product", "", ("product",), sizes),
            "order": time(Path(folder), "order", "", both, sizes),
            "streams": time(Path(folder), "streams", "stream <0 chunks 2>", both, sizes),
        }
    for name, value in times.items():
        print(f"{name:8} {value:9.1f} us")
    print(f"in order / on streams: {times['order'] / times['streams']:.3f}")


if __name__ == "__main__":
    main()
