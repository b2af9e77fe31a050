"""The development slices are made from the published files by their ids."""

import json
from pathlib import Path

import pytest

from benchmarks.dev_slice import PAGE, listed, main

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("section", "field", "head", "rows", "size"),
    [
        pytest.param("CRUXEval", "id", "sample_", 800, 220, id="cruxeval"),
        pytest.param("HumanEvalPack", "task_id", "Python/", 164, 39, id="humanevalpack"),
    ],
)
def test_a_slice_holds_the_listed_rows_in_their_order(
    section: str, field: str, head: str, rows: int, size: int, tmp_path: Path
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "slice.jsonl"
    whole.write_text("".join(json.dumps({field: f"{head}{at}", "n": at}) + "\n" for at in range(rows)))
    assert main([str(whole), "--out", str(out)]) == 0
    numbers = [json.loads(line)["n"] for line in out.read_text().splitlines()]
    assert numbers == listed(section, TEXT) == sorted(set(numbers))
    assert len(numbers) == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{"id": "sample_1"}\n', "220 rows of the slice are missing", id="not-the-whole-file"),
        pytest.param('{"name": 1}\n', "No row has an `id`", id="another-file"),
        pytest.param("", "No row has an `id`", id="empty"),
        pytest.param("{", "error: ", id="no-json"),
    ],
)
def test_another_file_is_refused_in_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text(text)
    assert main([str(tmp_path / "file"), "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
