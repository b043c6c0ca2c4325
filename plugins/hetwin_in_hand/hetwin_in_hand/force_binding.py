"""Binding by force: a reimplementation of the rule by which a Gazebo plugin attaches objects to a gripper.

Implemented from the description of gazebo_grasp_plugin (J. Buehler, gazebo-pkgs), the third baseline of Bauer et al.
(2022). It needs only contact forces, no signal of the robot's program.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hetwin_suite.engine import PROXIMITY
from hetwin_suite.model import (
    POSE,
    Amount,
    Changes,
    Contribution,
    EntityNames,
    Floats,
    Hand,
    Model,
    Parameters,
    RigidGrasp,
    Snapshot,
    Tick,
    Value,
    conjugate,
    parameter,
    rotate,
)


class Settings(Parameters):
    """The parameters of the model."""

    hand: Hand = parameter("the hand that objects are fixed to")
    objects: EntityNames = parameter(
        "the objects that may be fixed: a tag, or a list of names", "graspable"
    )
    period: Amount = parameter("forces are averaged over this time", 0.2, "s")
    opposing_angle: Amount = parameter(
        "minimum angle between two contact forces that oppose each other", 120.0, "deg"
    )
    force_ratio: Amount = parameter(
        "minimum ratio of the smaller to the larger of two opposing forces", 0.3
    )
    max_count: Amount = parameter("maximum of the counter of periods with a grip", 10.0)
    threshold: Amount = parameter("an object is fixed while the counter is above this", 5.0)
    release_tolerance: Amount = parameter("maximum motion of a holding contact", 0.005, "m")


@dataclass(slots=True)
class _ObjectState:
    """The state of one object: forces summed per link over the current period, and results of earlier periods."""

    forces: dict[int, Floats] = field(default_factory=dict)
    counter: int = 0
    fixed: bool = False
    points: dict[int, Floats] = field(default_factory=dict)


class ForceBinding(Model[Settings]):
    """Attaches an object to the palm while opposing forces of the hand's links squeeze it.

    In each period the contact force per object and link is averaged. The object counts as gripped if the directions of
    any two of these forces differ by more than `opposing_angle` and the smaller force is at least `force_ratio` of the
    larger. A counter rises with each period in which the object is gripped and falls with every other one; above
    `threshold` the object is fixed to the palm. It is released when the counter is at or below the threshold and the
    contact point of a link at the time of fixing has moved by more than `release_tolerance` relative to the object.
    Events: ``bound`` and ``unbound``.
    """

    summary = "Fixes an object to the palm while opposing contact forces squeeze it (a baseline)."
    rate = 100.0
    provides = (POSE,)
    raises: ClassVar[Mapping[str, str]] = {
        "bound": "opposing forces squeeze an object, which is fixed to the palm: object, hand",
        "unbound": "a contact point has moved, and the object is let go: object, hand",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read hand, objects and thresholds."""
        self._hand, self._objects = self.settings.hand, self.settings.objects
        self._grasp = RigidGrasp()
        grasp = self._grasp.contribute({"hand": self._hand}, self.seed)
        posed = (*self._hand.finger_links, *self._objects)
        scene.needs(*grasp.reads, *((name, "pose") for name in posed), ("*", PROXIMITY))

    def start(self, scene: Snapshot) -> None:
        """Start with nothing attached."""
        self._grasp.start(scene)
        layout = scene.layout
        names = (*self._hand.finger_links, self._hand.link)
        self._links = {layout.entity_id(name): name for name in names}
        self._watched = {layout.entity_id(name): _ObjectState() for name in self._objects}
        self._names = {layout.entity_id(name): name for name in self._objects}
        self._samples = 0
        self._period_start_ns = scene.time_ns

    def step(self, tick: Tick) -> Changes:
        """Sum forces; at the end of a period, evaluate them."""
        changes = self._grasp.step(tick) or tick.changes()
        self._sum_forces(tick.scene.proximity)
        if tick.time_ns - self._period_start_ns >= self.settings.period * 1e9:
            for index, watched in self._watched.items():
                self._evaluate(index, watched, tick.scene, changes)
                watched.forces.clear()
            self._samples = 0
            self._period_start_ns = tick.time_ns
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Attach an object to the palm."""
        self._grasp.take(entity, attribute, value, scene)
        index = scene.layout.entity_id(entity)
        if index in self._watched:
            watched = self._watched[index]
            watched.fixed = True
            watched.points = {
                link: self._in_object(scene, entity, name) for link, name in self._links.items()
            }

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release an object with the palm's velocity."""
        value = self._grasp.release(entity, attribute, scene)
        index = scene.layout.entity_id(entity)
        if index in self._watched:
            self._watched[index].fixed = False
        return value

    def _sum_forces(self, proximity: Floats) -> None:
        self._samples += 1
        for row in proximity:
            first, second = int(row[0]), int(row[1])
            if first in self._watched and second in self._links:
                forces = self._watched[first].forces
                forces[second] = forces.get(second, 0.0) + row[9:12]

    def _evaluate(
        self, index: int, watched: _ObjectState, scene: Snapshot, changes: Changes
    ) -> None:
        gripped = self._has_opposing_forces(
            [force / self._samples for force in watched.forces.values()]
        )
        limits, name = self.settings, self._names[index]
        change = 1 if gripped else -1
        watched.counter = max(0, min(int(limits.max_count), watched.counter + change))
        is_bound = watched.counter > limits.threshold
        if is_bound and not watched.fixed:
            changes.take(name, POSE).event("bound", object=name, hand=self._hand.name)
        elif not is_bound and watched.fixed and self._has_moved(scene, name, watched):
            changes.give_back(name, POSE).event("unbound", object=name, hand=self._hand.name)

    def _has_opposing_forces(self, forces: list[Floats]) -> bool:
        max_cosine = math.cos(math.radians(self.settings.opposing_angle))
        sizes = [float(np.linalg.norm(force)) for force in forces]
        return any(
            min(sizes[i], sizes[j]) >= self.settings.force_ratio * max(sizes[i], sizes[j]) > 0
            and float(forces[i] @ forces[j]) < max_cosine * sizes[i] * sizes[j]
            for i in range(len(forces))
            for j in range(i)
        )

    def _has_moved(self, scene: Snapshot, name: str, watched: _ObjectState) -> bool:
        return any(
            float(np.linalg.norm(self._in_object(scene, name, self._links[link]) - point))
            > self.settings.release_tolerance
            for link, point in watched.points.items()
        )

    def _in_object(self, scene: Snapshot, name: str, link: str) -> Floats:
        """Return (3,) the position of a link in the object's frame [m]."""
        pose, other = scene.pose(name), scene.pose(link)
        offset = (other[:3] - pose[:3]).tolist()
        return np.array(rotate(conjugate(pose[3:7].tolist()), offset))
