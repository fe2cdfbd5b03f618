# ===- ptxas_programs.py - Assembles the kernels of many programs ---------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""ptxas_programs.py PTXAS ARCH I/N EXAMPLES. Compiles the examples and the programs of programs.py, and
assembles their kernels; fails on spills. Programs without a kernel (views) count as right.

ptxas calls subroutines of its own for divisions (of f64, and of 64-bit indices by numbers that are not constants) and
saves registers around the calls. That is not a spill for want of registers: a kernel that uses fewer registers than its
block may have is right with up to 128 bytes of it.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ptxas_check

INTEGRATION = Path(__file__).resolve().parent.parent / "Integration"


def get_live_program(values, length):
    """Rows of which each element is wanted, after a sum, with `values` others that were computed from it before."""
    kind = f"tensor<?x{length}xf32>"
    lines = ["%v0 = fusion.exp %x"] + [f"%v{i} = fusion.tanh %v{i - 1}" for i in range(1, values)]
    lines += ["%m0 = fusion.neg %v0"] + [f"%m{i} = fusion.mul %m{i - 1}, %v{i}" for i in range(1, values)]
    body = "\n  ".join(f"{line} : {kind}" for line in lines)
    quotients = "\n  ".join(f"%d{i + 1} = fusion.div %d{i}, %v{i} : {kind}" for i in range(values))
    return f"""func.func @f(%x: {kind}) -> {kind} {{
  {body}
  %s = fusion.reduce <sum> %m{values - 1} dims [1] keep : {kind} to tensor<?x1xf32>
  %d0 = fusion.expand %s : tensor<?x1xf32> to {kind}
  {quotients}
  return %d{values} : {kind}
}}
"""


#: Values that are kept, and lengths of rows: about as much as registers hold, and more.
LIVE = ((1, 40000), (2, 40000), (3, 40000), (4, 16384), (10, 8192), (3, 8192), (14, 4096), (5, 768), (30, 768))


def write_programs(folder):
    """Of each kind of program one for each element type; sizes do not change kernels."""
    script = INTEGRATION / "programs.py"
    for pattern in ("elementwise-*-4099", "where-*-33", "cast-*-4099", "reduce-*-3x4x37-*", "long-*", "cat-*-1-*"):
        subprocess.run([sys.executable, script, "--only", pattern, "--write", folder], check=True)
    for pattern in ("permute-[01]-*", "slice*", "reshape-[so]*", "transpose-*-70x*", "transpose-itself"):
        subprocess.run([sys.executable, script, "--only", pattern, "--write", folder], check=True)
    sys.path[:0] = [str(INTEGRATION), str(INTEGRATION / "Rows")]
    import programs
    import rows

    for values, length in LIVE:
        Path(folder, f"live-{values}-{length}.mlir").write_text(get_live_program(values, length))
    programs.compositions()
    for name, (text, _, _) in programs.programs.items():
        Path(folder, f"{name}.mlir").write_text(text)
    for name, (text, _, _) in rows.PROGRAMS.items():
        for element in ("f32", "f16", "bf16"):
            for length in (7, 768, 4096, 8194, 40000):
                contents = text.replace("N", str(length)).replace("T", element)
                Path(folder, f"{name}-{element}-{length}.mlir").write_text(contents)


def wants_registers(report, ptx):
    """The lines of `report` on kernels that use local memory because they have too few registers."""
    used = dict(re.findall(r": (\S+) assembles, (\d+) registers", report))
    threads = dict(re.findall(r"\.entry (\w+)\([^{]*?\.maxntid (\d+)", ptx, re.DOTALL))
    wrong = []
    for line in report.splitlines():
        if match := re.search(r": (\S+) uses local memory: (\d+) bytes", line):
            limit = min(255, 65536 // int(threads.get(match[1], 1024)))
            if int(match[2]) > 128 or int(used.get(match[1], 255)) >= limit - 8:
                wrong.append(line)
        elif " assembles, " not in line:
            wrong.append(line)
    return wrong


def check(path, ptxas, arch):
    """How many kernels, and what is wrong if something is."""
    command = ["fuser-translate", "--fusion-to-ptx", f"--gpu-arch={arch}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "got a program that needs none" in done.stderr:
        return 0, ""
    if done.returncode != 0:
        return 0, done.stderr.strip()
    kernels = len(re.findall(r"\.entry\b", done.stdout))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        good = ptxas_check.check(ptxas, done.stdout, path.name)
    wrong = [] if good else wants_registers(said.getvalue(), done.stdout)
    return kernels, "\n".join(wrong)


def main():
    ptxas, arch, shard, examples = sys.argv[1:]
    part, parts = map(int, shard.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        write_programs(folder)
        paths = sorted(Path(folder).glob("*.mlir"))[part::parts] + sorted(Path(examples).glob("*.mlir"))
        # In turn: what ptxas_check prints is caught for the whole process.
        results = [(path, *check(path, ptxas, arch)) for path in paths]
    wrong = [(path, why) for path, _, why in results if why]
    for path, why in wrong:
        print(f"{path.name} for {arch}: {why}")
    kernels = sum(count for _, count, _ in results)
    print(f"{len(results) - len(wrong)} of {len(results)} programs assemble, {kernels} kernels")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
