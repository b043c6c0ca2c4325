"""Errors that are planted are of all kinds, drawn by the seed, and leave nothing behind."""

from __future__ import annotations

import ast
from pathlib import Path

import mutations
import pytest
from coverage import CoverageData
from mutations import Source, drawn, found_by, groups_of_tests, mirroring_tests, record

CODE = """def add(a, b):
    \"\"\"Größe.\"\"\"
    c = a + b - 1
    d = [c][0]
    e = c.copy()
    return max(d, e) if a < b else c[1:2], "a" + b
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mutations, "ROOT", tmp_path)
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def planted(tree: Path) -> dict[str, str]:
    text = (tree / "code.py").read_bytes()
    found = {}
    for one in Source(tree / "code.py").mutations():
        changed = text[: one.begin] + one.text.encode() + text[one.end :]
        ast.parse(changed)
        line = changed.decode().splitlines()[one.line - 1].strip()
        found[line] = one.kind
    return found


def test_all_kinds(tree: Path) -> None:
    assert planted(tree) == {
        "c = a - b - 1": "sign",
        "c = a + b + 1": "sign",
        "d = [c][1]": "index",
        "e = c": "copy",
        'return max(e, d) if a < b else c[1:2], "a" + b': "order",
        'return max(d, e) if a > b else c[1:2], "a" + b': "order",
        'return max(d, e) if a < b else c[1 + 1:2], "a" + b': "index",
        'return max(d, e) if a < b else c[1:2 + 1], "a" + b': "index",
    }


def test_the_seed_draws(tree: Path) -> None:
    one, same = drawn(["code.py"], 5, 1), drawn(["code.py"], 5, 1)
    assert one == same
    assert {each.kind for each in one} == {"sign", "index", "copy", "order"}
    assert any(drawn(["code.py"], 5, seed) != one for seed in range(2, 6))


def test_what_is_planted_is_taken_out_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def fails(tests: list[str], without: list[str], jobs: int) -> str:
        seen.append((tree / "code.py").read_text(encoding="utf-8"))
        return "collection" if len(seen) == 2 else ""

    monkeypatch.setattr(mutations, "first_failure", fails)
    assert found_by(drawn(["code.py"], 1, 1)[0], [["one"], ["two"], ["three"]], 1) == "collection"
    assert len({*seen, CODE}) == 2
    assert (tree / "code.py").read_text(encoding="utf-8") == CODE


TESTS = """import os

import code_of
import pytest

def test_of_something_else():
    assert code_of.last([2, 1]) == 1

@pytest.mark.parametrize("by", [3, 0])
def test_difference(by):
    if by:
        assert code_of.difference(5, by) == 5 - by

def test_unsteady():
    assert code_of.difference(5, 0) == 5
    assert not os.path.exists("unsteady")
"""


@pytest.mark.long
def test_the_tests_that_touch_a_line_find_its_errors(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tree))
    (tree / "code_of.py").write_text(
        "def last(a):\n    return a[-1]\n\ndef difference(a, b):\n    return (\n        a\n        - b\n    )\n"
    )
    (tree / "pytest.ini").write_text("[pytest]\nmarkers = colcon: -\n    faults: -\n    long: -\n")
    (tree / "test").mkdir()
    (tree / "test" / "test_code_of.py").write_text(TESTS)
    record(str(tree / "touched"), ["code_of.py"], ["test"])
    touched = CoverageData(str(tree / "touched"))
    touched.read()
    (error,) = (one for one in drawn(["code_of.py"], 9, 1) if one.kind == "sign")
    groups = groups_of_tests(error, touched)
    own = "test/test_code_of.py"
    assert groups == [[f"{own}::test_difference[3]", f"{own}::test_unsteady"]]
    (tree / "unsteady").touch()
    assert found_by(error, [groups[0][::-1]], 1) == f"{own}::test_difference[3]"


def test_the_mirroring_tests_a_module() -> None:
    assert (
        mirroring_tests("hetwin_core/ensemble/nearest.py")
        == "test/hetwin_core/ensemble/test_nearest.py"
    )
    assert (
        mirroring_tests("hetwin_core/ensemble/saving/record.py")
        == "test/hetwin_core/ensemble/saving"
    )
