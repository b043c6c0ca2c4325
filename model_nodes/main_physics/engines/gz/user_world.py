"""The user's own elements of the world: its plugins, its ``<physics>``, its lights and actors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import get_args
from xml.etree import ElementTree as ET

from model_nodes.main_physics.engines.gz.options import GazeboOptions, Physics
from model_nodes.main_physics.engines.gz.user_elements import as_tree, put
from model_nodes.main_physics.world.description import Extra, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.xml_file import Element

POLICIES = "gz:policies"
LOCK_STEP = {
    "physics": ("max_step_size", "real_time_factor", "real_time_update_rate"),
    POLICIES: ("include_server_config_plugins", "parallel_postupdates"),
}
"""Settings that hetwin determines itself."""
_ENGINE = re.compile(r"(?:lib)?(?:gz|ignition)-physics\d*-(.+)-plugin(?:\.\w+)?")


def put_world(world: ET.Element, extras: Iterable[Extra], options: GazeboOptions) -> None:
    """Add the elements of the user's world.

    Args:
        world: with the plugins and the ``<physics>`` of hetwin; settings that it lacks are added to these.
        extras: of the world.
        options: those that the scenario gives override the world's.
    """
    for extra in extras:
        if extra.tag == "physics":
            _merge_physics(world, extra.element, options)
            continue
        same = world.find(extra.tag) if extra.tag == POLICIES else None
        if extra.tag == "plugin":
            same = _same_plugin(world, extra.element)
        if same is None:
            put(world, [extra])
        else:
            _merge(same, extra.element)


def users_options(options: GazeboOptions, world: World, notes: Notes) -> GazeboOptions:
    """Return the options with the physics engine that the world's Physics plugin names, unless the scenario does.

    Settings of the world that cannot be used are noted.
    """
    for extra in world.extras:
        if extra.tag in LOCK_STEP:
            _note_lock_step(extra, notes)
        elif extra.tag == "plugin" and _class_name(extra.element.attributes) == "Physics":
            options = _with_engine(options, extra, notes)
    return options


def _note_lock_step(extra: Extra, notes: Notes) -> None:
    ours = LOCK_STEP[extra.tag]
    given = [f"<{c.tag}> {c.text.strip()}" for c in extra.element.children if c.tag in ours]
    if given:
        why = ": the scenario's rate determines Gazebo's step" if extra.tag == "physics" else ""
        notes.add(f"{extra.place}: {', '.join(given)} is not carried over{why}")


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
    dart, ours = element.child("dart"), physics.find("dart")
    if dart is not None and ours is not None:
        # The options are named as the elements.
        for child in dart.children:
            if child.tag not in options.model_fields_set:
                for old in ours.findall(child.tag):
                    ours.remove(old)
                ours.append(as_tree(child))
    known = {*LOCK_STEP["physics"], *(child.tag for child in physics)}
    physics.extend(as_tree(child) for child in element.children if child.tag not in known)


def _same_plugin(world: ET.Element, element: Element) -> ET.Element | None:
    """Return the plugin that hetwin has added itself, if it is the same."""
    name = _class_name(element.attributes)
    return next((p for p in world.findall("plugin") if _class_name(p.attrib) == name), None)


def _class_name(attributes: dict[str, str]) -> str:
    """The name of a plugin's class, which no release of Gazebo has changed."""
    name = attributes.get("name", "")
    return name.rpartition("::")[2] if "systems" in name else name


def _merge(plugin: ET.Element, element: Element) -> None:
    known = {child.tag for child in plugin}
    plugin.extend(as_tree(child) for child in element.children if child.tag not in known)
