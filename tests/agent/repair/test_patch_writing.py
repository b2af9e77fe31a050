"""`solve --write` changes the solved file by its own patch, and refuses at the start what it could not write."""

from dataclasses import asdict
from pathlib import Path

import pytest

from cwm_agent import solve
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.episodes.task_digest import digest_of
from cwm_agent.records.jsonl_file import JsonlFile
from tasks import load


def test_the_patch_of_the_file_itself_is_applied_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xef\xbb\xbfdef f(x):\r\n    '''>>> f(3)\r\n    2'''\r\n    return x + 1\r\n")
    [task] = load(path).tasks
    with JsonlFile(tmp_path / "episodes.jsonl") as rows:
        rows.append(asdict(Episode("other", True, None, ("operator 1:0: 'def' -> 'class'",))))
        rows.append(asdict(Episode("mine", True, None, ("operator 4:13: '+' -> '-'",), content=digest_of(task))))
    solve.write_back(solve.parser().parse_args([str(path)]), tmp_path)
    assert path.read_bytes().endswith(b"\r\n    return x - 1\r\n")
    assert path.read_bytes().startswith(b"\xef\xbb\xbfdef f(x):\r\n")


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "real.py").write_text('def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x\n')
    (tmp_path / "mine.py").symlink_to("real.py")
    out = tmp_path / "out"
    assert solve.main([str(tmp_path / "mine.py"), "--oracle", "none", "--write", "--out", str(out)]) == 2
    assert "mine.py is a link to real.py, and links are not followed" in capsys.readouterr().err
    assert solve.main(["tasks/repair", "--oracle", "none", "--write", "--out", str(out)]) == 2
    assert "--write and --diff are for one .py file" in capsys.readouterr().err
    assert not out.exists()
