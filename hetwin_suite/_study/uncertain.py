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
    SEED_LIMIT,
    ChangeKind,
    Number,
    draw_number,
    draw_shift,
    generator,
    uncertain_axes,
)

MIN_MASS = 0.01
"""Minimum drawn mass, as a fraction of the nominal mass."""
BODIES, GRIPS = "bodies", "grips"
"""The main model's parameters for changed bodies and hands."""
OFFSET = "offset"
"""The parameter of a localizing model that offsets its estimate."""
_AXES = ("x", "y", "z", "roll", "pitch", "yaw")


class UncertainPose(NamedTuple):
    """An entity whose pose is uncertain, with the entities that it carries.

    Attributes:
        entity: name of the entity.
        spread: distribution of the pose.
        poses: entity -> (7,) nominal pose; the entity itself first.
    """

    entity: str
    spread: PoseSpread
    poses: Mapping[str, Floats]

    @property
    def axes(self) -> tuple[str, ...]:
        """The uncertain ones of x, y, z, roll, pitch and yaw, and ``part`` for a mixture."""
        return uncertain_axes(self.spread)


class UncertainParameter(NamedTuple):
    """An uncertain parameter of a model.

    Attributes:
        model: name of the model.
        parameter: name of the parameter.
        spread: distribution of its value.
        nominal: the scenario's value, or the model's default.
    """

    model: str
    parameter: str
    spread: NumberSpread
    nominal: Any

    @property
    def name(self) -> str:
        """Name of the drawn value in `Draw.inputs`."""
        return f"{self.model}.{self.parameter}"


class UncertainQuantity(NamedTuple):
    """An uncertain physical quantity of a body or a hand, which the main model applies.

    Attributes:
        entity: name of the body or hand.
        aspect: ``mass``, ``friction``, ``bounce`` or ``grip``.
        spread: distribution of the quantity.
        nominal: nominal mass of the body [kg]; 1 for all other quantities.
    """

    entity: str
    aspect: str
    spread: NumberSpread
    nominal: float = 1.0

    @property
    def name(self) -> str:
        """Name of the drawn value in `Draw.inputs`."""
        return f"{self.entity}.{self.aspect}"


class EstimatedPose(NamedTuple):
    """An object whose pose a model estimates with a covariance.

    Attributes:
        entity: name of the object.
        model: name of the estimating model, which has the parameter ``offset``.
        covariance: (6, 6) covariance of position [m] and rotation vector [rad], in the frame of ``offset``.
    """

    entity: str
    model: str
    covariance: Floats

    def draw(self, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
        """Draw the offset from the estimate, and add it to `inputs`; returns the model's changed parameter."""
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
        placed: uncertain poses.
        physical: uncertain quantities of bodies and hands.
        varied: uncertain parameters of models.
        grasped: uncertain estimates of poses.
        bodies: the scenario's value of the main model's parameter `bodies`.
        grips: the scenario's value of the main model's parameter `grips`.
    """

    main: str
    placed: Sequence[UncertainPose] = ()
    physical: Sequence[UncertainQuantity] = ()
    varied: Sequence[UncertainParameter] = ()
    grasped: Sequence[EstimatedPose] = ()
    bodies: Mapping[str, Any] | None = None
    grips: Mapping[str, float] | None = None

    def draw(self, seed: int, index: int) -> Draw:
        """Draw the differences of one run.

        Args:
            seed: seed of the batch.
            index: index of the run in the batch.
        """
        inputs: dict[str, Json] = {}
        scene: dict[str, Any] = {}
        for placed in self.placed:
            scene |= _draw_poses(placed, seed, index, inputs)
        parameters: dict[str, dict[str, Any]] = {}
        for uncertain in self.varied:
            number = _draw_named(uncertain.name, uncertain.spread, seed, index, inputs)
            parameters.setdefault(uncertain.model, {})[uncertain.parameter] = number.of(
                uncertain.nominal
            )
        if self.physical:
            parameters.setdefault(self.main, {}).update(self._changes(seed, index, inputs))
        for estimated in self.grasped:
            parameters.setdefault(estimated.model, {}).update(estimated.draw(seed, index, inputs))
        run_seed = int(generator("seed", seed, index).integers(SEED_LIMIT))
        return Draw(index, run_seed, inputs, scene, parameters)

    def _changes(self, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
        """Return the main model's parameters for bodies and hands."""
        bodies = {name: dict(changes) for name, changes in (self.bodies or {}).items()}
        grips = dict(self.grips or {})
        for uncertain in self.physical:
            number = _draw_named(uncertain.name, uncertain.spread, seed, index, inputs)
            if uncertain.aspect == "grip":
                grips[uncertain.entity] = grips.get(uncertain.entity, 1.0) * number.of(
                    uncertain.nominal
                )
                continue
            body = bodies.setdefault(uncertain.entity, {})
            match uncertain.aspect, number.how:
                case "mass", _:
                    factor = max(number.of(uncertain.nominal) / uncertain.nominal, MIN_MASS)
                    body["mass"] = body.get("mass", 1.0) * factor
                case "friction", ChangeKind.TIMES:
                    body["friction_factor"] = body.get("friction_factor", 1.0) * number.value
                case aspect, _:
                    body[aspect] = number.value
        return ({BODIES: bodies} if bodies else {}) | ({GRIPS: grips} if grips else {})


def _draw_poses(
    placed: UncertainPose, seed: int, index: int, inputs: dict[str, Json]
) -> dict[str, Any]:
    """Draw the pose of an entity and move what it carries along; returns scene entries, and adds to `inputs`."""
    name = f"{placed.entity}.{POSE.name}"
    shift = draw_shift(placed.spread, generator(name, seed, index))
    numbers = dict(zip(("x", "y", "z"), shift.position, strict=True))
    numbers |= dict(zip(("roll", "pitch", "yaw"), shift.rpy, strict=True))
    drawn: dict[str, Json] = {**numbers, "part": shift.part}
    inputs.update((f"{name}.{key}", drawn[key]) for key in placed.axes)
    centre = placed.poses[placed.entity][:3]
    return {
        entity: {"pose": _displaced(pose, centre, np.array(shift.position), shift.rotation)}
        for entity, pose in placed.poses.items()
    }


def _displaced(pose: Floats, centre: Floats, offset: Floats, rotation: Floats) -> list[float]:
    """Rotate a pose about a point, then translate it; returns x y z qw qx qy qz."""
    lever = np.concatenate(([0.0], pose[:3] - centre))
    conjugate = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    position = centre + offset + qmult(qmult(rotation, lever), conjugate)[1:]
    return [*position.tolist(), *qmult(rotation, pose[3:7]).tolist()]


def _draw_named(
    name: str, spread: NumberSpread, seed: int, index: int, inputs: dict[str, Json]
) -> Number:
    """Draw a number, and add it to `inputs`."""
    number = draw_number(spread, generator(name, seed, index))
    inputs[name] = number.value
    if number.part is not None:
        inputs[f"{name}.part"] = number.part
    return number
