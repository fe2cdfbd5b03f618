# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every rule of docs/spec is written where it is checked, and has a test: spec_tags.py ROOT

A page gives each of its rules a tag in a table (`add_c1`). The tag must stand in the sources and in the tests that the
page names; in tests of IR it begins the name of a function or module. A tag that stands there and is promised by no
page is an error too. Prints one line a fault; the exit status is 1 if there is one.
"""

import re
import sys
from pathlib import Path

# At the beginning of a row, several with commas between them.
ROW = re.compile(r"^\| ((?:`[a-z_]+_[cr]\d+`(?:, )?)+) \|", re.M)
TAG = re.compile(r"(?<![a-zA-Z0-9_])[a-z_]+_[cr]\d+(?![0-9a-zA-Z])")

IR = r"@({})(?:_[a-z_]+)?\b"
WORD = r"(?<![a-zA-Z0-9_])({})(?![a-zA-Z0-9])"

# Page: (what has it, files, form of a tag there).
PLACES = {
    "builder-ops.md": [],  # Ops that become others, which have the constraints.
    "fusion.md": [
        ("check", ["include/fuser/Dialect/Fusion/IR", "lib/Dialect/Fusion/IR"], WORD),
        ("test", ["test/Dialect/Fusion/IR/*invalid.mlir"], IR),
    ],
    "host.md": [
        ("record", ["include/fuser/Dialect/Host/IR"], WORD),
        ("test", ["test/Dialect/Host/IR/*invalid.mlir"], IR),
    ],
    "kernel.md": [
        ("check", ["lib/Conversion"], WORD),
        ("test", ["test/Conversion"], IR),
    ],
    "kernel-dialect.md": [
        ("record", ["include/fuser/Dialect/Kernel/IR"], WORD),
        ("check", ["lib/Dialect/Kernel/IR"], WORD),
        ("test", ["test/Dialect/Kernel/IR/*invalid.mlir"], IR),
    ],
    "program.md": [
        ("check", ["runtime/src"], WORD),
        ("test", ["runtime/test"], WORD),
    ],
}


def read(root, places):
    """The text of all files at or below the places."""
    files = []
    for path in (path for place in places for path in root.glob(place)):
        files += [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return "\n".join(file.read_text() for file in sorted(files) if file.suffix != ".pyc")


def check_page(root, page, tags):
    """The faults of a page: tags that are missing somewhere."""
    for what, places, form in PLACES[page]:
        text = read(root, places)
        for tag in tags:
            if not re.search(form.format(tag), text):
                yield f"{page}: `{tag}` has no {what} in {', '.join(places)}"


def main():
    root = Path(sys.argv[1])
    pages = {page.name: page.read_text() for page in sorted((root / "docs/spec").glob("*.md"))}
    promised = {name: [tag for row in ROW.findall(text) for tag in TAG.findall(row)] for name, text in pages.items()}
    faults = [f"{name}: expected an entry in PLACES of spec_tags.py" for name in pages if name not in PLACES]
    for name, tags in promised.items():
        faults += [f"{name}: `{tag}` stands in two rows" for tag in sorted(set(tags)) if tags.count(tag) > 1]
        if name in PLACES:
            faults += check_page(root, name, tags)
    everywhere = {tag for tags in promised.values() for tag in tags}
    for name, text in pages.items():
        used = set(TAG.findall(text))
        for what, places, _ in PLACES.get(name, []):
            if what != "test":
                used |= set(TAG.findall(read(root, places)))
        faults += [f"{name}: `{tag}` has no row in a table of docs/spec" for tag in sorted(used - everywhere)]
    print("\n".join([*faults, f"{sum(map(len, promised.values()))} tags, {len(faults)} faults"]))
    return 1 if faults or not everywhere else 0


if __name__ == "__main__":
    sys.exit(main())
