# ===- registers.py - What machine code in a program file uses -------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""registers.py FILE.fx... Disassembles the shared objects in each, prints the vector registers and bf16 instructions."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    for path in map(Path, sys.argv[1:]):
        contents, text = path.read_bytes(), ""
        for start in re.finditer(rb"\x7fELF", contents):
            with tempfile.NamedTemporaryFile(suffix=".so") as shared:
                shared.write(contents[start.start() :])
                shared.flush()
                done = subprocess.run(["llvm-objdump", "-d", shared.name], capture_output=True, text=True, check=True)
                text += done.stdout
        found = [word for word in ("zmm", "ymm", "xmm") if word in text]
        found += sorted(set(re.findall(r"v\w*bf16\w*", text)))
        print(f"{path.name.split('.tmp.')[-1]}: {' '.join(found)}")


if __name__ == "__main__":
    main()
