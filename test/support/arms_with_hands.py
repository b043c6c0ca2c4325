"""Arms of boxes with hands of several kinds, and recordings in which their hands close."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from support.recorded_bags import MS, joints, write_bag

Position = Callable[[float], float]
"""Time [s] -> position of a joint [rad or m]."""
STROKE = 0.045
"""Travel of each finger of the clamp [m]."""


def box(x: float, y: float, z: float, at: str = "0 0 0") -> str:
    """A shape that is seen and collides."""
    geometry = f'<origin xyz="{at}"/><geometry><box size="{x} {y} {z}"/></geometry>'
    return f"<visual>{geometry}</visual><collision>{geometry}</collision>"


def link(name: str, shape: str = "") -> str:
    inertia = '<inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="0.4"/>{inertia}</inertial>{shape}</link>'


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    at: str,
    *,
    axis: str = "0 0 1",
    limits: tuple[float, float] | None = None,
    rpy: str = "0 0 0",
    more: str = "",
) -> str:
    """A joint of a URDF."""
    ends = "" if limits is None else f'lower="{limits[0]}" upper="{limits[1]}" '
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        f'<limit {ends}effort="30" velocity="3"/>{more}</joint>'
    )


ARM = (
    link("plinth", box(0.2, 0.2, 0.1, "0 0 .05"))
    + link("column", box(0.06, 0.06, 0.3, "0 0 .15"))
    + link("boom", box(0.4, 0.05, 0.05, "0.2 0 0"))
    + joint("turn", "revolute", "plinth", "column", "0 0 .1", limits=(-2.8, 2.8))
    + joint("lift", "revolute", "column", "boom", "0 0 .3", axis="0 1 0", limits=(-1.2, 1.2))
)


def clamp(more: str = "", names: tuple[str, str] = ("slide_a", "slide_b")) -> str:
    """Two fingers that slide, opened by `STROKE` each; `more` is inside of the second joint."""
    a, b = names
    return (
        link("clamp_base", box(0.04, 0.1, 0.03, ".02 0 0"))
        + joint("mount", "fixed", "boom", "clamp_base", "0.4 0 0")
        + link("finger_a", box(0.06, 0.01, 0.02, ".03 .005 0"))
        + link("finger_b", box(0.06, 0.01, 0.02, ".03 -.005 0"))
        + joint(
            a, "prismatic", "clamp_base", "finger_a", ".04 0 0", axis="0 1 0", limits=(0, STROKE)
        )
        + joint(
            b,
            "prismatic",
            "clamp_base",
            "finger_b",
            ".04 0 0",
            axis="0 -1 0",
            limits=(0, STROKE),
            more=more,
        )
    )


def jaw(limits: tuple[float, float], *, turned: float = 0.0, axis: str = "0 0 1") -> str:
    """One jaw that turns against a fixed one beside it; at 0 it is `turned` away from that [rad]."""
    return (
        link("claw_base", box(0.08, 0.03, 0.04, ".04 -.02 0"))
        + joint("mount", "fixed", "boom", "claw_base", "0.4 0 0")
        + link("moving_jaw", box(0.08, 0.01, 0.03, ".04 .005 0"))
        + joint(
            "jaw",
            "revolute",
            "claw_base",
            "moving_jaw",
            ".01 0 0",
            axis=axis,
            limits=limits,
            rpy=f"0 0 {turned}",
        )
    )


def fingers(count: int, base: str = "palm") -> str:
    """A hand whose fingers of two joints stand in a ring around the boom's end and curl inwards."""
    parts = [link(base, box(0.04, 0.08, 0.08)), joint("mount", "fixed", "boom", base, "0.4 0 0")]
    for number in range(count):
        roll = 2.0 * np.pi * number / count
        y, z = 0.04 * np.cos(roll), 0.04 * np.sin(roll)
        at, rpy = f".02 {y:.4f} {z:.4f}", f"{roll:.4f} 0 0"
        for part, where in (("near", at), ("far", "0.04 0 0")):
            name = f"{part}_{number}"
            parent = base if part == "near" else f"near_{number}"
            parts += [
                link(name, box(0.04, 0.01, 0.01, ".02 0 0")),
                joint(
                    f"bend_{name}", "revolute", parent, name, where,
                    limits=(-1.5, 0.2), rpy=rpy if part == "near" else "0 0 0",
                ),
            ]  # fmt: skip
    return "".join(parts)


def robot(folder: Path, *parts: str) -> Path:
    """Write an arm with what is at its end."""
    file = folder / "arm.urdf"
    file.write_text(
        f'<?xml version="1.0"?>\n<robot name="boom_arm">{ARM}{"".join(parts)}</robot>\n'
    )
    return file


def steps(*knots: tuple[float, float]) -> Position:
    """A position that goes through (time, position) in straight lines."""
    times, values = zip(*knots, strict=True)
    return lambda seconds: float(np.interp(seconds, times, values))


def recorded(
    folder: Path, hand: Mapping[str, Position], seconds: float, rate: int = 50, name: str = "pick"
) -> Path:
    """A recording in which the arm swings and the hand's joints move as given."""
    own = {
        "turn": lambda t: 0.5 * np.sin(0.35 * t),
        "lift": lambda t: 0.15 * np.sin(0.5 * t + 1.0),
        **hand,
    }
    names: Sequence[str] = list(own)
    period = 1000 * MS // rate
    return write_bag(
        folder / name,
        [
            joints(k * period, names, [float(move(k / rate)) for move in own.values()])
            for k in range(round(seconds * rate))
        ],
    )
