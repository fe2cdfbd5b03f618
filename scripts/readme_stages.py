# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the stages that README.md shows, by running the tools: readme_stages.py [--check] [TOOLS_DIR]

A stage stands between "<!-- stage: COMMAND -->" and "<!-- end -->". COMMAND runs in a shell with the tools on PATH; what it
prints replaces what stands between, in a code block. With --check nothing is written and a difference is an error.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = re.compile(r"<!-- stage(?P<language>-\w+)?: (?P<command>.*?) -->\n.*?<!-- end -->", re.S)


def run(command, tools):
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if result.returncode != 0:
        sys.exit(f"readme_stages: {command}\n{result.stderr}")
    return result.stdout.strip("\n")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    tools = Path(arguments[0] if arguments else ROOT / "build/bin").resolve()
    readme = ROOT / "README.md"
    text = readme.read_text()

    def replace(match):
        marker = match.group(0).split("\n", 1)[0]
        language = (match.group("language") or "-mlir")[1:]
        return f"{marker}\n```{language}\n{run(match.group('command'), tools)}\n```\n<!-- end -->"

    fresh = STAGE.sub(replace, text)
    if "--check" not in sys.argv:
        readme.write_text(fresh)
    elif fresh != text:
        sys.exit("README.md does not show what the tools print: run scripts/readme_stages.py")


if __name__ == "__main__":
    main()
