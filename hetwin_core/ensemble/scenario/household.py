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


class Keeper(NamedTuple):
    """A model that is added to a scenario without one of its type.

    Attributes:
        type: type of the model, also used as its name.
        of: functional attributes; the model is needed if an entity has one of them.
        beside: further functional attributes; if there are any, an entity must also have one of them.
        parameters: parameters of the model.
    """

    type: str
    of: tuple[str, ...]
    beside: tuple[str, ...] = ()
    parameters: Mapping[str, str] = {}


KEEPERS = (
    Keeper("displacement", ("moveable",)),
    Keeper("temperature", ("heatable", "coolable")),
    Keeper("switch", ("toggleable",)),
    Keeper("openness", ("openable",)),
    Keeper("slicing", ("sliceable",)),
    Keeper("fill_level", ("fillable",)),
    Keeper(
        "containment",
        ("receptacle",),
        ("pickable",),
        {"objects": "pickable", "containers": "receptacle"},
    ),
    Keeper("handling_observer", ("pickable",), (), {"objects": "pickable"}),
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
    entities = {**_of_world(file, folders), **file.entities}
    for name, notes in _of_world(file, folders).items():
        if name in file.entities:
            own = file.entities[name]
            entities[name] = own.model_copy(
                update={"attributes": own.attributes.over(notes.attributes)}
            )
    _check_acyclic(entities)
    models = {**file.models, **_keepers(file, entities)}
    return file.model_copy(update={"entities": entities, "models": models})


def placed_beside(
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
    beside = _file_beside(file, document.folders(path))
    if head != "entities" or error.file not in (None, str(path)) or beside is None:
        return None
    word = rest[1] if len(rest) > 2 else ""
    own = document.data.get("entities", {}).get(name)
    there = strict_yaml.load(beside)
    if name not in there.data or (own is not None and word not in there.data[name]):
        return None
    if own is not None and word in (own.get("attributes") or {}):
        return None
    return there.placed(error.at(".".join([name, *rest[1:-1]]), beside), beside)


def _file_beside(file: ScenarioFile, folders: Sequence[Path]) -> Path | None:
    """``WORLD.attributes.yaml`` beside the world, if there is one."""
    if file.world is None:
        return None
    named = known_files(Kind.WORLD).get(file.world)
    world = find(file.world, *folders) or (None if named is None else named.file)
    beside = None if world is None else world.with_suffix(SUFFIX)
    return beside if beside is not None and beside.is_file() else None


def _of_world(file: ScenarioFile, folders: Sequence[Path]) -> dict[str, EntityNotes]:
    """The content of the world's file of attributes."""
    beside = _file_beside(file, folders)
    if beside is None:
        return {}
    document = strict_yaml.load(beside)
    try:
        read = check(dict[str, FunctionalAttributes], document.data)
    except BadInput as error:
        raise document.placed(error, beside) from None
    return {name: EntityNotes(attributes=attributes) for name, attributes in read.items()}


def _keepers(file: ScenarioFile, entities: Mapping[str, EntityNotes]) -> dict[str, ModelEntry]:
    there = {word for notes in entities.values() for word in notes.attributes.names}
    types = {entry.type for entry in file.models.values()}
    found = {}
    for keeper in KEEPERS:
        if keeper.type in types or not _is_needed(keeper, there):
            continue
        if keeper.type in file.models:
            raise BadInput(
                "this name is taken by the model that keeps the state of functional attributes",
                where=f"models.{keeper.type}",
                found=keeper.type,
                expected=f"another name, or type: {keeper.type}",
            )
        found[keeper.type] = ModelEntry(type=keeper.type, parameters=dict(keeper.parameters))
    return found


def _is_needed(keeper: Keeper, there: Collection[str]) -> bool:
    return any(word in there for word in keeper.of) and (
        not keeper.beside or any(word in there for word in keeper.beside)
    )


_WARMTH = r"""\b(?:hot|cold)\(\s*["']?([\w:]+)["']?\s*\)|\battribute\(\s*["']?([\w:]+)["']?\s*,\s*["']temperature["']"""


def _check_acyclic(entities: Mapping[str, EntityNotes]) -> None:
    """Check that no heat source depends, by its `when`, on its own temperature through others.

    Raises:
        BadInput: naming the sources of a cycle.
    """
    references = {
        name: {first or second for first, second in re.findall(_WARMTH, source.when or "")}
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
        for following in sorted(references.get(path[-1], ())):
            if following == begin:
                return [*path, begin]
            if following not in seen:
                seen.add(following)
                paths.append([*path, following])
    return []
