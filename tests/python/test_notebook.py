"""The notebook of the examples runs from its first cell to its last, and its live view moves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "first_flow.ipynb"


class Client(NotebookClient):
    """Counts how often a picture takes the place of the one before."""

    updates = 0

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        self.updates += msg["msg_type"] == "update_display_data"
        return super().process_message(msg, cell, cell_index)


@pytest.fixture
def own_folders(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Files of Jupyter in a folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            monkeypatch.setenv(name, folder)
        yield folder


def test_the_notebook_runs(own_folders: str, tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    sockets = str(Path(own_folders) / "kernel")  # of files: no port is opened
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=sockets)
    client = Client(notebook, km=manager, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    pictures = [output for output in shown if "image/png" in output.get("data", {})]
    assert client.updates >= 20 and len(pictures) == 2
    assert 'src="data:image/png' in shown[0]["data"]["text/html"]
    printed = "".join(output.get("text", "") for output in shown)
    fastest = float(printed.split("fastest front: ")[1].split()[0])
    assert 1.2 < fastest < 2.2  # m/s; a drop from the top of the column would have 1.5 m/s
    assert not any(tmp_path.iterdir())


def test_no_outputs_are_stored() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and not any(cell.outputs or cell.execution_count for cell in code)
