"""`solve FILE.py` with each kind of test that people write; one that never ends is named and repaired like any other."""

from pathlib import Path

import pytest

from cwm_agent.solve import main

FAST = ("--oracle", "none", "--policy", "none", "--jobs", "1")
MEAN = "def mean(numbers):\n    return sum(numbers) * len(numbers)\n"
PYTEST = "import pytest\nfrom means import mean\n\n\ndef test_mean():\n"
COUNT = "def count_down(n):\n    steps = 0\n    while n > 0:\n        n += 1\n        steps += 1\n    return steps\n"


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        pytest.param(MEAN, f"{PYTEST}    assert mean([1, 2, 4]) == pytest.approx(2.3333333)\n", id="approx"),
        pytest.param(
            MEAN,
            f"{PYTEST}    assert mean([2, 4]) == 3\n    with pytest.raises(ZeroDivisionError):\n        mean([])\n",
            id="raises",
        ),
        pytest.param(f"{MEAN}\n\nif __name__ == '__main__':\n    assert mean([2, 4]) == 3\n", "", id="main"),
        pytest.param(MEAN.replace("\n", '\n    """\n    >>> mean([2, 4])\n    3.0\n    """\n', 1), "", id="doctest"),
    ],
)
def test_a_file_is_repaired_by_its_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, tests: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "means.py").write_text(program)
    if tests:
        (tmp_path / "test_means.py").write_text(tests)
    assert main(["means.py", *FAST, "--write"]) == 0
    assert "sum(numbers) / len(numbers)" in (tmp_path / "means.py").read_text()


def test_a_test_that_never_ends_is_named_and_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.py").write_text(COUNT)
    (tmp_path / "test_counts.py").write_text(
        "from counts import count_down\n\n\ndef test_down():\n    assert count_down(2) == 2\n"
    )
    assert main(["counts.py", *FAST, "--write"]) == 0
    assert "count_down(2) gave stopped at its cpu limit, expected 2" in capsys.readouterr().out
    assert "n -= 1" in (tmp_path / "counts.py").read_text()
