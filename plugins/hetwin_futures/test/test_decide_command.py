"""`hetwin predict`: short futures of a shipped scenario, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused

LIBRARY = """\
utility: value(loc("gripper"), at(end))[2]
strategies:
  rest:
    - {operation: hold, arguments: {seconds: 0.2}}
  rise:
    - {operation: move, arguments: {hand: gripper, to: [0.4, 0, 1.1], seconds: 0.4}}
  cannot:
    - {operation: move, arguments: {hand: gripper, to: [9, 9, 9]}}
"""
SHORT = ("--at", "0.5", "--duration", "0.1", "--seed", "3", "--json")


def decided(library: Path, *arguments: str | Path) -> dict[str, Any]:
    """The JSON of a decision, without what differs from one time to the next."""
    said = hetwin("predict", "pick_and_place", "--library", library, *SHORT, *arguments)
    assert said.code == 0, said.err
    assert "cannot: " in said.err
    found: dict[str, Any] = json.loads(said.out)
    for key in ("wall_s", "processor_s"):
        assert found.pop(key) > 0.0
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library as a file."""
    file = tmp_path_factory.mktemp("library") / "library.yaml"
    file.write_text(LIBRARY)
    return file


@pytest.fixture(scope="module")
def found(library: Path) -> dict[str, Any]:
    """A decision, one future at a time."""
    return decided(library, "-n", "2", "--jobs", "1")


def test_the_best_is_chosen_and_the_others_are_told(found: dict[str, Any]) -> None:
    assert found["chosen"] == "rise"
    rise, rest, cannot = found["strategies"]
    assert [one["name"] for one in (rise, rest, cannot)] == ["rise", "rest", "cannot"]
    assert rise["low"] <= rise["utility"] <= rise["high"]
    assert rest["utility"] < rise["utility"]
    assert found["plan"]["plan"][0]["operation"] == "move"
    assert found["deterministic"]


def test_what_cannot_be_carried_out_is_named(found: dict[str, Any]) -> None:
    *_, cannot = found["strategies"]
    assert (cannot["utility"], cannot["futures"], cannot["failed"]) == (None, 0, 2)
    assert cannot["critical"]
    assert "gripper cannot be at" in cannot["error"]


def test_the_same_question_gets_the_same_answer(library: Path, found: dict[str, Any]) -> None:
    assert decided(library, "-n", "2", "--jobs", "3") == found


def test_without_time_nothing_is_chosen(library: Path) -> None:
    said = hetwin("predict", "pick_and_place", "--library", library, *SHORT, "--within", "0.000001")
    assert said.code == 3
    assert json.loads(said.out)["chosen"] is None


def test_without_a_moment_strategies_are_tried_from_the_start(library: Path) -> None:
    short = ("--duration", "0.01", "-n", "1", "--json")
    said = hetwin("predict", "pick_and_place", "--library", library, *short)
    assert said.code == 0, said.err
    assert json.loads(said.out)["at"] == 0.0


GOOD_STEP = "{operation: hold}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("strategies: {}", ("line 1, strategies", "expected")),
        ("utility: '1.0'", ("strategies", "missing")),
        ("[a, b]", ("no library", "found 'list'")),
        ("strategies:\n  a: []", ("line 2, strategies.a", "expected")),
        (
            "strategies:\n  a:\n    - {operation: hodl}",
            ("line 3, strategies.a.0.operation", "'hodl'", "perhaps 'hold'"),
        ),
        (f"strategies: {{a: [{GOOD_STEP}]}}\ncritical: 2", ("line 2, critical", "found 2")),
        (f"strategies: {{a: [{GOOD_STEP}]}}\nutility: 1 +", ("line 2, utility", "syntax")),
        (f"strategies: {{a: [{GOOD_STEP}]}}\nutilty: 1", ("utilty", "'utility' perhaps")),
        ("strategies:\n  a: [{operation: hold, at: -1}]", ("line 2, strategies.a.0.at",)),
        (
            "strategies:\n  a: [{operation: hold, arguments: {seconds: $time}}]",
            ("line 2, strategies.a.0.arguments.seconds", "unknown variable 'time'"),
        ),
        (
            "strategies:\n  a: [{operation: hold, arguments: {seconds: $event.s}}]",
            ("strategies.a.0.arguments.seconds", "no action begins", "--before ACTION"),
        ),
        (
            f"strategies: {{a: [{GOOD_STEP}]}}\nutility: '\"much\"'",
            ("line 2, utility", "a utility is a number", "found 'much'"),
        ),
        (
            f"strategies: {{a: [{GOOD_STEP}]}}\nutility: wealth()",
            ("line 2, utility", "wealth"),
        ),
    ],
)
def test_bad_libraries_are_refused(text: str, says: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "library.yaml"
    file.write_text(text)
    refused(
        tmp_path,
        *("predict", "pick_and_place", "--library", file, "--at", "0.1"),
        says=(str(file), *says),
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--within", "0"), ("--within", "found 0", "above 0")),
        (("--before", "move"), ("--at, --before", "both")),
    ],
)
def test_bad_budgets_are_refused(
    arguments: tuple[str, ...], says: tuple[str, ...], library: Path, tmp_path: Path
) -> None:
    refused(
        tmp_path,
        *("predict", "pick_and_place", "--library", library, "--at", "0.1", *arguments),
        says=says,
    )


def test_a_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    says = ("there is no such library", "put_dwn", "perhaps 'put_down'")
    refused(tmp_path, "predict", "pick_and_place", "--library", "put_dwn", "--at", "1", says=says)
