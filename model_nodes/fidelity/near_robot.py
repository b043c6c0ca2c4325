"""A signaler: objects near the robot are simulated in high fidelity, others lower (paper 1, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import (
    Contribution,
    ParameterKind,
    ParameterRequest,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.layout import EntityKind, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE
from model_nodes.checked_parameters import number, read_numbers
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.fidelity.rules import MARGIN, NearRobotRules, Thresholds
from model_nodes.fidelity.signaler import Signaler

MODES: dict[str, float | None] = {"HiFi": None, "AdFi-1": 1.0, "AdFi-2": 0.5, "AdFi-3": 0.01}
"""The paper's modes and by how much each inflates the robot's bounding box [m]; None: all is always high."""

_PARAMETERS = (
    ParameterRequest(
        "objects", ParameterKind.ENTITIES, "a tag, a pattern, or a list of names", False, "*"
    ),
    ParameterRequest("mode", ParameterKind.TEXT, "HiFi, AdFi-1, AdFi-2 or AdFi-3", False, "AdFi-1"),
    ParameterRequest(
        "inflation", ParameterKind.NUMBER, "of the robot's box, if no mode's", False, None, "m"
    ),
    number("rest_speed", 0.01, "m/s", "what is slower is at rest"),
    number("rest_turn", 0.05, "rad/s", "what turns slower is at rest"),
    number("interval", 10.0, "s", "all objects are raised so often; 0: never"),
    number(
        "margin", MARGIN, "m", "what moves raises what is nearer to it than this; 0: it does not"
    ),
    ParameterRequest(
        "rest_steps", ParameterKind.INTEGER, "steps at rest before lowering", False, 2
    ),
)


class NearRobot(Signaler):
    """Says of each object whether it must be simulated in high, medium or low fidelity; see `rules`."""

    _summary = "Lowers the fidelity of objects that the robot cannot reach."

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """The objects, the mode and the thresholds."""
        return _PARAMETERS

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Bring each object's attribute ``fidelity``; all are high at the start.

        Raises:
            BadInput: if there is no object, no such mode, or a threshold cannot be used.
        """
        objects = list(parameters["objects"])
        if not objects:
            raise BadInput("there are none", where="objects", expected="objects of the scene")
        numbers = read_numbers(_PARAMETERS[3:], parameters)
        inflation = self._inflation(parameters)
        self._is_on = inflation is not None
        self._thresholds = Thresholds(
            inflation or 0.0,
            numbers["rest_speed"],
            numbers["rest_turn"],
            _steps(parameters.get("rest_steps", 2)),
            numbers["interval"],
            numbers["margin"],
        )
        return self._judge(objects, Fidelity.HIGH, reads=(Selection("*", POSE.name),))

    def _inflation(self, parameters: Mapping[str, Any]) -> float | None:
        given = parameters.get("inflation")
        if given is not None:
            request = number("inflation", 0.0, "m", "")
            return read_numbers((request,), parameters)["inflation"]
        mode = parameters.get("mode", "AdFi-1")
        if mode not in MODES:
            expected = ", ".join(MODES)
            raise BadInput("there is no such mode", where="mode", found=mode, expected=expected)
        return MODES[mode]

    def start(self, scene: Snapshot) -> None:
        """Work out the forms of objects and robots.

        Raises:
            BadInput: if an object has no form.
        """
        layout = scene.layout
        boxes = BoundingBoxes(layout, self._judged)
        bare = set(self._judged) - set(boxes.names)
        if bare:
            found = ", ".join(sorted(bare))
            raise BadInput("these have no form that collides", where="objects", found=found)
        links = [e.name for e in layout.of_kind(EntityKind.LINK) if e.owner in _robots(scene)]
        self._robot = BoundingBoxes(layout, links)
        self._boxes = boxes
        self._rules = NearRobotRules(boxes, self._thresholds)

    def step(self, tick: StepInput) -> StepOutput:
        """Tell the levels that have changed."""
        if not self._is_on:
            return StepOutput(tick.time_ns)
        values, time = tick.scene.values, tick.time_ns * 1e-9
        robot = self._robot.around_all(values, self._rules.since(time))
        return self._tell(self._rules.update(time, self._boxes.poses(values), robot), tick.time_ns)


def _robots(scene: Snapshot) -> set[str]:
    return {entity.name for entity in scene.layout.of_kind(EntityKind.ROBOT)}


def _steps(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise BadInput(
            "is no number of steps", where="rest_steps", found=given, expected="1 or more"
        )
    return given
