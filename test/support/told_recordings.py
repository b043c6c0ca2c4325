"""Recordings of pick-and-place with tasks and beliefs on topics, and the scenarios that replay them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._robots.telling import ProgramMessages

EPISODE = "scenarios/episodes/pick_and_place"
BELIEVED = "/believed/box"
DETECTOR = "/detections"
PERIOD_S = 0.1
TOPICS = [{"topic": BELIEVED, "entity": "box"}, {"topic": DETECTOR}]
"""What a scenario names of the recording: ``source: {beliefs: ...}``."""


def true_pose(time: float) -> list[float]:
    """Return where the box was in the real world: x y z, qw qx qy qz."""
    times, poses = _path()
    row = max(int(np.searchsorted(times, time, side="right")) - 1, 0)
    pose: list[float] = poses[row].tolist()
    return pose


def usual_telling(frozen: tuple[float, float] | None = None) -> ProgramMessages:
    """Return the tasks, percepts and beliefs of the episode, all of them right unless the belief is frozen.

    Tasks: ``serve.1`` with the children ``look.1``, ``pick_up.1`` (goal held by the gripper), ``place.1`` (after
    ``pick_up.1``, goal on the tray) and ``retreat.1``; look.1 sees the box. The pose of the box is believed 10 times a
    second on `BELIEVED`, and whether it is held and on what it stands on ``/beliefs``.

    Args:
        frozen: from when to when [s] the believed pose does not follow the box.
    """
    telling = ProgramMessages()
    _tell_tasks(telling)
    for time in np.arange(0.1, 0.5, PERIOD_S):
        telling.perceive(float(time), DETECTOR, {"box": (true_pose(float(time)), 0.93)})
    telling.perceive(0.5, DETECTOR, {})
    for time in np.arange(0.0, 12.8, PERIOD_S):
        at = float(time)
        begin, end = frozen or (0.0, 0.0)
        telling.pose(at, BELIEVED, true_pose(begin if begin <= at < end else at))
    telling.believe(0.0, "on", "box", "table", origin="assumed")
    telling.believe(4.6, "held", "box", "gripper", origin="fingers")
    telling.believe(4.8, "on", "box", "table", holds=False)
    telling.believe(9.2, "held", "box", "gripper", holds=False)
    telling.believe(9.3, "on", "box", "tray")
    return telling


def _tell_tasks(telling: ProgramMessages) -> None:
    done = "done"
    telling.task(0.0, "serve.1", "active", "serve", goal='on("box", "tray")')
    telling.task(0.0, "look.1", "active", "look", parent="serve.1", variables={"for": ["box"]})
    telling.task(0.5, "look.1", done)
    holding = {"object": "box", "hand": "gripper"}
    telling.task(
        *(0.6, "pick_up.1", "active", "pick_up"),
        goal='held("box", "gripper")',
        parent="serve.1",
        after=["look.1"],
        variables=holding,
    )
    telling.task(6.0, "pick_up.1", done)
    telling.task(
        *(6.0, "place.1", "active", "place"),
        goal='on("box", "tray")',
        parent="serve.1",
        after=["pick_up.1"],
        variables={**holding, "target": "tray"},
    )
    telling.task(9.8, "place.1", done)
    telling.task(9.8, "retreat.1", "active", "retreat", parent="serve.1", after=["place.1"])
    telling.task(12.3, "retreat.1", done)
    telling.task(12.3, "serve.1", done)


def write_recording_with_tasks(folder: Path, telling: ProgramMessages | None = None) -> Path:
    """Write pick-and-place with what its program tells into `folder`, and a scenario; returns the scenario's file.

    The scenario is that of the shipped episode with this recording and `TOPICS`; more keys can be appended to it.

    Args:
        folder: of the recording and the scenario; is made.
        telling: what is told; `usual_telling` unless given.
    """
    folder.mkdir(parents=True, exist_ok=True)
    recording = resource(EPISODE) / "recording"
    source = recording if recording.is_dir() else resource(EPISODE)
    (telling or usual_telling()).add_to(source, folder / "recording")
    return scenario_of(folder, {"recording": "recording", "beliefs": TOPICS})


def scenario_of(folder: Path, source: dict[str, Any]) -> Path:
    """Write a scenario that is pick-and-place with another source; returns its file."""
    text = resource("scenarios", "pick_and_place.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("source:")]
    file = folder / "pick_and_place.yaml"
    file.write_text("\n".join([*lines, f"source: {json.dumps(source)}", ""]), encoding="utf-8")
    return file


def _path() -> tuple[Floats, Floats]:
    truth = json.loads(resource(f"{EPISODE}_truth.json").read_text(encoding="utf-8"))
    rows = np.array(truth["path"])
    return rows[:, 0], rows[:, 1:8]
