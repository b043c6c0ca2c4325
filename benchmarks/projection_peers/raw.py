"""The states, contacts and beliefs of a log, as any tool finds them, and the answers that follow from them one by one.

Read message by message, with no part of the tables: what is right is decided here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.scene.layout import layout_from_json
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.episodes.following.content import LogContent
from hetwin_core.episodes.messages import nanoseconds

TOUCHING_M = 2e-4
GAP_STATES = 3
"""States without a contact that do not end it, as bodies at rest part for a moment now and then."""
WRONG_M, WRONG_S = 0.02, 0.5
"""How far and how long a belief is off that counts as wrong; what moves is ahead of its beliefs all the time."""
Spans: TypeAlias = list[tuple[float, float]]


@dataclass(frozen=True)
class Names:
    """What the questions are about.

    Attributes:
        thing: the object that is carried.
        finger: what touches it.
        support: where it is picked up.
        target: where it is put.
        fallen: what the arm knocks over; empty if there is nothing.
        at: a time [s] at which the object is carried.
        height: in m, which the object is never below.
    """

    thing: str
    finger: str
    support: str
    target: str
    fallen: str
    at: float
    height: float


@dataclass(frozen=True)
class Raw:
    """A log.

    Attributes:
        run: its folder.
        names: what is asked about.
        times: (n,) of the states [s].
        poses: entity -> (n, 7) in the world.
        contacts: (m, 4) time, index of a, index of b, distance; of pairs that are near each other.
        entities: in the order of these indices.
        believed: (k,) times and (k, 3) places of the beliefs about the object.
        falls: times at which the fallen object is said to have fallen.
    """

    run: Path
    names: Names
    times: NDArray[np.float64]
    poses: dict[str, NDArray[np.float64]]
    contacts: NDArray[np.float64]
    entities: tuple[str, ...]
    believed: tuple[NDArray[np.float64], NDArray[np.float64]]
    falls: list[float]


def read(run: Path, names: Names) -> Raw:
    """Read a log message by message."""
    content = LogContent(run, topics.REGISTRY, topics.STATE, topics.BELIEFS, topics.EVENTS)
    layout = layout_from_json(json.loads(content.of(topics.REGISTRY)[-1].layout))
    states = content.of(topics.STATE)
    times = np.array([nanoseconds(state.stamp) for state in states]) / 1e9
    values = np.stack([state.values for state in states])
    poses = {
        slot.entity: values[:, layout.range_of(slot.entity, "pose")][:, :7]
        for slot in layout.slots
        if slot.attribute.name == "pose"
    }
    beliefs = [
        (nanoseconds(item.stamp) / 1e9, item.pose)
        for item in content.of(topics.BELIEFS)
        if item.fluent == "loc" and item.arguments[0] == names.thing and item.origin != "percept"
    ]
    return Raw(
        run,
        names,
        times,
        poses,
        np.concatenate(list(_contacts(times, states))),
        tuple(entity.name for entity in layout.entities),
        (
            np.array([time for time, _ in beliefs]),
            np.array([pose[:3] for _, pose in beliefs]).reshape(-1, 3),
        ),
        [
            nanoseconds(item.stamp) / 1e9
            for item in content.of(topics.EVENTS)
            if item.name == "fell" and json.loads(item.arguments).get("object") == names.fallen
        ],
    )


def _contacts(times: NDArray[np.float64], states: list[Any]) -> Iterator[NDArray[np.float64]]:
    for time, state in zip(times, states, strict=True):
        rows = np.asarray(state.proximity).reshape(-1, PROXIMITY_COLUMNS)[:, :3]
        yield np.column_stack([np.full(len(rows), time), rows])


def touching(raw: Raw, a: str, b: str) -> Spans:
    """Return when two bodies touched, state by state."""
    one, two = raw.entities.index(a), raw.entities.index(b)
    near = raw.contacts[raw.contacts[:, 3] <= TOUCHING_M]
    pair = ((near[:, 1] == one) & (near[:, 2] == two)) | ((near[:, 1] == two) & (near[:, 2] == one))
    seen = set(near[pair][:, 0].tolist())
    return spans(raw.times, np.array([time in seen for time in raw.times]), GAP_STATES)


def spans(times: NDArray[np.float64], holds: NDArray[np.bool_], gap: int = 0) -> Spans:
    """Return the intervals in which something holds; from the first state that has it to the first that has not."""
    found: list[list[int]] = []
    for index in np.flatnonzero(holds).tolist():
        if found and index - found[-1][1] <= gap + 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    last = len(times) - 1
    return [(float(times[begin]), float(times[min(end + 1, last)])) for begin, end in found]


def truths(raw: Raw) -> dict[str, Any]:
    """Return the right answer to each question."""
    names, poses = raw.names, raw.poses
    on_target = [
        name
        for name in poses
        if name != names.target
        and poses[name][-1, 2] > poses[names.target][-1, 2]
        and any(end >= raw.times[-1] for _, end in _touching_or_none(raw, name, names.target))
    ]
    fingers = touching(raw, names.thing, names.finger)
    picked = [
        end
        for support in (names.support, names.target)
        for _, end in touching(raw, names.thing, support)
        if end < raw.times[-1] and any(begin < end < until for begin, until in fingers)
    ]
    return {
        "at_end": on_target,
        "touched": fingers,
        "picked": sorted(picked),
        "pose": poses[names.thing][np.searchsorted(raw.times, names.at, side="right") - 1, :3],
        "believed_wrongly": _wrong(raw),
        "always_high": bool((poses[names.thing][:, 2] > names.height).all()),
        "cause": raw.falls,
    }


def _touching_or_none(raw: Raw, a: str, b: str) -> Spans:
    return touching(raw, a, b) if {a, b} <= set(raw.entities) else []


def _wrong(raw: Raw) -> Spans:
    """When the last belief about the object was farther from it than tolerated, and for how long."""
    said, places = raw.believed
    last = np.searchsorted(said, raw.times, side="right") - 1
    known = last >= 0
    if not known.any():
        return []
    off = np.linalg.norm(places[np.maximum(last, 0)] - raw.poses[raw.names.thing][:, :3], axis=1)
    wrong = spans(raw.times, known & (off > WRONG_M))
    return [(begin, end) for begin, end in wrong if end - begin > WRONG_S]
