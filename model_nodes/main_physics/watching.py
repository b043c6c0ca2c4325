"""Reports about the robots for models that observe them, and overlaps at the start.

The positions of a recording are noisy, and the second derivative of a curve through them is mostly noise. So a parabola
is fitted to the positions around a time (Savitzky and Golay 1964). That time lies slightly in the past, since
later positions must be known too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.snapshot import Table
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout, watch_every
from model_nodes.main_physics.block import Block
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.sources.plans import Plans
from model_nodes.main_physics.world.description import Body, Joint, JointKind, joint_name

HALF_WINDOW = 0.1
"""Half of the window to which the parabola is fitted [s]."""


class SmoothMotion(NamedTuple):
    """The motion at the middle of the window, each (n,), with the efforts at that time."""

    positions: Floats
    velocities: Floats
    accelerations: Floats
    efforts: Floats


class Smoother:
    """Keeps the last samples of the motion of n joints.

    Args:
        count: number of joints.
        interval: time between samples [s].

    Attributes:
        delay: delay of the smoothed motion relative to the last sample [s].
    """

    def __init__(self, count: int, interval: float) -> None:
        self._half = max(1, round(HALF_WINDOW / interval))
        self.delay = self._half * interval
        self._size = 2 * self._half + 1
        # Each sample is written twice, so that the last ones are always contiguous.
        self._positions = np.zeros((2 * self._size, count))
        self._efforts = np.zeros((self._size, count))
        self._sample_count = 0
        times = np.arange(-self._half, self._half + 1) * interval
        fit = np.linalg.pinv(np.vander(times, 3, increasing=True))
        self._weights = np.stack((fit[1], 2.0 * fit[2]))

    def take(self, positions: Floats, efforts: Floats) -> None:
        """Add the next sample."""
        row = self._sample_count % self._size
        self._positions[row] = self._positions[row + self._size] = positions
        self._efforts[row] = efforts
        self._sample_count += 1

    def motion(self) -> SmoothMotion | None:
        """Return the smoothed motion; None until the window is full."""
        if self._sample_count < self._size:
            return None
        begin = self._sample_count % self._size
        window = self._positions[begin : begin + self._size]
        velocities, accelerations = self._weights @ window
        efforts = self._efforts[(begin + self._half) % self._size]
        return SmoothMotion(window[self._half], velocities, accelerations, efforts)


SAMPLE_INTERVAL = 0.02
"""Time between the samples from which accelerations are computed [s]."""


class RobotReporter:
    """Creates a report after a fixed number of steps.

    Args:
        robots: the observed robots, in the order of their joints.
        engine: engine for measurements; its joints must be at their positions at the start.
        block: the main model's attributes, with the entities.
        plans: plans that command the joints.
        rate: steps per simulated second.
        watch_rate: reports per simulated second.
        reach: distance below which links are reported [m].
        loose: indices of commanded joints that may deviate from their recorded positions.
        findings: findings of the source in its recording.

    Attributes:
        layout: layout of the reports, constant during the run.
        due_ns: time before which `report` has nothing to do [ns].
        reports_ns: time before which `report` returns nothing [ns].
    """

    def __init__(
        self,
        robots: Sequence[Body],
        engine: Engine,
        block: Block,
        plans: Plans,
        rate: float,
        watch_rate: float,
        reach: float,
        loose: Sequence[int] = (),
        findings: tuple[Finding, ...] = (),
    ) -> None:
        joints = [joint for robot in robots for joint in robot.moving_joints]
        self._engine, self._block, self._plans = engine, block, plans
        self._commanded = np.flatnonzero(
            [joint in robot.driven_joints for robot in robots for joint in robot.moving_joints]
        )
        self._count = len(joints)
        self._rate, self._every = rate, watch_every(rate, watch_rate)
        self._sample_every = max(1, round(rate * SAMPLE_INTERVAL))
        self._stride = math.gcd(self._every, self._sample_every)
        self.due_ns = self.reports_ns = 0
        self._smoother = Smoother(len(self._commanded), self._sample_every / rate)
        self._delay_ns = round(self._smoother.delay * 1e9)
        self._unless_driven = np.where(plans.driven, 0.0, np.nan)
        self._unless_driven[list(loose)] = np.nan
        self._unknown = np.full(len(self._commanded), np.nan)
        driven = np.zeros(len(joints), np.bool_)
        driven[self._commanded] = plans.driven
        self.layout = _layout(
            robots, driven.tolist(), self._has_inertias(), findings, self._delay_ns
        )
        self._reach = reach
        engine.clearances(reach)  # prepares tables so that the first step is not delayed
        engine.take_touches()

    def replace_plans(self, plans: Plans) -> None:
        """Use other plans with the same joints from now on."""
        self._plans = plans

    def add_loose_joints(self, joints: Sequence[int]) -> None:
        """Add commanded joints that may deviate from their command."""
        self._unless_driven[list(joints)] = np.nan

    def _has_inertias(self) -> bool:
        zeros = np.zeros(len(self._commanded))
        return bool(np.isfinite(self._engine.expected_efforts(zeros, zeros, zeros)).any())

    def report(self, time_ns: int, motion: JointMotion) -> Mapping[str, Table]:
        """Process the motion; returns the tables of a report, if one is due with the step to `time_ns`.

        Args:
            time_ns: simulated time [ns].
            motion: motion of the commanded joints at that time.
        """
        step = round(time_ns * self._rate / 1e9)
        self.due_ns, self.reports_ns = (
            self._end_of_next(step, self._stride),
            self._end_of_next(step, self._every),
        )
        if step % self._sample_every == 0:
            self._smoother.take(motion.positions, self._plans.measured_efforts)
        if step % self._every:
            return {}
        measured, expected = self._efforts()
        watch = Watch(
            time_ns,
            self._for_all_joints(motion.positions + self._unless_driven),
            self._for_all_joints(motion.velocities + self._unless_driven),
            self._for_all_joints(measured),
            self._for_all_joints(expected),
            self._block.to_entity_indices(self._engine.clearances(self._reach)),
            self._delay_ns,
            self._block.to_entity_indices(self._engine.take_touches()),
        )
        return watch.tables()

    def _end_of_next(self, step: int, every: int) -> int:
        """Return the end of the next step whose number is a multiple of `every` [ns]."""
        return math.ceil(((step // every + 1) * every - 0.5) * 1e9 / self._rate)

    def _efforts(self) -> tuple[Floats, Floats]:
        """Measured and expected efforts of the commanded joints, at the middle of the smoother's window."""
        smoothed = self._smoother.motion()
        if smoothed is None or not np.count_nonzero(smoothed.efforts == smoothed.efforts):
            return self._unknown, self._unknown
        positions, velocities, accelerations, measured = smoothed
        expected = self._engine.expected_efforts(positions, velocities, accelerations)
        return measured, self._plans.add_to_masters(expected)

    def _for_all_joints(self, commanded: Floats) -> Floats:
        """Spread values of the commanded joints over all joints of the robots; NaN for passive joints."""
        if len(self._commanded) == self._count:
            return commanded
        spread = np.full(self._count, np.nan)
        spread[self._commanded] = commanded
        return spread


