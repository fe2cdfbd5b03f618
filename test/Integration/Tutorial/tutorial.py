# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of pages, in order, at the root of the project: tutorial.py ROOT PAGE... [--only MARK] [--section S]

The commands are the blocks of "sh": those with a line "<!-- MARK -->" before them with --only MARK, and else those without. So
what shows the output of a command, which scripts/docs compares, is not run. --section takes the blocks below a heading. The
first command that fails ends the run.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?^```sh\n(?P<commands>.*?)^```$", re.S | re.M)


def commands(text, only, section):
    """The commands of a page that are to be run."""
    if section:
        start = text.index(f"\n## {section}\n")
        text = text[start : text.find("\n## ", start + 1)]
    return [block["commands"] for block in BLOCK.finditer(text) if (block["mark"] or "") == only]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--section", default="")
    options = parser.parse_args()
    # "python" is the one that runs this.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for page in options.pages:
        script = "\n".join(commands((options.root / page).read_text(), options.only, options.section))
        command = ["bash", "-x", "-euo", "pipefail", "-c", script]
        if not script or subprocess.run(command, cwd=options.root, env=os.environ | {"PATH": path}).returncode != 0:
            sys.exit(f"{page}: a command failed, or there is none")
        print(f"{page}: all commands run", flush=True)


if __name__ == "__main__":
    main()
