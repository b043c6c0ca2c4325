"""Names what an engine ignores of a world."""

from __future__ import annotations

from collections.abc import Iterator

from model_nodes.main_physics.world.description import Extra, World
from model_nodes.main_physics.world.notes import Notes

_READ_IN_VISUAL = {"pose", "geometry", "material", "transparency", "cast_shadows"}
_READ_IN_MATERIAL = {"diffuse", "ambient", "specular", "emissive"}
_READ_SHAPES = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "cone"}


def note_ignored(world: World, notes: Notes) -> None:
    """Add a note about each kind of elements of the world's files that the description has no words for."""
    places: dict[str, dict[str, None]] = {}
    for extra in world.all_extras():
        for tag in _ignored(extra):
            places.setdefault(tag, {})[extra.place] = None
    for tag, found in places.items():
        first, *others = found
        more = f" here and in {len(others)} more" if others else ""
        notes.add(f"{first}: <{tag}> is not carried over{more} (engine gz does)")


def _ignored(extra: Extra) -> Iterator[str]:
    element = extra.element
    if element.tag not in ("visual", "collision"):
        yield element.tag
        return
    shapes = [shape.tag for geometry in element.all("geometry") for shape in geometry.children]
    yield from (shape for shape in shapes[:1] if shape not in _READ_SHAPES)
    yield from (child.tag for child in element.children if child.tag not in _READ_IN_VISUAL)
    for material in element.all("material"):
        yield from (c.tag for c in material.children if c.tag not in _READ_IN_MATERIAL)
