"""Adds the world's functional attributes to a scenario, and the models that compute their states."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import Kind, find, known_files
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.functional import FunctionalAttributes
from hetwin_core.ensemble.scenario.schema import EntityNotes, ModelEntry, ScenarioFile
from hetwin_core.ensemble.validation import check

SUFFIX = ".attributes.yaml"


class StateModel(NamedTuple):
    """A model that is added to a scenario without one of its type.

    Attributes:
        type: type of the model, also used as its name.
        attributes: functional attributes; the model is needed if an entity has one of them.
        also_needed: further functional attributes; if there are any, an entity must also have one of them.
        parameters: parameters of the model.
    """

    type: str
    attributes: tuple[str, ...]
    also_needed: tuple[str, ...] = ()
    parameters: Mapping[str, str] = {}


STATE_MODELS = (
    StateModel("displacement", ("moveable",)),
    StateModel("temperature", ("heatable", "coolable")),
    StateModel("switch", ("toggleable",)),
    StateModel("openness", ("openable",)),
    StateModel("slicing", ("sliceable",)),
    StateModel("fill_level", ("fillable",)),
    StateModel(
        "containment",
        ("receptacle",),
        ("pickable",),
        {"objects": "pickable", "containers": "receptacle"},
    ),
    StateModel("handling_observer", ("pickable",), (), {"objects": "pickable"}),
)


def complete(file: ScenarioFile, folders: Sequence[Path]) -> ScenarioFile:
    """Return a scenario with the attributes of its world's file, and the models that compute their states.

    Args:
        file: the scenario as written.
        folders: folders of its file and of those that it extends.

    Raises:
        BadInput: if the world's file of attributes cannot be used, heat sources depend on each other in a cycle, or
            a name is taken.
    """
    entities = {**_world_attributes(file, folders), **file.entities}
    for name, notes in _world_attributes(file, folders).items():
        if name in file.entities:
            own_entry = file.entities[name]
            entities[name] = own_entry.model_copy(
                update={"attributes": own_entry.attributes.supplemented_by(notes.attributes)}
            )
    _check_acyclic(entities)
    models = {**file.models, **_state_models(file, entities)}
    return file.model_copy(update={"entities": entities, "models": models})


def locate_in_attributes_file(
    error: BadInput, document: strict_yaml.Document, file: ScenarioFile, path: Path
) -> BadInput | None:
    """Return an error with file and line in the world's file of attributes; None if it is about something else.

    Args:
        error: an error about the scenario.
        document: the scenario as written.
        file: the checked scenario.
        path: path of the scenario.
    """
    head, name, *rest = [*(error.where or "").split("."), ""]
    attributes_file = _attributes_file(file, document.folders(path))
    if head != "entities" or error.file not in (None, str(path)) or attributes_file is None:
        return None
    attribute = rest[1] if len(rest) > 2 else ""
    own_entry = document.data.get("entities", {}).get(name)
    notes = strict_yaml.load(attributes_file)
    if name not in notes.data or (own_entry is not None and attribute not in notes.data[name]):
        return None
    if own_entry is not None and attribute in (own_entry.get("attributes") or {}):
        return None
    return notes.placed(error.at(".".join([name, *rest[1:-1]]), attributes_file), attributes_file)


def _attributes_file(file: ScenarioFile, folders: Sequence[Path]) -> Path | None:
    """``WORLD.attributes.yaml`` beside the world, if there is one."""
    if file.world is None:
        return None
    named = known_files(Kind.WORLD).get(file.world)
    world = find(file.world, *folders) or (None if named is None else named.file)
    attributes_file = None if world is None else world.with_suffix(SUFFIX)
    return attributes_file if attributes_file is not None and attributes_file.is_file() else None


def _world_attributes(file: ScenarioFile, folders: Sequence[Path]) -> dict[str, EntityNotes]:
    """The content of the world's file of attributes."""
    attributes_file = _attributes_file(file, folders)
    if attributes_file is None:
        return {}
    document = strict_yaml.load(attributes_file)
    try:
        attributes_by_name = check(dict[str, FunctionalAttributes], document.data)
    except BadInput as error:
        raise document.placed(error, attributes_file) from None
    return {
        name: EntityNotes(attributes=attributes) for name, attributes in attributes_by_name.items()
    }


def _state_models(file: ScenarioFile, entities: Mapping[str, EntityNotes]) -> dict[str, ModelEntry]:
    present = {attribute for notes in entities.values() for attribute in notes.attributes.names}
    types = {entry.type for entry in file.models.values()}
    found = {}
    for state_model in STATE_MODELS:
        if state_model.type in types or not _is_needed(state_model, present):
            continue
        if state_model.type in file.models:
            raise BadInput(
                "this name is taken by the model that keeps the state of functional attributes",
                where=f"models.{state_model.type}",
                found=state_model.type,
                expected=f"another name, or type: {state_model.type}",
            )
        found[state_model.type] = ModelEntry(
            type=state_model.type, parameters=dict(state_model.parameters)
        )
    return found


def _is_needed(state_model: StateModel, present: Collection[str]) -> bool:
    return any(attribute in present for attribute in state_model.attributes) and (
        not state_model.also_needed
        or any(attribute in present for attribute in state_model.also_needed)
    )


_HEAT = r"""\b(?:hot|cold)\(\s*["']?([\w:]+)["']?\s*\)|\battribute\(\s*["']?([\w:]+)["']?\s*,\s*["']temperature["']"""


def _check_acyclic(entities: Mapping[str, EntityNotes]) -> None:
    """Check that no heat source depends, by its `when`, on its own temperature through others.

    Raises:
        BadInput: naming the sources of a cycle.
    """
    references = {
        name: {first or second for first, second in re.findall(_HEAT, source.when or "")}
        for name, notes in entities.items()
        for source in (notes.attributes.heatable, notes.attributes.coolable)
        if source is not None
    }
    for name in references:
        cycle = _cycle_from(name, references)
        if cycle:
            raise BadInput(
                "heat sources depend on each other's temperature in a cycle",
                where=f"entities.{name}.attributes",
                found=" -> ".join(cycle),
                expected="a `when` that does not depend on its own source's temperature through others",
            )


def _cycle_from(begin: str, references: Mapping[str, set[str]]) -> list[str]:
    """Return the sources on a path from one back to itself; empty if there is none."""
    paths, seen = [[begin]], set()
    while paths:
        path = paths.pop()
        for next_source in sorted(references.get(path[-1], ())):
            if next_source == begin:
                return [*path, begin]
            if next_source not in seen:
                seen.add(next_source)
                paths.append([*path, next_source])
    return []
