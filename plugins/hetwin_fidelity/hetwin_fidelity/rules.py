"""Rules that choose the level of detail of each tree in a group; after Tallavajhula et al. (2019), section 4.3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from hetwin_fidelity.near_robot import MARGIN, NearRobotRules, Thresholds
from hetwin_fidelity.trees import Trees
from hetwin_suite.engine import BoundingBoxes
from hetwin_suite.model import (
    POSE,
    Amount,
    BadInput,
    EntityKind,
    Event,
    EventKind,
    Fidelity,
    Floats,
    Parameters,
    Snapshot,
    Tick,
    Whole,
    parameter,
)


class Rule(ABC):
    """Determines the level of each tree of a group.

    Args:
        settings: instance of `settings_class`.
        trees: trees of the group.

    Attributes:
        settings_class: parameters of the rule in a scenario.
        reads: (entity pattern, attribute) pairs of the scene that `levels` reads.
        initial: level at the start.
    """

    settings_class: ClassVar[type[Parameters]] = Parameters
    reads: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init__(self, settings: Any, trees: Trees) -> None:
        self.trees = trees
        self.initial = Fidelity.HIGH

    def start(self, scene: Snapshot) -> None:
        """Prepare for the run.

        Raises:
            BadInput: if the scene does not meet the rule's requirements.
        """

    @abstractmethod
    def levels(self, tick: Tick) -> Floats:
        """Return (trees,) the levels, as numbers of `Fidelity`."""


class DuringParameters(Parameters):
    """The parameters of `During`."""

    actions: tuple[str, ...] = parameter(
        "names of the operations during which the fidelity is high"
    )
    otherwise: Literal["low", "medium"] = parameter(
        "fidelity at all other times: low or medium", "low"
    )


class During(Rule):
    """High from the start to the end of certain actions; low or medium otherwise.

    Raises:
        BadInput: if no actions are given.
    """

    settings_class = DuringParameters

    def __init__(self, settings: DuringParameters, trees: Trees) -> None:
        super().__init__(settings, trees)
        if not settings.actions:
            raise BadInput("there are none", where="actions", expected="at least one name")
        self._actions = set(settings.actions)
        self.initial = self._otherwise = Fidelity[settings.otherwise.upper()]
        self._under_way: dict[str, int] = {}

    def levels(self, tick: Tick) -> Floats:
        """Update the active actions from the events, and return the levels."""
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name in self._actions:
                self._follow(event)
        level = Fidelity.HIGH if any(self._under_way.values()) else self._otherwise
        return np.full(len(self.trees.names), float(level))

    def _follow(self, event: Event) -> None:
        count, phase = self._under_way.get(event.name, 0), event.arguments.get("phase", "")
        if phase == "begin":
            self._under_way[event.name] = count + 1
        elif phase == "end":
            self._under_way[event.name] = max(0, count - 1)


MODES: dict[str, float | None] = {"HiFi": None, "AdFi-1": 1.0, "AdFi-2": 0.5, "AdFi-3": 0.01}
"""Mode of the paper -> inflation of the robot's bounding box [m]; None: all objects are always high."""


class NearParameters(Parameters):
    """The parameters of `Near`."""

    mode: Literal["HiFi", "AdFi-1", "AdFi-2", "AdFi-3"] = parameter(
        "rules that it follows: HiFi, AdFi-1, AdFi-2 or AdFi-3", "AdFi-1"
    )
    inflation: Amount | None = parameter(
        "enlargement of the robot's box; default: that of the mode; with mode HiFi it has no effect",
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
        "operations that start with a decision of the robot; all objects return to high fidelity before them",
        (),
    )
    rest_steps: Whole = parameter(
        "number of steps that an object rests before its fidelity is lowered", 2, ge=1
    )

    def length(self) -> float | None:
        """Return the enlargement of the robot's box [m]; None: all objects are always high."""
        by_mode = MODES[self.mode]
        return by_mode if by_mode is None or self.inflation is None else self.inflation


class Near(Rule):
    """High within the robot's reach, medium outside, low where no moving object can touch; see `near_robot`.

    All entities of a tree get the highest level of any of them.
    """

    settings_class = NearParameters
    reads = (("*", POSE.name),)

    def __init__(self, settings: NearParameters, trees: Trees) -> None:
        super().__init__(settings, trees)
        inflation = settings.length()
        self.is_on = inflation is not None
        self._decisions = set(settings.decisions)
        self._thresholds = Thresholds(
            inflation or 0.0,
            settings.rest_speed,
            settings.rest_turn,
            settings.rest_steps,
            settings.interval,
            settings.margin,
        )

    def start(self, scene: Snapshot) -> None:
        """Compute the bounding boxes of objects and robots.

        Raises:
            BadInput: if an object has no collision geometry.
        """
        layout, members = scene.layout, self.trees.members
        self._boxes = BoundingBoxes(layout, members)
        missing = set(members) - set(self._boxes.names)
        if missing:
            found = ", ".join(sorted(missing))
            raise BadInput("these have no geometry that collides", where="objects", found=found)
        robots = {entity.name for entity in layout.of_kind(EntityKind.ROBOT)}
        links = [e.name for e in layout.of_kind(EntityKind.LINK) if e.owner in robots]
        self._robot = BoundingBoxes(layout, links)
        self._rules = NearRobotRules(self._boxes, self._thresholds)

    def levels(self, tick: Tick) -> Floats:
        """Update the levels from the poses of robot and objects."""
        if not self.is_on:
            return np.full(len(self.trees.names), float(Fidelity.HIGH))
        values, time = tick.scene.values, tick.time_ns * 1e-9
        if any(self._decides(event) for event in tick.events):
            self._rules.raise_all(time)
        robot = self._robot.around_all(values, self._rules.since(time))
        return self.trees.highest(self._rules.update(time, self._boxes.poses(values), robot))

    def _decides(self, event: Event) -> bool:
        begins = event.kind is EventKind.ACTION and event.arguments.get("phase") == "begin"
        return begins and event.name in self._decisions


RULES: dict[str, type[Rule]] = {"during": During, "near_robot": Near}
"""Name in a scenario -> rule; other rules are named by their module."""
