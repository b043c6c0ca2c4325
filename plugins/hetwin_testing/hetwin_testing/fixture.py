"""What the checks of a model share: a small scene, values for parameters, and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hetwin_suite.engine import PROXIMITY_COLUMNS
from hetwin_suite.harness import (
    AttributeStart,
    HandDescription,
    ParameterKind,
    ParameterRequest,
    matching_entities,
)
from hetwin_suite.model import (
    POSE,
    AttributeSpec,
    Entity,
    EntityKind,
    Floats,
    Shape,
    ShapeKind,
    Value,
    pose_value,
)
from hetwin_suite.runs import HetwinError, resource


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the suite.

    Attributes:
        check: name of the requirement.
        ok: whether the model meets it.
        detail: for a failed check the finding and the expectation; for a passed one its coverage.
    """

    check: str
    ok: bool
    detail: str = ""


class ContractViolation(Exception):
    """A violation of the model contract; the text has the violation and the expectation."""


class Report:
    """Collects the results of checks.

    Args:
        on_begin: called with the name of each check before it starts.
        on_end: called with the result of each check.
    """

    def __init__(
        self,
        on_begin: Callable[[str], None] = lambda _: None,
        on_end: Callable[[CheckResult], None] = lambda _: None,
    ) -> None:
        self._on_begin = on_begin
        self._on_end = on_end
        self.results: list[CheckResult] = []

    def run(self, check: str, work: Callable[[], str | None]) -> bool:
        """Run one check; an exception is a result as well.

        Args:
            check: name of the requirement.
            work: runs the check, and returns its coverage; raises if the model violates the requirement.
        """
        self._on_begin(check)
        result = _run_check(check, work)
        self.results.append(result)
        self._on_end(result)
        return result.ok


def _run_check(check: str, work: Callable[[], str | None]) -> CheckResult:
    try:
        return CheckResult(check, True, work() or "")
    except (ContractViolation, HetwinError) as error:
        return CheckResult(check, False, str(error))
    except Exception as error:  # a third-party model may raise anything
        return CheckResult(check, False, f"raised {type(error).__name__}: {error}")


MODEL = "fixture"
JOINTS = ("left_finger_joint", "right_finger_joint")
FINGERS = ("left_finger", "right_finger")
HALF_BOX = 0.02
OPEN = 0.04
TABLE_TOP = 0.4
LIFT = 0.1
BEAKER_HEIGHT, BEAKER_WIDTH, WALL = 0.08, 0.06, 0.004


def _beaker_shapes() -> tuple[Shape, ...]:
    """Return bottom and walls of a square beaker on the table; its origin is the middle of its bottom."""
    identity = (1.0, 0.0, 0.0, 0.0)
    out, height = BEAKER_WIDTH / 2, BEAKER_HEIGHT / 2
    along_x = [
        Shape(
            ShapeKind.BOX, (WALL, BEAKER_WIDTH + WALL, BEAKER_HEIGHT), (x, 0.0, height, *identity)
        )
        for x in (-out, out)
    ]
    along_y = [
        Shape(
            ShapeKind.BOX, (BEAKER_WIDTH + WALL, WALL, BEAKER_HEIGHT), (0.0, y, height, *identity)
        )
        for y in (-out, out)
    ]
    bottom = Shape(
        ShapeKind.BOX, (BEAKER_WIDTH, BEAKER_WIDTH, WALL), (0.0, 0.0, WALL / 2, *identity)
    )
    return (bottom, *along_x, *along_y)


ENTITIES = (
    Entity("robot", EntityKind.ROBOT, joints=JOINTS),
    Entity("palm", EntityKind.LINK, owner="robot"),
    Entity("left_finger", EntityKind.LINK, owner="robot", parent="palm", joint=JOINTS[0]),
    Entity("right_finger", EntityKind.LINK, owner="robot", parent="palm", joint=JOINTS[1]),
    Entity("hand", EntityKind.HAND, owner="robot", parent="palm", joints=JOINTS),
    Entity(
        "box",
        EntityKind.OBJECT,
        tags=("graspable",),
        mass=0.2,
        shapes=(Shape(ShapeKind.BOX, (0.04, 0.04, 0.04)),),
    ),
    Entity("beaker", EntityKind.OBJECT, mass=0.1, shapes=_beaker_shapes()),
    Entity("table", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (1.0, 1.0, 0.02)),)),
)

HAND = HandDescription(
    "hand",
    "robot",
    "palm",
    joints=JOINTS,
    finger_links=FINGERS,
    closed=(0.0, 0.0),
    opened=(OPEN, OPEN),
)


def hand_parameter() -> dict[str, object]:
    """Return the hand in the form in which the conductor resolves a parameter."""
    return asdict(HAND)


