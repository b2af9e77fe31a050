"""Studies as data for the page: the question, the table and the figures that `study` wrote of each."""

import base64
import re
from pathlib import Path
from typing import Any

from cwm_agent.reports.html_file import ReportData
from cwm_agent.reports.run_folder import NoRun
from tasks.errors import TaskError
from tasks.reading.bounded_files import read_file

MAX_PART_BYTES = 2**22
_CELL = re.compile(r"(?<!\\)\|")


def study_report(folder: Path) -> ReportData:
    """The report of a folder that `study` wrote."""
    studies: list[dict[str, Any]] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.md")):
        try:
            studies.append(_study(path, problems))
        except TaskError as error:
            problems.append(f"{path.name} cannot be read: {error}")
    if not studies:
        raise NoRun(f"{folder} holds no study: there is no table (*.md) in it. Give the folder of `study --out`.")
    return ReportData({"title": folder.resolve().name, "studies": studies, "problems": problems})


def _study(path: Path, problems: list[str]) -> dict[str, Any]:
    question, _, table = read_file(path, MAX_PART_BYTES).decode("utf-8", "replace").partition("\n\n")
    figures = []
    for figure in sorted(path.parent.glob(f"{path.stem}*.svg")):
        try:
            data = read_file(figure, MAX_PART_BYTES)
            figures.append([figure.stem, f"data:image/svg+xml;base64,{base64.b64encode(data).decode()}"])
        except TaskError as error:
            problems.append(f"{figure.name} cannot be read: {error}")
    return {"name": path.stem, "question": question.strip(), "tables": _tables(table), "figures": figures}


def _tables(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, each as its rows; the line of dashes is left out."""
    found: list[list[list[str]]] = []
    open_table = False
    for line in text.splitlines():
        if not line.startswith("|"):
            open_table = False
            continue
        cells = [cell.strip().replace("\\|", "|").replace("\\<", "<") for cell in _CELL.split(line.strip())[1:-1]]
        if not open_table:
            found.append([])
        open_table = True
        if not all(set(cell) <= {"-", ":"} and cell for cell in cells):
            found[-1].append(cells)
    return found
