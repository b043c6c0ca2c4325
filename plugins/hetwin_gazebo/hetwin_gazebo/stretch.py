"""Consecutive steps between which only Gazebo's next commands are computed, as long as nothing else is needed.

DART moves joints without limits exactly as commanded, so that their positions need not be read back until the last
step. All commands are computed beforehand, and the shadow is updated at the end, or when an object has hit something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_gazebo.commands import MIN_SPEED
from hetwin_gazebo.drives import Drives
from hetwin_gazebo.impacts import Impacts, Momentum
from hetwin_gazebo.lockstep import Clock
from hetwin_gazebo.objects import Objects
from hetwin_gazebo.proxies.selection import ProxyKind
from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.simulation import Simulation
from hetwin_suite.model import Floats
from hetwin_suite.source import JointMotion

Poses = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class StretchParts:
    """The engine's parts that a stretch uses."""

    shadow: Shadow
    objects: Objects
    drives: Drives
    momentum: Momentum
    impacts: Impacts
    clock: Clock


class Stretch:
    """A number of periods in which joints and objects move as before.

    Args:
        parts: parts of the engine; its shadow is up to date.
        simulation: the running Gazebo.
        steps: number of Gazebo's steps in a period.
        seconds: duration of one of Gazebo's steps [s].
    """

    def __init__(
        self, parts: StretchParts, simulation: Simulation, steps: int, seconds: float
    ) -> None:
        self._parts, self._simulation = parts, simulation
        self._steps, self._seconds = steps, seconds
        shadow, active = parts.shadow, parts.objects.selection.active
        proxies = simulation.proxies
        moving = [(n, k, p) for (n, k), p in proxies.items() if k is active[n]]
        self._kinematic = [(n, p) for n, k, p in moving if k is ProxyKind.KINEMATIC]
        self._free = [(n, p) for n, k, p in moving if k is not ProxyKind.KINEMATIC]
        self._parked = [p for (n, k), p in proxies.items() if k is not active[n]]
        self._step, self._start = 0, parts.clock.periods
        self._joints = [(shadow.positions.copy(), shadow.velocities.copy())]
        self._speeds: list[list[float]] = []
        self._paths: list[Poses] = [{n: shadow.poses[n] for n in parts.objects.prescribed}]
        self._before = self._poses = {name: shadow.poses[name] for name, _ in self._free}

    def run(self, motions: Sequence[JointMotion]) -> None:
        """Advance by one period for each motion."""
        self._compute(motions)
        shadow, simulation = self._parts.shadow, self._simulation
        ecm = simulation.run(self._command, len(self._speeds))
        joints = simulation.joints
        shadow.positions[:] = [joint.position(ecm)[0] for joint in joints]
        shadow.velocities[:] = [joint.velocity(ecm)[0] for joint in joints]
        self._joints[-1] = (shadow.positions.copy(), shadow.velocities.copy())
        self._follow_links()
        if self._read(ecm):
            return
        if self._parts.momentum.is_simple:
            self._update(self._poses, self._joints[-1])
            self._parts.momentum.set_step(self._before)
        else:
            self._update_both()

    def _compute(self, motions: Sequence[JointMotion]) -> None:
        """Compute the joints' states after each period, and the commands of each of Gazebo's steps."""
        parts, seconds = self._parts, self._seconds
        shadow, drives = parts.shadow, parts.drives
        frozen = {name: shadow.poses[name] for name in parts.objects.selection.frozen}
        positions, velocities = self._joints[0]
        for number, motion in enumerate(motions):
            drives.command(motion.positions, motion.velocities)
            for i in range(1, self._steps + 1):
                fraction = i / self._steps
                target = drives.target(fraction, seconds, positions, velocities)
                positions, velocities = target, (target - positions) / seconds
                self._speeds.append(velocities.tolist())
                if self._kinematic:
                    time_ns = parts.clock.ns(number + fraction)
                    self._paths.append(frozen | shadow.kinematic_poses(target, {}, time_ns))
            self._joints.append((positions, velocities))

    def _command(self, ecm: Any) -> None:
        """Read what the next of Gazebo's steps depends on, and apply its commands; see `Commands`."""
        step = self._step
        if step:
            self._read(ecm)
        self._step += 1
        for joint, speed in zip(self._simulation.joints, self._speeds[step], strict=True):
            if abs(speed) > MIN_SPEED:
                joint.set_velocity(ecm, [speed])
        placed = self._parts.objects.placed
        for name, proxy in self._free:
            if proxy.placed:
                proxy.settle(ecm)
            if name in placed:
                proxy.place(ecm, placed.pop(name))
        for name, proxy in self._kinematic:
            proxy.settle(ecm)
            start, end = self._paths[step][name], self._paths[step + 1][name]
            proxy.drive(ecm, start, end, self._seconds)
        for proxy in self._parked:
            proxy.park(ecm)
        if not step:
            self._show(ecm)

    def _show(self, ecm: Any) -> None:
        """Let the pictures move to their objects until the end of the stretch."""
        period = len(self._speeds) * self._seconds
        for name, picture in self._simulation.pictures.items():
            picture.follow(ecm, self._parts.shadow.poses[name], period, self._seconds)

    def _read(self, ecm: Any) -> bool:
        """Read the objects after a step; if one has hit something, correct it, and return true."""
        for _, proxy in self._kinematic:
            proxy.read_pose(ecm)
        if self._step % self._steps:
            for _, proxy in self._free:
                if proxy.placed:
                    proxy.read_pose(ecm)
            return False
        parts = self._parts
        self._before, self._poses = self._poses, {n: p.read(ecm) for n, p in self._free}
        parts.clock.periods += 1
        if not parts.momentum.may_include_impact(self._before, self._poses):
            return False
        self._update_both()
        parts.objects.shift(parts.impacts.shifts())
        self._poses = {name: parts.shadow.poses[name] for name in self._poses}
        return True

    def _follow_links(self) -> None:
        """Track contacts of links after each period."""
        shadow = self._parts.shadow
        for number, joints in enumerate(self._joints[1:], self._start + 1):
            shadow.positions[:], shadow.velocities[:] = joints
            shadow.follow_links(number * self._parts.clock.period)

    def _update(self, poses: Poses, joints: tuple[Floats, Floats], periods: float = 0.0) -> None:
        """Update the shadow to a state at a time relative to now."""
        shadow, clock = self._parts.shadow, self._parts.clock
        shadow.positions[:], shadow.velocities[:] = joints
        shadow.set_objects(poses)
        shadow.update(clock.seconds + periods * clock.period)
        shadow.place_kinematic(clock.ns(periods))

    def _update_both(self) -> None:
        """Update shadow and momentum to the start of the last period, then to its end."""
        momentum, period = self._parts.momentum, self._step // self._steps
        self._update(self._before, self._joints[period - 1], -1.0)
        momentum.begin_step({})
        self._update(self._poses, self._joints[period])
        momentum.end_step()
