"""What a robot has planned from a moment of a recorded drop on: its arm's path, and a hand that opens as announced.

The fingers of the recording after the moment are not read: they stay as they are, pressing as they do, and open when
the program says so, at the published speed of the hand.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_bauer2022.mismatch.recording_file import (
    Recording,
    read_recording,
    start_time_ns,
    write_recording,
)
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.values import Floats

YIELDS_S, BEGINS_S, OPENS_S = 0.02, 0.045, 0.145
"""From the command on: when the fingers no longer press, when they begin to move, and how long they take to open."""


def write_plan(
    recording: Path, out: Path, scenario: Scenario, hand: str, moment_s: float, opening_s: float
) -> None:
    """Write a recording as it was planned at a moment.

    Args:
        recording: of the whole drop.
        out: the new one; must not exist.
        scenario: knows the hand.
        hand: its name.
        moment_s: after it the hand's joints are planned [s].
        opening_s: when the program says that it opens [s].
    """
    whole, start = read_recording(recording), start_time_ns(recording)
    said = scenario.file.hands[hand]
    opened = dict(zip(said.joints or (), said.opened or (), strict=True))
    states = [
        _planned(one, opened, start + round(1e9 * moment_s), start + round(1e9 * opening_s))
        for one in whole.joint_states
    ]
    write_recording(out, Recording(states, whole.others, whole.connections, whole.types))


def _planned(
    recorded: JointStates, opened: dict[str, float], moment: int, opening: int
) -> JointStates:
    """Return the states of joints with those of the hand as planned after a moment; times in ns."""
    columns = recorded.columns(opened)
    later = recorded.stamps > moment
    if not columns or not later.any():
        return recorded
    last = int(np.flatnonzero(~later)[-1])
    positions, velocities = recorded.positions.copy(), recorded.velocities.copy()
    efforts = recorded.efforts.copy()
    goal = np.array([opened[recorded.names[column]] for column in columns])
    since = (recorded.stamps[later] - opening) / 1e9
    share = np.clip((since - BEGINS_S) / OPENS_S, 0.0, 1.0)[:, None]
    held = recorded.positions[last, columns]
    rows = np.flatnonzero(later)[:, None]
    positions[rows, columns] = held + share * (goal - held)
    moving: Floats = ((share > 0.0) & (share < 1.0)) / OPENS_S
    if velocities.size:
        velocities[rows, columns] = moving * (goal - held)
    if efforts.size:
        pressing = np.where(since < YIELDS_S, 1.0, 0.0)[:, None]
        efforts[rows, columns] = pressing * recorded.efforts[last, columns]
    return replace(recorded, positions=positions, velocities=velocities, efforts=efforts)
