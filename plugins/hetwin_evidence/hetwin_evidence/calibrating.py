"""Calibration of a hand for the model `evidence`, from a recording without objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_evidence.learning import HandCalibration, Motion, learn
from hetwin_suite.command import (
    BadInput,
    Result,
    make_parent_folder,
    never_silent,
    one_of,
    write_text,
)
from hetwin_suite.model import Snapshot, conjugate, rotate
from hetwin_suite.runs import RunOptions, load_scenario, session

_EVERY_NS = 20_000_000


_SHORT = 0.9
"""Minimum end of an empty closing as a share of the travel; a shorter one may have ended on an object."""


def calibrate_hand(bag: Path, scenario: str, name: str | None, out: Path | None) -> Result:
    """Learn from a recording without objects; see `hetwin_evidence.command`.

    Args:
        bag: the recording.
        scenario: scenario of the robot.
        name: name of the hand; None: the only one.
        out: file to write; None: no file.

    Raises:
        BadInput: if recording, scenario or hand cannot be used.
    """
    if out is not None:
        make_parent_folder(out)
    loaded = load_scenario(scenario)
    hands = loaded.file.hands
    chosen = name or (next(iter(hands)) if len(hands) == 1 else "")
    if chosen not in hands:
        raise BadInput(
            "the hand to calibrate is not clear",
            where="--of-hand",
            found=name or ", ".join(hands) or "a scenario without hands",
            expected=one_of(chosen, tuple(hands)),
        )
    recorder = _Recorder(chosen)
    with never_silent(lambda: "replaying the recording"):
        session(loaded, options=RunOptions(source=str(bag)), at_barrier=recorder).run()
    described = hands[chosen]
    found = learn(recorder.motion(), np.array(described.opened), np.array(described.closed))
    file = {
        "empty": found.empty,
        "tactile": found.tactile,
        "tool_mass": found.tool_mass,
        "inverted": found.inverted,
    }
    if out is not None:
        write_text(out, json.dumps(file, indent=1) + "\n")
    values = {
        "spread": found.spread,
        "closings": found.closings,
        "shares": found.shares,
        "offset": found.offset,
    }
    more = {"noise": found.noise, "missing": found.missing}
    return Result(
        {"hand": chosen, **file, **values, **more, "out": out and str(out)}, _lines(found, out)
    )


class _Recorder:
    """Records finger positions, wrenches and pressures of a hand in a run."""

    def __init__(self, hand: str) -> None:
        self._hand = hand
        self._due_ns = 0
        self._fingers: list[list[float]] = []
        self._felt: dict[tuple[int, int], list[float]] = {}
        self._tactile: list[tuple[float, float]] = []

    def __call__(self, now: Any) -> None:
        """Record the state at a barrier of the run."""
        for event in now.events:
            arguments = event.arguments
            if event.name == "feels" and arguments.get("source") == "tactile":
                self._tactile.append((event.time_ns / 1e9, float(arguments["quantity"])))
        if now.time_ns < self._due_ns:
            return
        self._due_ns = now.time_ns + _EVERY_NS
        scene: Snapshot = now.scene
        hand = scene.layout.entity(self._hand)
        joints = scene.layout.entity(hand.owner).joints
        at = scene.get(hand.owner, "joint_positions")
        own = [float(at[joints.index(joint)]) for joint in hand.joints]
        self._fingers.append([now.time_ns / 1e9, *own])
        self._note_wrenches(scene, now.time_ns)

    def _note_wrenches(self, scene: Snapshot, time_ns: int) -> None:
        rows = scene.wrenches
        fresh = rows[(rows[:, 0] > time_ns - _EVERY_NS) & (rows[:, 1] >= 0)]
        for row in fresh:
            link = scene.layout.entities[int(row[1])].name
            w, x, y, z = scene.pose(link)[3:7]
            down = rotate(conjugate((w, x, y, z)), (0.0, 0.0, -1.0))
            self._felt[int(row[0]), int(row[1])] = [row[0] / 1e9, *row[2:5], *down]

    def motion(self) -> Motion:
        """Return the recorded motion."""
        fingers = np.array(self._fingers)
        felt = np.array(list(self._felt.values())).reshape(-1, 7)
        tactile = np.array(self._tactile).reshape(-1, 2)
        return Motion(
            fingers[:, 0], fingers[:, 1:], felt[:, 0], felt[:, 1:4], felt[:, 4:7], tactile
        )


def _lines(found: HandCalibration, out: Path | None) -> Iterator[str]:
    for end, count, share in zip(found.empty, found.closings, found.shares, strict=True):
        yield f"closes on nothing at {', '.join(f'{position:.4f}' for position in end)} ({count} times)"
        if share < _SHORT:
            yield (
                f"that is {share:.0%} of the way to closed: if an object was in the hand, record again without it"
            )
    if found.spread is not None:
        yield f"standard deviation of these ends: at most {found.spread:.5f}"
    if found.tactile is not None:
        yield f"third highest taxel in empty closings: at most {found.tactile:g}"
    if found.noise is not None:
        yield f"noise of the force sensor: {found.noise:.3f} N"
    if found.tool_mass is not None:
        sign = ", and reports the force that the hand exerts" if found.inverted else ""
        yield f"the sensor carries {found.tool_mass:.3f} kg{sign}"
    for missing in found.missing:
        yield f"not learned: {missing}"
    if out is not None:
        yield f"wrote {out}"
