"""The description of a robot with two wheels whose measures are others."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path


def changed_urdf(
    file: Path, radii: Mapping[str, float], base: float, friction: float | None = None
) -> str:
    """Return a URDF whose wheels have other radii and another friction, and are further apart.

    Args:
        file: of the robot.
        radii: joint of a wheel -> factor of its radius; the wheel stands on the floor as before.
        base: factor of the distance of these wheels from the middle.
        friction: of these wheels; None: as it was.
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
