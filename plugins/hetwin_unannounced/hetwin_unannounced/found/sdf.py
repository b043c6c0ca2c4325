"""SDFormat text of a model with one link that consists of primitives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from hetwin_suite.model import Floats

_VERSION = "1.10"


class Part(NamedTuple):
    """A primitive: its tag and sizes in SDFormat, and its pose (7,) in the model, x y z [m], qw qx qy qz."""

    tag: str
    sizes: tuple[tuple[str, str], ...]
    pose: Floats


def model_text(
    name: str, pose: Floats, parts: Sequence[Part], *, mass: float = 0.0, moment: float = 0.0
) -> str:
    """Return SDFormat of a model.

    Args:
        name: name of the model.
        pose: (7,) in the world.
        parts: shapes of the only link.
        mass: mass of the model [kg]; 0 for a static model.
        moment: moment of inertia about each axis [kg m^2].
    """
    root = ET.Element("sdf", version=_VERSION)
    model = ET.SubElement(root, "model", name=name)
    ET.SubElement(model, "static").text = "false" if mass else "true"
    _pose(model, pose)
    link = ET.SubElement(model, "link", name="link")
    if mass:
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "mass").text = f"{mass:.6g}"
        inertia = ET.SubElement(inertial, "inertia")
        for axis in ("ixx", "iyy", "izz"):
            ET.SubElement(inertia, axis).text = f"{moment:.6g}"
    for number, part in enumerate(parts):
        for kind in ("collision", "visual"):
            shape = ET.SubElement(link, kind, name=f"{kind}_{number}")
            _pose(shape, part.pose)
            primitive = ET.SubElement(ET.SubElement(shape, "geometry"), part.tag)
            for tag, text in part.sizes:
                ET.SubElement(primitive, tag).text = text
    return ET.tostring(root, encoding="unicode")


def _pose(parent: ET.Element, pose: Floats) -> None:
    x, y, z, qw, qx, qy, qz = pose[:7].tolist()
    element = ET.SubElement(parent, "pose", rotation_format="quat_xyzw")
    element.text = " ".join(repr(number) for number in (x, y, z, qx, qy, qz, qw))
