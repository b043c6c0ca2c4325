"""Contents of a robot's URDF or a world: links, joints, sensors, and missing meshes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hetwin_suite.engine import Body, Joint, JointKind, World
from hetwin_suite.engine import XmlElement as Element
from hetwin_suite.robot import RobotFile


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor and its link; the link is empty if the file names none."""

    name: str
    type: str
    link: str


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents of a robot or a world.

    Attributes:
        name: name of the robot or the world.
        links: number of links.
        types: type of each joint.
        sensors: sensors in the order of the file.
        missing_meshes: names of the missing meshes in the file.
    """

    name: str
    links: int
    types: tuple[str, ...]
    sensors: tuple[Sensor, ...]
    missing_meshes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin urdf describe --json`."""
        return {
            "robot": self.name,
            "links": self.links,
            "joints": len(self.types),
            "joints_by_type": dict(Counter(self.types).most_common()),
            "sensors": [
                {"name": sensor.name, "type": sensor.type, "link": sensor.link}
                for sensor in self.sensors
            ],
            "missing_meshes": list(self.missing_meshes),
        }


def contents_of_robot(robot: RobotFile) -> Contents:
    """Return the contents of a robot's URDF."""
    return Contents(
        robot.name,
        len(robot.links),
        tuple(joint.type for joint in robot.joints.values()),
        tuple(_sensors(robot.root)),
        robot.missing_meshes(),
    )


def _sensors(root: Element) -> Iterator[Sensor]:
    for gazebo in root.all("gazebo"):
        for sensor in gazebo.all("sensor"):
            yield _sensor(sensor, gazebo.attributes.get("reference", ""))
    for sensor in root.all("sensor"):  # URDF's own
        parent = sensor.child("parent")
        yield _sensor(sensor, "" if parent is None else parent.attributes.get("link", ""))


def _sensor(element: Element, link: str) -> Sensor:
    kinds = [child.tag for child in element.children if child.tag in ("camera", "ray")]
    kind = element.attributes.get("type", "") or "".join(kinds[:1]) or "unknown"
    return Sensor(element.attributes.get("name", ""), kind, link)


def contents_of_world(world: World, missing: tuple[str, ...]) -> Contents:
    """Return the contents of a world.

    Args:
        world: the world.
        missing: names of the missing meshes.
    """
    joints = [joint for body in world.bodies for joint in body.joints]
    sensors = [sensor for body in world.bodies for sensor in _sensors_of(body)]
    links = sum(len(body.links) for body in world.bodies)
    return Contents(world.name, links, tuple(map(_type, joints)), tuple(sensors), missing)


def _type(joint: Joint) -> str:
    if joint.kind is JointKind.HINGE:
        return "continuous" if joint.lower is None and joint.upper is None else "revolute"
    return {JointKind.SLIDE: "prismatic", JointKind.BALL: "ball"}.get(joint.kind, "fixed")


def _sensors_of(body: Body) -> Iterator[Sensor]:
    for link in body.links:
        for extra in link.extras:
            if extra.tag == "sensor":
                yield _sensor(extra.element, f"{body.name}::{link.name}")
