# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cases of peers.py by fuser-run, without PyTorch; the L2 cache is not flushed."""

import json
import shutil
import subprocess

import cases
from floor import Floor, driver_copy_us


class WithoutTorch:
    contenders = ["fuser"]

    def __init__(self, options):
        if not shutil.which("fuser-run"):
            raise SystemExit("peers.py: expected fuser-run in PATH, found none")
        self.options = options
        copies = {"kernel copy": lambda size: self._run(cases.copy(size // 2), "--bench=-")["run_us"]}
        if options.target == "cuda":
            copies["driver copy"] = driver_copy_us
        self.floor = Floor(copies)
        self.machine = {"peers": "none", "L2": "not flushed"}

    def measure(self, case):
        checks = ["--check"] if self.options.check else []
        report = self._run(case, "--bench=-", *checks)
        self.machine["device"] = report["device"]
        times = {"fuser": report["run_us"], **self.floor.measure(case.bytes)}
        row = {"us": times, "segments": report["segments"], "compile_ms": report["compile_ms"]}
        if self.options.check:
            row["difference"] = report["max_abs_error"]
        return row

    def check(self, case):
        """Raises an error if a result is wrong."""
        self._run(case, "--check", *(["--sim-check"] if self.options.target == "sim" else []))

    def _run(self, case, *arguments):
        """What fuser-run reports."""
        command = ["fuser-run", "-", "--target", self.options.target, *arguments]
        for seed, (shape, element) in enumerate(case.inputs):
            # Of rows that are no more than their elements each number is a place in a row.
            fill = "iota" if element == "i64" else f"random:{seed}"
            command.append("--input=" + "x".join(map(str, [*shape, element])) + f"={fill}")
        done = subprocess.run(command, input=case.text, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError((done.stdout + done.stderr).strip())
        return json.loads(done.stdout) if "--bench=-" in arguments else None
