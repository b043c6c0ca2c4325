"""Fidelity signalers: during certain actions, and near the robot (Tallavajhula et al., 2019, section 3).

After Tallavajhula et al. (2019), section 4.3.

After Tallavajhula et al. (2019), section 4.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Literal

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Settings,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats, Value
from hetwin_core.ensemble.validation import Whole
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.fidelity.rules import MARGIN, NearRobotRules, Thresholds


class Signaler(Model[Settings], Generic[Settings]):
    """Is responsible for the attribute ``fidelity`` of its targets; returns a level only when it has changed."""

    provides = (FIDELITY,)

    def _register(
        self,
        scene: Contribution,
        names: Iterable[str],
        level: Fidelity,
    ) -> None:
        """Contribute the attribute of these targets at a level."""
        self._targets = list(names)
        self._owned = np.ones(len(self._targets), np.bool_)
        self._published: Floats = np.full(len(self._targets), float(level))
        for name in self._targets:
            scene.set(name, FIDELITY, level)

    def _changed(self, levels: Floats, tick: Tick) -> Changes:
        """Return those of the (n,) levels that differ from the last published ones."""
        changes = tick.changes()
        changed = np.flatnonzero((levels != self._published) & self._owned)
        for i in changed.tolist():
            changes.set(self._targets[i], FIDELITY, levels[i])
        self._published[changed] = levels[changed]
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take responsibility for a target; its level is returned at the next step."""
        if attribute != FIDELITY.name or entity not in self._targets:
            raise Refused(f"this signaler does not compute {entity}.{attribute}")
        at = self._targets.index(entity)
        self._owned[at], self._published[at] = True, np.nan

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release a target; its level stays."""
        known = attribute == FIDELITY.name and entity in self._targets
        if not known or not self._owned[self._targets.index(entity)]:
            raise Refused(f"this signaler is not responsible for {entity}.{attribute}")
        self._owned[self._targets.index(entity)] = False
        return scene.value(entity, attribute)


class DuringActionSettings(Parameters):
    """The parameters of the model."""

    actions: tuple[str, ...] = parameter(
        "names of the operations during which the fidelity is high"
    )
    objects: EntityNames = parameter(
        "the objects whose fidelity it sets: a tag, a pattern, or a list of names", []
    )
    models: tuple[str, ...] = parameter(
        "names of models that step only during these operations", []
    )
    otherwise: Literal["low", "medium"] = parameter(
        "fidelity at all other times: low or medium", "low"
    )


class DuringAction(Signaler[DuringActionSettings]):
    """Sets the fidelity to high from the beginning to the end of certain actions, else to low (or medium).

    A model is switched by the attribute ``fidelity`` of an entity of its name, which this signaler contributes.
    """

    summary = "Lowers the fidelity of objects and models outside certain actions."

    def initialize(self, settings: DuringActionSettings, scene: Contribution) -> None:
        """Contribute the attribute ``fidelity`` of all targets; no action is active.

        Raises:
            BadInput: if a parameter is invalid, or there are no actions or no targets.
        """
        self._actions, models = set(settings.actions), settings.models
        targets = [*settings.objects, *models]
        if not self._actions or not targets:
            where = "objects" if self._actions else "actions"
            raise BadInput("there are none", where=where, expected="at least one name")
        self._otherwise = Fidelity[settings.otherwise.upper()]
        self._under_way: dict[str, int] = {}
        for name in models:
            scene.add(Entity(name, EntityKind.CONCEPT))
        self._register(scene, targets, self._otherwise)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Follow the actions; return the level when it has changed."""
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name in self._actions:
                self._follow(event)
        level = Fidelity.HIGH if any(self._under_way.values()) else self._otherwise
        return self._changed(np.full(len(self._targets), float(level)), tick)

    def _follow(self, event: Event) -> None:
        count, phase = self._under_way.get(event.name, 0), event.arguments.get("phase", "")
        if phase == "begin":
            self._under_way[event.name] = count + 1
        elif phase == "end":
            self._under_way[event.name] = max(0, count - 1)


