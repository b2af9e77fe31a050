"""The documentation site builds strictly: no broken link or anchor, no page that is missing or left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cwm_agent

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_names_the_version_of_the_package(site: Path) -> None:
    assert f"cwm-agent {cwm_agent.__version__}" in (site / "index.html").read_text(encoding="utf-8")


def test_every_public_name_has_its_entry_in_the_api_reference(site: Path) -> None:
    page = (site / "api" / "index.html").read_text(encoding="utf-8")
    names = set(cwm_agent.__all__) - {"__version__"}
    assert not {name for name in names if f'.{name}"' not in page}


def test_pages_ask_no_other_server(site: Path) -> None:
    """Scripts, styles, fonts and pictures lie in the folder of the site."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert '<link rel="stylesheet" href="http' not in text, page
