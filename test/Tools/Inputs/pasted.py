# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command that fuser-run prints for each program without inputs: pasted.py FUSER-RUN FILE..."""

import subprocess
import sys

tool, *files = sys.argv[1:]
good = 0
for file in files:
    printed = subprocess.run([tool, file], capture_output=True, text=True).stdout
    command = printed.splitlines()[-1] if printed else "false"
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    good += result.returncode == 0 and result.stdout.startswith("target ")
    if result.returncode != 0:
        print(f"{file}: {command}: {result.stderr}")
print(f"{good} of {len(files)} ran")
