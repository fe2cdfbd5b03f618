# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial's notebook runs, and its cells print what is stored in it."""

import importlib.util
import re

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
_spec = importlib.util.spec_from_file_location("notebook", ROOT / "scripts/reference/notebook.py")
notebook = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebook)
v4 = nbformat.v4


@pytest.mark.parametrize("gpus", ["", pytest.param(None, marks=pytest.mark.cuda)], ids=["cpu", "cuda"])
def test_tutorial(gpus):
    stored = nbformat.read(notebook.NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    fresh = notebook.execute(stored, **({} if gpus is None else {"CUDA_VISIBLE_DEVICES": gpus}))
    stale = notebook.find_stale(stored, fresh)
    assert not stale, "run scripts/docs:\n" + "".join(stale.values())
    assert fresh.metadata == stored.metadata
    compared = [cell for cell in stored.cells if cell.cell_type == "code" and notebook.is_compared(cell)]
    assert sum(bool(cell.outputs) for cell in compared) > 10


def make_cell(name, source, text, *tags):
    """A cell that has printed `text`."""
    outputs = [v4.new_output("stream", name="stdout", text=text)]
    return v4.new_code_cell(source, id=name, outputs=outputs, metadata={"tags": list(tags)} if tags else {})


def get_texts(cells):
    return {cell.id: cell.outputs[0].text for cell in cells if cell.cell_type == "code"}


def test_differences():
    stored = v4.new_notebook(
        cells=[
            v4.new_markdown_cell("Text.", id="text"),
            make_cell("same", "print('a', flush=True); print('b')", "a\nb\n"),
            make_cell("other", "print('now')", "then\n"),
            make_cell("varies", "import time; print(time.time())", "0.5\n", "varies"),
            make_cell("pytorch", "print('with or without')", "with\n", "pytorch"),
        ]
    )
    fresh = notebook.execute(stored)
    is_there = notebook.is_compared(stored.cells[-1])
    stale = notebook.find_stale(stored, fresh)
    assert list(stale) == (["other", "pytorch"] if is_there else ["other"])
    assert re.search(r'^- +"then.*\n\+ +"now', stale["other"], re.M)
    notebook.keep_outputs(stored, fresh)
    texts = get_texts(fresh.cells)
    assert (texts["other"], texts["varies"]) == ("now\n", "0.5\n")
    assert texts["pytorch"] == ("with or without\n" if is_there else "with\n")
    # Nothing else of a run is kept.
    for before, after in zip(stored.cells, fresh.cells, strict=True):
        assert before.metadata == after.metadata and after.get("execution_count") is None
    assert not notebook.find_stale(fresh, notebook.execute(fresh))


def test_cell_that_raises():
    stored = v4.new_notebook(cells=[v4.new_code_cell("1 / 0", id="raises")])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        notebook.execute(stored)
