"""Reads the visual and collision geometries of a URDF file."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.shapes import ShapeKind
from model_nodes.main_physics.world.description import (
    GREY,
    IDENTITY,
    Colour,
    Geometry,
    Hull,
    MeshFile,
    Pose,
)
from model_nodes.main_physics.world.meshes import hull_of_file
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.transforms import from_rpy
from model_nodes.main_physics.world.xml_file import Element


def origin_of(element: Element) -> Pose:
    """Return the pose in the child ``<origin>``, or the identity."""
    origin = element.child("origin")
    if origin is None:
        return IDENTITY
    position = origin.numbers(3, origin.attributes.get("xyz", "0 0 0"))
    return from_rpy(position, origin.numbers(3, origin.attributes.get("rpy", "0 0 0")))


class GeometryReader:
    """Reads geometries, with the robot's named materials."""

    def __init__(self, root: Element, notes: Notes, label: str, resources: Resources) -> None:
        self._notes = notes
        self._label = label
        self._resources = resources
        self._friction = _friction_of_links(root)
        self._colours: dict[str, Colour] = {}
        for material in (*root.all("material"), *_materials_in_links(root)):
            colour = material.child("color")
            if colour is not None:
                name = material.attributes.get("name", "")
                self._colours.setdefault(name, _rgba(colour))

    def of_link(self, link: Element) -> tuple[Geometry, ...]:
        """Read all geometries of a link, collisions first."""
        return tuple(
            geometry
            for tag in ("collision", "visual")
            for element in link.all(tag)
            if (geometry := self._geometry(element, link.attributes["name"])) is not None
        )

    def _geometry(self, element: Element, link: str) -> Geometry | None:
        geometry = element.need("geometry")
        if not geometry.children:
            raise geometry.bad("is empty", expected="box, cylinder, sphere, capsule or mesh")
        shape = geometry.children[0]
        pose, colour = origin_of(element), self._colour(element)
        collides = element.tag == "collision"
        friction = self._friction.get(link) if collides else None
        if shape.tag == "mesh":
            read = self._mesh(shape)
            if read is None:
                return None
            hull, mesh = read
            return Geometry(ShapeKind.MESH, (), pose, colour, collides, friction, hull, mesh=mesh)
        kind, size = _primitive(shape)
        return Geometry(kind, size, pose, colour, collides, friction)

    def _mesh(self, mesh: Element) -> tuple[Hull, MeshFile] | None:
        reference = mesh.need_attribute("filename")
        x, y, z = mesh.numbers(3, mesh.attributes.get("scale", "1 1 1"))
        try:
            file = MeshFile(self._resources.find(reference), (x, y, z))
            return hull_of_file(file.path, file.scale), file
        except BadInput as error:
            self._notes.leave_out(self._label, reference, error)
            return None

    def _colour(self, element: Element) -> Colour:
        material = element.child("material")
        if material is None:
            return GREY
        colour = material.child("color")
        if colour is not None:
            return _rgba(colour)
        return self._colours.get(material.attributes.get("name", ""), GREY)


def _friction_of_links(root: Element) -> dict[str, float]:
    # Gazebo reads it from <gazebo reference="LINK"><mu1>; URDF itself has no element for it.
    friction: dict[str, float] = {}
    for gazebo in root.all("gazebo"):
        element = gazebo.child("mu1") or gazebo.child("mu")
        if element is not None and "reference" in gazebo.attributes:
            text = element.attributes.get("value", element.text)
            friction[gazebo.attributes["reference"]] = element.numbers(1, text, least=0.0)[0]
    return friction


def _materials_in_links(root: Element) -> list[Element]:
    visuals = [visual for link in root.all("link") for visual in link.all("visual")]
    return [material for visual in visuals for material in visual.all("material")]


def _rgba(colour: Element) -> Colour:
    r, g, b, a = colour.numbers(4, colour.need_attribute("rgba"), least=0.0)
    return (r, g, b, a)


def _primitive(shape: Element) -> tuple[ShapeKind, tuple[float, ...]]:
    def number(name: str) -> float:
        value = shape.numbers(1, shape.need_attribute(name))[0]
        if value <= 0:
            raise shape.bad(f"has a {name} that is not positive", value, "a length above 0")
        return value

    if shape.tag in ("box", "ellipsoid"):
        size = shape.numbers(3, shape.need_attribute("size"))
        if min(size) <= 0:
            raise shape.bad("has a length that is not positive", size, "lengths above 0")
        return ShapeKind(shape.tag), tuple(size)
    if shape.tag == "plane":
        x, y = shape.numbers(2, shape.need_attribute("size"), least=0.0)
        return ShapeKind.PLANE, (x, y)
    if shape.tag == "sphere":
        return ShapeKind.SPHERE, (number("radius"),)
    if shape.tag in ("cylinder", "capsule"):
        return ShapeKind(shape.tag), (number("radius"), number("length"))
    raise shape.bad("is an unknown shape", shape.tag, "box, cylinder, sphere, capsule or mesh")
