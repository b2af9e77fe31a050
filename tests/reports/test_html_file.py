"""The file of a report: self-contained, under a policy that allows its own scripts only, split where it is too large."""

import base64
import hashlib
import json
import re
import zlib
from html import unescape
from pathlib import Path

import pytest
from report_runs import INJECTIONS, hostile_episode, write_rows

from cwm_agent import report
from cwm_agent.reports.html_file import SCRIPTS, STYLES, ReportData, html, safe_json, write_report

PAGE = Path(report.__file__).parent / "reports" / "page"
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment"
    r"|https?://(?!www\.w3\.org/2000/svg)|XMLHttpRequest|sendBeacon|WebSocket|importScripts|localStorage"
)


def script_of(text: str, identity: str) -> str:
    found = re.search(rf'<script type="[a-z/]+" id="{identity}">(.*?)</script>', text, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_set_text_and_ask_no_network(name: str) -> None:
    source = (PAGE / "scripts" / f"{name}.js").read_text(encoding="utf-8")
    assert not FORBIDDEN.search(source)
    assert source.startswith('"use strict";')
    assert source.isascii() or not re.search("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]", source)
    assert len(source.splitlines()) <= 200


def test_every_file_of_the_page_is_used() -> None:
    assert {path.stem for path in (PAGE / "scripts").iterdir()} == set(SCRIPTS)
    assert {path.stem for path in (PAGE / "styles").iterdir()} == set(STYLES)


def test_the_policy_allows_exactly_the_scripts_and_styles_of_the_file() -> None:
    text = html({"title": "t"}, [])
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])  # type: ignore[index]
    assert policy.startswith("default-src 'none'; ")
    bodies = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(bodies) == len(SCRIPTS)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" for body in bodies]
    assert f"script-src {' '.join(hashes)};" in policy
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    assert "connect-src 'self'" in unescape(html({"title": "t"}, [], live=True))


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_text_ends_its_script_or_becomes_markup(text: str) -> None:
    made = html({"title": text, "run": {"name": text}}, [])
    assert json.loads(script_of(made, "index"))["title"] == text
    assert made.count("<script") == len(SCRIPTS) + 1
    assert "<img" not in made
    assert "<svg onload" not in made


def test_json_in_a_script_has_no_angle_bracket() -> None:
    assert safe_json(["</script>", "&"]) == '["\\u003c/script\\u003e","\\u0026"]'


def test_pages_are_compressed_json() -> None:
    made = html({"title": "t"}, [_packed({"id": "x" * 5_000})])
    packed = script_of(made, "page-0")
    assert json.loads(zlib.decompress(base64.b64decode(packed))) == {"id": "x" * 5_000}
    assert len(packed) < 200


def _packed(page: dict[str, str]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(page).encode())).decode()


def test_a_large_report_is_an_index_and_one_file_a_task(tmp_path: Path) -> None:
    data = ReportData({"title": "run", "run": {"tasks": []}}, [{"id": "a"}, {"id": "b"}])
    [whole] = write_report(tmp_path / "one.html", data)
    assert "page-1" in whole.read_text()
    written = write_report(tmp_path / "two.html", data, most_bytes=1_000)
    assert [path.name for path in written] == ["00000.html", "00001.html", "two.html"]
    assert '"apart":"two_tasks"' in written[-1].read_text()
    assert '"only":1' in written[1].read_text()
    assert "page-0" not in re.sub(r"`page-.*?`", "", written[-1].read_text())


def test_the_command_writes_beside_the_run_and_names_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_rows(tmp_path / "run", *(hostile_episode(text) for text in INJECTIONS[:3]))
    assert report.main([str(folder), "--no-run", "--compare", str(folder)]) == 0
    assert (folder / "report.html").exists()
    assert report.main([str(tmp_path / "none")]) == 2
    assert report.main([str(folder), "--out", str(tmp_path / "report.txt")]) == 2
    assert "There is no" in capsys.readouterr().err


def test_studies_and_rollouts_have_reports(tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "strings.md").write_text("How far?\n\n| a | b\\|c |\n|---|---|\n| 1 | \\<b> |\n")
    (study / "strings.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    data = report.report_of(study)
    assert data.index["studies"][0]["tables"] == [[["a", "b|c"], ["1", "<b>"]]]
    rows = tmp_path / "rows.jsonl"
    row = {"episode": 0, "task": "t", "rewards": [0.5, 1], "actions": [1, 2], "terminated": True, "run": {"env": "e"}}
    rows.write_text(json.dumps(row) + "\n" + json.dumps({"episode": 1}) + "\n")
    found = report.report_of(rows)
    assert found.index["rollouts"]["rows"][0]["return"] == 1.5
    assert "line 2" in found.index["problems"][0]
    assert report.make_report(rows).name == "rows.html"
