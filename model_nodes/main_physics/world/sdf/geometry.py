"""Reads visuals and collisions of SDFormat links."""

from __future__ import annotations

import math
from dataclasses import dataclass

from transforms3d.quaternions import axangle2quat

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.shapes import ShapeKind
from model_nodes.main_physics.world.description import GREY, IDENTITY, Colour, Geometry, Hull, Pose
from model_nodes.main_physics.world.meshes import hull_of_file
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.values import Context
from model_nodes.main_physics.world.transforms import compose, pose_of
from model_nodes.main_physics.world.xml_file import Element

_KNOWN_IN_COLLISION = {"pose", "geometry", "surface", "density"}
_KNOWN_IN_VISUAL = {"pose", "geometry", "material", "transparency", "cast_shadows"}
_NOT_READ = ("heightmap", "image", "polyline", "cone", "empty")


@dataclass(frozen=True, slots=True)
class GeometryReader:
    """Reads the geometries of one file."""

    resources: Resources

    def read(self, element: Element, pose: Pose, context: Context) -> Geometry | None:
        """Read a ``<visual>`` or ``<collision>`` at `pose`; returns None if it is not supported.

        Raises:
            BadInput: if it has no shape or an invalid size.
        """
        collides = element.tag == "collision"
        context.note_ignored(element, _KNOWN_IN_COLLISION if collides else _KNOWN_IN_VISUAL)
        geometry = element.need("geometry")
        if not geometry.children:
            raise geometry.bad("is empty", expected="a shape such as <box>")
        shape = geometry.children[0]
        if shape.tag in _NOT_READ:
            context.note(f"<{shape.tag}> is not carried over")
            return None
        friction = _friction(element.child("surface"), context)
        colour = GREY if collides else _colour(element.child("material"), context)
        density = element.number_in("density", 1000.0, least=0.0)
        if shape.tag == "mesh":
            hull = self._hull(shape, context)
            if hull is None:
                return None
            return Geometry(ShapeKind.MESH, (), pose, colour, collides, friction, hull, density)
        kind, size, turn = _primitive(shape)
        pose = compose(pose, turn)
        return Geometry(kind, size, pose, colour, collides, friction, None, density)

    def _hull(self, mesh: Element, context: Context) -> Hull | None:
        context.note_ignored(mesh, {"uri", "scale"})
        reference = mesh.need("uri").required_text("a file")
        scale = mesh.child("scale")
        x, y, z = (1.0, 1.0, 1.0) if scale is None else scale.numbers(3)
        try:
            return hull_of_file(self.resources.find(reference), (x, y, z))
        except BadInput as error:
            context.leave_out(reference, error)
            return None


def _lengths(shape: Element, tag: str, count: int) -> tuple[float, ...]:
    element = shape.need(tag)
    values = element.numbers(count)
    if min(values) <= 0:
        raise element.bad("has a length that is not positive", element.text.strip(), "above 0")
    return tuple(values)


def _primitive(shape: Element) -> tuple[ShapeKind, tuple[float, ...], Pose]:
    if shape.tag == "box":
        return ShapeKind.BOX, _lengths(shape, "size", 3), IDENTITY
    if shape.tag == "sphere":
        return ShapeKind.SPHERE, _lengths(shape, "radius", 1), IDENTITY
    if shape.tag in ("cylinder", "capsule"):
        size = (*_lengths(shape, "radius", 1), *_lengths(shape, "length", 1))
        return ShapeKind(shape.tag), size, IDENTITY
    if shape.tag == "ellipsoid":
        return ShapeKind.ELLIPSOID, _lengths(shape, "radii", 3), IDENTITY
    if shape.tag == "plane":
        size = _lengths(shape, "size", 2) if shape.child("size") else (1.0, 1.0)
        return ShapeKind.PLANE, size, _plane_turn(shape)
    raise shape.bad("is an unknown shape", shape.tag, "box, sphere, cylinder, capsule, mesh ...")


def _plane_turn(shape: Element) -> Pose:
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
    turn = axangle2quat([-y, x, 0.0], math.acos(z / length))
    return pose_of([0.0, 0.0, 0.0, *turn])


def _friction(surface: Element | None, context: Context) -> float | None:
    if surface is None:
        return None
    context.note_ignored(surface, {"friction", "bounce", "contact"})
    bounce = surface.child("bounce")
    if bounce is not None:
        _note_bounce(bounce, context)
    contact = surface.child("contact")
    if contact is not None:
        names = [grandchild.tag for child in contact.children for grandchild in child.children]
        ignored = ", ".join(dict.fromkeys(names or [child.tag for child in contact.children]))
        context.note(f"<contact> ({ignored}) is not carried over")
    friction = surface.child("friction")
    return None if friction is None else _coefficients(friction, context)


def _note_bounce(bounce: Element, context: Context) -> None:
    for child in bounce.children:
        if child.tag == "restitution_coefficient":
            context.note("<restitution> is not carried over")
        else:
            context.note(f"<{child.tag}> is not carried over")


def _coefficients(friction: Element, context: Context) -> float | None:
    context.note_ignored(friction, {"ode"})
    ode = friction.child("ode")
    if ode is None:
        return None
    context.note_ignored(ode, {"mu", "mu2"})
    sliding = ode.number_in("mu", 1.0, least=0.0)
    if ode.number_in("mu2", sliding, least=0.0) != sliding:
        context.note("<mu2> differs from <mu> and is not carried over")
    return sliding


def _colour(material: Element | None, context: Context) -> Colour:
    if material is None:
        return GREY
    context.note_ignored(material, {"diffuse", "ambient", "specular", "emissive"})
    element = material.child("diffuse") or material.child("ambient")
    if element is None:
        return GREY
    numbers = element.numbers(3 if len(element.text.split()) == 3 else 4, least=0.0)
    r, g, b, a = [*numbers, 1.0][:4]
    return (r, g, b, a)
