"""Input of the observers at one step, decoded once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import ANNOUNCED, INSTANT, Event, EventKind, phase_of
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout


def is_of_hand(layout: Layout) -> NDArray[np.bool_]:
    """Return (entities,) whether each entity is a link of a hand, by the same rule as the handling observer."""
    found = np.zeros(len(layout.entities), np.bool_)
    for hand in layout.of_kind(EntityKind.HAND):
        found[list(hand_links(layout, hand.name))] = True
    return found


@dataclass(frozen=True, slots=True)
class View:
    """The scene and the robots at one step; n is the number of joints in `layout`.

    Attributes:
        time_ns: simulated time [ns].
        snapshot: the scene; its arrays are valid until the next step only.
        layout: the watched robots; None if the main model reports about none.
        watch: new report of the main model about the robots; None if there is none since the last view.
        positions: (n,) the twin's joint positions [rad or m]; empty without a robot.
        velocities: (n,) the twin's joint velocities [rad/s or m/s]; empty without a robot.
        held: object -> hand that holds it, or entity in whose frame its pose is given; "" if a model other than the
            main one is responsible for its pose and names no frame.
        owners: object -> model that is responsible for its pose.
        actions: operation -> event at its start, for the active operations of the robot's program.
        events: all events since the last view, including this observer's own.
    """

    time_ns: int
    snapshot: Snapshot
    layout: WatchLayout | None = None
    watch: Watch | None = None
    positions: Floats = field(default_factory=lambda: np.empty(0))
    velocities: Floats = field(default_factory=lambda: np.empty(0))
    held: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, Event] = field(default_factory=dict)
    events: tuple[Event, ...] = ()


class Viewer:
    """Creates the views of a run.

    Args:
        scene: at the start.
        layout: the watched robots, if any.
    """

    def __init__(self, scene: Snapshot, layout: WatchLayout | None) -> None:
        self._watched = layout
        self._joints = None if layout is None else _joints(scene.layout, layout)
        self._grips = _Grips(scene)
        self._actions: dict[str, Event] = {}
        self._reported_ns = -1

    def view(self, tick: Tick) -> View:
        """Return the view of a step.

        Raises:
            ValueError: if the main model's report is not about the watched robots.
        """
        scene = tick.scene
        if tick.events:
            self._follow_actions(tick.events)
        positions, velocities = self._motion(scene)
        held, owners = self._grips.at(scene)
        return View(
            tick.time_ns,
            scene,
            self._watched,
            self._report(scene),
            positions,
            velocities,
            held,
            owners,
            self._actions,
            tick.events,
        )

    def _report(self, scene: Snapshot) -> Watch | None:
        report = None if self._watched is None else Watch.read(scene.tables, self._watched)
        if report is None or report.time_ns == self._reported_ns:
            return None
        self._reported_ns = report.time_ns
        return report

    def _motion(self, scene: Snapshot) -> tuple[Floats, Floats]:
        if self._joints is None:
            return _NONE, _NONE
        positions, velocities = self._joints
        return scene.values[positions], scene.values[velocities]

    def _follow_actions(self, events: tuple[Event, ...]) -> None:
        actions = dict(self._actions)
        for event in events:
            if event.kind is EventKind.ACTION and phase_of(event) != ANNOUNCED:
                actions.pop(event.name, None)
                if phase_of(event) not in ("end", INSTANT):
                    actions[event.name] = event
        self._actions = actions


_NONE: Floats = np.empty(0)
_Places: TypeAlias = slice | NDArray[np.intp]


def _joints(layout: Layout, watched: WatchLayout) -> tuple[_Places, _Places] | None:
    """Return the offsets of the watched joints' positions and velocities in the scene; None if a robot lacks either."""
    robots = [name for name, _ in watched.robots]
    attributes = ("joint_positions", "joint_velocities")
    if not robots or not all(layout.has(name, one) for name in robots for one in attributes):
        return None
    if len(robots) == 1:
        return layout.range_of(robots[0], attributes[0]), layout.range_of(robots[0], attributes[1])
    positions, velocities = (
        np.concatenate([_indices(layout.range_of(name, one)) for name in robots])
        for one in attributes
    )
    return positions, velocities


def _indices(where: slice) -> NDArray[np.intp]:
    return np.arange(where.start, where.stop)


class _Grips:
    """Finds which hand holds which object, and which model is responsible for its pose; caches the mappings."""

    def __init__(self, scene: Snapshot) -> None:
        layout = scene.layout
        self._names = [entity.name for entity in layout.entities]
        objects = [e.name for e in layout.of_kind(EntityKind.OBJECT) if layout.has(e.name, "pose")]
        self._objects = objects
        self._slots = np.array([layout.slot_id(name, "pose") for name in objects], np.intp)
        self._held = [
            (n, layout.range_of(n, "held").start) for n in objects if layout.has(n, "held")
        ]
        self._holding = [
            (entity.name, layout.range_of(entity.name, "held_object").start)
            for entity in layout.entities
            if layout.has(entity.name, "held_object")
        ]
        offsets = [at for _, at in (*self._held, *self._holding)]
        self._offsets = np.array(offsets, np.intp)
        main = int(scene.owners[self._slots[0]]) if objects else 0
        self._main = scene.models[main]
        self._key = b""
        self._found: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})

    def at(self, scene: Snapshot) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return object -> hand, and object -> responsible model."""
        numbers = scene.values[self._offsets]
        owners, parents = scene.owners[self._slots], scene.parents[self._slots]
        key = owners.tobytes() + parents.tobytes() + numbers.tobytes()
        if key != self._key:
            self._key = key
            names = [scene.models[owner] for owner in owners.tolist()]
            responsible = dict(zip(self._objects, names, strict=True))
            self._found = (
                self._holders(responsible, parents.tolist(), numbers.tolist()),
                responsible,
            )
        return self._found

    def _holders(
        self, responsible: Mapping[str, str], parents: list[int], numbers: list[float]
    ) -> dict[str, str]:
        held: dict[str, str] = {}
        for (name, model), parent in zip(responsible.items(), parents, strict=True):
            if parent >= 0:
                held[name] = self._names[parent]
            elif model != self._main:
                held[name] = ""
        count = len(self._held)
        for (name, _), hand in zip(self._held, numbers[:count], strict=True):
            if hand >= 0:
                held[name] = self._names[int(hand)]
        for (name, _), thing in zip(self._holding, numbers[count:], strict=True):
            if thing >= 0:
                held[self._names[int(thing)]] = name
        return held
