"""Writes the robot that unloads the truck as URDF: an arm with 45 plungers and a nose with conveyors.

Tallavajhula et al. (2019), section 4.2, show it in figure 3 and count its joints: 10 active ones, and 4
passive ones in each plunger. ``python -m hetwin_suite.proving_ground.truck.robot > truck_unloader.urdf``
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

ACTIVE_JOINTS = (
    *("base_drive", "nose_lift", "nose_reach", "nose_pitch"),
    *("arm_lift", "arm_swing", "arm_reach", "wrist_yaw", "wrist_pitch", "plungers_extend"),
)
BELTS = ("body_belt", "nose_belt")
COLUMNS, ROWS = 9, 5
SPACING = 0.1
"""Distance between plungers [m]."""
SPRINGS = {
    "plunger_*_slide": 600.0,
    "plunger_*_tilt": 6.0,
    "plunger_*_turn": 6.0,
    "plunger_*_twist": 2.0,
}
"""Stiffness of the plungers' passive joints, in N/m and Nm/rad."""
CUP_AT = 0.2
"""x of the cups' front in the frame of the plate, retracted [m]."""
BELT_HEIGHT = 0.45
BELT_WIDTH = 2.2
NOSE_LENGTH = 1.3
ROLLER_RADIUS = 0.035
"""Radius of the roller at the nose's front, which lifts packets onto the belt [m]."""
_GUIDE_HEIGHT = 0.35
CUP_RADIUS = 0.03
SENSOR_REACH = 0.2
"""Range of the proximity sensor in each cup, from its centre [m]."""

HEADER = """<?xml version="1.0"?>
<!-- A robot that unloads trucks, after figure 3 of Tallavajhula et al. (2019): a mobile base, a
     nose with conveyors that sweeps packets up, and an arm with 45 plungers that picks them. REP-103: metres,
     radians, x forward, y left, z up. Every plunger is a tree of four links on four passive joints with springs,
     which a scenario names under robot.springs. Written by hetwin_suite/proving_ground/truck/robot.py. -->
<robot name="truck_unloader">"""


@dataclass(frozen=True, slots=True)
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    at: tuple[float, float, float]
    axis: tuple[int, int, int]
    lower: float
    upper: float
    damping: float = 0.0
    speed: float = 3.0


def plunger_names() -> list[str]:
    """Return the names of all plungers, such as ``plunger_00``."""
    return [f"plunger_{i:02d}" for i in range(COLUMNS * ROWS)]


def plunger_links(plunger: str) -> list[str]:
    """Return the links of one plunger; the last one is the cup."""
    return [f"{plunger}_{part}" for part in ("rod", "knuckle", "mount", "cup")]


