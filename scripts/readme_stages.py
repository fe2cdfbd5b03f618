# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what README.md shows, by running the tools: readme_stages.py [--check] [TOOLS_DIR]

Between "<!-- stage-LANGUAGE: COMMAND -->" and "<!-- end -->" stands the command and, as a block of LANGUAGE, what it prints, run
in a shell at the root of the project with the tools on PATH; "shown-LANGUAGE" leaves the command out. With --check nothing is
written and a difference is an error.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = re.compile(r"<!-- (?P<kind>stage|shown)-(?P<language>\w+): (?P<command>.*?) -->\n.*?<!-- end -->", re.S)


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
        command = match["command"]
        marker = match.group(0).split(" -->\n", 1)[0] + " -->"
        shown = f"```sh\n{command}\n```\n" if match["kind"] == "stage" else ""
        return f"{marker}\n{shown}```{match['language']}\n{run(command, tools)}\n```\n<!-- end -->"

    fresh = STAGE.sub(replace, text)
    if "--check" not in sys.argv:
        readme.write_text(fresh)
    elif fresh != text:
        sys.stdout.writelines(
            difflib.unified_diff(text.splitlines(True), fresh.splitlines(True), "README.md", "printed")
        )
        sys.exit("README.md does not show what the tools print: run scripts/docs")


if __name__ == "__main__":
    main()
