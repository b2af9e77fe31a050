"""The report as HTML: one self-contained file, or an index and one file for each task where one would be too large.

Pages are plain files in `page/`: HTML, styles and scripts. They are written into the file with the data, so that it
needs no network; a Content-Security-Policy allows these scripts by their hash and nothing else. Data is JSON in which
`<` is escaped, and the page of a task is compressed. The scripts set text and never markup. Computes no figure.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from tasks.output.atomic_file import write_file
from tasks.output.terminal_text import visible_line

MOST_BYTES = 2_000_000
"""Of a report in one file."""
SCRIPTS = (
    *("text", "dom", "store", "frames", "charts", "table"),
    *("diff_view", "heap_view", "theatre_view", "tree_view"),
    *("run_page", "task_page", "verification_page", "study_page", "rollout_page"),
    *("live", "app"),
)
"""In the order in which they are loaded; each adds one member to the object `cwm`."""
STYLES = ("base", "layout", "parts", "theatre", "print")


@dataclass(frozen=True, slots=True)
class ReportData:
    """What a report shows: the index, which is read at once, and a page of data for each task, read when opened."""

    index: dict[str, Any]
    pages: list[dict[str, Any]] = field(default_factory=list)


def write_report(path: Path, data: ReportData, *, most_bytes: int = MOST_BYTES) -> list[Path]:
    """Write the report to a file, with a folder of pages beside it where it would be too large; the files written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = [packed_page(page) for page in data.pages]
    whole = html(data.index, packed)
    if len(whole.encode()) <= most_bytes or not packed:
        write_file(path, whole)
        return [path]
    return list(_written_apart(path, data, packed))


def _written_apart(path: Path, data: ReportData, packed: list[str]) -> Iterator[Path]:
    folder = path.with_name(f"{path.stem}_tasks")
    folder.mkdir(exist_ok=True)
    for number, page in enumerate(packed):
        own = folder / f"{number:05}.html"
        title = str(data.pages[number].get("id", ""))
        index = {"title": title, "only": number, "back": f"../{path.name}", "version": data.index.get("version")}
        write_file(own, html(index, [page]))
        yield own
    write_file(path, html({**data.index, "apart": folder.name}, []))
    yield path


def packed_page(page: dict[str, Any]) -> str:
    """The data of one page: JSON, compressed, as base64."""
    return base64.b64encode(zlib.compress(json.dumps(page, separators=(",", ":")).encode(), 9)).decode()


def html(index: dict[str, Any], packed: list[str], *, live: bool = False) -> str:
    """The whole file; a live page may ask its own server, any other page asks nothing."""
    scripts = [_part(f"scripts/{name}.js") for name in SCRIPTS]
    style = "\n".join(_part(f"styles/{name}.css") for name in STYLES)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            *(["connect-src 'self'"] if live else []),
        ]
    )
    data = [f'<script type="application/json" id="index">{safe_json(index)}</script>']
    data += [f'<script type="text/plain" id="page-{at}">{page}</script>' for at, page in enumerate(packed)]
    values = {
        "title": escape(visible_line(str(index.get("title", "report")))),
        "policy": escape(policy),
        "style": style,
        "data": "\n".join(data),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _part("page.html"))


def safe_json(value: object) -> str:
    """JSON that cannot end a script element or begin a comment: `<`, `>` and `&` are escapes, lone surrogates too."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return (files("cwm_agent.reports") / "page" / name).read_text(encoding="utf-8")
