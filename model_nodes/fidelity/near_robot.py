"""A signaler that simulates objects near the robot in high fidelity, others lower.

After Tallavajhula et al. (2019), section 4.3.
"""

from __future__ import annotations

from typing import Literal

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.ensemble.validation import Whole
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.fidelity.rules import MARGIN, NearRobotRules, Thresholds
from model_nodes.fidelity.signaler import Signaler

MODES: dict[str, float | None] = {"HiFi": None, "AdFi-1": 1.0, "AdFi-2": 0.5, "AdFi-3": 0.01}
"""The paper's modes and the inflation of the robot's bounding box [m]; None: all objects are always high."""


class Settings(Parameters):
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


class NearRobot(Signaler[Settings]):
    """Determines for each object whether its fidelity must be high, medium or low; see `rules`."""

    summary = "Lowers the fidelity of objects that the robot cannot reach."

    def initialize(self, settings: Settings, scene: Contribution) -> None:
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