def urdf() -> str:
    """Return the complete URDF."""
    text = [HEADER, *_body(), *_nose(), *_arm()]
    for index, name in enumerate(plunger_names()):
        y = (index % COLUMNS - (COLUMNS - 1) / 2) * SPACING
        z = (index // COLUMNS - (ROWS - 1) / 2) * SPACING
        text += _plunger(name, y, z)
    return "\n".join([*text, "</robot>", ""])


def _body() -> list[str]:
    belt = f'<box size="1.9 {BELT_WIDTH:g} 0.04"/>'
    return [
        _link("rails", 100.0),
        _joint(_Joint("base_drive", "prismatic", "rails", "base", (0, 0, 0), (1, 0, 0), -20, 20)),
        _link("base", 800.0, ('<box size="1.6 1.2 0.3"/>', (-0.9, 0, 0.2))),
        _fixed("base", "body_belt", (-0.85, 0, BELT_HEIGHT - 0.02)),
        _link("body_belt", 40.0, (belt, (0, 0, 0))),
        *_guides("body", 1.9, 0.0),
    ]


def _nose() -> list[str]:
    plate = f'<box size="{NOSE_LENGTH:g} {BELT_WIDTH:g} 0.04"/>'
    roller = f'<cylinder radius="{ROLLER_RADIUS:g}" length="{BELT_WIDTH:g}"/>'
    return [
        _joint(_Joint("nose_lift", "prismatic", "base", "nose_lift", (0.1, 0, 0), (0, 0, 1), 0, 1)),
        _link("nose_lift", 20.0),
        _joint(
            _Joint(
                "nose_reach",
                "prismatic",
                "nose_lift",
                "nose_reach",
                (0, 0, BELT_HEIGHT),
                (1, 0, 0),
                0,
                0.5,
            )
        ),
        _link("nose_reach", 20.0),
        _joint(
            _Joint(
                "nose_pitch", "revolute", "nose_reach", "nose_belt", (0, 0, 0), (0, 1, 0), -0.5, 0.6
            )
        ),
        _link("nose_belt", 60.0, (plate, (NOSE_LENGTH / 2, 0, -0.02))),
        _fixed("nose_belt", "nose_roller", (NOSE_LENGTH, 0, -ROLLER_RADIUS), "1.5707963 0 0"),
        _link("nose_roller", 10.0, (roller, (0, 0, 0))),
        *_guides("nose", 0.7 * NOSE_LENGTH, 0.35 * NOSE_LENGTH),
    ]


def _guides(part: str, long: float, middle: float) -> list[str]:
    """Return boards along both sides of a belt, which keep packets on it."""
    board = f'<box size="{long:g} 0.02 {_GUIDE_HEIGHT:g}"/>'
    lines: list[str] = []
    for side, sign in (("left", 1), ("right", -1)):
        name, y = f"{part}_guide_{side}", sign * (BELT_WIDTH / 2 + 0.01)
        lines.append(_fixed(f"{part}_belt", name, (middle, y, _GUIDE_HEIGHT / 2)))
        lines.append(_link(name, 5.0, (board, (0, 0, 0))))
    return lines


def _arm() -> list[str]:
    plate = '<box size="0.04 0.92 0.52"/>'
    return [
        _joint(
            _Joint("arm_lift", "prismatic", "base", "arm_lift", (-0.9, 0, 0), (0, 0, 1), 0.3, 3)
        ),
        _link("arm_lift", 50.0),
        _joint(
            _Joint("arm_swing", "prismatic", "arm_lift", "arm_swing", (0, 0, 0), (0, 1, 0), -1, 1)
        ),
        _link("arm_swing", 30.0),
        _joint(
            _Joint(
                "arm_reach",
                "prismatic",
                "arm_swing",
                "arm_reach",
                (0, 0, 0),
                (1, 0, 0),
                0,
                3,
                speed=7.0,  # the program reaches out at up to 6.2 m/s
            )
        ),
        _link("arm_reach", 30.0),
        _joint(_Joint("wrist_yaw", "revolute", "arm_reach", "wrist", (0, 0, 0), (0, 0, 1), -1, 1)),
        _link("wrist", 10.0),
        _joint(_Joint("wrist_pitch", "revolute", "wrist", "tool", (0, 0, 0), (0, 1, 0), -1, 1)),
        _link("tool", 20.0, (plate, (0, 0, 0))),
        _joint(
            _Joint("plungers_extend", "prismatic", "tool", "plate", (0.02, 0, 0), (1, 0, 0), 0, 0.2)
        ),
        _link("plate", 10.0),
    ]


def _plunger(name: str, y: float, z: float) -> list[str]:
    rod, knuckle, mount, cup = plunger_links(name)
    long = CUP_AT - 2 * CUP_RADIUS
    form = f'<box size="{long:g} 0.02 0.02"/>'
    return [
        _joint(
            _Joint(
                f"{name}_slide", "prismatic", "plate", rod, (0, y, z), (1, 0, 0), -0.08, 0.01, 20
            )
        ),
        _link(rod, 0.2, (form, (long / 2, 0, 0))),
        _joint(
            _Joint(
                f"{name}_tilt", "revolute", rod, knuckle, (long, 0, 0), (0, 1, 0), -0.3, 0.3, 0.1
            )
        ),
        _link(knuckle, 0.02),
        _joint(
            _Joint(f"{name}_turn", "revolute", knuckle, mount, (0, 0, 0), (0, 0, 1), -0.3, 0.3, 0.1)
        ),
        _link(mount, 0.02),
        _joint(
            _Joint(
                f"{name}_twist", "revolute", mount, cup, (CUP_RADIUS, 0, 0), (1, 0, 0), -1, 1, 0.05
            )
        ),
        _link(cup, 0.05, (f'<sphere radius="{CUP_RADIUS:g}"/>', (0, 0, 0))),
    ]


def _link(
    name: str, mass: float, form: tuple[str, tuple[float, float, float]] | None = None
) -> str:
    moment = f"{max(0.01 * mass, 1e-4):g}"
    inertia = f'ixx="{moment}" ixy="0" ixz="0" iyy="{moment}" iyz="0" izz="{moment}"'
    lines = [
        f'  <link name="{name}">',
        f'    <inertial><mass value="{mass:g}"/><inertia {inertia}/></inertial>',
    ]
    if form is not None:
        geometry, at = form
        place = f"{_origin(at)}<geometry>{geometry}</geometry>"
        lines.append(f"    <visual>{place}</visual>")
        lines.append(f"    <collision>{place}</collision>")
    return "\n".join([*lines, "  </link>"])


def _joint(joint: _Joint) -> str:
    limits = f'lower="{joint.lower:g}" upper="{joint.upper:g}"'
    lines = [
        f'  <joint name="{joint.name}" type="{joint.kind}">',
        f'    <parent link="{joint.parent}"/><child link="{joint.child}"/>{_origin(joint.at)}',
        f'    <axis xyz="{_words(joint.axis)}"/>',
        f'    <limit {limits} effort="5000" velocity="{joint.speed:g}"/>',
    ]
    if joint.damping:
        lines.append(f'    <dynamics damping="{joint.damping:g}" friction="0"/>')
    return "\n".join([*lines, "  </joint>"])


def _fixed(parent: str, child: str, at: tuple[float, float, float], rpy: str = "0 0 0") -> str:
    links = f'<parent link="{parent}"/><child link="{child}"/>'
    origin = f'<origin xyz="{_words(at)}" rpy="{rpy}"/>'
    return f'  <joint name="{child}_mount" type="fixed">{links}{origin}</joint>'


def _origin(at: tuple[float, ...]) -> str:
    return f'<origin xyz="{_words(at)}"/>'


def _words(numbers: tuple[float, ...]) -> str:
    return " ".join(f"{number:g}" for number in numbers)


if __name__ == "__main__":
    sys.stdout.write(urdf())
