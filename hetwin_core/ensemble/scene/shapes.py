"""Shapes of entities, for display and for models that need an object's geometry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hetwin_core.ensemble.scene.values import Floats, Ints

PARTICLE_RGBA = (0.25, 0.55, 0.85, 1.0)
"""Colour in which particles are shown."""


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
        kind: what it is.
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
