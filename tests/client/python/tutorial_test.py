"""The notebook of client/python runs from its first cell to its last, and shows what it showed when it was written."""

import copy
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[3] / "client" / "python"


@pytest.fixture(scope="module")
def notebooks():
    """As written, and as run now."""
    written = nbformat.read(FOLDER / "tutorial.ipynb", as_version=4)
    ran = copy.deepcopy(written)
    for cell in ran.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(ran, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute(env=dict(os.environ))
    return written, ran


def results(notebook):
    """What cells returned, but for pictures and times."""
    return [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]


def test_every_cell_runs_and_returns_what_it_returned(notebooks):
    written, ran = notebooks
    assert results(ran) == results(written)
    assert len(results(ran)) >= 6 and results(ran)[-1] == "(True, True)"


def test_pictures_are_drawn(notebooks):
    for notebook in notebooks:
        drawn = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
                 if output.output_type == "display_data"]  # fmt: skip
        assert any("image/png" in output.data for output in drawn)