class Fixture:
    """The scene's values over a motion of 2.4 s, in which a hand closes on a box, lifts it, lowers it and opens."""

    def attributes(self) -> tuple[AttributeStart, ...]:
        """Return all attributes with their initial values."""
        starts = [
            AttributeStart("robot", AttributeSpec(name, len(JOINTS), unit), Value(data, 0))
            for name, unit, data in self._joints(0)
        ]
        starts += [AttributeStart(n, POSE, Value(p, 0)) for n, p in self._poses(0).items()]
        return tuple(starts)

    def block(self, time_ns: int) -> Floats:
        """Return the values of all attributes, in the order of `attributes`."""
        joints = [data for _, _, data in self._joints(time_ns)]
        return np.concatenate([*joints, *self._poses(time_ns).values()])

    def proximity(self, time_ns: int) -> Floats:
        """Return the neighbours of the box, the table below and a finger on each side; see `PROXIMITY_COLUMNS`."""
        names = [entity.name for entity in ENTITIES]
        box = names.index("box")
        gap = self._opening(time_ns) - HALF_BOX
        lift, _ = self._lift(time_ns)
        force = 10.0 if gap <= 0 else 0.0
        neighbours = (
            ("left_finger", gap, (0.0, -1.0, 0.0), force),
            ("right_finger", gap, (0.0, 1.0, 0.0), force),
            ("table", lift, (0.0, 0.0, 1.0), 0.0 if lift > 0 else 2.0),
        )
        rows = [
            (box, names.index(n), distance, *normal, *normal, *(f * x for x in normal))
            for n, distance, normal, f in neighbours
        ]
        return np.array(rows, np.float64).reshape(-1, PROXIMITY_COLUMNS)

    def _joints(self, time_ns: int) -> list[tuple[str, str, Floats]]:
        opening = self._opening(time_ns)
        speed = (self._opening(time_ns + 1000) - opening) / 1e-6
        effort = 10.0 if opening <= HALF_BOX else 0.0
        return [
            ("joint_positions", "rad or m", np.full(2, opening)),
            ("joint_velocities", "rad/s or m/s", np.full(2, speed)),
            ("joint_efforts", "Nm or N", np.full(2, effort)),
        ]

    def _poses(self, time_ns: int) -> dict[str, Floats]:
        opening = self._opening(time_ns)
        lift, speed = self._lift(time_ns)
        z, height = TABLE_TOP + HALF_BOX + lift, (0.0, 0.0, speed)
        return {
            "palm": pose_value((0.5, 0.0, z + 0.1), linear=height).data,
            "left_finger": pose_value((0.5, opening, z), linear=height).data,
            "right_finger": pose_value((0.5, -opening, z), linear=height).data,
            "hand": pose_value((0.5, 0.0, z), linear=height).data,
            "box": pose_value((0.5, 0.0, z), linear=height).data,
            "beaker": pose_value((0.5, 0.3, TABLE_TOP)).data,
            "table": pose_value((0.5, 0.0, TABLE_TOP - 0.01)).data,
        }

    @staticmethod
    def _opening(time_ns: int) -> float:
        """Return the position of each finger [m]: open, closed on the box from 0.3 s to 2.1 s, open again."""
        return float(
            np.interp(time_ns / 1e9, (0.1, 0.3, 2.1, 2.3), (OPEN, HALF_BOX, HALF_BOX, OPEN))
        )

    @staticmethod
    def _lift(time_ns: int) -> tuple[float, float]:
        """Return lift [m] and vertical speed [m/s] of box and hand: up from 0.7 s, down from 1.3 s."""
        t = time_ns / 1e9
        height, down = np.clip((t - 0.7) / 0.4, 0.0, 1.0), np.clip((t - 1.3) / 0.4, 0.0, 1.0)
        speed = LIFT / 0.4 * (float(0 < height < 1) - float(0 < down < 1))
        return float(LIFT * (height - down)), speed


WORLD_FILE = ("worlds", "tabletop.sdf")


def values_for(
    requests: Sequence[ParameterRequest],
    entities: Sequence[Entity],
    given: Mapping[str, Any],
    *,
    can_be_main: bool,
) -> dict[str, Any]:
    """Return a value for every parameter: the given one, the default, or one invented by its kind.

    Args:
        requests: parameters of the model.
        entities: entities of the fixture; empty for a model that brings the whole scene itself.
        given: parameter -> value as `initialize` receives it.
        can_be_main: whether the model may request a world.

    Raises:
        ContractViolation: if a required parameter has no possible value; the error names it.
    """
    return {r.name: _value(r, entities, given, can_be_main) for r in requests}


def _value(
    request: ParameterRequest, entities: Sequence[Entity], given: Mapping[str, Any], main: bool
) -> Any:
    if request.name in given:
        return given[request.name]
    if main and request.name == "world":
        return str(resource(*WORLD_FILE))
    if not request.required:
        return _resolved_default(request, entities)
    invented = _invented_value(request.kind, entities)
    if invented is None:
        raise ContractViolation(
            f"the required parameter {request.name} ({request.kind}) has no value that could be invented;"
            f" give one with --parameters '{{\"{request.name}\": ...}}'"
        )
    return invented


def _resolved_default(request: ParameterRequest, entities: Sequence[Entity]) -> Any:
    """Return the default as the conductor would resolve it."""
    if request.kind is ParameterKind.ENTITIES and isinstance(request.default, str):
        return matching_entities(request.default, entities)
    return request.default


_FIXTURE_VALUES: dict[ParameterKind, Callable[[], Any]] = {
    ParameterKind.ENTITY: lambda: "box",
    ParameterKind.ENTITIES: lambda: ["box"],
    ParameterKind.HAND: hand_parameter,
}
_GENERAL_VALUES: dict[ParameterKind, Callable[[], Any]] = {
    ParameterKind.NUMBER: lambda: 1.0,
    ParameterKind.INTEGER: lambda: 1,
    ParameterKind.BOOLEAN: lambda: False,
    ParameterKind.VECTOR: lambda: [0.0, 0.0, 0.0],
    ParameterKind.MODEL: lambda: f"1:{MODEL}",
    ParameterKind.POSE: lambda: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    ParameterKind.PATH: lambda: str(resource(*WORLD_FILE)),
}


def _invented_value(kind: ParameterKind, entities: Sequence[Entity]) -> Any:
    """Return a value that suits the kind; None if there is none, as for free text."""
    values = _GENERAL_VALUES | _FIXTURE_VALUES if entities else _GENERAL_VALUES
    return values[kind]() if kind in values else None
