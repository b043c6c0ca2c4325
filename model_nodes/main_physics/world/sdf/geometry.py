"""Reads visuals and collisions of SDFormat links."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from transforms3d.quaternions import axangle2quat

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import ShapeKind
from model_nodes.main_physics.world.description import (
    GREY,
    IDENTITY,
    Colour,
    Extra,
    Geometry,
    Hull,
    MeshFile,
    Pose,
)
from model_nodes.main_physics.world.meshes import hull_of_file, hull_of_points
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.frames import Context, ExtraCollector
from model_nodes.main_physics.world.transforms import compose, pose_of
from model_nodes.main_physics.world.xml_file import Element

_CONE_CORNERS = 32
_DEFAULTS = {("capsule", "radius"): 0.5, ("cone", "radius"): 0.5}
"""Default dimensions of shapes [m]; all others are 1 m."""
_KNOWN_IN_COLLISION = {"pose", "geometry", "surface", "density"}
GAZEBO_SHAPES = ("heightmap", "image", "polyline", "empty")
"""Shapes that only Gazebo supports."""


@dataclass(frozen=True, slots=True)
class GeometryReader:
    """Reads the geometries of one file."""

    resources: Resources

    def read(self, element: Element, pose: Pose, context: Context) -> Geometry | None:
        """Read a ``<visual>`` or ``<collision>`` at `pose`; returns None if its shape is not supported.

        Raises:
            BadInput: if it has no shape or an invalid size.
        """
        shape = shape_of(element)
        if shape.tag in GAZEBO_SHAPES:
            return None
        collides = element.tag == "collision"
        name = element.attributes.get("name", "") if collides else ""
        friction, extras = self._surface(element, context) if collides else (None, ())
        colour = GREY if collides else _colour(element.child("material"))
        density = element.number_in("density", 1000.0, minimum=0.0)
        read = self._mesh(shape, context) if shape.tag == "mesh" else (None, None)
        if read is None:
            return None
        hull, mesh = read
        kind, size, rotation = _kind_and_size(shape, context)
        if shape.tag == "cone":
            hull, size = _cone(*size), ()
        pose = compose(pose, rotation)
        return Geometry(
            kind, size, pose, colour, collides, friction, hull, density, name, extras, mesh
        )

    def _surface(
        self, collision: Element, context: Context
    ) -> tuple[float | None, tuple[Extra, ...]]:
        """Read the friction coefficient, and keep everything else as extras."""
        keep = ExtraCollector(self.resources).unknown
        extras = keep(collision, _KNOWN_IN_COLLISION, context)
        surface = collision.child("surface")
        if surface is None:
            return None, extras
        extras += keep(surface, {"friction", "contact"}, context, inside="surface")
        contact, friction = surface.child("contact"), surface.child("friction")
        if contact is not None:
            extras += keep(contact, {"collide_bitmask"}, context, inside="surface/contact")
            if contact.child("collide_bitmask") is not None:
                context.note("<collide_bitmask> is not carried over")
        if friction is None:
            return None, extras
        extras += keep(friction, {"ode"}, context, inside="surface/friction")
        ode = friction.child("ode")
        if ode is None:
            return None, extras
        extras += keep(ode, {"mu", "mu2"}, context, inside="surface/friction/ode")
        return _coefficient(ode, context), extras

    def _mesh(self, mesh: Element, context: Context) -> tuple[Hull, MeshFile] | None:
        context.note_ignored(mesh, {"uri", "scale"})
        reference = mesh.need("uri").required_text("a file")
        scale = mesh.child("scale")
        x, y, z = (1.0, 1.0, 1.0) if scale is None else scale.numbers(3)
        try:
            file = MeshFile(self.resources.find(reference), (x, y, z))
            return hull_of_file(file.path, file.scale), file
        except BadInput as error:
            context.leave_out(reference, error)
            return None


def _cone(radius: float, length: float) -> Hull:
    """Return the hull of a cone [m] with its tip towards z, centred on its axis."""
    angles = np.linspace(0.0, 2 * np.pi, _CONE_CORNERS, endpoint=False)
    rim = np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles - length / 2], 1)
    return hull_of_points(np.vstack([rim, [[0.0, 0.0, length / 2]]]))


def _lengths(shape: Element, tag: str, count: int, context: Context) -> tuple[float, ...]:
    element = shape.child(tag)
    if element is None:
        default = _DEFAULTS.get((shape.tag, tag), 1.0)
        context.note(f"<{shape.tag}> has no <{tag}>; {default:g} m is used, SDFormat's default")
        return (default,) * count
    values = element.numbers(count)
    if min(values) <= 0:
        raise element.bad("has a length that is not positive", element.text.strip(), "above 0")
    return tuple(values)


def _kind_and_size(shape: Element, context: Context) -> tuple[ShapeKind, tuple[float, ...], Pose]:
    if shape.tag == "mesh":
        return ShapeKind.MESH, (), IDENTITY
    if shape.tag == "box":
        return ShapeKind.BOX, _lengths(shape, "size", 3, context), IDENTITY
    if shape.tag == "sphere":
        return ShapeKind.SPHERE, _lengths(shape, "radius", 1, context), IDENTITY
    if shape.tag in ("cylinder", "capsule"):
        size = (*_lengths(shape, "radius", 1, context), *_lengths(shape, "length", 1, context))
        return ShapeKind(shape.tag), size, IDENTITY
    if shape.tag == "cone":
        size = (*_lengths(shape, "radius", 1, context), *_lengths(shape, "length", 1, context))
        return ShapeKind.MESH, size, IDENTITY
    if shape.tag == "ellipsoid":
        return ShapeKind.ELLIPSOID, _lengths(shape, "radii", 3, context), IDENTITY
    if shape.tag == "plane":
        size = _lengths(shape, "size", 2, context) if shape.child("size") else (1.0, 1.0)
        return ShapeKind.PLANE, size, _plane_rotation(shape)
    raise shape.bad("is an unknown shape", shape.tag, "box, sphere, cylinder, capsule, mesh ...")


def _plane_rotation(shape: Element) -> Pose:
    normal = shape.child("normal")
    if normal is None:
        return IDENTITY
    x, y, z = normal.numbers(3)
    length = (x * x + y * y + z * z) ** 0.5
    if length < 1e-9:
        raise normal.bad("has no direction", normal.text.strip(), "a vector that is not zero")
    if z / length > 1 - 1e-12:
        return IDENTITY
    if z / length < -1 + 1e-12:
        return pose_of([0, 0, 0, 0, 1, 0, 0])
    quaternion = axangle2quat([-y, x, 0.0], math.acos(z / length))
    return pose_of([0.0, 0.0, 0.0, *quaternion])


def shape_of(element: Element) -> Element:
    """Return the shape of a ``<visual>`` or ``<collision>``.

    Raises:
        BadInput: if there is none.
    """
    geometry = element.need("geometry")
    if not geometry.children:
        raise geometry.bad("is empty", expected="a shape such as <box>")
    return geometry.children[0]


def _coefficient(ode: Element, context: Context) -> float:
    sliding = ode.number_in("mu", 1.0, minimum=0.0)
    if ode.number_in("mu2", sliding, minimum=0.0) != sliding:
        context.note("<mu2> differs from <mu> and is not carried over")
    return sliding


def _colour(material: Element | None) -> Colour:
    if material is None:
        return GREY
    element = material.child("diffuse") or material.child("ambient")
    if element is None:
        return GREY
    numbers = element.numbers(3 if len(element.text.split()) == 3 else 4, minimum=0.0)
    r, g, b, a = [*numbers, 1.0][:4]
    return (r, g, b, a)
