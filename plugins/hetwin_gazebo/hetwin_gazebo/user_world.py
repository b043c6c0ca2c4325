"""Copies the user's own elements of the world into the world that Gazebo loads, with its names.

A model whose links are not connected by joints is several bodies, which move independently and have separate proxies.
Gazebo gets a model for each, so references to the original model must be replaced by references to these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import get_args
from xml.etree import ElementTree as ET

from hetwin_gazebo.options import GazeboOptions, Physics
from hetwin_gazebo.sdf_parts import add_pose, top_name
from hetwin_suite.engine import STEP_SETTINGS, Body, Extra, Notes, World
from hetwin_suite.engine import XmlElement as Element

IN_EVERY_PROXY = ("collision", "gravity", "velocity_decay")
"""Elements of links that every proxy of an object has; all others are only in one of them."""


def add_extras(owner: ET.Element, extras: Iterable[Extra]) -> list[ET.Element]:
    """Add elements to their owner, keeping elements that hetwin has written; return the added ones."""
    added: list[ET.Element] = []
    for extra in extras:
        parent = owner
        for tag in extra.inside.split("/") if extra.inside else ():
            found = parent.find(tag)
            parent = ET.SubElement(parent, tag) if found is None else found
        name = extra.element.attributes.get("name")
        if name is None and parent.find(extra.tag) is not None:
            continue
        converted = to_element_tree(extra.element)
        if name is not None:
            converted.set("name", _unused_name(name, parent))
        if extra.pose is not None:
            for pose in converted.findall("pose"):
                converted.remove(pose)
            add_pose(converted, extra.pose)
        parent.append(converted)
        added.append(converted)
    return added


def to_element_tree(element: Element) -> ET.Element:
    """Convert an element to one of the standard library."""
    converted = ET.Element(element.tag, element.attributes)
    converted.text = element.text.strip() or None
    converted.extend(to_element_tree(child) for child in element.children)
    return converted


def _unused_name(name: str, parent: ET.Element) -> str:
    used = {child.get("name") for child in parent if child.tag != "plugin"}
    while name in used:
        name += "_"
    return name


def plugins(extras: Iterable[Extra]) -> Iterator[tuple[str, Element]]:
    """Iterate over all plugins of the server: (place, ``<plugin>``), also those inside other elements."""
    for extra in extras:
        if extra.tag != "gui":
            yield from ((extra.place, found) for found in _plugins(extra.element))


def _plugins(element: Element) -> Iterator[Element]:
    if element.tag == "plugin":
        yield element
        return
    for child in element.children:
        yield from _plugins(child)


POLICIES = "gz:policies"
LOCK_STEP = {
    "physics": STEP_SETTINGS,
    POLICIES: ("include_server_config_plugins", "parallel_postupdates"),
}
"""Settings that hetwin controls."""
_ENGINE = re.compile(r"(?:lib)?(?:gz|ignition)-physics\d*-(.+)-plugin(?:\.\w+)?")


def add_world_extras(world: ET.Element, extras: Iterable[Extra], options: GazeboOptions) -> None:
    """Add the elements of the user's world.

    Args:
        world: element with hetwin's plugins and ``<physics>``; missing settings are added to these.
        extras: the user's elements of the world.
        options: options of the scenario, which override the world's.
    """
    for extra in extras:
        if extra.tag == "physics":
            _merge_physics(world, extra.element, options)
            continue
        existing = world.find(extra.tag) if extra.tag == POLICIES else None
        if extra.tag == "plugin":
            existing = _same_plugin(world, extra.element)
        if existing is None:
            add_extras(world, [extra])
        else:
            _merge(existing, extra.element)


def options_of_world(options: GazeboOptions, world: World, notes: Notes) -> GazeboOptions:
    """Return the options with the physics engine of the world's Physics plugin, unless the scenario sets one.

    Settings of the world that cannot be used are noted.
    """
    for extra in world.extras:
        if extra.tag in LOCK_STEP:
            _note_lock_step(extra, notes)
        elif extra.tag == "plugin" and _class_name(extra.element.attributes) == "Physics":
            options = _with_engine(options, extra, notes)
    return options


def _note_lock_step(extra: Extra, notes: Notes) -> None:
    controlled = LOCK_STEP[extra.tag]
    settings = [
        f"<{c.tag}> {c.text.strip()}" for c in extra.element.children if c.tag in controlled
    ]
    if settings:
        reason = ": the scenario's rate determines Gazebo's step" if extra.tag == "physics" else ""
        notes.add(f"{extra.place}: {', '.join(settings)} is not carried over{reason}")


def _with_engine(options: GazeboOptions, extra: Extra, notes: Notes) -> GazeboOptions:
    engine = extra.element.child("engine")
    file = None if engine is None else engine.child("filename")
    if file is None or "physics" in options.model_fields_set:
        return options
    match = _ENGINE.fullmatch(file.text.strip())
    name = match[1] if match else ""
    if name not in get_args(Physics):
        notes.add(
            f"{extra.place}: physics engine {file.text.strip()} is not carried over; {options.physics} is used"
        )
        return options
    return options.model_copy(update={"physics": name})


def _merge_physics(world: ET.Element, element: Element, options: GazeboOptions) -> None:
    physics = world.find("physics")
    assert physics is not None
    dart, own_dart = element.child("dart"), physics.find("dart")
    if dart is not None and own_dart is not None:
        # The options have the same names as the elements.
        for child in dart.children:
            if child.tag not in options.model_fields_set:
                for old in own_dart.findall(child.tag):
                    own_dart.remove(old)
                own_dart.append(to_element_tree(child))
    known = {*LOCK_STEP["physics"], *(child.tag for child in physics)}
    physics.extend(to_element_tree(child) for child in element.children if child.tag not in known)


def _same_plugin(world: ET.Element, element: Element) -> ET.Element | None:
    """Return hetwin's own plugin of the same class, if there is one."""
    name = _class_name(element.attributes)
    return next((p for p in world.findall("plugin") if _class_name(p.attrib) == name), None)


