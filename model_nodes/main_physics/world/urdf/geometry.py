"""Reads the visual and collision forms of a URDF file."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.shapes import ShapeKind
from model_nodes.main_physics.world.description import GREY, IDENTITY, Colour, Geometry, Hull, Pose
from model_nodes.main_physics.world.meshes import hull_of_file
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.transforms import from_rpy
from model_nodes.main_physics.world.xml_file import Element


def origin_of(element: Element) -> Pose:
    """The pose in the child ``<origin>``, or the identity."""
    origin = element.child("origin")
    if origin is None:
        return IDENTITY
    position = origin.numbers(3, origin.attributes.get("xyz", "0 0 0"))
    return from_rpy(position, origin.numbers(3, origin.attributes.get("rpy", "0 0 0")))


class Forms:
    """Reads forms, with the materials that the robot names."""

    def __init__(self, root: Element, notes: Notes, told: str, resources: Resources) -> None:
        self._notes = notes
        self._told = told
        self._resources = resources
        self._friction = _friction_of_links(root)
        self._colours: dict[str, Colour] = {}
        for material in (*root.all("material"), *_materials_in_links(root)):
            colour = material.child("color")
            if colour is not None:
                name = material.attributes.get("name", "")
                self._colours.setdefault(name, _rgba(colour))

    def of_link(self, link: Element) -> tuple[Geometry, ...]:
        """All forms of a link: what collides first."""
        return tuple(
            form
            for tag in ("collision", "visual")
            for element in link.all(tag)
            if (form := self._form(element, link.attributes["name"])) is not None
        )

    def _form(self, element: Element, link: str) -> Geometry | None:
        geometry = element.need("geometry")
        if not geometry.children:
            raise geometry.bad("is empty", expected="box, cylinder, sphere, capsule or mesh")
        form = geometry.children[0]
        pose, colour = origin_of(element), self._colour(element)
        collides = element.tag == "collision"
        friction = self._friction.get(link) if collides else None
        if form.tag == "mesh":
            hull = self._hull(form, f"link {link}, {element.tag}")
            if hull is None:
                return None
            return Geometry(ShapeKind.MESH, (), pose, colour, collides, friction, hull)
        kind, size = _primitive(form)
        return Geometry(kind, size, pose, colour, collides, friction)

    def _hull(self, mesh: Element, where: str) -> Hull | None:
        reference = mesh.need_attribute("filename")
        x, y, z = mesh.numbers(3, mesh.attributes.get("scale", "1 1 1"))
        try:
            return hull_of_file(self._resources.find(reference), (x, y, z))
        except BadInput as error:
            self._notes.add(f"{self._told}: {where}: mesh {reference} is left out: {error}")
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
    # Gazebo reads it from <gazebo reference="LINK"><mu1>; URDF itself has no place for it.
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


def _primitive(form: Element) -> tuple[ShapeKind, tuple[float, ...]]:
    def number(name: str) -> float:
        value = form.numbers(1, form.need_attribute(name))[0]
        if value <= 0:
            raise form.bad(f"has a {name} that is not positive", value, "a length above 0")
        return value

    if form.tag == "box":
        size = form.numbers(3, form.need_attribute("size"))
        if min(size) <= 0:
            raise form.bad("has a length that is not positive", size, "lengths above 0")
        return ShapeKind.BOX, tuple(size)
    if form.tag == "sphere":
        return ShapeKind.SPHERE, (number("radius"),)
    if form.tag in ("cylinder", "capsule"):
        return ShapeKind(form.tag), (number("radius"), number("length"))
    raise form.bad("is an unknown form", form.tag, "box, cylinder, sphere, capsule or mesh")
