"""The base classes of axes of mismatch, one for each of the four places where an axis can act."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hetwin_bauer2022.mismatch.facts import EpisodeFacts
from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_bauer2022.mismatch.real_world import RealWorld
from hetwin_bauer2022.mismatch.twin_files import TwinFiles
from hetwin_suite.runs import BadInput


class Place(StrEnum):
    """Where an axis acts; several axes are applied in this order."""

    REALITY = "reality"
    RECORDING = "recording"
    BELIEF = "belief"
    TWIN = "twin"


class Axis(ABC):
    """A difference between reality and twin, scaled by a level.

    An axis is a pure function of episode, level and seed: random numbers come from `EpisodeFacts.random`, so that the
    level scales the same draw.

    Attributes:
        place: place where it acts.
        name: name in `--mismatch NAME=LEVEL`, and of its entry point.
        unit: unit of its levels: `rad`, `m`, `s`, `Hz`, `N m`, `factor`, or `level`.
        none: neutral level, which changes nothing.
        levels: five or more levels to measure, ascending, including `none`.
        lowest: minimum level.
        highest: maximum level.
        hardware: minimum and maximum level of real hardware, in the same unit; None: not known.
        source: source of `hardware`, or what was not found.
        summary: meaning of a level, in one sentence.
        grasps: kinds of affected episodes, of `cage`, `pinch`, `insertion`; empty: all.
    """

    place: ClassVar[Place]
    name: ClassVar[str]
    unit: ClassVar[str]
    none: ClassVar[float] = 0.0
    levels: ClassVar[tuple[float, ...]]
    lowest: ClassVar[float] = -math.inf
    highest: ClassVar[float] = math.inf
    hardware: ClassVar[tuple[float, float] | None] = None
    source: ClassVar[str]
    summary: ClassVar[str]
    grasps: ClassVar[tuple[str, ...]] = ()

    def concerns(self, grasp: str) -> bool:
        """Whether the axis affects episodes of this kind."""
        return not self.grasps or grasp in self.grasps

    def check(self, level: float) -> None:
        """Check a level.

        Raises:
            BadInput: if the level is out of range.
        """
        if not (math.isfinite(level) and self.lowest <= level <= self.highest):
            raise BadInput(
                f"{self.name} cannot have this level",
                where="--mismatch",
                found=level,
                expected=self._possible(),
            )

    def _possible(self) -> str:
        bounds = []
        if math.isfinite(self.lowest):
            bounds.append(f">= {self.lowest:g}")
        if math.isfinite(self.highest):
            bounds.append(f"<= {self.highest:g}")
        return f"{' and '.join(bounds) or 'a finite number'} ({self.unit}), {self.none:g} changes nothing"


class RecordingAxis(Axis):
    """An axis that changes recorded joint states, or removes other messages."""

    place = Place.RECORDING

    @abstractmethod
    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Return the recorded joint states at this level.

        Args:
            recorded: messages of each publisher about the same joints; must not be changed in place.
            level: see `Axis`.
            episode: facts about the episode.
        """

    def keeps(self, type_name: str, level: float) -> bool:
        """Whether messages of another type stay in the recording at this level."""
        return True


class BeliefAxis(Axis):
    """An axis that changes the believed scene, as in `scene.json`."""

    place = Place.BELIEF

    @abstractmethod
    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Return the believed scene at this level.

        Args:
            scene: entity -> {`pose`: [x y z, qw qx qy qz] in the world}; must not be changed in place.
            level: see `Axis`.
            episode: facts about the episode.
        """


class TwinAxis(Axis):
    """An axis that changes the twin's world and robot."""

    place = Place.TWIN

    @abstractmethod
    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Change world and robot in place.

        Args:
            twin: copies of the two descriptions.
            level: see `Axis`.
            episode: facts about the episode.
        """


class RealityAxis(Axis):
    """An axis that changes the real world while an episode is recorded."""

    place = Place.REALITY

    @abstractmethod
    def change(self, real: RealWorld, level: float, random: np.random.Generator) -> RealWorld:
        """Return the real world at this level.

        Args:
            real: real world of the episode.
            level: see `Axis`.
            random: generator of random numbers for this axis and episode; independent of the level.
        """


class Mismatch(NamedTuple):
    """An axis at a valid level."""

    axis: Axis
    level: float

    def __str__(self) -> str:
        return f"{self.axis.name}={self.level:g}"
