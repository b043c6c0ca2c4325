"""The collision shapes of a world file, from which the worlds of stand-ins are built."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import qmult, rotate_vector

from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput

_SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "plane": ("size",),
}


@dataclass(frozen=True, slots=True)
class Solid:
    """One collision shape.

    Attributes:
        model: name of its model.
        name: name of its collision.
        kind: box, cylinder, sphere or plane.
        size: box and plane: full lengths; cylinder: radius, length; sphere: radius [m].
        position: (3,) centre in the world [m].
        quaternion: (4,) orientation in the world, w x y z.
        moves: whether its model is not static.
        mass: mass of its link [kg]; 0 for a static model.
        friction: coefficient of sliding friction.
        origin: (7,) pose of its model in the world: position [m], and quaternion w x y z.
    """

    model: str
    name: str
    kind: str
    size: Floats
    position: Floats
    quaternion: Floats
    moves: bool
    mass: float
    friction: float
    origin: Floats


def read_solids(world: Path) -> tuple[Solid, ...]:
    """Read all collision shapes of an SDFormat world whose models are placed in the world frame.

    Only the few elements in the worlds of the stand-ins are supported. The twin's reader of worlds is deliberately not
    used, so that an error in it shows up as a difference.

    Raises:
        BadInput: if a shape has no size, or a pose does not have six numbers.
    """
    solids: list[Solid] = []
    for model in ET.parse(world).getroot().iter("model"):
        name = model.get("name", "")
        static = model.findtext("static", "false").strip() == "true"
        origin = _pose(model, name, world)
        for link in model.findall("link"):
            mass = 0.0 if static else float(link.findtext("inertial/mass", "0"))
            link_pose = _compose(origin, _pose(link, name, world))
            for collision in link.findall("collision"):
                kind, size = _read_shape(collision, name, world)
                pose = _compose(link_pose, _pose(collision, name, world))
                friction = float(collision.findtext("surface/friction/ode/mu", "1"))
                placement = pose[:3], pose[3:]
                collision_name = collision.get("name", "")
                solid = Solid(
                    name,
                    collision_name,
                    kind,
                    size,
                    *placement,
                    not static,
                    mass,
                    friction,
                    origin,
                )
                solids.append(solid)
    return tuple(solids)


def _read_shape(collision: ET.Element, model: str, world: Path) -> tuple[str, Floats]:
    for kind, keys in _SIZES.items():
        element = collision.find(f"geometry/{kind}")
        if element is not None:
            sizes = [element.findtext(key, "") for key in keys]
            numbers = [float(part) for text in sizes for part in text.split()]
            if len(numbers) == {"box": 3, "cylinder": 2, "sphere": 1, "plane": 2}[kind]:
                return kind, np.array(numbers)
    raise BadInput(
        "a collision has no supported shape",
        file=world,
        where=f"model {model}",
        expected=f"one of {', '.join(_SIZES)}, with its size",
    )


def _pose(element: ET.Element, model: str, world: Path) -> Floats:
    numbers = [float(part) for part in element.findtext("pose", "0 0 0 0 0 0").split()]
    if len(numbers) != 6:
        raise BadInput(
            "a pose does not have six numbers", file=world, where=f"model {model}", found=numbers
        )
    return np.concatenate([numbers[:3], euler2quat(*numbers[3:])])


def _compose(parent: Floats, child: Floats) -> Floats:
    position = parent[:3] + rotate_vector(child[:3], parent[3:])
    return np.concatenate([position, qmult(parent[3:], child[3:])])
