"""The notebook of the docs runs from top to bottom and prints what it shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).parent.parent.parent
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def pages() -> tuple[nbformat.NotebookNode, nbformat.NotebookNode]:
    """The notebook as it is kept, and after a run; the kernel speaks by files and opens no port."""
    kept, ran = (nbformat.read(NOTEBOOK, as_version=4) for _ in range(2))
    config = Config(KernelManager={"transport": "ipc"})
    NotebookClient(ran, config=config, timeout=600, resources={"metadata": {"path": str(ROOT)}}).execute()
    return kept, ran


def outputs(notebook: nbformat.NotebookNode) -> list[str]:
    found = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return [output.get("text") or output["data"]["text/plain"] for output in found]


def test_the_notebook_prints_what_it_shows(pages: tuple[nbformat.NotebookNode, nbformat.NotebookNode]) -> None:
    kept, ran = pages
    assert outputs(ran) == outputs(kept)


def test_its_outputs_are_tiny() -> None:
    assert sum(map(len, outputs(nbformat.read(NOTEBOOK, as_version=4)))) < 4_000
