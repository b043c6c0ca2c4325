"""Differences in the input of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hetwin_compare.comparison import Difference, Side, What
from hetwin_suite.model import Entity, EntityKind, Json, entity_to_json
from hetwin_suite.tables import POSE, Floats

_SAME_POSE = 1e-6
"""Tolerance for equal poses, in m and in components of a quaternion; engines round."""
_PLACED = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.ROBOT)
_RATES = ("rate", "every")
_SAID_ELSEWHERE = ("type", "engine", "parameters", *_RATES)
"""Keys of a model that are compared separately; the engine is the one that was chosen."""
_BY_NAME = {"hands": What.PARAMETER, "entities": What.PARAMETER, "evaluators": What.TRIGGER}
_WHOLE = {"robot": What.PARAMETER, "robots": What.PARAMETER, "robot_health": What.PARAMETER}
_KINDS_OF_SOURCE = ("recording", "live", "commands", "trajectory")


def compare_given(here: Side, there: Side) -> tuple[Difference, ...]:
    """Return the differences of two inputs: seed, engine and rate, sources, the scene, models, triggers.

    Logs of versions that did not store the whole input are compared by the parts that they have.
    """
    return (
        *_settings(here, there),
        *_sources(here, there),
        *_scene(here, there),
        *_models(here, there),
        *_rest(here, there),
    )


def _differing(what: What, name: str, here: Json, there: Json) -> Iterator[Difference]:
    if here != there:
        yield Difference(what, name, here, there)


def _settings(here: Side, there: Side) -> Iterator[Difference]:
    known = [_from_facts(side) | dict(side.given) for side in (here, there)]
    one, other = known
    yield from _differing(What.SEED, "seed", one.get("seed"), other.get("seed"))
    yield from _differing(What.ENGINE, "engine", one.get("engine"), other.get("engine"))
    yield from _differing(What.RATE, "rate", one.get("rate"), other.get("rate"))
    if _both_say(here, there):
        yield from _differing(What.ENGINE, "hetwin", one["version"], other["version"])
        yield from _differing(What.PARAMETER, "variant", one.get("variant"), other.get("variant"))
        yield from _differing(What.PARAMETER, "duration", one["duration"], other["duration"])


def _both_say(here: Side, there: Side) -> bool:
    """Whether both logs store the input of their runs."""
    return all("scenario" in side.given for side in (here, there))


def _from_facts(side: Side) -> dict[str, Json]:
    """Return the input that logs of earlier versions store as text."""
    known: dict[str, Json] = {"engine": side.summary.get("engine")}
    if "seed" in side.facts:
        known["seed"] = int(side.facts["seed"])
    if "rate" in side.facts:
        known["rate"] = float(side.facts["rate"])
    return known


def _sources(here: Side, there: Side) -> Iterator[Difference]:
    """Yield differences of sources; recordings are compared by content, not by path."""
    if not _both_say(here, there):
        one, other = (side.facts.get("source", "") for side in (here, there))
        yield from _differing(What.RECORDING, "source", one, other)
        return
    specs = [side.given["source"] for side in (here, there)]
    for robot in _names(*specs):
        key = f"source.{robot}" if robot else "source"
        one, other = (spec.get(robot, {}) for spec in specs)
        digests = [side.given["files"].get(key) for side in (here, there)]
        if digests[0] is None or digests[0] != digests[1]:
            paths = [_source_words(spec) for spec in (one, other)]
            if digests[0] and digests[1] and paths[0] == paths[1]:
                paths = [f"{path} ({digest})" for path, digest in zip(paths, digests, strict=True)]
            yield from _differing(What.RECORDING, key, *paths)
        for option in _names(one, other):
            if option not in _KINDS_OF_SOURCE:
                values = one.get(option), other.get(option)
                yield from _differing(What.RECORDING, f"{key}.{option}", *values)


def _source_words(spec: Mapping[str, Any]) -> Json:
    """Return a source as text, e.g. the path of a recording, or ``live:``; None if there is none."""
    kind = next((kind for kind in _KINDS_OF_SOURCE if kind in spec), None)
    if kind is None:
        return None
    name = str(spec[kind])
    return name if kind in ("recording", "trajectory") else f"{kind}:{name}"


def _scene(here: Side, there: Side) -> Iterator[Difference]:
    """Yield differences of the entities' initial poses, and of their files."""
    scenes = [_placed(side) for side in (here, there)]
    for name in _names(*scenes):
        first, second = (scene.get(name) for scene in scenes)
        poses = [_first_pose(side, name) for side in (here, there)]
        one, other = poses
        if one is None or other is None or np.abs(one - other).max() > _SAME_POSE:
            listed = _listed(one, first), _listed(other, second)
            yield from _differing(What.SCENE, name, *listed)
        if first is not None and second is not None:
            yield from _bodies(first, second)
    files = [_files(side) for side in (here, there)]
    for name in _names(*files):
        is_added = name.startswith("scene.")
        if not is_added or all(name in known for known in files):  # else reported above
            yield from _differing(What.SCENE, name, files[0].get(name), files[1].get(name))


