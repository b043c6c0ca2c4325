"""Links of robots that are simulated below full fidelity.

After Tallavajhula et al. (2019), section 4.3, for the spring-suspended plungers of a robot's arm.

A robot's driven joints do not depend on fidelity. Below high fidelity, the spring joint that suspends a link is locked;
a link of low fidelity also has no collisions. Gazebo fixes both when it loads the robot.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_suite.engine import World, frame_name, joint_name
from hetwin_suite.model import Fidelity, Floats


class LinkLevels:
    """The fidelity of every link of the robots.

    Args:
        world: world with the robots.
        joints: names of all joints, in the order of `velocities`.
        velocities: velocities of all joints; those of locked springs are 0, and are restored on unlocking.
    """

    def __init__(self, world: World, joints: tuple[str, ...], velocities: Floats) -> None:
        self._velocities = velocities
        self._springs: dict[str, int | None] = {}
        for robot in (body for body in world.bodies if body.robot):
            sprung = {j.child: joint_name(robot, j) for j in robot.joints if j.spring is not None}
            for link in robot.links:
                name = sprung.get(link.name)
                at = None if name is None else joints.index(name)
                self._springs[frame_name(robot, link.name)] = at
        self._levels: dict[str, Fidelity] = {}
        self._locked_velocities: dict[int, float] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._springs

    def level(self, name: str) -> Fidelity:
        """The fidelity of a link."""
        return self._levels.get(name, Fidelity.HIGH)

    @property
    def collisionless(self) -> frozenset[str]:
        """The links without collisions."""
        return frozenset(n for n, level in self._levels.items() if level is Fidelity.LOW)

    @property
    def locked(self) -> frozenset[int]:
        """Indices of the locked joints."""
        return frozenset(self._locked_velocities)

    def set(self, names: Iterable[str], level: Fidelity) -> bool:
        """Set the fidelity of links; return whether anything changed."""
        changed = [name for name in names if self.level(name) is not level]
        for name in changed:
            self._levels[name] = level
            if level is Fidelity.HIGH:
                del self._levels[name]
            joint = self._springs[name]
            if joint is not None:
                self._lock(joint, level is not Fidelity.HIGH)
        return bool(changed)

    def _lock(self, joint: int, locked: bool) -> None:
        if locked and joint not in self._locked_velocities:
            self._locked_velocities[joint] = float(self._velocities[joint])
            self._velocities[joint] = 0.0
        elif not locked:
            self._velocities[joint] = self._locked_velocities.pop(joint)

    def copy_from(self, previous: LinkLevels) -> None:
        """Copy the fidelities of the same robots from a world with other joints."""
        for name, level in previous._levels.items():
            self.set([name], level)
            old, new = previous._springs[name], self._springs[name]
            if old is not None and new is not None:
                self._locked_velocities[new] = previous._locked_velocities[old]

    def save(self) -> object:
        """Return the state for `restore`, without the velocities."""
        return dict(self._levels), dict(self._locked_velocities)

    def restore(self, state: object) -> bool:
        """Restore a saved state; returns whether a fidelity changed."""
        assert isinstance(state, tuple)
        previous = self._levels
        levels, velocities = state
        self._levels, self._locked_velocities = dict(levels), dict(velocities)
        return previous != self._levels
