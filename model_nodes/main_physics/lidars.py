"""The laser scanners of a robot, and the steps at which they scan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.clock import divisor, nearest_rates
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import Lidar
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine, Scanner
from model_nodes.main_physics.world.transforms import pose_of


@dataclass(frozen=True, slots=True)
class FittedLidar:
    """A laser scanner on a link.

    Attributes:
        scanner: its beams, for the engine.
        pattern: their meaning, for the scene.
        every: it scans every so many steps.
    """

    scanner: Scanner
    pattern: ScanPattern
    every: int

    @property
    def link(self) -> str:
        """The link that it is fixed to."""
        return self.scanner.frame

    def scan(self, engine: Engine) -> Floats:
        """(beams,) what it measures now."""
        return self.pattern.as_measured(engine.read_scan(self.scanner))


def fitted_lidars(
    lidars: Mapping[str, Lidar],
    links: Mapping[str, str],
    frames: Sequence[str],
    rate: float,
    robot: str = "robot",
) -> list[FittedLidar]:
    """Return the robot's laser scanners.

    Args:
        lidars: as the scenario names them.
        links: the robot's own name of a link -> the scene's.
        frames: all names that are in use in the scene.
        rate: steps of the main model per simulated second.
        robot: the scenario's key of the robot.

    Raises:
        BadInput: if a link is not there or has two scanners, a name is in use, or a rate does not divide `rate`.
    """
    on: dict[str, str] = {}
    fitted: list[FittedLidar] = []
    for name, lidar in lidars.items():
        where = f"{robot}.lidars.{name}"
        if lidar.link not in links:
            raise BadInput(
                "the robot has no such link",
                where=f"{where}.link",
                found=lidar.link,
                expected=one_of(lidar.link, links),
            )
        if lidar.link in on:
            raise BadInput(
                f"this link has a laser scanner already, {on[lidar.link]}",
                where=f"{where}.link",
                found=lidar.link,
                expected="one scanner on each link",
            )
        on[lidar.link] = name
        link = links[lidar.link]
        fitted.append(_fitted(name, link, lidar, _every(lidar.rate, rate, where)))
        if fitted[-1].pattern.frame_on(link) in set(frames) - {link}:
            raise BadInput(
                "the frame of this scanner needs a name of its own",
                where=where,
                found=name,
                expected="a name that nothing in the scene has",
            )
    return fitted


def with_scanners(entities: Sequence[Entity], lidars: Sequence[FittedLidar]) -> list[Entity]:
    """Return the entities; links with a scanner say what its scans mean."""
    patterns = {lidar.link: lidar.pattern for lidar in lidars}
    return [
        replace(entity, scanner=patterns[entity.name]) if entity.name in patterns else entity
        for entity in entities
    ]


def due(lidars: Sequence[FittedLidar], step: int) -> Iterator[FittedLidar]:
    """Iterate over those that scan at a step; all do at step 0."""
    return (lidar for lidar in lidars if step % lidar.every == 0)


def _fitted(name: str, link: str, lidar: Lidar, every: int) -> FittedLidar:
    x, y, z, *turn = pose = pose_of(lidar.at)
    pattern = ScanPattern(
        name, pose, lidar.first, lidar.last, lidar.beams, lidar.nearest, lidar.reach, lidar.rate
    )
    angles = pattern.angles
    flat = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    along = np.ascontiguousarray(flat @ quat2mat(turn).T)
    return FittedLidar(Scanner(link, (x, y, z), along, lidar.reach), pattern, every)


def _every(rate: float, main_rate: float, where: str) -> int:
    every = divisor(main_rate, rate)
    if every is None:
        near = " or ".join(f"{r:g}" for r in nearest_rates(main_rate, rate))
        raise BadInput(
            "this rate does not divide the main model's rate",
            where=f"{where}.rate",
            found=rate,
            expected=f"{near} with the main rate {main_rate:g}",
        )
    return every
