"""Hooks of the documentation site: the package's version in its title, pages made of the notebook and of root files."""

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from cwm_agent import __version__

ROOT = Path(__file__).parent.parent.parent
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "CHANGELOG.md": "changelog.md",
    "docs/notebook.ipynb": "notebook.md",
}
"""Files that are no pages, and the pages that they become."""
NAMES = {Path(source).name: page for source, page in PAGES.items()}
LINK = re.compile(r"\]\((?:\.\./)?(" + "|".join(map(re.escape, NAMES)) + r")\)")


def on_config(config: Any) -> Any:
    """Names the version that the pages describe."""
    config.site_name = f"{config.site_name} {__version__}"
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made of other files."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = notebook_text(text) if source.endswith(".ipynb") else text.replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turns links to those files, which work in the repository, into links to their pages."""
    return LINK.sub(lambda link: f"]({NAMES[link[1]]})", markdown)


def notebook_text(text: str) -> str:
    """A notebook as Markdown: each cell, and below it what it printed."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            printed = "".join(output.get("text") or output["data"]["text/plain"]).rstrip()
            parts.append(f"```text\n{printed}\n```")
    return "\n\n".join(parts) + '\n\n<a href="notebook.ipynb" download>The notebook as a file</a>\n'
