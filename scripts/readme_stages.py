# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what README.md, the tutorial and the how-tos show, by running the tools: readme_stages.py [--check] [TOOLS_DIR]

Between "<!-- stage-LANGUAGE: COMMAND -->" and "<!-- end -->" stands the command and, as a block of LANGUAGE, what it prints, run
in a shell at the root of the project with the tools on PATH; "shown-LANGUAGE" leaves the command out, and "fails-LANGUAGE" is a
command that fails, with its errors. With --check nothing is written and a difference is an error.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *(p for f in ("tutorial", "how-to") for p in sorted((ROOT / "docs" / f).glob("*.md")))]
STAGE = re.compile(r"<!-- (?P<kind>stage|fails|shown)-(?P<language>\w+): (?P<command>.*?) -->\n.*?<!-- end -->", re.S)


def run(command, tools, fails=False):
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if (result.returncode != 0) != fails:
        sys.exit(f"readme_stages: {command}\nexit code {result.returncode}\n{result.stderr}")
    return (result.stdout + result.stderr if fails else result.stdout).strip("\n")


def write(page, tools):
    """The text of the page with what the tools print now."""

    def replace(match):
        command, fails = match["command"], match["kind"] == "fails"
        marker = match.group(0).split(" -->\n", 1)[0] + " -->"
        shown = f"```sh\n{command}\n```\n" if match["kind"] != "shown" else ""
        return f"{marker}\n{shown}```{match['language']}\n{run(command, tools, fails)}\n```\n<!-- end -->"

    return STAGE.sub(replace, page.read_text())


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    tools = Path(arguments[0] if arguments else ROOT / "build/bin").resolve()
    stale = []
    for page in PAGES:
        text, fresh = page.read_text(), write(page, tools)
        if fresh == text:
            continue
        if "--check" not in sys.argv:
            page.write_text(fresh)
            continue
        name = page.relative_to(ROOT).as_posix()
        stale.append(name)
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), fresh.splitlines(True), name, "printed"))
    if stale:
        sys.exit(f"{', '.join(stale)}: not what the tools print: run scripts/docs")


if __name__ == "__main__":
    main()
