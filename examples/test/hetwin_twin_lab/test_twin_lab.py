"""The shipped scenario `twin_lab`: one controller, two robots, and a twin that learns how fast the real one is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from short_lab import short_lab
from support.hetwin_command import hetwin

from hetwin_suite.runs import find_scenario

SCENARIO = find_scenario("twin_lab")
SHORT_S = 8
"""Enough for one move and the beginning of a second."""


def run(folder: Path, *options: object, scenario: Path | str = SCENARIO) -> dict[str, Any]:
    done = hetwin(*("run", scenario, "--no-page", "--json", "--out", folder), *options)
    found: dict[str, Any] = done.json
    return found


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return short_lab(tmp_path_factory.mktemp("lab"))


def trace(outcome: dict[str, Any]) -> list[tuple[float, Any]]:
    """When L1 was in which state, with which stack, and what it commanded."""
    return [
        (row["time"], row["arguments"])
        for row in outcome["events"]
        if row["source"] == "execution" and row["name"] in ("machine_state", "command")
    ]


def test_l1_cannot_tell_which_robot_is_below_it(short: Path, tmp_path: Path) -> None:
    alone, same = (
        run(tmp_path / name, "--variant", name, "--duration", SHORT_S, scenario=short)
        for name in ("alone", "same")
    )
    assert trace(same) == trace(alone)
    commands = [said for _, said in trace(alone) if "operation" in said]
    assert [said["operation"] for said in commands] == [1, 1]
    assert same["lab"]["sync"] == 1
    assert alone["lab"]["replies"] == {"real": 0, "virtual": 1}


@pytest.mark.long
def test_the_whole_lab(tmp_path: Path) -> None:
    first, again = (run(tmp_path / name) for name in ("first", "again"))
    assert first["digest"] == again["digest"]
    assert first["ended"] == "stopped"
    lab = first["lab"]
    assert lab["commands"] >= 30
    assert lab["travel"]["after"] <= 0.2 * lab["travel"]["before"]
    reports = [row["arguments"] for row in first["events"] if row["name"] == "report"]
    assert [row["result"] for row in reports] == [1] * len(reports)
    faults = [row for row in first["events"] if row["name"] == "machine_fault"]
    assert faults == []
    blocked = [
        row
        for row in first["events"]
        if row["name"] == "logged" and row["arguments"]["answer"] == "blocked"
    ]
    assert blocked
    assert numbers_on_the_page() == numbers_of(lab)


def numbers_of(lab: dict[str, Any]) -> list[str]:
    """The numbers that a run prints, in their order."""
    counts = [lab["commands"], *lab["replies"].values(), lab["ahead"], lab["behind"], lab["sync"]]
    counts += [*lab["timeouts"].values(), lab["inconsistent"], lab["out_of_context"]]
    return [*map(str, counts), *(f"{seconds:.2f}" for seconds in lab["travel"].values())]


def numbers_on_the_page() -> list[str]:
    text = (Path(__file__).resolve().parents[3] / "docs" / "twin_lab.md").read_text("utf-8")
    begin = text.index("```text") + len("```text")
    return re.findall(r"\d+(?:\.\d+)?", text[begin : text.index("```", begin)])


@pytest.mark.long
def test_both_transports_agree(short: Path, tmp_path: Path) -> None:
    digests = {
        run(tmp_path / name, "--transport", name, "--duration", SHORT_S, scenario=short)["digest"]
        for name in ("local", "ros")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("layer", ["lab_l0", "lab_l1", "lab_l2"])
def test_nothing_is_amiss_in_the_networks(layer: str) -> None:
    found = hetwin("machines", "check", layer, "--json").json
    assert found["findings"] == []
