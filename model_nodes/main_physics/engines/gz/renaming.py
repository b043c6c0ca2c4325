"""Renames in the user's elements the models that Gazebo gets as several.

A model whose links no joint connects is several bodies, which move apart and are swapped one by one. Gazebo gets a
model for each, so what refers to the one must refer to these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from model_nodes.main_physics.engines.gz.default_topics import with_topics
from model_nodes.main_physics.engines.gz.names import top_name
from model_nodes.main_physics.world.description import Body, Extra, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.xml_file import Element

_SEPARATOR = "::"


def renamed(world: World) -> World:
    """Return the world with the names of Gazebo's models in its plugins, and sensors with the topics of its own."""
    paths = {path: top for body in world.bodies for path, top in _paths(body)}
    if not paths:
        return world
    bodies = (with_topics(body, world.name) for body in world.bodies)
    named = tuple(replace(body, extras=_all(body.extras, paths)) for body in bodies)
    return replace(world, bodies=named, extras=_all(world.extras, paths))


def note_divided(world: World, notes: Notes) -> None:
    """Add a note about each model that Gazebo gets as several."""
    parts: dict[str, list[str]] = {}
    for body in world.bodies:
        if _SEPARATOR in body.name:
            parts.setdefault(body.name.split(_SEPARATOR)[0], []).append(top_name(body.name))
    for model, names in parts.items():
        notes.add(
            f"model {model}: no joint connects its links, so that Gazebo gets {len(names)} models:"
            f" {', '.join(names)}"
        )


def _paths(body: Body) -> Iterator[tuple[str, str]]:
    """Scoped names of a divided model's links, and the models in Gazebo that these are in."""
    if _SEPARATOR in body.name:
        model = body.name.split(_SEPARATOR)[0]
        for link in body.links:
            yield f"{model}{_SEPARATOR}{link.name}", top_name(body.name)


def _all(extras: tuple[Extra, ...], paths: Mapping[str, str]) -> tuple[Extra, ...]:
    return tuple(replace(extra, element=_renamed(extra.element, paths)[0]) for extra in extras)


def _renamed(element: Element, paths: Mapping[str, str]) -> list[Element]:
    """Return the element with the new names in it; one for each new name of its own text."""
    if not element.children:
        texts = list(dict.fromkeys(_new_texts(element.text.strip(), paths)))
        return [replace(element, text=text) for text in texts] or [element]
    children = [new for child in element.children for new in _renamed(child, paths)]
    return [replace(element, children=children)]


def _new_texts(text: str, paths: Mapping[str, str]) -> Iterator[str]:
    _, _, rest = text.partition(_SEPARATOR)
    for path, top in paths.items():
        if text == path or (text and path.startswith(text + _SEPARATOR)):
            yield f"{top}{_SEPARATOR}{rest}" if rest else top
        elif text.startswith(path + _SEPARATOR):
            yield f"{top}{_SEPARATOR}{rest}"
