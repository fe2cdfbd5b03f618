# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the notebook of the tutorial and writes its outputs into it: notebook.py [--check | --all]

usage: PYTHONPATH=build/python .venv/bin/python scripts/reference/notebook.py

With --check nothing is written, and an output that differs is an error. Two tags of cells say what is not compared, and kept as it is: the output of a cell tagged
"varies" differs from run to run; one tagged "pytorch" says more where PyTorch is installed, and is compared there. With --all these are written, too.
"""

import copy
import difflib
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs/tutorial/python.ipynb"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(notebook, **environment):
    """A copy of the notebook with the outputs of a run, in an empty folder; a cell that raises is an error."""
    fresh = copy.deepcopy(notebook)
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "FUSER_CACHE_DIR": "",
            "IPYTHONDIR": os.path.join(folder, ".ipython"),
            "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths)),
        }
        manager = {"transport": "ipc", "connection_file": os.path.join(folder, ".kernel.json")}
        client = nbclient.NotebookClient(
            fresh,
            timeout=600,
            kernel_name="python3",
            record_timing=False,
            config=Config(KernelManager=manager),
            resources={"metadata": {"path": folder}},
        )
        client.execute(env={**os.environ, **own, **environment})
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = clean(cell.outputs)
    fresh.metadata = nbformat.from_dict(METADATA)
    return fresh


def clean(outputs):
    """Outputs without what is of one run: counts, and how printed text was cut into messages."""
    cleaned = []
    for output in outputs:
        output = copy.deepcopy(output)
        if "execution_count" in output:
            output.execution_count = None
        if output.output_type == "stream":
            if cleaned and (cleaned[-1].output_type, cleaned[-1].get("name")) == ("stream", output.name):
                cleaned[-1].text += output.text
                continue
        cleaned.append(output)
    return cleaned


def is_compared(cell):
    """Whether a run here has to give the outputs that are stored."""
    tags = cell.metadata.get("tags", [])
    return "varies" not in tags and ("pytorch" not in tags or importlib.util.find_spec("torch") is not None)


def keep_outputs(stored, fresh):
    """Takes from `stored` the outputs of `fresh` that are not compared, where there are any."""
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if new.cell_type == "code" and not is_compared(new) and old.outputs:
            new.outputs = old.outputs


def show(cell):
    """The outputs of a cell as lines of text."""
    return nbformat.v4.writes(nbformat.v4.new_notebook(cells=[cell])).splitlines(True)


def find_stale(stored, fresh):
    """For each cell whose outputs are compared and differ, its name with the difference."""
    return {
        old.id: "".join(difflib.unified_diff(show(old), show(new), f"{old.id}: stored", "now"))
        for old, new in zip(stored.cells, fresh.cells, strict=True)
        if old.cell_type == "code" and is_compared(old) and old.outputs != new.outputs
    }


def main():
    if sys.argv[1:] not in ([], ["--check"], ["--all"]):
        sys.exit(f"notebook.py: expected --check, --all or no argument, got {' '.join(sys.argv[1:])}")
    stored = nbformat.read(NOTEBOOK, as_version=4)
    fresh = execute(stored)
    if "--check" in sys.argv:
        stale = find_stale(stored, fresh)
        print("".join(stale.values()), end="")
        sys.exit(f"{NOTEBOOK.name}: not what its cells print: run scripts/docs" if stale else 0)
    if "--all" not in sys.argv:
        keep_outputs(stored, fresh)
    nbformat.write(fresh, NOTEBOOK)


if __name__ == "__main__":
    main()
