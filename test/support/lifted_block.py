"""A lift with a two-finger hand takes a block from a table, and lets it go, loses it, or keeps it: made recordings.

The robot is a carriage that goes up and turns; its fingers stop on a block of 4 cm. Only its joints are recorded, and
what its program says if that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from support.hetwin_command import Said, hetwin
from support.recorded_bags import MS, Recorded, annotation, joints, write_bag

HALF = 0.02
"""Where each finger stops on the block [m]; open it is `OPEN`."""
OPEN = 0.045
CLOSED_S, GONE_S = 2.0, 4.0
"""When the fingers have closed on the block, and when what happens to it begins [s]."""
LIFTED_S, TURNED_S, END_S = 3.0, 3.6, 6.5
RAISED = 0.25
_PERIOD_NS = 12_500_000
_NAMES = ("raise", "swing", "jaw_left", "jaw_right")


def _box(size: str, at: str = "0 0 0") -> str:
    shape = f'<origin xyz="{at}"/><geometry><box size="{size}"/></geometry>'
    return f"<visual>{shape}</visual><collision>{shape}</collision>"


def _link(name: str, mass: float, shape: str) -> str:
    inertia = '<inertia ixx="3e-3" iyy="3e-3" izz="3e-3" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><mass value="{mass}"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}{shape}</link>'


def _joint(
    name: str, kind: str, links: str, at: str, axis: str, limits: tuple[float, float]
) -> str:
    parent, child = links.split()
    limit = f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="40" velocity="2"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}"/><axis xyz="{axis}"/>{limit}</joint>'
    )


URDF = (
    '<?xml version="1.0"?><robot name="lift">'
    + _link("foot", 6.0, _box("0.25 0.25 0.2", "0 0 0.1"))
    + _link("mast", 2.0, _box("0.06 0.06 0.5", "0 0 0.25"))
    + _link("carriage", 1.0, _box("0.4 0.05 0.03", "0.25 0 0"))
    + _link("wrist", 0.3, _box("0.03 0.12 0.03", "0.015 0 0"))
    + _link("left_jaw", 0.05, _box("0.07 0.01 0.03", "0.035 0.005 0"))
    + _link("right_jaw", 0.05, _box("0.07 0.01 0.03", "0.035 -0.005 0"))
    + _joint("swing", "revolute", "foot mast", "0 0 0.2", "0 0 1", (-2.5, 2.5))
    + _joint("raise", "prismatic", "mast carriage", "0 0 0.1", "0 0 1", (0.0, 0.4))
    + '<joint name="flange" type="fixed"><parent link="carriage"/><child link="wrist"/>'
    '<origin xyz="0.45 0 0"/></joint>'
    + _joint("jaw_left", "prismatic", "wrist left_jaw", "0.03 0 0", "0 1 0", (0.0, OPEN))
    + _joint("jaw_right", "prismatic", "wrist right_jaw", "0.03 0 0", "0 -1 0", (0.0, OPEN))
    + "</robot>\n"
)

Fingers = Callable[[float], float]
"""Where each finger is after `GONE_S` at a time [s], in m from closed."""


def kept(_: float) -> float:
    """They stay on the block."""
    return HALF


def slipped(time_s: float) -> float:
    """They close on, as the block is no longer between them."""
    return max(0.0, HALF - 0.15 * (time_s - GONE_S))


def opened(time_s: float) -> float:
    """They open."""
    return min(OPEN, HALF + 0.06 * (time_s - GONE_S))


def write_robot(folder: Path) -> Path:
    """Write the robot's description."""
    path = folder / "lift.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


def write_recording(
    folder: Path,
    fingers: Fingers,
    *,
    lowered: bool = False,
    noise: float = 0.0,
    said: str = "",
    also: Sequence[Recorded] = (),
) -> Path:
    """Write a recording.

    Args:
        folder: of the recording.
        fingers: what they do from `GONE_S` on.
        lowered: whether the block is back on the table by then.
        noise: of all joints' positions [m or rad].
        said: operation that the robot's program says to do from just before `GONE_S` on; empty for none.
        also: further messages.
    """
    random = np.random.default_rng(7)
    messages: list[Recorded] = [*also]
    for time_ns in range(0, round(END_S * 1e9), _PERIOD_NS):
        positions = np.array(_positions(time_ns / 1e9, fingers, lowered))
        positions += random.normal(0.0, noise, 4) if noise else 0.0
        messages.append(joints(time_ns, _NAMES, positions.tolist()))
    if said:
        begin = round(GONE_S * 1e9) - 50 * MS
        messages += [annotation(begin, said, "begin"), annotation(begin + 1000 * MS, said, "end")]
    return write_bag(folder, sorted(messages, key=lambda one: one.time_ns))


def _positions(time_s: float, fingers: Fingers, lowered: bool) -> tuple[float, ...]:
    height = float(np.interp(time_s, (CLOSED_S + 0.2, LIFTED_S), (0.0, RAISED)))
    if lowered:
        height = min(height, float(np.interp(time_s, (LIFTED_S, GONE_S - 0.2), (RAISED, 0.0))))
    turn = 0.0 if lowered else float(np.interp(time_s, (LIFTED_S, TURNED_S), (0.0, 0.4)))
    jaw = float(np.interp(time_s, (CLOSED_S - 0.9, CLOSED_S), (OPEN, HALF)))
    jaw = jaw if time_s < GONE_S else fingers(time_s)
    return height, turn, jaw, jaw


def make_twin(folder: Path, recording: Path) -> Path:
    """Write the twin that `hetwin new` proposes, with its table and its block; returns the scenario."""
    made = hetwin("new", recording, "--robot", write_robot(folder), "--out", folder / "twin")
    assert made.code == 0, made.err
    scenario = folder / "twin" / f"{recording.name}.yaml"
    before, mark, objects = scenario.read_text(encoding="utf-8").partition("# scene:")
    scenario.write_text(before + re.sub("(?m)^# ", "", mark + objects), encoding="utf-8")
    return scenario


def replay(scenario: Path, recording: Path, out: Path) -> Said:
    """Run the twin on a recording, as `hetwin run --strict` does."""
    given = ("--source", recording, "--strict", "--no-page", "--out", out)
    return hetwin("run", scenario, *given)
