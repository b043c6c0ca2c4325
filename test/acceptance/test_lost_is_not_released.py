"""What is said of a hand that lets a block go, loses it, or keeps it: by runs, verdicts, questions and flaws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.handled_in_turn import in_turn
from support.hetwin_command import hetwin
from support.lifted_block import (
    GONE_S,
    kept,
    make_twin,
    opened,
    replay,
    slipped,
    write_recording,
)

HANDLING = {"grasped", "picked_up", "released", "lost", "dropped", "put_down"}


NO_EFFORTS = "unchecked"
"""Nothing speaks against these recordings, but they have no efforts."""


class Told(NamedTuple):
    """What a run says: its exit code, its lines, its summary, and where it is."""

    code: int
    out: str
    summary: Any
    folder: Path

    @property
    def handling(self) -> list[str]:
        return [e["name"] for e in self.summary["events"] if e["name"] in HANDLING]

    def event(self, name: str) -> Any:
        return next(e for e in self.summary["events"] if e["name"] == name)

    @property
    def concerns(self) -> dict[str, str]:
        return {row["name"]: row["severity"] for row in self.summary["concerns"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    folder = tmp_path_factory.mktemp("lost")
    recordings = {
        "kept": write_recording(folder / "kept", kept),
        "slipped": write_recording(folder / "slipped", slipped),
        "noisy": write_recording(folder / "noisy", slipped, noise=2e-4),
        "said": write_recording(folder / "said", slipped, said="release"),
        "placed": write_recording(folder / "placed", opened, lowered=True),
        "let_fall": write_recording(folder / "let_fall", opened),
    }
    scenario = make_twin(folder, recordings["kept"])
    found = {}
    for name, recording in recordings.items():
        said = replay(scenario, recording, folder / f"run_{name}")
        summary = json.loads((folder / f"run_{name}" / "summary.json").read_text(encoding="utf-8"))
        found[name] = Told(said.code, said.out, summary, folder / f"run_{name}")
    return found


@pytest.mark.parametrize("name", ["slipped", "noisy"])
def test_what_slips_out_of_fingers_that_close_on_is_lost_and_dropped(
    runs: dict[str, Told], name: str
) -> None:
    run = runs[name]
    assert run.handling == ["grasped", "picked_up", "lost", "dropped"]
    assert run.event("grip_lost")["arguments"]["opened"] is False
    assert GONE_S < run.event("lost")["time"] < GONE_S + 0.3
    assert 0.2 < run.event("dropped")["arguments"]["height"] < 0.27
    assert run.concerns["dropped"] == run.concerns["fell"] == "warning"
    assert run.code == 1
    assert "box no longer gripped by hand: the fingers did not open" in run.out
    assert "box lost by hand" in run.out
    assert "warning: box dropped by hand, and fell by 2" in run.out
    assert "put down" not in run.out


def test_what_is_kept_is_neither(runs: dict[str, Told]) -> None:
    run = runs["kept"]
    assert (run.summary["verdict"], run.summary["concerns"]) == (NO_EFFORTS, [])
    assert run.handling == ["grasped", "picked_up"]


def test_what_is_put_down_is_released_and_put_down(runs: dict[str, Told]) -> None:
    run = runs["placed"]
    assert (run.summary["verdict"], run.summary["concerns"]) == (NO_EFFORTS, [])
    assert run.handling == ["grasped", "picked_up", "released", "put_down"]
    assert run.event("grip_lost")["arguments"]["opened"] is True
    assert "box no longer gripped by hand: the fingers opened" in run.out


def test_what_a_hand_lets_fall_was_dropped_but_not_lost(runs: dict[str, Told]) -> None:
    run = runs["let_fall"]
    assert run.handling == ["grasped", "picked_up", "released", "dropped", "put_down"]
    assert run.summary["verdict"] == "doubtful"  # no program said that it was meant
    assert run.concerns["dropped"] == "warning"


def test_what_the_program_says_to_release_is_released(runs: dict[str, Told]) -> None:
    assert runs["said"].handling == ["grasped", "picked_up", "released", "dropped", "put_down"]
    assert runs["said"].summary["verdict"] == NO_EFFORTS


def test_all_come_in_turn(runs: dict[str, Told]) -> None:
    assert all(in_turn(run.handling) for run in runs.values())


def test_a_drop_can_be_asked_for_and_is_a_flaw(runs: dict[str, Told]) -> None:
    questions = (
        'holds(dropped("box"), at(end))',
        'count(occurs(dropped("box")))',
        "causes(occurs(dropped(any))[0]).map(c, c.name)",
    )
    said = hetwin("ask", runs["slipped"].folder, *questions, "--json")
    assert [row["value"] for row in json.loads(said.out)["answers"]] == [True, 1, ["lost"]]
    said = hetwin("ask", runs["kept"].folder, *questions[:2], "--json")
    assert [row["value"] for row in json.loads(said.out)["answers"]] == [False, 0]
    flaws = {
        name: [
            flaw["kind"]
            for flaw in json.loads(hetwin("ask", "--flaws", run.folder, "--json").out)["flaws"]
        ]
        for name, run in runs.items()
    }
    assert flaws["slipped"] == flaws["noisy"] == ["dropped"]
    assert flaws["kept"] == flaws["placed"] == []
