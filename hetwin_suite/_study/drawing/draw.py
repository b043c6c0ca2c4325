"""What one run differs in from what its scenario says, and the scenario with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from transforms3d.euler import euler2quat

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import SOURCE
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.episode_folder import RECORDING, believed_scene
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.uncertainty import (
    Between,
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    PoseSpread,
    Sigma,
    Spread,
    Values,
)
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_suite._study.drawing.uncertain import Grasped, Placed, Uncertainty

COVARIANCE = "pose_covariance"
"""Attribute of what is in a hand: the upper triangle of the covariance of its pose."""
MOVED_M = 0.005
MOVED_RAD = 0.05
"""What is further than this from where it was at the start has been moved."""


def of_now(uncertainty: Uncertainty, now: Snapshot) -> Uncertainty:
    """Return what is uncertain now.

    What a scenario says of a pose is about where a thing is at the start. It holds as long as the thing, and all that
    it carries, is still there and is the main model's: what was taken was where it was believed. What is in a hand is
    as uncertain as the model says that localizes it there.

    Args:
        uncertainty: of the scenario.
        now: the scene.
    """
    placed = [_now(one, now) for one in uncertainty.placed]
    return replace(
        uncertainty,
        placed=tuple(one for one in placed if one is not None),
        grasped=tuple(_estimated(now)),
    )


def _estimated(now: Snapshot) -> Iterator[Grasped]:
    """Yield the objects whose pose a model estimates with a covariance."""
    for slot in now.layout.slots:
        if slot.attribute.name != COVARIANCE:
            continue
        triangle = now.get(slot.entity, COVARIANCE)
        model = now.owner(slot.entity, COVARIANCE)
        if triangle.any() and now.owner(slot.entity, POSE.name) == model:
            covariance = np.zeros((6, 6))
            covariance[np.triu_indices(6)] = triangle
            covariance += np.triu(covariance, 1).T
            yield Grasped(slot.entity, model, covariance)


def _now(placed: Placed, now: Snapshot) -> Placed | None:
    poses = {entity: np.array(now.pose(entity)) for entity in placed.poses}
    main = now.owner(placed.entity, POSE.name)
    for entity, pose in poses.items():
        before = placed.poses[entity]
        free = now.layout.entity(entity).kind is EntityKind.OBJECT
        if free and now.owner(entity, POSE.name) != main:
            return None
        turned = 2.0 * np.arccos(min(1.0, abs(float(pose[3:7] @ before[3:7]))))
        if np.abs(pose[:3] - before[:3]).max() > MOVED_M or turned > MOVED_RAD:
            return None
    return placed._replace(poses={entity: pose[:7] for entity, pose in poses.items()})


MOST_SEED = 2**31
"""Seeds of runs are below it."""


def generator(purpose: str, seed: int, index: int) -> np.random.Generator:
    """Return the generator of one purpose in one run: what it draws depends on nothing else.

    Args:
        purpose: what is drawn, e.g. ``box.pose``.
        seed: of the batch.
        index: of the run in it.
    """
    return np.random.default_rng([crc32(purpose.encode()), seed, index])


class How(StrEnum):
    """How a drawn number is used."""

    PLUS = "plus"
    TIMES = "times"
    IS = "is"


class Number(NamedTuple):
    """A number that was drawn: what is added to the one that is said, what that is multiplied with, or a new one.

    Attributes:
        how: which of them.
        value: the number; with `How.IS` whatever the scenario lists.
        part: of a mixture, which part it is from; None if there is no mixture.
    """

    how: How
    value: Any
    part: int | None = None

    def of(self, nominal: Any) -> Any:
        """Return what becomes of a number that is said."""
        match self.how:
            case How.PLUS:
                return nominal + self.value
            case How.TIMES:
                return nominal * self.value
        return self.value


class Shift(NamedTuple):
    """How far a pose is from where it is said to be.

    Attributes:
        position: x y z in the world [m].
        turn: roll, pitch, yaw about the world's axes [rad].
        part: of a mixture, which part it is from; None if there is no mixture.
    """

    position: tuple[float, float, float]
    turn: tuple[float, float, float]
    part: int | None = None

    @property
    def rotation(self) -> Floats:
        """The turn as qw qx qy qz."""
        return np.asarray(euler2quat(*self.turn))


def drawn_number(spread: NumberSpread, random: np.random.Generator) -> Number:
    """Draw a number."""
    match spread:
        case Mixture():
            part = _chosen(spread.weights, random)
            return drawn_number(spread.mixture[part], random)._replace(part=part)
        case Sigma():
            return Number(How.PLUS, random.normal(0.0, spread.sigma))
        case Factor():
            return Number(How.TIMES, float(np.exp(random.normal(0.0, spread.factor))))
        case Between():
            return Number(How.IS, _uniform(spread.between, random))
        case Values():
            weights = spread.weights or [1.0] * len(spread.values)
            return Number(How.IS, spread.values[_chosen(weights, random)])


def drawn_shift(spread: PoseSpread, random: np.random.Generator) -> Shift:
    """Draw how far a pose is off."""
    if isinstance(spread, PoseMixture):
        part = _chosen(spread.weights, random)
        return drawn_shift(spread.mixture[part], random)._replace(part=part)
    x, y, z = random.normal(0.0, spread.sigma).tolist()
    roll, pitch, yaw = random.normal(0.0, [spread.roll, spread.pitch, spread.yaw]).tolist()
    distance, direction = _uniform(spread.away, random), random.uniform(0.0, 2.0 * np.pi)
    aside = distance * np.cos(direction), distance * np.sin(direction)
    return Shift((x + float(aside[0]), y + float(aside[1]), z), (roll, pitch, yaw))


def varied(spread: PoseSpread) -> tuple[str, ...]:
    """Return which of x, y, z, roll, pitch, yaw, and of a mixture the part, are uncertain."""
    parts = spread.mixture if isinstance(spread, PoseMixture) else [spread]
    named = {name for part in parts for name in _varied(part)}
    order = ("x", "y", "z", "roll", "pitch", "yaw")
    mixed = ("part",) if isinstance(spread, PoseMixture) else ()
    return (*(name for name in order if name in named), *mixed)


def _varied(spread: Spread) -> set[str]:
    named = {name for name, sigma in zip("xyz", spread.sigma, strict=True) if sigma > 0.0}
    named |= {name for name in ("roll", "pitch", "yaw") if getattr(spread, name) > 0.0}
    return named | ({"x", "y"} if spread.away[1] > 0.0 else set())


def _uniform(bounds: Sequence[float], random: np.random.Generator) -> float:
    return float(random.uniform(bounds[0], bounds[1]))


def _chosen(weights: Sequence[float], random: np.random.Generator) -> int:
    shares = np.asarray(weights) / np.sum(weights)
    return int(random.choice(len(shares), p=shares))


@dataclass(frozen=True, slots=True)
class Draw:
    """What one run differs in: what was drawn for it, and what is done to it beside.

    Attributes:
        index: of the run in its study.
        seed: of the run; None: as its start says.
        inputs: what was drawn by name, e.g. ``box.pose.x``: of poses by how much they are off [m, rad], of numbers what
            is added, the factor, or the number itself.
        scene: entity -> {"pose": [7]} in the world, of those that are moved.
        parameters: model -> parameter -> value, of those that differ.
        source: recording that it replays from its start; None: as its start says.
    """

    index: int
    seed: int | None
    inputs: Mapping[str, Json] = field(default_factory=dict)
    scene: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str | None = None

    def __str__(self) -> str:
        return f"run {self.index}"

    @classmethod
    def of_episode(cls, folder: Path, index: int = 0) -> Draw:
        """Return what makes a run the replay of a recorded episode, in the scene that its robot believed in.

        Raises:
            BadInput: if the episode's scene cannot be read.
        """
        scene = believed_scene(str(folder))
        return cls(index, None, scene=scene, source=str(folder / RECORDING))

    def with_pose(self, entity: str, pose: Sequence[float]) -> Draw:
        """Return the same with an entity elsewhere: x y z qw qx qy qz in the world."""
        return replace(self, scene={**self.scene, entity: {"pose": [*map(float, pose)]}})

    def with_parameters(self, model: str, values: Mapping[str, Any]) -> Draw:
        """Return the same with other parameters of a model."""
        changed = {**self.parameters.get(model, {}), **values}
        return replace(self, parameters={**self.parameters, model: changed})

    @property
    def replaces_source(self) -> bool:
        """Whether the robot does something else than in the run that this goes on from."""
        return any(SOURCE in changed for changed in self.parameters.values())

    def options(self, options: RunOptions) -> RunOptions:
        """Return what the start of the run says."""
        scene = {**options.scene}
        for entity, entry in self.scene.items():
            scene[entity] = {**scene.get(entity, {}), **entry}
        source = options.source if self.source is None else self.source
        seed = options.seed if self.seed is None else self.seed
        return replace(options, scene=scene, seed=seed, source=source)

    def of(self, scenario: Scenario) -> Scenario:
        """Return the scenario with the drawn parameters of its models."""
        if not self.parameters:
            return scenario
        entries = {
            name: entry.model_copy(
                update={"parameters": {**entry.parameters, **self.parameters.get(name, {})}}
            )
            for name, entry in scenario.file.models.items()
        }
        plans = tuple(
            replace(plan, parameters={**plan.parameters, **self.parameters.get(plan.name, {})})
            for plan in scenario.models
        )
        file = scenario.file.model_copy(update={"models": entries})
        return replace(scenario, file=file, models=plans)


AS_BELIEVED = Draw(-1, 0, {})
"""Nothing is drawn; it is none of the futures that are asked for, which count from 0."""
