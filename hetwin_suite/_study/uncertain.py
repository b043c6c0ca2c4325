"""The uncertainty of a scenario, and one run's draw of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import qmult

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.uncertainty import NumberSpread, PoseSpread
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.numbers import (
    MOST_SEED,
    How,
    Number,
    drawn_number,
    drawn_shift,
    generator,
    varied,
)

LIGHTEST = 0.01
"""A mass is at least this share of the nominal one."""
BODIES, GRIPS = "bodies", "grips"
"""The main model's parameters for differences of bodies and hands."""
OFFSET = "offset"
"""The parameter of a model of the error of its estimate."""
_AXES = ("x", "y", "z", "roll", "pitch", "yaw")


class Placed(NamedTuple):
    """An entity whose pose is uncertain, and those moved with it.

    Attributes:
        entity: its name.
        spread: how uncertain it is.
        poses: entity -> (7,) the nominal pose; the entity first.
    """

    entity: str
    spread: PoseSpread
    poses: Mapping[str, Floats]

    @property
    def axes(self) -> tuple[str, ...]:
        """Which of x, y, z, roll, pitch, yaw, and of a mixture the part, are uncertain."""
        return varied(self.spread)


class Varied(NamedTuple):
    """A parameter of a model that is uncertain.

    Attributes:
        model: its name.
        parameter: its name.
        spread: how uncertain it is.
        nominal: the scenario's value, or the model's default.
    """

    model: str
    parameter: str
    spread: NumberSpread
    nominal: Any

    @property
    def name(self) -> str:
        """The name of the input."""
        return f"{self.model}.{self.parameter}"


class Physical(NamedTuple):
    """Something of a body or a hand that is uncertain, which the main model is to change.

    Attributes:
        entity: its name.
        aspect: ``mass``, ``friction``, ``bounce`` or ``grip``.
        spread: how uncertain it is.
        nominal: of a mass, the scenario's [kg]; else 1, a factor.
    """

    entity: str
    aspect: str
    spread: NumberSpread
    nominal: float = 1.0

    @property
    def name(self) -> str:
        """The name of the input."""
        return f"{self.entity}.{self.aspect}"


class Grasped(NamedTuple):
    """An object whose pose is that which a model estimates, with a covariance.

    Attributes:
        entity: its name.
        model: that estimates it, and has the parameter ``offset``.
        covariance: (6, 6) of its position [m] and rotation vector [rad], in the axes in which the model offsets it.
    """

    entity: str
    model: str
    covariance: Floats

    def draw(self, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
        """Draw how far it is from the estimate, and note it; returns the model's parameter."""
        name = f"{self.entity}.in_hand"
        spread, axes = np.linalg.eigh(self.covariance)
        normal = generator(name, seed, index).normal(size=6)
        offset = (axes @ (np.sqrt(np.maximum(spread, 0.0)) * normal)).tolist()
        inputs.update((f"{name}.{key}", number) for key, number in zip(_AXES, offset, strict=True))
        return {OFFSET: offset}


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """The quantities drawn for each run.

    Attributes:
        main: name of the main model.
        placed: poses.
        physical: uncertain quantities of bodies and hands.
        varied: models' parameters.
        grasped: estimates of models.
        bodies: the main model's parameter `bodies` as the scenario has it.
        grips: its parameter `grips`.
    """

    main: str
    placed: Sequence[Placed] = ()
    physical: Sequence[Physical] = ()
    varied: Sequence[Varied] = ()
    grasped: Sequence[Grasped] = ()
    bodies: Mapping[str, Any] | None = None
    grips: Mapping[str, float] | None = None

    def draw(self, seed: int, index: int) -> Draw:
        """Draw a run; it depends on nothing but the two numbers.

        Args:
            seed: of the batch.
            index: of the run in it.
        """
        inputs: dict[str, Json] = {}
        scene: dict[str, Any] = {}
        for placed in self.placed:
            scene |= _moved(placed, seed, index, inputs)
        parameters: dict[str, dict[str, Any]] = {}
        for of in self.varied:
            number = _number(of.name, of.spread, seed, index, inputs)
            parameters.setdefault(of.model, {})[of.parameter] = number.of(of.nominal)
        if self.physical:
            parameters.setdefault(self.main, {}).update(self._changes(seed, index, inputs))
        for held in self.grasped:
            parameters.setdefault(held.model, {}).update(held.draw(seed, index, inputs))
        run_seed = int(generator("seed", seed, index).integers(MOST_SEED))
        return Draw(index, run_seed, inputs, scene, parameters)

    def _changes(self, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
        """Return the main model's parameters for bodies and hands."""
        bodies = {name: dict(changes) for name, changes in (self.bodies or {}).items()}
        grips = dict(self.grips or {})
        for of in self.physical:
            number = _number(of.name, of.spread, seed, index, inputs)
            if of.aspect == "grip":
                grips[of.entity] = grips.get(of.entity, 1.0) * number.of(of.nominal)
                continue
            body = bodies.setdefault(of.entity, {})
            match of.aspect, number.how:
                case "mass", _:
                    factor = max(number.of(of.nominal) / of.nominal, LIGHTEST)
                    body["mass"] = body.get("mass", 1.0) * factor
                case "friction", How.TIMES:
                    body["friction_factor"] = body.get("friction_factor", 1.0) * number.value
                case aspect, _:
                    body[aspect] = number.value
        return ({BODIES: bodies} if bodies else {}) | ({GRIPS: grips} if grips else {})


def _moved(placed: Placed, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
    """Return the scene with an entity and its load moved, and note the draw."""
    name = f"{placed.entity}.{POSE.name}"
    shift = drawn_shift(placed.spread, generator(name, seed, index))
    numbers = dict(zip(("x", "y", "z"), shift.position, strict=True))
    numbers |= dict(zip(("roll", "pitch", "yaw"), shift.turn, strict=True))
    drawn: dict[str, Json] = {**numbers, "part": shift.part}
    inputs.update((f"{name}.{key}", drawn[key]) for key in placed.axes)
    middle = placed.poses[placed.entity][:3]
    return {
        entity: {"pose": _turned(pose, middle, np.array(shift.position), shift.rotation)}
        for entity, pose in placed.poses.items()
    }


def _turned(pose: Floats, middle: Floats, offset: Floats, rotation: Floats) -> list[float]:
    """Return a pose turned about a point and moved."""
    arm = np.concatenate(([0.0], pose[:3] - middle))
    conjugate = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    place = middle + offset + qmult(qmult(rotation, arm), conjugate)[1:]
    return [*place.tolist(), *qmult(rotation, pose[3:7]).tolist()]


def _number(
    name: str, spread: NumberSpread, seed: int, index: int, inputs: dict[str, Json]
) -> Number:
    """Draw a number, and note it."""
    number = drawn_number(spread, generator(name, seed, index))
    inputs[name] = number.value
    if number.part is not None:
        inputs[f"{name}.part"] = number.part
    return number
