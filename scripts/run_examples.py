# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples and prints a table: run_examples.py --tool fuser-run [--target cpu|cuda] [NAME...]

The arguments for each target stand at the head of the example, in lines such as "// cpu: --input=...". Every run is
checked against the reference. Exits with 1 if a run fails or differs.
"""

import argparse
import ctypes
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COLUMNS = "{:<16} {:<6} {:>8} {:>10} {:>12} {:>9}   {}"


def has_gpu():
    """True where libcuda opens and has a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def arguments(example, target):
    """The arguments that the example names for the target."""
    match = re.search(rf"^// {target}: +(.*)$", example.read_text(), re.M)
    return match.group(1).split() if match else None


def run(tool, example, target, extra):
    """The figures of one run, or the text of its error."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [tool, str(example), f"--target={target}", "--check", f"--bench={report}", *extra]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            return None, result.stderr.strip() or f"exit code {result.returncode}"
        return json.loads(report.read_text()), None


def row(name, target, figures):
    error = f"{figures['max_error_ulp']:.2f} ulp ({figures['max_abs_error']:.2g})"
    return COLUMNS.format(
        name,
        target,
        figures["segments"],
        f"{figures['compile_ms']:.1f}",
        f"{figures['run_us']:.1f}",
        f"{figures['gbps']:.1f}",
        error,
    )


def main():
    parser = argparse.ArgumentParser(description="Runs the examples and prints a table.")
    parser.add_argument("--tool", required=True, help="fuser-run")
    parser.add_argument("--target", action="append", choices=["cpu", "cuda"], help="default: cpu, and cuda with a GPU")
    parser.add_argument("names", nargs="*", help="examples, without .mlir; default: all")
    options = parser.parse_args()
    targets = options.target or ["cpu"] + (["cuda"] if has_gpu() else [])
    examples = [EXAMPLES / f"{name}.mlir" for name in options.names] or sorted(EXAMPLES.glob("*.mlir"))
    failures = []
    print(COLUMNS.format("example", "target", "segments", "compile ms", "run us", "GB/s", "error"))
    for target in targets:
        for example in examples:
            extra = arguments(example, target)
            if extra is None:
                continue
            figures, error = run(options.tool, example, target, extra)
            if figures:
                print(row(example.stem, target, figures), flush=True)
            else:
                print(COLUMNS.format(example.stem, target, "", "", "", "", "FAILED"), flush=True)
                failures.append(f"{example.stem} on {target}: {error}")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
