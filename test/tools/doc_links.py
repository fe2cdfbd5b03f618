# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links between pages lead somewhere, and docs/README.md has every page: doc_links.py ROOT

A link is to a file of the project, or to a heading of a page; notebooks are pages, too. Prints one line a fault; the exit status is 1 if there is one.
"""

import json
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```.*?^```$", re.S | re.M)


def read(page):
    """The text of a page, of a notebook that of its cells of text."""
    text = page.read_text()
    if page.suffix != ".ipynb":
        return text
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")


def get_anchors(text):
    """What a page's headings are called in links."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def check_page(page):
    for link in LINK.findall(BLOCK.sub("", read(page))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"'{link}' leads to no file"
        elif anchor and target.suffix == ".md" and anchor not in get_anchors(target.read_text()):
            yield f"'{link}' leads to no heading"


def main():
    root = Path(sys.argv[1])
    docs = sorted(page for kind in ("*.md", "*.ipynb") for page in (root / "docs").rglob(kind))
    pages = [*sorted(root.glob("*.md")), *docs]
    faults = [f"{page.relative_to(root)}: {fault}" for page in pages for fault in check_page(page)]
    index = root / "docs/README.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    faults += [
        f"docs/README.md: no link to {p.relative_to(root)}"
        for p in docs
        if p.resolve() not in {index.resolve(), *listed}
    ]
    print("\n".join([*faults, f"{len(pages)} pages, {len(faults)} faults"]))
    return 1 if faults or not docs else 0


if __name__ == "__main__":
    sys.exit(main())
