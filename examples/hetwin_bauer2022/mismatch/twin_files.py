"""The editable descriptions from which the twin is built."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from hetwin_suite.runs import BadInput


@dataclass(frozen=True, slots=True)
class TwinFiles:
    """World and robot of the twin.

    Attributes:
        world: root of the SDFormat world.
        robot: root of the URDF.
    """

    world: ET.Element
    robot: ET.Element

    def model(self, name: str) -> ET.Element:
        """Return a model of the world.

        Raises:
            BadInput: if there is no such model.
        """
        for model in self.world.iter("model"):
            if model.get("name") == name:
                return model
        names = [model.get("name") for model in self.world.iter("model")]
        raise BadInput("the twin's world has no such model", found=names, expected=name)

    def shapes(self, model: str, part: str = "") -> Iterator[ET.Element]:
        """Iterate over the collisions and visuals of a model whose names start with `part`."""
        for element in self.model(model).iter():
            if element.tag in ("collision", "visual") and element.get("name", "").startswith(part):
                yield element

    def links_moved_by(self, joints: Collection[str]) -> list[ET.Element]:
        """Return the robot's links that these joints move directly."""
        names_of_links = {
            child.get("link")
            for joint in self.robot.findall("joint")
            if joint.get("name") in joints and (child := joint.find("child")) is not None
        }
        return [link for link in self.robot.findall("link") if link.get("name") in names_of_links]


def scale(elements: Iterable[ET.Element], factor: float) -> None:
    """Multiply all numbers in the text of elements."""
    for element in elements:
        numbers = (element.text or "").split()
        element.text = " ".join(repr(float(number) * factor) for number in numbers)


def scale_attribute(elements: Iterable[ET.Element], name: str, factor: float) -> None:
    """Multiply the number in an attribute of elements."""
    for element in elements:
        if (text := element.get(name)) is not None:
            element.set(name, repr(float(text) * factor))


def scale_position(pose: ET.Element | None, factor: float) -> None:
    """Multiply x y z of a pose element; roll pitch yaw stay."""
    if pose is not None:
        numbers = [float(number) for number in (pose.text or "").split()]
        pose.text = " ".join(map(repr, [n * factor for n in numbers[:3]] + numbers[3:]))
