"""Parts of the scene: values of attributes, shapes of entities, and their fidelity levels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""An array of numbers; each use documents its shape."""

Ints: TypeAlias = NDArray[np.int32]
"""An array of indices; each use documents its shape."""

WORLD = "world"
"""Name of the fixed frame: z up, in metres (``map`` in REP-105)."""

POSE_SIZE = 13
"""A pose is 13 numbers: position x y z [m], orientation qw qx qy qz, linear velocity [m/s] and angular velocity
[rad/s], all relative to the parent frame and along its axes.
"""


class Meaning(StrEnum):
    """Meaning of an attribute's numbers."""

    QUANTITY = "quantity"
    TRUTH = "truth"
    """1.0 for true, 0.0 for false."""
    ENTITY = "entity"
    """Index of an entity in the layout, -1.0 for none."""
    PARTICLES = "particles"
    """Rows of `PARTICLE_SIZE` numbers, one per particle."""


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """Declaration of an attribute: its name, number of values, unit and meaning."""

    name: str
    size: int = 1
    unit: str = ""
    meaning: Meaning = Meaning.QUANTITY


PARTICLE_SIZE = 7
"""A particle is 7 numbers: position x y z [m] and velocity [m/s] in its entity's frame, radius [m]; a radius of 0
marks an unused row.
"""

EXTERNAL_WRENCH = AttributeSpec("external_wrench", 6, "N, Nm")
"""Wrench of another model on a body of the main model: force [N] and torque about the entity's origin [Nm], along the
world's axes. The main model applies it to free bodies, and ignores it for others.
"""

POSE = AttributeSpec("pose", POSE_SIZE, "m, quaternion wxyz, m/s, rad/s")
"""Pose and twist of an entity, see `POSE_SIZE`."""

ODOMETRY = AttributeSpec("odometry", POSE_SIZE, POSE.unit)
"""Pose of a robot's base by its own measurement, in the odometry frame, and twist along the axes of its root link, as
in nav_msgs/Odometry.
"""


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute's value: `data` in the frame of the entity `parent` at `time_ns`.

    Only poses have a parent other than the world.
    """

    data: Floats
    time_ns: int
    parent: str = WORLD


ANY_ATTRIBUTE = AttributeSpec("*", 0)
"""Declared by a model whose attributes depend on its parameters: it can be responsible for those that it contributes,
and may refuse any other.
"""


def pose_value(
    position: tuple[float, float, float] | Floats,
    quaternion: tuple[float, float, float, float] | Floats = (1.0, 0.0, 0.0, 0.0),
    linear: tuple[float, float, float] | Floats = (0.0, 0.0, 0.0),
    angular: tuple[float, float, float] | Floats = (0.0, 0.0, 0.0),
    *,
    time_ns: int = 0,
    parent: str = WORLD,
) -> Value:
    """Make a pose value from its parts (quaternion in the order w, x, y, z)."""
    data = np.concatenate([position, quaternion, linear, angular]).astype(np.float64)
    return Value(data, time_ns, parent)


def particles(data: Floats) -> Floats:
    """The used rows (n, 7) of an attribute of particles, one per particle."""
    rows = data.reshape(-1, PARTICLE_SIZE)
    used: Floats = rows[rows[:, 6] > 0.0]
    return used


PARTICLE_RGBA = (0.25, 0.55, 0.85, 1.0)
"""Colour of displayed particles."""


class ShapeKind(StrEnum):
    """Kinds of geometry, each with the meaning of `Shape.size`."""

    BOX = "box"
    """Full lengths x, y, z."""
    SPHERE = "sphere"
    """Radius."""
    CYLINDER = "cylinder"
    """Radius, length along z."""
    CAPSULE = "capsule"
    """Radius, length of the cylindrical part along z."""
    ELLIPSOID = "ellipsoid"
    """Radii x, y, z."""
    PLANE = "plane"
    """Full lengths x, y; normal z."""
    MESH = "mesh"
    """No size; vertices and faces."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A piece of geometry in its entity's frame.

    Attributes:
        kind: kind of the shape.
        size: lengths in metres, see `ShapeKind`.
        pose: x y z, qw qx qy qz in the entity's frame.
        rgba: colour, each 0 to 1.
        collides: whether it takes part in contacts, or is only displayed.
        vertices: for meshes, (n, 3) in metres.
        faces: for meshes, (m, 3) indices into the vertices.
    """

    kind: ShapeKind
    size: tuple[float, ...] = ()
    pose: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
    collides: bool = True
    vertices: Floats | None = None
    faces: Ints | None = None


FIDELITY = AttributeSpec("fidelity", 1)
"""A `Fidelity`, as a number."""


class Fidelity(IntEnum):
    """Levels between which a fidelity signaler switches (Tallavajhula et al. (2019), section 4.3)."""

    LOW = 0
    """An object stands still and touches nothing; a joint is passive; a sensor is off; a model does not step."""
    MEDIUM = 1
    """An object stands still and others collide with it; everything else is as in `LOW`."""
    HIGH = 2
    """No restriction, as without fidelity management."""

    @classmethod
    def of(cls, number: float) -> Fidelity:
        """The level of an attribute's number; numbers between two levels are rounded up."""
        return cls.LOW if number <= cls.LOW else cls.MEDIUM if number <= cls.MEDIUM else cls.HIGH
