"""What the twin does not know of a lab robot, drawn from a seed, and the description of the robot that has it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hetwin_suite.episode import own_random

SLIDING_TYRES = 0.05
"""Width over which soft tyres touch a floor on which they slide [m]; where they stick, their treads give way."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """How a lab robot differs from its data sheet.

    Attributes:
        left_radius, right_radius: of the wheels, as factors.
        base: distance of the wheels, as a factor.
        friction: friction of the wheels on the floor; None: as in the world's file.
        tyre_width: over which each wheel touches the floor, so that it rubs in turns [m]; 0: in one point.
        speed, acceleration, turn_speed, turn_acceleration: of its moves, as factors.
        lag: from a command's arrival to when it begins, and as long again until its answer is heard [s].
        lost: share of answers that are never heard.
        late: share of answers that are heard when they do not count any more.
        late_by: how late these are [s].
    """

    left_radius: float = 1.0
    right_radius: float = 1.0
    base: float = 1.0
    friction: float | None = None
    tyre_width: float = 0.0
    speed: float = 1.0
    acceleration: float = 1.0
    turn_speed: float = 1.0
    turn_acceleration: float = 1.0
    lag: float = 0.0
    lost: float = 0.0
    late: float = 0.0
    late_by: float = 40.0

    @classmethod
    def drawn(cls, seed: int, friction: float | None = None) -> Hidden:
        """Return the robot of a seed.

        Args:
            seed: of what is hidden.
            friction: friction of the wheels on the floor; None: as in the world's file.
        """
        random = own_random("lab robot", seed)
        return cls(
            left_radius=random.uniform(0.985, 1.015),
            right_radius=random.uniform(0.985, 1.015),
            base=random.uniform(0.96, 1.04),
            friction=friction,
            tyre_width=0.0 if friction is None else SLIDING_TYRES,
            speed=random.uniform(0.75, 1.25),
            acceleration=random.uniform(0.75, 1.25),
            turn_speed=random.uniform(0.75, 1.25),
            turn_acceleration=random.uniform(0.75, 1.25),
            lag=random.uniform(0.025, 0.2),
            lost=random.uniform(0.0, 0.02),
            late=random.uniform(0.0, 0.01),
        )

    def without_losses(self) -> Hidden:
        """Return the same robot with a connection on which nothing is lost or late."""
        return replace(self, lost=0.0, late=0.0)

    def to_json(self) -> dict[str, float | None]:
        """Return it as plain JSON."""
        return asdict(self)


def changed_urdf(
    file: Path, radii: Mapping[str, float], base: float, friction: float | None = None
) -> str:
    """Return a URDF whose wheels have other radii and another friction, and are further apart.

    Args:
        file: file of the robot.
        radii: joint of a wheel -> factor of its radius; the wheel stands on the floor as before.
        base: factor of the distance of these wheels from the middle.
        friction: friction of these wheels; None: as it was.
    """
    root = ET.parse(file).getroot()
    links = {link.get("name"): link for link in root.iter("link")}
    for joint in root.iter("joint"):
        factor = radii.get(joint.get("name", ""))
        child = joint.find("child")
        if factor is None or child is None:
            continue
        for shape in links[child.get("link")].iter():
            if shape.tag in ("sphere", "cylinder"):
                shape.set("radius", repr(float(shape.get("radius", "0")) * factor))
        if friction is not None:
            surface = ET.SubElement(root, "gazebo", reference=child.get("link", ""))
            ET.SubElement(surface, "mu1").text = repr(friction)
        origin = joint.find("origin")
        if origin is not None:
            x, y, z = (float(part) for part in origin.get("xyz", "0 0 0").split())
            origin.set("xyz", f"{x!r} {y * base!r} {z * factor!r}")
    return ET.tostring(root, encoding="unicode")
