"""Hooks of the documentation site: the package's version in its title, and pages made of files in the root folder."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from cwm_agent import __version__

ROOT = Path(__file__).parent.parent.parent
PAGES = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "reporting.md", "CHANGELOG.md": "changelog.md"}
"""Files in the root folder, and the pages that they become."""
LINK = re.compile(r"\]\((?:\.\./)?(" + "|".join(map(re.escape, PAGES)) + r")\)")


def on_config(config: Any) -> Any:
    """Names the version that the pages describe."""
    config.site_name = f"{config.site_name} {__version__}"
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made of files in the root folder."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turns links to those files, which work in the repository, into links to their pages."""
    return LINK.sub(lambda link: f"]({PAGES[link[1]]})", markdown)
