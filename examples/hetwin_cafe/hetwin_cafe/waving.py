"""An arm that waves, as a source of scenarios and as recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.episode import Take, write_bag, write_episode
from hetwin_suite.robot import Announcement, JointTrajectory, Reading

JOINTS = ("wrist_roll_joint", "hand_roll_joint")
START_NS = 1_790_000_000_000_000_000
PERIOD_S = 0.02


def record_wave(folder: Path, take: Take, random: np.random.Generator) -> dict[str, Any]:
    """Record an episode of waving."""
    angle = float(random.uniform(0.2, 0.6))
    summary = {"label": "success", "cause": "", "angle": angle}
    motion = wave(folder, 2, angle)
    readings = []
    for time in np.arange(0.0, motion.duration, PERIOD_S).tolist():
        positions, velocities, _ = motion.at(time)
        measured = positions + random.normal(0.0, 1e-3, len(JOINTS))
        readings.append(Reading(time, JOINTS, measured, velocities, np.zeros(len(JOINTS))))
    announcements = [
        Announcement(0.0, "wave", "begin", {}),
        Announcement(motion.duration, "wave", "end", {}),
    ]
    write_episode(
        *(folder, "cafe", {}, {**take.truth, **summary}),
        lambda bag: write_bag(bag, START_NS, readings, announcements, random),
    )
    return summary


def wave(_folder: Path, times: int = 3, angle: float = 0.4) -> JointTrajectory:
    """Return waves of 1 s each [rad]: `source: {installed: wave, arguments: {times: 2, angle: 0.3}}`."""
    seconds = np.linspace(0.0, times, round(times / PERIOD_S) + 1)
    angles = angle * np.sin(2 * np.pi * seconds) ** 2
    return JointTrajectory(JOINTS, seconds, np.column_stack([angles, -angles]))
