# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs examples and prints a table: run_examples.py --tool fuser-run [--target cpu|cuda] [--all | NAME...]

The arguments for each target stand at the head of the example, in lines such as "// cpu: --input=...". Every run is
checked against the reference. Exits with 1 if a run fails or differs.

compile ms: from text to loaded module. run us: a call with its outputs preallocated, median. GB/s: inputs and outputs, each
once, over that time. error: the largest absolute difference from the reference, and the largest part that one
element's difference is of what is allowed for it.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from arguments import Parser
from has_gpu import has_gpu

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# The fusions of a Llama-3 block.
BLOCK = ["rmsnorm_add", "rope", "softmax", "swiglu"]
COLUMNS = "{:<16} {:<6} {:>8} {:>10} {:>10} {:>8}   {}"


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
    error = f"{figures['max_abs_error']:.2g} ({figures['error_over_allowed']:.2f} of what is allowed)"
    # A program that only makes views moves no bytes.
    bandwidth = f"{figures['gbps']:.1f}" if figures["segments"] else "-"
    return COLUMNS.format(
        name,
        target,
        figures["segments"],
        f"{figures['compile_ms']:.1f}",
        f"{figures['run_us']:.1f}",
        bandwidth,
        error,
    )


def main():
    prog = "scripts/run" if "--tool" in sys.argv[1:2] else None
    parser = Parser(prog=prog, description="Runs examples and prints a table.")
    parser.add_argument("--tool", required=True, help="fuser-run")
    parser.add_argument("--target", action="append", choices=["cpu", "cuda"], help="default: cpu, and cuda with a GPU")
    parser.add_argument("--all", action="store_true", help="every file of examples/")
    parser.add_argument(
        "names", nargs="*", help="files of examples/, with or without .mlir; default: those of a Llama-3 block"
    )
    options = parser.parse_args()
    targets = options.target or ["cpu"] + (["cuda"] if has_gpu() else [])
    examples = [EXAMPLES / f"{Path(name).stem}.mlir" for name in options.names or BLOCK]
    if options.all:
        examples = sorted(EXAMPLES.glob("*.mlir"))
    for example in examples:
        if not example.exists():
            known = ", ".join(sorted(path.stem for path in EXAMPLES.glob("*.mlir")))
            parser.error(f"expected an example ({known}), got '{example.stem}'")
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
    if not options.target and "cuda" not in targets:
        print("cuda: left out, there is no GPU here")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
