"""The files of one episode of the two-hand robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.two_hands.witness import Sample
from hetwin_stand_ins.motion import Program
from hetwin_suite.episode import write_bag, write_episode
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

START_NS = 1_789_374_612_480_000_000
"""Stamp of the first reading of the first episode: 14 September 2026, 08:30:12.48 UTC."""
EPISODE_NS = 60_000_000_000
"""Time between the starts of consecutive episodes."""
COLUMNS = (
    *("time", "x", "y", "z", "qw", "qx", "qy", "qz"),
    *("palm_x", "palm_y", "palm_z", "palm_qw", "palm_qx", "palm_qy", "palm_qz"),
    *("finger_1_n", "finger_2_n", "finger_3_n", "finger_4_n", "others_n"),
)


def write_files(
    folder: Path,
    index: int,
    scenario: str,
    believed: Mapping[str, Floats],
    truth: Mapping[str, Any],
    program: Program,
    readings: Sequence[Reading],
    random: np.random.Generator,
) -> None:
    """Write an episode; see `hetwin_suite.episode.write_episode`.

    Args:
        folder: must not exist.
        index: number of the episode, from 0.
        scenario: name of the scenario of the scene.
        believed: model -> (7,) believed pose at the start.
        truth: what really happened; never read by the twin.
        program: the robot's program.
        readings: of its sensors.
        random: for the delays of the recorder.
    """
    start_ns = START_NS + index * EPISODE_NS
    scene = {name: {"pose": [round(float(v), 6) for v in pose]} for name, pose in believed.items()}
    write_episode(
        folder,
        scenario,
        scene,
        {"start_ns": start_ns, **truth},
        lambda bag: write_bag(bag, start_ns, readings, program.announcements, random),
    )


def path_of(thing: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """Return an object's path for `truth.json`; metres, w x y z, newtons, seconds from the start.

    The pose relative to the right palm is in that link's frame.
    """
    rows = [[s.time, *s.pose, *s.in_palm, *s.fingers, s.others] for s in samples]
    return {
        "object": thing,
        "columns": list(COLUMNS),
        "path": [[round(float(v), 6) for v in row] for row in rows],
    }
