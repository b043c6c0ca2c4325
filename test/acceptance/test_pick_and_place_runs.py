"""The shipped scenario: the same in both transports, sensitive to its input, and true to what happened."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import cli_runs
from support.cli_runs import ROOT, Ended
from support.hetwin_command import hetwin
from support.kept_digests import check_digest
from support.recorded_episodes import pick_and_place_with
from support.robot_recordings import Stamped, joint_states_only, with_position
from support.twin_runs import time_of, times_of, top, twin_run

from hetwin_core.episodes.episode import Episode
from model_nodes.main_physics.engines.factory import make_engine

SCENARIO = ROOT / "scenarios" / "pick_and_place.yaml"
EPISODE = ROOT / "scenarios" / "episodes" / "pick_and_place"
MODELS = ["physics", "grasp", "holding", "handling"]
LIFTED_S = 7.0
"""The program has closed the gripper and lifted it."""


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    text = EPISODE.with_name("pick_and_place_truth.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of all runs of the unchanged scenario."""
    return tmp_path_factory.mktemp("runs")


def run(transport: str, out: Path) -> Any:
    # Gazebo does not promise the same digest.
    options = ["--engine", "mujoco", "--transport", transport, "--json", "--no-page"]
    return hetwin("run", SCENARIO, *options, "--out", out).json


@pytest.fixture(scope="module")
def first(runs: Path) -> Any:
    """What a run in one process printed."""
    return run("local", runs / "local0")


@pytest.fixture(scope="module")
def twin(runs: Path, first: Any) -> Episode:
    return Episode.open(runs / "local0")


@pytest.fixture(scope="module")
def demo(runs: Path) -> Ended:
    """The command of `make demo`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n\t@?(.*)$", makefile, re.MULTILINE)
    assert recipe is not None
    command, *arguments = recipe.group(1).split()
    assert command.endswith("/hetwin")
    return cli_runs.hetwin(*arguments, "--out", runs / "ros0")


@pytest.fixture(scope="module")
def outcomes(runs: Path, first: Any, demo: Ended) -> dict[str, list[Any]]:
    """A run in one process, and the demo's as nodes; with Gazebo, which has no digest, one more as nodes."""
    by_demo = json.loads((runs / "ros0" / "summary.json").read_text(encoding="utf-8"))
    another = [] if by_demo["deterministic"] else [run("ros", runs / "ros1")]
    return {"local": [first], "ros": [by_demo, *another]}


def test_its_digest_is_the_recorded_one(first: Any) -> None:
    check_digest("pick_and_place", first["digest"])


@pytest.mark.slow
def test_digest_is_the_same_in_both_transports(outcomes: dict[str, list[Any]]) -> None:
    # The demo takes Gazebo where it is installed, which does not promise the same digest.
    assert outcomes["ros"][0]["deterministic"] is make_engine().deterministic
    promised = [one for ended in outcomes.values() for one in ended if one["deterministic"]]
    assert len(promised) == 2
    assert len({one["digest"] for one in promised}) == 1
    for one in outcomes["local"] + outcomes["ros"]:
        assert one["ended"] == "recording"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["events", "handovers", "state"])
def test_outcome_is_the_same_in_both_transports(outcomes: dict[str, list[Any]], what: str) -> None:
    one, *others = outcomes["local"] + outcomes["ros"]
    assert one[what]
    for other in others:
        assert other[what] == one[what]


@pytest.mark.slow
def test_each_model_is_a_process_of_its_own(outcomes: dict[str, list[Any]]) -> None:
    for one in outcomes["ros"]:
        *models, watching = one["processes"]
        assert [row["model"] for row in models] == MODELS
        assert watching["model"] == "robot_health"  # in the conductor's process
        assert len({row["pid"] for row in one["processes"]}) == len(MODELS) + 1
    for one in outcomes["local"]:
        assert len({row["pid"] for row in one["processes"]}) == 1


@pytest.fixture(scope="module")
def short_digest(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], str]:
    """The digest of the first second of a recording."""

    def digest(source: Path) -> str:
        folder = tmp_path_factory.mktemp("short")
        twin = twin_run(SCENARIO, folder / "run", source=source, duration=1.0)
        return str(twin.summary["digest"])

    return digest


@pytest.fixture(scope="module")
def unchanged_digest(
    tmp_path_factory: pytest.TempPathFactory, short_digest: Callable[[Path], str]
) -> str:
    """That of a copy of the shipped recording."""
    folder = tmp_path_factory.mktemp("unchanged")
    return short_digest(joint_states_only(EPISODE, folder / "copy"))


def test_digest_of_an_unchanged_copy_is_the_same(
    tmp_path: Path, short_digest: Callable[[Path], str], unchanged_digest: str
) -> None:
    assert short_digest(joint_states_only(EPISODE, tmp_path / "other")) == unchanged_digest