def _placed(side: Side) -> dict[str, Entity]:
    return {entity.name: entity for entity in side.layout.of_kind(*_PLACED)}


def _first_pose(side: Side, name: str) -> Floats | None:
    if not side.has(name):
        return None
    pose = side.first[side.layout.range_of(name, POSE.name)][:7].copy()
    if pose[3] < 0.0:
        pose[3:] *= -1.0
    return pose


def _listed(pose: Floats | None, entity: Entity | None) -> Json:
    """Return a pose; for an entity without a pose its kind; None if there is no entity."""
    if pose is not None:
        numbers: list[Json] = pose.tolist()
        return numbers
    return None if entity is None else entity.kind.value


def _bodies(one: Entity, other: Entity) -> Iterator[Difference]:
    """Yield the differences of two entities of the same name, except their poses."""
    rows = [entity_to_json(entity) for entity in (one, other)]
    for key in ("kind", "mass"):
        yield from _differing(What.SCENE, f"{one.name}.{key}", rows[0].get(key), rows[1].get(key))
    if rows[0].get("shapes") != rows[1].get("shapes"):
        texts = [_shape_words(entity) for entity in (one, other)]
        yield Difference(What.SCENE, f"{one.name}.shapes", *texts)


def _shape_words(entity: Entity) -> str:
    """Return shapes with their sizes as text, e.g. ``box 0.04 0.04 0.1``."""
    parts = [
        " ".join([shape.kind.value, *(f"{length:g}" for length in shape.size)])
        for shape in entity.shapes
    ]
    return ", ".join(dict.fromkeys(parts))


def _files(side: Side) -> dict[str, Json]:
    """Return role -> digest of the scene's files."""
    files = side.given.get("files", {})
    return {
        name: digest
        for name, digest in files.items()
        if name.partition(".")[0] in ("world", "robot", "robots", "scene")
    }


def _models(here: Side, there: Side) -> Iterator[Difference]:
    types = [{model.name: model.type for model in side.models} for side in (here, there)]
    digests = [side.given.get("files", {}) for side in (here, there)]
    for name in _names(*types):
        one, other = (known.get(name) for known in types)
        yield from _differing(What.MODEL, name, one, other)
        if one == other:
            code = [known.get(f"models.{name}") for known in digests]
            yield from _differing(What.MODEL, f"{name} (its module)", *code)
            first, second = _entry(here, name), _entry(there, name)
            if first is not None and second is not None:
                yield from _entries(name, first, second)


def _entry(side: Side, model: str) -> Mapping[str, Any] | None:
    entry = side.given.get("scenario", {}).get("models", {}).get(model)
    return entry if isinstance(entry, Mapping) else None


def _entries(name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Difference]:
    for key in _names(one, other):
        if key not in _SAID_ELSEWHERE:
            yield from _differing(What.PARAMETER, f"{name}.{key}", one.get(key), other.get(key))
    rates = [next((e[key] for key in _RATES if key in e), None) for e in (one, other)]
    yield from _differing(What.RATE, name, *rates)
    given = [entry.get("parameters", {}) for entry in (one, other)]
    for key in _names(*given):
        yield from _parameters(f"{name}.{key}", given[0].get(key), given[1].get(key))


def _parameters(name: str, here: Json, there: Json) -> Iterator[Difference]:
    """Yield the differences of a parameter; mappings, such as bodies, are compared key by key."""
    kinds = {type(value) for value in (here, there)} - {type(None)}
    if kinds != {dict}:
        yield from _differing(What.PARAMETER, name, here, there)
        return
    one, other = (value if isinstance(value, Mapping) else {} for value in (here, there))
    for key in _names(one, other):
        yield from _parameters(f"{name}.{key}", one.get(key), other.get(key))


def _rest(here: Side, there: Side) -> Iterator[Difference]:
    """Yield differences of triggers, evaluators, hands and other named parts."""
    if not _both_say(here, there):
        return
    scenarios = [side.given["scenario"] for side in (here, there)]
    triggers = [{t["name"]: t for t in scenario.get("triggers", [])} for scenario in scenarios]
    for name in _names(*triggers):
        yield from _differing(What.TRIGGER, name, triggers[0].get(name), triggers[1].get(name))
    for key, what in _BY_NAME.items():
        entries = [scenario.get(key, {}) for scenario in scenarios]
        for name in _names(*entries):
            values = entries[0].get(name), entries[1].get(name)
            yield from _differing(what, f"{key}.{name}", *values)
    for key, what in _WHOLE.items():
        yield from _differing(what, key, *(_without_files(s.get(key)) for s in scenarios))
    owners = [scenario.get("responsibilities") for scenario in scenarios]
    yield from _differing(What.MODEL, "responsibilities", *owners)


def _without_files(robot: Any) -> Json:
    """Return a scenario's robots without the paths of their descriptions and sources."""
    if isinstance(robot, Mapping):
        kept = {key: _without_files(v) for key, v in robot.items() if key not in ("urdf", "source")}
        return kept or None
    return None if isinstance(robot, str) else robot


def _names(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys of both mappings without duplicates, in order."""
    return list(dict.fromkeys([*one, *other]))
