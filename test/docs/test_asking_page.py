"""The page about asking: its questions have its answers in a run of the scenario that it names, and its Python runs."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin

from hetwin_core.episodes.asking.formulas import USAGE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "asking.md").read_text(encoding="utf-8")
TERMS = (ROOT / "docs" / "reference" / "questions.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| [^|]+\? \| `(.+)` \| (.+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
SECONDS = re.compile(r"([\d.]+) to ([\d.]+) s")


@pytest.fixture(scope="module")
def answers(set_table_run: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answers to all questions of the page, by question."""
    file = tmp_path_factory.mktemp("questions") / "questions.txt"
    file.write_text("# the page's\n\n" + "\n".join(question for question, _ in ROWS), "utf-8")
    said = hetwin("ask", set_table_run, "--questions", file, "--json")
    assert said.code == 0, said.err
    return {answer["question"]: answer for answer in json.loads(said.out)["answers"]}


def test_there_are_twelve() -> None:
    assert len(ROWS) == 12


@pytest.mark.parametrize(("question", "written"), ROWS)
def test_a_question_has_its_answer(question: str, written: str, answers: dict[str, Any]) -> None:
    answer = answers[question]
    head, _, tail = written.partition(": ")
    assert answer["evidence"] or answer["value"] in (False, 0)
    if head in ("true", "false"):
        assert answer["value"] is (head == "true")
        entities = re.findall(r"`(\w+)`", tail)
        assert [binding["a"] for binding in answer["bindings"]] == entities
        times = [float(time) for pair in SECONDS.findall(tail) for time in pair]
        found = [time for pair in answer["intervals"] for time in pair]
        assert not times or found == pytest.approx(times, abs=0.05)
    elif moved := re.fullmatch(r"`(\w+)` at ([\d.]+) s", written):
        (event,) = answer["value"]
        assert event["arguments"] == {"object": moved[1]}
        assert event["time"] == pytest.approx(float(moved[2]), abs=0.05)
    else:
        value, _, when = written.replace("`", "").partition(", measured at ")
        assert _near(answer["value"], json.loads(value))
        assert not when or answer["evidence"][-1]["from"] == pytest.approx(
            float(when.split()[0]), abs=0.05
        )


def test_every_function_is_on_the_page() -> None:
    names = [name for name in USAGE if not name.endswith("_")]
    assert [name for name in names if f"{name}(" not in TERMS and f"`{name}`" not in TERMS] == []


def test_the_python_runs(
    set_table_run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "table").symlink_to(set_table_run)
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "asking.md", "exec"), {})
    lines = out.getvalue().splitlines()
    assert (lines[0], lines[1], lines[3], lines[5]) == ("['cup1', 'plate2']", "True", "True", "2")


def _near(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], int | float):
        return bool(value == pytest.approx(wanted, abs=0.01))
    return bool(value == wanted)
