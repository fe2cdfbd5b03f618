# ===- summaries.py - Summaries of random programs -------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""summaries.py FIRST LAST: cuts random programs of these seeds for each target, and compares each summary that segmentation had
with the segment that it became. Prints each difference and "N summaries right"; exits with 1 if there is a difference."""

import re
import subprocess
import sys


def main():
    count, faults = 0, 0
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        command = ["fuser-fuzz", "--print", f"--seed={seed}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        # A segment by hand has no summary.
        for target in () if 'fusion.segment "' in text else ("cuda", "cpu"):
            decompose = "fusion-decompose-complex,fusion-decompose-packed"
            summaries = f"fusion-forward-factories,test-segment-summaries{{target={target}}}"
            passes = f"builtin.module(canonicalize,cse,func.func({decompose},{summaries}))"
            command = ["fuser-test-opt", f"--pass-pipeline={passes}", "-o", "/dev/null"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            found = re.search(r"remark: (\d+) summaries compared", done.stderr)
            count += int(found[1]) if found else 0
            if done.returncode != 0 or not found:
                faults += 1
                print(f"seed {seed}, {target}: {next(iter(re.findall('error: .*', done.stderr)), done.stderr)}")
    print(f"{count} summaries {'wrong' if faults else 'right'}")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