def _class_name(attributes: dict[str, str]) -> str:
    """Return the name of a plugin's class, which is the same in all releases of Gazebo."""
    name = attributes.get("name", "")
    return name.rpartition("::")[2] if "systems" in name else name


def _merge(plugin: ET.Element, element: Element) -> None:
    known = {child.tag for child in plugin}
    plugin.extend(to_element_tree(child) for child in element.children if child.tag not in known)


_TOPIC_SUFFIXES = {
    "air_pressure": "air_pressure",
    "air_speed": "air_speed",
    "altimeter": "altimeter",
    "camera": "image",
    "contact": "contact",
    "depth_camera": "depth_image",
    "force_torque": "forcetorque",
    "gps": "navsat",
    "gpu_lidar": "scan",
    "imu": "imu",
    "logical_camera": "logical_camera",
    "magnetometer": "magnetometer",
    "navsat": "navsat",
    "thermal": "image",
}
"""Type of a sensor -> suffix of its default topic in Gazebo."""


def with_topics(body: Body, world: str) -> Body:
    """Return a part of a divided model whose sensors publish on the topics of the whole model."""
    model, is_divided, _ = body.name.partition("::")
    if not is_divided:
        return body
    links = tuple(
        replace(
            link,
            extras=tuple(_with_topic(e, _path(world, model, link.name)) for e in link.extras),
        )
        for link in body.links
    )
    return replace(body, links=links)


def _path(world: str, model: str, link: str) -> str:
    *nested, last = link.split("::")
    models = "".join(f"/model/{name}" for name in (model, *nested))
    return f"/world/{world}{models}/link/{last}"


def _with_topic(extra: Extra, path: str) -> Extra:
    element = extra.element
    suffix = _TOPIC_SUFFIXES.get(element.attributes.get("type", ""))
    if extra.tag != "sensor" or suffix is None or element.child("topic") is not None:
        return extra
    text = f"{path}/sensor/{element.attributes.get('name', '')}/{suffix}"
    topic = Element("topic", {}, element.line, element.file, text)
    return replace(extra, element=replace(element, children=[*element.children, topic]))