@pytest.mark.parametrize(
    ("joint", "number"),
    [
        ("shoulder_pan_joint", 0),
        ("shoulder_pan_joint", 40),
        ("wrist_pitch_joint", 77),
        ("gripper_left_finger_joint", 20),
    ],
)
def test_a_sample_changed_by_a_billionth_changes_the_digest(
    tmp_path: Path,
    short_digest: Callable[[Path], str],
    unchanged_digest: str,
    joint: str,
    number: int,
) -> None:
    seen = 0

    def change(stamped: Stamped) -> list[Stamped]:
        nonlocal seen
        message = stamped[1]
        if joint not in message.name:
            return [stamped]
        seen += 1
        position = message.position[list(message.name).index(joint)]
        return [with_position(stamped, joint, position + 1e-9) if seen == number + 1 else stamped]

    changed = joint_states_only(EPISODE, tmp_path / "changed", change)
    assert seen > number
    assert short_digest(changed) != unchanged_digest


@pytest.mark.parametrize("name", ["grasped", "picked_up", "released", "put_down"])
def test_each_event_is_told_once(twin: Episode, name: str) -> None:
    (event,) = [event for event in twin.events if event.name == name]
    assert (event.arguments["object"], event.arguments["hand"]) == ("box", "gripper")


@pytest.mark.parametrize(
    ("name", "true_name", "within"),
    [
        ("grasped", "grasp", 0.15),
        ("picked_up", "lift_off", 0.05),
        ("released", "release", 0.2),
        ("put_down", "put_down", 0.2),
    ],
)
def test_event_is_told_when_it_truly_happened(
    twin: Episode, truth: dict[str, Any], name: str, true_name: str, within: float
) -> None:
    assert time_of(twin, name) == pytest.approx(truth["events"][true_name], abs=within)


def test_box_is_taken_from_the_table_to_the_tray(twin: Episode) -> None:
    supports = {e.name: e.arguments["support"] for e in twin.events if "support" in e.arguments}
    assert supports["picked_up"] == "table"
    assert supports["put_down"] == "tray"


def test_box_ends_where_it_truly_ended(twin: Episode, truth: dict[str, Any]) -> None:
    true_end = np.array(truth["path"][-1][1:4])
    assert np.linalg.norm(twin.pose("box")[-1, :3] - true_end) < 0.01


def test_box_is_where_it_truly_is_while_it_is_carried(twin: Episode, truth: dict[str, Any]) -> None:
    path = np.array(truth["path"])
    carried = (path[:, 0] > time_of(twin, "picked_up")) & (path[:, 0] < time_of(twin, "released"))
    seen = np.column_stack(
        [np.interp(path[carried, 0], twin.seconds, twin.pose("box")[:, i]) for i in range(3)]
    )
    assert np.linalg.norm(seen - path[carried, 1:4], axis=1).max() < 0.01


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Another episode of the same program, in which something is different."""

    def record(*options: str) -> Path:
        return pick_and_place_with(tmp_path_factory, *options)

    return record


@pytest.mark.slow
def test_gripper_that_stayed_open_grasped_nothing(
    tmp_path: Path, recorded: Callable[..., Path]
) -> None:
    source = recorded("--grasp", "open")
    twin = twin_run(SCENARIO, tmp_path / "run", source=source, duration=LIFTED_S)
    assert times_of(twin, "grasped") == []
    assert not twin.handovers


@pytest.mark.slow
def test_fingers_that_closed_on_nothing_grasped_nothing(
    tmp_path: Path, recorded: Callable[..., Path]
) -> None:
    # The recorded fingers close fully: the box was elsewhere, and the twin gets its position.
    source = recorded("--box-offset", "0.2,0,0")
    scene = {"box": {"pose": [0.65, 0.2, 0.8, 1, 0, 0, 0]}}
    twin = twin_run(SCENARIO, tmp_path / "run", source=source, scene=scene, duration=LIFTED_S)
    assert times_of(twin, "grasped") == []
    assert not twin.handovers


@pytest.mark.slow
def test_a_box_that_a_weak_hand_drops_is_told_lost_and_falls_on_the_table(
    tmp_path: Path, recorded: Callable[..., Path]
) -> None:
    source = recorded("--weak")
    true = json.loads(source.with_name("bag_truth.json").read_text(encoding="utf-8"))
    twin = twin_run(SCENARIO, tmp_path / "run", source=source)
    assert time_of(twin, "picked_up") == pytest.approx(true["events"]["lift_off"], abs=0.05)
    assert time_of(twin, "lost") == pytest.approx(true["events"]["release"], abs=0.3)
    assert times_of(twin, "dropped")
    assert not [*times_of(twin, "released"), *times_of(twin, "put_down")]
    assert twin.pose("box")[-1, 2] < top(twin, "table") + 0.06


@pytest.mark.slow
def test_demo_prints_what_happened(runs: Path, demo: Ended) -> None:
    assert demo.code == 0, demo.err
    printed = demo.out + demo.err
    assert "Traceback" not in printed
    order = [
        demo.out.index(f"box {what} by gripper")
        for what in ("grasped", "picked up", "released", "put down")
    ]
    assert order == sorted(order)
    assert (runs / "ros0" / "report.html").stat().st_size > 10_000