def _layout(
    robots: Sequence[Body],
    driven: list[bool],
    has_inertias: bool,
    findings: tuple[Finding, ...],
    delay_ns: int,
) -> WatchLayout:
    joints = [joint for robot in robots for joint in robot.moving_joints]
    limits = [_limits(joint) for joint in joints]
    return WatchLayout(
        tuple((robot.name, len(robot.moving_joints)) for robot in robots),
        tuple(joint_name(robot, joint) for robot in robots for joint in robot.moving_joints),
        tuple(driven),
        tuple(lower for lower, _ in limits),
        tuple(upper for _, upper in limits),
        tuple(joint.max_velocity for joint in joints),
        tuple(joint.max_effort for joint in joints),
        has_inertias,
        findings,
        tuple(joint.kind is JointKind.SLIDE for joint in joints),
        delay_ns,
        tuple(joint.friction > 0.0 or joint.damping > 0.0 for joint in joints),
    )


def _limits(joint: Joint) -> tuple[float | None, float | None]:
    # Exporters write 0 and 0 where no limits were given.
    if joint.lower is not None and joint.lower == joint.upper:
        return None, None
    return joint.lower, joint.upper


MIN_OVERLAP = 1e-4
"""Minimum depth of an overlap [m]."""


def start_overlaps(
    engine: Engine, block: Block, entities: Sequence[Entity], reach: float
) -> tuple[Finding, ...]:
    """Return a finding ``starts_inside`` for each pair, with ``link`` or ``object``, ``partner`` and ``depth`` [m].

    Args:
        engine: engine with everything at its start.
        block: the main model's attributes, with the entities of the engine's frames.
        entities: entities in the order of the scene.
        reach: reach of the clearances that are measured during the run [m].
    """
    names = [entity.name for entity in entities]
    rows = (
        ("object", block.to_entity_indices(engine.proximity().copy())),
        ("link", block.to_entity_indices(engine.clearances(reach).copy())),
    )
    return tuple(finding for kind, table in rows for finding in _findings(kind, table, names))


def _findings(kind: str, rows: Floats, names: Sequence[str]) -> list[Finding]:
    deepest: dict[frozenset[str], tuple[float, str, str]] = {}
    for first, second, distance, *_ in rows[rows[:, 2] < -MIN_OVERLAP].tolist():
        pair = names[int(first)], names[int(second)]
        previous = deepest.get(frozenset(pair))
        if previous is None or previous[0] < -distance:
            deepest[frozenset(pair)] = (-distance, *(pair if previous is None else previous[1:]))
    return [
        Finding("starts_inside", 0, 0, {kind: entity, "partner": partner, "depth": depth})
        for depth, entity, partner in deepest.values()
    ]
