"""What episodes say of actions, beside what futures know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused

from hetwin_futures.deciding import strategy_result
from hetwin_futures.forecast import Forecast
from hetwin_futures.intervals import CERTAIN
from hetwin_futures.successes import Experience, read_experience
from hetwin_suite._study.run_result import RunResult

HAND = {"hand": "right_hand"}


def row(action: str, of: int, succeeded: int, **arguments: object) -> dict[str, Any]:
    """A row of a table of successes."""
    p = (succeeded + 0.5) / (of + 1.0)
    interval = {"low": p - 0.1 * p, "high": p + 0.1 * (1.0 - p)}
    counts = {"of": of, "succeeded": succeeded, "p": p, **interval}
    prior = {"from": [], "weight": 0.0}
    return {"action": action, "arguments": arguments, **counts, "prior": prior}


ROWS = [
    row("grasp", 99, 89, **HAND, object="ball"),
    row("grasp", 9, 4, **HAND, object="egg"),
    row("lift", 99, 99, **HAND),
    row("release", 50, 10, **{**HAND, "inside(container)": {"at_most": 0.0}}),
    row("release", 50, 49, **{**HAND, "inside(container)": {"above": 0.0}}),
]
GRASP = ("grasp", {**HAND, "object": "ball", "speed": 1.0})
AFTER = (GRASP, ("lift", HAND), ("release", HAND))


@pytest.fixture
def experience(tmp_path: Path) -> Experience:
    """Read from a file."""
    file = tmp_path / "success.json"
    file.write_text(json.dumps({"rows": ROWS}))
    return read_experience(file)


def test_only_what_no_future_knows_counts(experience: Experience) -> None:
    (used,) = experience.rows_of(AFTER)
    assert used.action == "grasp"
    assert used.arguments["object"] == "ball"
    assert experience.chance([AFTER]).p == pytest.approx(0.895)
    assert experience.chance([(GRASP, GRASP)]).p == pytest.approx(0.895**2)
    assert experience.chance([AFTER, ()]).p == pytest.approx((0.895 + 1.0) / 2.0)


def test_what_is_not_known_is_told(experience: Experience) -> None:
    cup = ("grasp", {**HAND, "object": "cup"})
    assert experience.lacks([cup, cup, GRASP, ("lift", HAND)]) == ["grasp"]
    assert experience.chance([[cup]]) == CERTAIN
    assert read_experience(None).chance([AFTER]) == CERTAIN


def future(index: int, success: bool) -> RunResult:
    """A future that is over."""
    outcomes, value = {"in": success}, float(success)
    return RunResult(index, outcomes=outcomes, value=value, actions=AFTER)


def test_a_forecast_is_less_sure_with_it(experience: Experience) -> None:
    futures = [future(index, success=index > 0) for index in range(4)]
    found = Forecast(0.0, 1.0, 0, 4, futures, ("in",), 1.0, experience)
    told = found.to_json()
    assert told["success"]["p"] == pytest.approx(0.75 * 0.895, abs=1e-6)
    assert told["success"]["low"] < 0.75 * 0.895 < told["success"]["high"]
    assert [one["action"] for one in told["prior"]] == ["grasp"]
    without = Forecast(0.0, 1.0, 0, 4, futures, ("in",), 1.0).to_json()
    assert without["success"]["p"] == 0.75
    assert "prior" not in without


def test_a_strategy_is_critical_with_it(experience: Experience) -> None:
    futures = [future(index, success=index > 0) for index in range(10)]
    surely = strategy_result("a", {}, futures, 0.15, True, read_experience(None))
    found = strategy_result("a", {}, futures, 0.15, True, experience)
    assert (surely.critical, found.critical) == (False, True)
    assert surely.brought.mean == 0.9
    assert found.brought.mean == pytest.approx(0.9 * 0.895)
    assert found.brought.of == 10
    assert [one["action"] for one in found.to_json()["prior"]] == ["grasp"]


SHORT = ("pick_and_place", "--before", "reach", "--duration", "0.05", "-n", "1")


def test_a_prediction_takes_a_prior(tmp_path: Path) -> None:
    file = tmp_path / "success.json"
    file.write_text(json.dumps({"rows": [row("reach", 10, 5), row("reach", 10, 5, tool="saw")]}))
    said = hetwin("predict", *SHORT, "--prior", file, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert [one["arguments"] for one in found["prior"]] == [{}]
    file.write_text(json.dumps({"rows": [row("reach", 10, 5, tool="saw")]}))
    said = hetwin("predict", *SHORT, "--prior", file)
    assert said.code == 0
    assert "says nothing about reach" in said.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", ("cannot be read",)),
        ("[]", ("no table", "hetwin learn success SCENARIO")),
        ('{"rows": [{"action": "grasp"}]}', ("rows.0",)),
        (json.dumps({"rows": [{**ROWS[0], "p": 2}]}), ("rows.0.p", "found 2")),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    text: str, says: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "success.json"
    file.write_text(text)
    refused(tmp_path, "predict", *SHORT, "--prior", file, says=(str(file), *says))


def test_a_utility_that_is_no_success_is_refused(tmp_path: Path) -> None:
    table, library = tmp_path / "success.json", tmp_path / "library.yaml"
    table.write_text(json.dumps({"rows": ROWS}))
    library.write_text("utility: '1.0'\nstrategies: {a: [{operation: hold}]}")
    asked = ("predict", "pick_and_place", "--library", library, "--at", "1", "--prior", table)
    refused(tmp_path, *asked, says=("line 1, utility", "--prior", "success then counts as 1"))


def test_of_a_strategy_only_its_own_actions_count(tmp_path: Path) -> None:
    table, library = tmp_path / "success.json", tmp_path / "library.yaml"
    table.write_text(json.dumps({"rows": [row("reach", 10, 5), row("hold", 10, 9)]}))
    library.write_text("strategies: {a: [{operation: hold, arguments: {seconds: 0.05}}]}")
    asked = ("predict", "pick_and_place", "--library", library, "--before", "reach")
    said = hetwin(*asked, "-n", "1", "--prior", table, "--json")
    assert said.code == 0, said.err
    (strategy,) = json.loads(said.out)["strategies"]
    assert [one["action"] for one in strategy["prior"]] == ["hold"]