MODES: dict[str, float | None] = {"HiFi": None, "AdFi-1": 1.0, "AdFi-2": 0.5, "AdFi-3": 0.01}
"""The paper's modes and the inflation of the robot's bounding box [m]; None: all objects are always high."""


class NearRobotSettings(Parameters):
    """The parameters of the model."""

    objects: EntityNames = parameter(
        "the objects whose fidelity it sets: a tag, a pattern, or a list of names", "*"
    )
    mode: Literal["HiFi", "AdFi-1", "AdFi-2", "AdFi-3"] = parameter(
        "rules that it follows: HiFi, AdFi-1, AdFi-2 or AdFi-3", "AdFi-1"
    )
    inflation: Amount | None = parameter(
        "how far the robot's box is enlarged; default: as the mode says, of which HiFi overrules it",
        None,
        "m",
    )
    rest_speed: Amount = parameter("an object slower than this is at rest", 0.01, "m/s")
    rest_turn: Amount = parameter("an object that turns slower than this is at rest", 0.05, "rad/s")
    interval: Amount = parameter(
        "time after which the fidelity of all objects is raised; 0: never", 10.0, "s"
    )
    margin: Amount = parameter(
        "a moving object raises the fidelity of those nearer than this; 0: of none", MARGIN, "m"
    )
    decisions: tuple[str, ...] = parameter(
        "operations at whose begin the robot decides, before which the fidelity of all is raised",
        (),
    )
    rest_steps: Whole = parameter(
        "steps that an object is at rest before its fidelity is lowered", 2, ge=1
    )

    def length(self) -> float | None:
        """Return how far the robot's box is enlarged [m]; None: all objects are always high."""
        by_mode = MODES[self.mode]
        return by_mode if by_mode is None or self.inflation is None else self.inflation


class NearRobot(Signaler[NearRobotSettings]):
    """Determines for each object whether its fidelity must be high, medium or low; see `rules`."""

    summary = "Lowers the fidelity of objects that the robot cannot reach."

    def initialize(self, settings: NearRobotSettings, scene: Contribution) -> None:
        """Contribute each object's attribute ``fidelity``; all are high at the start.

        Raises:
            BadInput: if there is no object, no such mode, or a threshold is invalid.
        """
        if not settings.objects:
            raise BadInput("there are none", where="objects", expected="objects of the scene")
        inflation = settings.length()
        self._is_on = inflation is not None
        self._decisions = set(settings.decisions)
        self._thresholds = Thresholds(
            inflation or 0.0,
            settings.rest_speed,
            settings.rest_turn,
            settings.rest_steps,
            settings.interval,
            settings.margin,
        )
        self._register(scene, settings.objects, Fidelity.HIGH)
        scene.needs(("*", POSE.name))

    def start(self, scene: Snapshot) -> None:
        """Compute the bounding boxes of objects and robots.

        Raises:
            BadInput: if an object has no geometry that collides.
        """
        layout = scene.layout
        boxes = BoundingBoxes(layout, self._targets)
        missing = set(self._targets) - set(boxes.names)
        if missing:
            found = ", ".join(sorted(missing))
            raise BadInput("these have no geometry that collides", where="objects", found=found)
        links = [e.name for e in layout.of_kind(EntityKind.LINK) if e.owner in _robots(scene)]
        self._robot = BoundingBoxes(layout, links)
        self._boxes = boxes
        self._rules = NearRobotRules(boxes, self._thresholds)

    def step(self, tick: Tick) -> Changes | None:
        """Return the levels that have changed."""
        if not self._is_on:
            return None
        values, time = tick.scene.values, tick.time_ns * 1e-9
        if any(self._decides(event) for event in tick.events):
            self._rules.raise_all(time)
        robot = self._robot.around_all(values, self._rules.since(time))
        return self._changed(self._rules.update(time, self._boxes.poses(values), robot), tick)

    def _decides(self, event: Event) -> bool:
        begins = event.kind is EventKind.ACTION and event.arguments.get("phase") == "begin"
        return begins and event.name in self._decisions


def _robots(scene: Snapshot) -> set[str]:
    return {entity.name for entity in scene.layout.of_kind(EntityKind.ROBOT)}
