"""`--json` also of an error: what is wrong, in which file and line, at which key or option."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin
from support.plugins import needs

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_suite._commands.result import error_document

KEYS = ["file", "line", "key", "found", "expected", "message"]


def error(*words: str | Path, code: int = 2) -> dict[str, Any]:
    said = hetwin(*words, "--json")
    assert said.code == code, said
    assert said.err
    found: dict[str, Any] = json.loads(said.out)["error"]
    assert list(found)[: len(KEYS)] == KEYS
    return found


def test_a_file_has_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("extends: pick_and_place\nscenario: wrong\nrate: fast\n")
    found = error("run", file)
    assert (found["file"], found["line"], found["key"]) == (str(file), 3, "rate")
    assert found["found"] == "fast"
    assert found["expected"]
    assert str(file) not in found["message"]


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("check", "nowhere"), None),
        (("ask", "nowhere"), "QUESTION"),
        (("show", "nowhere", "--out", "run.mp4"), "--out"),
        pytest.param(
            ("urdf", "trajectory", "panda", "--waypoints", "x.csv", "--rate", "0"),
            "--rate",
            marks=needs("hetwin_calibration"),
        ),
        (("list", "models", "grasp_moniter"), "grasp_moniter"),
    ],
)
def test_every_command_prints_it(words: tuple[str, ...], key: str | None) -> None:
    found = error(*words)
    assert found["message"]
    assert key is None or key in str(found)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "x", "--sourc", "y"), "--sourc"),
        (("run", "pick_and_place", "--seed", "-1"), "--seed"),
        (("record", "juggle"), "juggle"),
        pytest.param(("urdf", "forward"), "ROBOT", marks=needs("hetwin_calibration")),
        (("modles",), "modles"),
    ],
)
def test_a_command_line_that_cannot_be_used(words: tuple[str, ...], says: str) -> None:
    assert says.lower() in error(*words)["message"].lower()


def test_a_failed_run_says_where() -> None:
    found = error_document(RunFailed("grasp", "step", 1_500_000_000, "it returned NaN"))["error"]
    assert (found["model"], found["call"], found["time"]) == ("grasp", "step", 1.5)
    assert found["reason"] == "it returned NaN"


@pytest.mark.parametrize(
    ("where", "line", "key"),
    [
        ("line 3, models.grasp.rate", 3, "models.grasp.rate"),
        ("line 3", 3, None),
        ("--out", None, "--out"),
        ("SQL, line 2", 2, "SQL"),
        (None, None, None),
    ],
)
def test_places(where: str | None, line: int | None, key: str | None) -> None:
    found = error_document(BadInput("no", where=where))["error"]
    assert (found["line"], found["key"]) == (line, key)
