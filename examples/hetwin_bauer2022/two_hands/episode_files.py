"""The files of one episode of the two-hand robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.two_hands.joints import ARMS, CLOSED, FINGERS, OPENED
from hetwin_bauer2022.two_hands.witness import Sample
from hetwin_stand_ins.motion import Program
from hetwin_stand_ins.signals import Gripper, Wrist, controller_messages
from hetwin_suite.episode import Encoded, known_types, write_bag, write_episode
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

START_NS = 1_789_374_612_480_000_000
"""Stamp of the first reading of the first episode: 14 September 2026, 08:30:12.48 UTC."""
EPISODE_NS = 60_000_000_000
"""Time between the starts of consecutive episodes."""
RIGHT_GRIPPER = Gripper("right_hand", FINGERS["right"], np.tile(OPENED, 4), np.tile(CLOSED, 4))
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
    wrist: Wrist | None = None,
) -> None:
    """Write an episode; see `hetwin_suite.episode.write_episode`.

    Args:
        folder: must not exist.
        index: number of the episode, from 0.
        scenario: name of the scenario of the scene.
        believed: model -> (7,) believed pose at the start.
        truth: the true course, never read by the twin.
        program: the robot's program.
        readings: readings of its sensors.
        random: generator of the recorder's delays.
        wrist: wrist sensor with its samples; None: there is none.
    """
    start_ns = START_NS + index * EPISODE_NS
    scene = {name: {"pose": [round(float(v), 6) for v in pose]} for name, pose in believed.items()}
    write_episode(
        folder,
        scenario,
        scene,
        {"start_ns": start_ns, **truth},
        lambda bag: write_bag(
            bag,
            start_ns,
            readings,
            program.announcements,
            random,
            also=_signals(program, readings, wrist, start_ns, random.spawn(1)[0]),
            types=known_types(),
        ),
    )


def _signals(
    program: Program,
    readings: Sequence[Reading],
    wrist: Wrist | None,
    start_ns: int,
    random: np.random.Generator,
) -> Iterator[Encoded]:
    """Yield the robot's other messages; they have their own generator of delays, so that joint states do not change."""
    goals = [(c.time, c.goal) for c in sorted(program.gripper, key=lambda command: command.time)]
    yield from () if wrist is None else wrist.messages(start_ns)
    yield from RIGHT_GRIPPER.messages(readings, goals, start_ns, random)
    for name, joints in (("right_arm", ARMS["right"]), ("right_hand", FINGERS["right"])):
        yield from controller_messages(f"{name}_controller", joints, readings, start_ns, random)


def path_columns(thing: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """Return an object's path for `truth.json`; metres, w x y z, newtons, seconds from the start.

    The pose relative to the right palm is in that link's frame.
    """
    rows = [[s.time, *s.pose, *s.in_palm, *s.fingers, s.others] for s in samples]
    return {
        "object": thing,
        "columns": list(COLUMNS),
        "path": [[round(float(v), 6) for v in row] for row in rows],
    }
