"""The corpus: permissive packages only, each function once, no function of the tasks."""

import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from cwm_agent.training.policy.corpus import licences_of, main, texts_in
from cwm_agent.training.policy.function_shapes import shape_of
from cwm_agent.training.policy.licences import is_permissive, stated_licences

FUNCTION = "def total(rows):\n    found = 0\n    for row in rows:\n        found += row * 2\n    return found\n"
RENAMED = "def summed(xs):\n    # of all\n    out = 0\n    for x in xs:\n        out += x*2\n    return out\n"
OTHER = FUNCTION.replace("* 2", "* 3")


def wheel(path: Path, text: str, licence: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("package/module.py", text)
        archive.writestr("package/test_module.py", text)
        archive.writestr("package-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: package\n{licence}\n\nGPL\n")
    return path


def archive(path: Path, text: str, licence: str) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in (("p-1/p.py", text), ("p-1/PKG-INFO", f"Name: p\n{licence}\n"), ("p-1/x.so", "binary")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content.encode()))
    return path


def functions(*arguments: object) -> list[str]:
    out = Path(str(arguments[0])).parent / "out.jsonl.xz"
    assert main([*map(str, arguments), "--out", str(out)]) == 0
    with lzma.open(out, "rt") as file:
        return [json.loads(line)["source"] for line in file]


@pytest.mark.parametrize(
    ("metadata", "permissive"),
    [
        pytest.param("License-Expression: MIT", True, id="expression"),
        pytest.param("Classifier: License :: OSI Approved :: Apache Software License", True, id="classifier"),
        pytest.param("License: BSD-3-Clause", True, id="field"),
        pytest.param("License: PSF-2.0", True, id="python"),
        pytest.param("License-Expression: MIT AND LGPL-2.1-only", False, id="both"),
        pytest.param(
            "License: MIT\nClassifier: License :: OSI Approved :: GNU General Public License", False, id="torn"
        ),
        pytest.param("License: MPL-2.0", False, id="weak copyleft"),
        pytest.param("License: UNKNOWN", False, id="unknown"),
        pytest.param("Name: permitted", False, id="silent"),
        pytest.param("License: Submitted", False, id="part of a word"),
        pytest.param("Name: x\n\nLicense: MIT", False, id="description"),
    ],
)
def test_a_licence_is_permissive_if_the_metadata_name_only_permissive_ones(metadata: str, permissive: bool) -> None:
    assert is_permissive(stated_licences(f"Metadata-Version: 2.1\n{metadata}\n")) is permissive


def test_the_licence_comes_from_the_metadata_of_an_archive(tmp_path: Path) -> None:
    assert licences_of(wheel(tmp_path / "a.whl", FUNCTION, "License: MIT")) == ("MIT",)
    assert licences_of(archive(tmp_path / "b.tar.gz", FUNCTION, "License: ISC")) == ("ISC",)
    unpacked = tmp_path / "c"
    unpacked.mkdir()
    assert licences_of(unpacked) == ()
    (unpacked / "PKG-INFO").write_text("License: zlib\n")
    assert licences_of(unpacked) == ("zlib",)


def test_the_permissive_option_leaves_out_other_packages(tmp_path: Path) -> None:
    free = wheel(tmp_path / "free.whl", FUNCTION, "License-Expression: MIT")
    bound = archive(tmp_path / "bound.tar.gz", OTHER, "License: GPL-3.0")
    assert functions(free, bound, "--permissive") == [FUNCTION]
    assert functions(free, bound) == [FUNCTION, OTHER]


def test_of_functions_with_equal_shapes_the_first_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FUNCTION)
    (tmp_path / "b.py").write_text(RENAMED)
    assert shape_of(FUNCTION) == shape_of(RENAMED) != shape_of(OTHER)
    assert functions(tmp_path / "a.py", tmp_path / "b.py", "--jobs", 2) == [FUNCTION]


def test_functions_of_tasks_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(FUNCTION + OTHER.replace("total", "total_of"))
    tasks = tmp_path / "tasks.jsonl"
    body = RENAMED.partition("\n")
    rows = [{"declaration": body[0] + "\n", "canonical_solution": body[2]}, {"source": "def total_of():\n    pass\n"}]
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert functions(tmp_path / "module.py") == [FUNCTION, OTHER.replace("total", "total_of")]
    assert functions(tmp_path / "module.py", "--without", tasks) == []


def test_functions_below_the_smallest_weight_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(FUNCTION)
    assert functions(tmp_path / "module.py", "--least", 9) == []


def test_a_broken_archive_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.whl"
    whole = wheel(tmp_path / "whole.whl", FUNCTION * 40, "License: MIT").read_bytes()
    broken.write_bytes(whole[:60] + b"?" * 40 + whole[100:])
    assert list(texts_in(broken)) == []
    assert "is left out" in capsys.readouterr().err