_SEPARATOR = "::"


def with_gazebo_names(world: World) -> World:
    """Return the world with the names of Gazebo's models in its plugins, and with explicit topics of sensors."""
    paths = {path: top for body in world.bodies for path, top in _paths(body)}
    if not paths:
        return world
    bodies = (with_topics(body, world.name) for body in world.bodies)
    named = tuple(replace(body, extras=_with_new_names(body.extras, paths)) for body in bodies)
    return replace(world, bodies=named, extras=_with_new_names(world.extras, paths))


def note_divided(world: World, notes: Notes) -> None:
    """Add a note about each model that is divided in Gazebo."""
    parts: dict[str, list[str]] = {}
    for body in world.bodies:
        if _SEPARATOR in body.name:
            parts.setdefault(body.name.split(_SEPARATOR)[0], []).append(top_name(body.name))
    for model, names in parts.items():
        notes.add(
            f"model {model}: no joint connects its links, so it is loaded as {len(names)} models:"
            f" {', '.join(names)}"
        )


def _paths(body: Body) -> Iterator[tuple[str, str]]:
    """Yield the scoped names of a divided model's links, and the models that contain them in Gazebo."""
    if _SEPARATOR in body.name:
        model = body.name.split(_SEPARATOR)[0]
        for link in body.links:
            yield f"{model}{_SEPARATOR}{link.name}", top_name(body.name)


def _with_new_names(extras: tuple[Extra, ...], paths: Mapping[str, str]) -> tuple[Extra, ...]:
    return tuple(replace(extra, element=_renamed(extra.element, paths)[0]) for extra in extras)


def _renamed(element: Element, paths: Mapping[str, str]) -> list[Element]:
    """Return the element with new names; one copy for each new name in its text."""
    if not element.children:
        texts = list(dict.fromkeys(_new_texts(element.text.strip(), paths)))
        return [replace(element, text=text) for text in texts] or [element]
    children = [new for child in element.children for new in _renamed(child, paths)]
    return [replace(element, children=children)]


def _new_texts(text: str, paths: Mapping[str, str]) -> Iterator[str]:
    _, _, remainder = text.partition(_SEPARATOR)
    for path, top in paths.items():
        if text == path or (text and path.startswith(text + _SEPARATOR)):
            yield f"{top}{_SEPARATOR}{remainder}" if remainder else top
        elif text.startswith(path + _SEPARATOR):
            yield f"{top}{_SEPARATOR}{remainder}"


_PART_TAGS = ("visual", "collision")
_ACTIVE_TAGS = ("sensor", "plugin")


def note_carried(world: World, notes: Notes) -> None:
    """Add a note with the numbers of elements that only Gazebo uses."""
    counts = Counter(extra.tag for extra in world.all_extras() if extra.tag not in _PART_TAGS)
    if counts:
        listed = ", ".join(f"{count} <{tag}>" for tag, count in counts.items())
        notes.add(f"world {world.name}: carried over to Gazebo: {listed}")
    for body in world.bodies:
        if any(g.touches_over for link in body.links for g in link.geometries):
            notes.add(
                f"robot {body.name}: tyre_width applies to MuJoCo only; Gazebo uses the shapes of the wheels"
            )


def note_left_behind(world: World, handed_over: Collection[str], notes: Notes) -> None:
    """Add a note about each object that other models may move, since its sensors and plugins do not follow it then."""
    for body in world.bodies:
        count = Counter(extra.tag for extra in body.all_extras() if extra.tag in _ACTIVE_TAGS)
        if count and body.name in handed_over:
            listed = ", ".join(f"{number} <{tag}>" for tag, number in count.items())
            notes.add(
                f"model {body.name}: {listed} do not move with it while another model moves it; they stay"
                " with the body that physics moves, which is then parked outside the scene"
            )
