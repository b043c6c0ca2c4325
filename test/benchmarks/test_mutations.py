"""Errors that are planted are of all kinds, drawn by the seed, and leave nothing behind."""

from __future__ import annotations

import ast
from pathlib import Path

import mutations
import pytest
from mutations import Source, drawn, found_by, mirroring_tests

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

    def fails(tests: list[str], jobs: int) -> bool:
        seen.append((tree / "code.py").read_text(encoding="utf-8"))
        return len(seen) == 2

    (tree / "test").mkdir()
    monkeypatch.setattr(mutations, "_fail", fails)
    assert found_by(drawn(["code.py"], 1, 1)[0], 1) == " ".join(mutations.WHOLE)
    assert len({*seen, CODE}) == 2
    assert (tree / "code.py").read_text(encoding="utf-8") == CODE


def test_the_mirroring_tests_a_module() -> None:
    assert (
        mirroring_tests("hetwin_core/ensemble/nearest.py")
        == "test/hetwin_core/ensemble/test_nearest.py"
    )
    assert (
        mirroring_tests("hetwin_core/ensemble/saving/record.py")
        == "test/hetwin_core/ensemble/saving"
    )
