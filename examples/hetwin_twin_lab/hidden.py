"""Hidden parameters of a lab robot, drawn from a seed and unknown to the twin, and a URDF that has them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hetwin_suite.episode import named_generator

SLIDING_TYRES = 0.05
"""Contact width of soft tyres that slide on the floor [m]; tyres that stick yield in their treads instead."""


@dataclass(frozen=True, slots=True)
class HiddenParameters:
    """Differences of a lab robot from its data sheet.

    Attributes:
        left_radius, right_radius: factors of the wheels' radii.
        base: factor of the distance between the wheels.
        friction: friction of the wheels on the floor; None: as in the world's file.
        tyre_width: contact width of each wheel, by which it rubs in turns [m]; 0: point contact.
        speed, acceleration, turn_speed, turn_acceleration: factors of its motion limits.
        lag: delay from a command's arrival to its start, and from its end to the answer [s].
        lost: share of answers that are lost.
        late: share of answers that arrive after the timeout.
        late_by: delay of late answers [s].
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
    def draw(cls, seed: int, friction: float | None = None) -> HiddenParameters:
        """Draw the hidden parameters of a seed.

        Args:
            seed: seed of the hidden parameters.
            friction: friction of the wheels on the floor; None: as in the world's file.
        """
        random = named_generator("lab robot", seed)
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

    def without_losses(self) -> HiddenParameters:
        """Return the same robot with a connection that loses and delays no answers."""
        return replace(self, lost=0.0, late=0.0)

    def to_json(self) -> dict[str, float | None]:
        """Return the JSON representation."""
        return asdict(self)


def urdf_with_hidden(
    file: Path, radii: Mapping[str, float], base: float, friction: float | None = None
) -> str:
    """Return a URDF with other wheel radii, friction and wheel distance.

    Args:
        file: path of the robot's URDF.
        radii: joint of a wheel -> factor of its radius; the wheel stays in contact with the floor.
        base: factor of the distance of these wheels from the centre.
        friction: friction of these wheels; None: unchanged.
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
