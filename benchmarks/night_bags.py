"""Recordings of a night, made from one of pick_and_place: clean, with something planted, broken, hanging."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader

from hetwin_suite.episode import write_bag
from hetwin_suite.model import Floats
from hetwin_suite.robot import Announcement, Reading

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "scenarios" / "episodes" / "pick_and_place"
PLANTED = ("drop", "slip", "no_grip", "touch")
BROKEN = ("random", "cut", "empty", "text", "no_messages")
FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
OPEN_M = 0.04
HELD_S = (5.3, 7.8)
"""While the hand holds the box, and before it lowers it: over the tray, letting go is no drop [s]."""
START_NS = 1_789_300_000_000_000_000
APART_NS = 600_000_000_000

SCENARIO = """extends: pick_and_place
models:
  stalls: {type: "stalls:Stalls", rate: 10}
"""
STALLS = '''"""A model that hangs when the recording says so."""

import time

from hetwin_suite.model import Changes, Model, Parameters, Tick


class Stalls(Model[Parameters]):
    """Hangs at an action `hang`."""

    def step(self, tick: Tick) -> Changes | None:
        if any(event.name == "hang" for event in tick.events):
            time.sleep(1e6)
        return None
'''


@dataclass(frozen=True)
class Recorded:
    """The recording that all are made from: readings of one driver each, and announcements, times in s."""

    readings: tuple[Reading, ...]
    announcements: tuple[Announcement, ...]


def recorded() -> Recorded:
    """Read the recording."""
    readings, announcements = [], []
    with AnyReader([SOURCE]) as reader:
        start = reader.start_time
        for connection, _, raw in reader.messages():
            message: Any = reader.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp
            time = (stamp.sec * 1_000_000_000 + stamp.nanosec - start) / 1e9
            if connection.topic == "/joint_states":
                numbers = (
                    np.array(n) for n in (message.position, message.velocity, message.effort)
                )
                readings.append(Reading(time, tuple(message.name), *numbers))
            else:
                announcements.append(_announcement(time, message))
    return Recorded(tuple(readings), tuple(announcements))


def _announcement(time: float, message: Any) -> Announcement:
    arguments = json.loads(message.arguments) if message.arguments else {}
    return Announcement(time, message.operation, message.phase, arguments)


def write_scenario(folder: Path) -> Path:
    """Write the scenario in which the recordings are replayed, with the model that can hang; returns its file."""
    (folder / "stalls.py").write_text(STALLS, encoding="utf-8")
    (folder / "night.yaml").write_text(SCENARIO, encoding="utf-8")
    return folder / "night.yaml"


def write_recording(
    folder: Path,
    kind: str,
    index: int,
    rng: np.random.Generator,
    base: Recorded,
    at: float | None = None,
) -> None:
    """Write a recording.

    Args:
        folder: of the recording; must not exist.
        kind: ``clean``, ``hang``, or one of `PLANTED`.
        index: of the recording; it begins ten minutes after the one before.
        rng: draws when, and how the arm trembles.
        base: the recording that it is made from.
        at: when what is planted begins [s]; None: it is drawn.
    """
    at = float(rng.uniform(*HELD_S)) if at is None else at
    readings = [_changed(reading, kind, at, rng) for reading in base.readings]
    announcements = list(base.announcements)
    if kind == "hang":
        announcements.append(Announcement(at, "hang", "instant", {}))
        announcements.sort(key=lambda one: one.time)
    write_bag(folder, START_NS + index * APART_NS, readings, announcements, rng)


def write_broken(path: Path, kind: str, rng: np.random.Generator) -> None:
    """Write something that is no whole recording: a file, or a folder with metadata."""
    whole = next(SOURCE.glob("*.mcap")).read_bytes()
    match kind:
        case "random":
            path.with_suffix(".mcap").write_bytes(rng.bytes(5000))
        case "cut":
            path.with_suffix(".mcap").write_bytes(whole[:40])
        case "empty":
            path.with_suffix(".db3").write_bytes(b"")
        case "text":
            path.with_suffix(".bag").write_text("not a bag\n", encoding="utf-8")
        case _:
            path.mkdir()
            (path / "metadata.yaml").write_text(
                "rosbag2_bagfile_information: {}\n", encoding="utf-8"
            )


def _changed(reading: Reading, kind: str, at: float, rng: np.random.Generator) -> Reading:
    positions, efforts = reading.positions.copy(), reading.efforts.copy()
    fingers = np.array([name in FINGERS for name in reading.joints])
    positions[~fingers] += rng.normal(0.0, 5e-5, int((~fingers).sum()))
    time = reading.time
    if kind == "no_grip":
        positions[fingers], efforts[fingers] = OPEN_M, 0.0
    elif kind == "drop" and time >= at:
        _towards(positions, fingers, OPEN_M, (time - at) / 0.15)
        efforts[fingers] = 0.0
    elif kind == "slip" and time >= at:
        _towards(positions, fingers, 0.0, (time - at) / 0.1)
    elif kind == "touch" and 10.2 <= time <= 12.2:
        lift = np.array([name == "shoulder_lift_joint" for name in reading.joints])
        positions[lift] += 0.7 * np.sin((time - 10.2) / 2.0 * np.pi) ** 2
    return Reading(time, reading.joints, positions, reading.velocities, efforts)


def _towards(positions: Floats, which: np.ndarray, goal: float, share: float) -> None:
    """Move joints towards a position."""
    positions[which] += (goal - positions[which]) * min(max(share, 0.0), 1.0)


def kinds(
    count: int, planted: int, broken: int, hanging: int, rng: np.random.Generator
) -> Iterator[str]:
    """Yield the kind of each recording, in a drawn order."""
    drawn = [PLANTED[i % len(PLANTED)] for i in range(planted)]
    drawn += [f"broken {BROKEN[i % len(BROKEN)]}" for i in range(broken)] + ["hang"] * hanging
    drawn += ["clean"] * (count - len(drawn))
    yield from (drawn[i] for i in rng.permutation(count))


def write_night(
    folder: Path,
    count: int,
    planted: int,
    broken: int,
    hanging: int,
    seed: int,
    until: float | None = None,
) -> dict[str, str]:
    """Write a night of recordings below a folder, each up to a time [s]; returns name -> kind."""
    rng, base = np.random.default_rng(seed), recorded()
    if until is not None:
        readings = tuple(one for one in base.readings if one.time < until)
        base = Recorded(readings, ())
    made = {}
    for index, kind in enumerate(kinds(count, planted, broken, hanging, rng)):
        name = f"{'left' if index % 2 else 'right'}/bag_{index:05d}"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind.startswith("broken"):
            write_broken(path, kind.removeprefix("broken "), rng)
        else:
            write_recording(path, kind, index, rng, base)
        made[name] = kind
    return made
