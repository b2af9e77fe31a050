"""`verify --report`: every comparison is in the curves, and the runs can be stepped through."""

import json
from pathlib import Path

import pytest

from cwm_agent import verify

PROGRAM = '''def total(values):
    """
    >>> total([1, 2])
    3
    >>> total([5])
    5
    """
    found = 0
    for value in values:
        found += value
    return found
'''


@pytest.mark.parametrize(("oracle", "view"), [("noisy:systematic:state=0.4", "local"), ("exact", "history")])
def test_verify_writes_a_report(
    oracle: str, view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(PROGRAM)
    assert verify.main(["mine.py", "--oracle", oracle, "--view", view, "--report", "found.html"]) == 0
    assert "wrote found.html" in capsys.readouterr().out
    text = (tmp_path / "found.html").read_text()
    index = json.loads(text.split('id="index">')[1].split("</script>")[0])
    observations = index["verification"][0]["observations"]
    assert {each["name"].partition("#")[0] for each in observations} == {"mine"}
    assert len(index["scenes"]) == len(observations) == text.count('id="page-')
    assert any(each["kind"] for each in observations) == (view == "local")


def test_mutants_have_no_report(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        verify.main(["repair", "--mutants", "3", "--report", "found.html"])
    assert "leave it out with --mutants" in capsys.readouterr().err
