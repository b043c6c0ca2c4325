"""`hetwin truck plan`, `learn` and `choose`: what they find, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from support.hetwin_command import hetwin, refused

from hetwin_fidelity import MODES
from hetwin_truck.command import Mode
from hetwin_truck.planning.choosing import read_strategy_library
from hetwin_truck.planning.particles import MOVES

SMALL = ("--packets", "12")
SHORT = ("--particles", "1", "--length", "1")
COUNTS = ("-n", "2", *SHORT, "--keep-best", "2", "--budget", "100")


def test_the_modes_are_those_of_the_fidelity_manager() -> None:
    assert list(get_args(Mode)) == list(MODES)


@pytest.mark.long
def test_a_strategy_is_planned_within_its_budget() -> None:
    said = hetwin("truck", "plan", "small", "--budget", "60", *SHORT, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert set(found["best"]["strategy"]) <= set(MOVES)
    assert found["nodes"] == found["strategies"] == len(MOVES)
    assert found["best"]["rate"] > 0
    assert 0 < found["processor_s"] <= 60


def test_the_nose_goes_no_deeper_than_it_may() -> None:
    limit = ("--budget", "60", "--deepest", "0.15")
    said = hetwin("truck", "plan", "small", *limit, *SHORT, "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["strategies"] == len(("pick", "sweep_15"))


@pytest.mark.parametrize("deepest", ["0.1", "-1", "nan"])
@pytest.mark.parametrize("command", [("plan", "small"), ("learn", "--out", "truck.json")])
def test_a_nose_that_may_go_nowhere_ends_with_2(
    command: tuple[str, ...], deepest: str, tmp_path: Path
) -> None:
    refused(tmp_path, "truck", *command, f"--deepest={deepest}", says=("--deepest", "0.15 m"))


def test_no_belief_in_time_ends_with_3() -> None:
    said = hetwin("truck", "plan", "small", "--budget", "0.001", *SHORT)
    assert said.code == 3
    assert "raise --budget" in said.err


@pytest.mark.long
def test_a_library_is_planned_over_loads_and_chosen_from(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    file = tmp_path / "libraries" / "truck.json"
    learned = hetwin("truck", "learn", "--out", file, *SMALL, *COUNTS, "--json")
    assert learned.code == 0, learned.err
    library = read_strategy_library(file)
    assert json.loads(learned.out) == {
        "library": str(file),
        "strategies": len(library.strategies),
        "loads": 2,
    }
    assert {move for strategy in library.strategies for move in strategy} <= set(MOVES)
    assert max(rate for load in library.loads for rate in load.rates) > 0
    asked = ("truck", "choose", file, *SMALL, "--seed", "9", "--particles", "1")
    found = json.loads(hetwin(*asked, "--json").out)
    tried = {tuple(one["strategy"]): one["rate"] for one in found["tried"]}
    assert set(tried) == set(library.strategies)
    assert tried[tuple(found["chosen"])] == max(tried.values())
    assert found["processor_s"] > 0
    at_once = json.loads(hetwin(*asked, "--by-looks", "--json").out)
    assert tuple(at_once["chosen"]) in library.strategies
    assert at_once["tried"] == []
    said = hetwin(*asked, "--budget", "0.0001").out
    assert "none was simulated" in said


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf"])
@pytest.mark.parametrize(
    "command", [("plan", "small"), ("learn", "--out", "truck.json"), ("choose", "truck.json")]
)
def test_a_budget_of_no_time_ends_with_2(
    command: tuple[str, ...], budget: str, tmp_path: Path
) -> None:
    refused(tmp_path, "truck", *command, f"--budget={budget}", says=("--budget", budget))


def test_a_place_where_nothing_can_be_written_ends_with_2_at_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for out, why in ((file / "truck.json", "file"), (tmp_path, "Is a directory")):
        refused(tmp_path, "truck", "learn", "--out", out, says=("--out", why))


def test_a_missing_library_ends_with_2(tmp_path: Path) -> None:
    refused(tmp_path, "truck", "choose", tmp_path / "none.json", says=("none.json",))
