"""The model of a fluid in a cup (Bauer et al., 2022, section 4.1): small balls in the cup's frame, in an own engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_fluid.balls import Balls
from hetwin_fluid.cup import Cup, Flags
from hetwin_fluid.filling import settled_in
from hetwin_fluid.motion import CupMotion
from hetwin_fluid.pouring import read_pouring
from hetwin_fluid.settings import Settings
from hetwin_fluid.spares import Spares
from hetwin_fluid.weight import Weight
from hetwin_suite.model import (
    EXTERNAL_WRENCH,
    PARTICLE_SIZE,
    POSE,
    AttributeSpec,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    Floats,
    Json,
    Meaning,
    Model,
    Plain,
    Refused,
    RunFailed,
    Snapshot,
    Tick,
    Value,
    compose,
    pose_value,
    rebuild,
    record,
)

_NAME = "fluid_in_cup"
PARTICLES = "particles"
COUNT = AttributeSpec("particle_count", 1)
_TOO_FAST = 100.0
"""A particle faster than this was ejected by an unstable contact [m/s]."""


def _particles(capacity: int) -> AttributeSpec:
    return AttributeSpec(PARTICLES, PARTICLE_SIZE * capacity, "m, m/s, m", Meaning.PARTICLES)


class FluidInCup(Model[Settings]):
    """Simulates particles in the frame of a moving cup, whose walls are at rest in that frame.

    The cup's motion enters as inertial forces; the particles' weight acts on the cup in the main model as an external
    wrench. Particles that leave the cup are reported in the event ``spilled`` (with ``cup``, ``count``, ``left`` and,
    in the world, ``positions`` and ``velocities``) and removed, unless the model is responsible for the pose of
    spare objects: each such object replaces one particle and is handed back to the main model there.
    Further events: ``empty`` when the last particle has left, and ``caught`` (with ``count`` and ``total``) when
    particles arrive in the cup that the command ``add`` has put above it.
    """

    summary = "Particles of a fluid in a moving cup, with a separate engine."
    rate = 100.0
    provides = (_particles(0), COUNT, EXTERNAL_WRENCH, POSE)
    raises: ClassVar[Mapping[str, str]] = {
        "spilled": "particles have left the cup: cup, count, left, positions [m], velocities [m/s]",
        "caught": "particles added above the cup have arrived in it: cup, count, total",
        "empty": "the last particle has left the cup: cup",
    }

    def __init__(self) -> None:
        self._balls: Balls | None = None

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the particles, their number, and their weight as attributes of the cup."""
        self._spares = Spares()
        cup, capacity = settings.cup, settings.room
        scene.set(cup, _particles(capacity), np.zeros(PARTICLE_SIZE * capacity))
        scene.set(cup, COUNT, settings.particles)
        scene.set(cup, EXTERNAL_WRENCH, np.zeros(6))
        scene.needs((cup, POSE.name))

    def start(self, scene: Snapshot) -> None:
        """Fill the cup.

        Raises:
            BadInput: if the cup cannot hold the particles.
        """
        settings = self.settings
        if not scene.layout.has(settings.cup, POSE.name):
            raise BadInput("this entity has no pose", where="cup", found=settings.cup)
        self._cup = Cup(scene.layout.entity(settings.cup))
        gravity = float(np.linalg.norm(settings.gravity))
        count, substance = settings.particles, settings.substance
        resting = settled_in(self._cup, count, substance, gravity, self.seed)
        self._balls = Balls(self._cup.walls, settings.room, substance)
        self._balls.place(np.arange(count), resting, np.zeros((count, 3)))
        self._arriving: Flags = np.zeros(settings.room, bool)
        self._motion = CupMotion(np.array(settings.gravity), round(settings.smoothing * 1e9))
        self._motion.add(scene.time_ns, scene.pose(settings.cup))
        self._weight = Weight()

    def step(self, tick: Tick) -> Changes:
        """Simulate the particles, and report those that have left or arrived."""
        balls = self._require_balls()
        self._motion.add(tick.scene.time_ns, tick.scene.pose(self.settings.cup))
        pushes = balls.advance(tick.period_ns / 1e9, self._motion.field(), self._arriving)
        self._check(balls, tick.time_ns)
        changes = tick.changes()
        self._report_arrivals(balls, changes)
        self._report_spills(balls, changes)
        self._write_values(balls, pushes, changes)
        return changes

    def _require_balls(self) -> Balls:
        if self._balls is None:
            raise RunFailed(_NAME, "step", 0, "the model has not been started")
        return self._balls

    def _check(self, balls: Balls, time_ns: int) -> None:
        if not balls.fastest < _TOO_FAST:
            reason = (
                f"a particle in {self._cup.name} is faster than {_TOO_FAST:g} m/s; a smaller time_step"
                f" than {self.settings.substance.step:g} s, or a larger radius, may help"
            )
            raise RunFailed(_NAME, "step", time_ns, reason)

    def _report_arrivals(self, balls: Balls, changes: Changes) -> None:
        if not self._arriving.any():
            return
        arrived = self._arriving & self._cup.holds(balls.positions)
        if not arrived.any():
            return
        self._arriving &= ~arrived
        total = int((balls.there & ~self._arriving).sum())
        changes.event("caught", cup=self._cup.name, count=int(arrived.sum()), total=total)

    def _report_spills(self, balls: Balls, changes: Changes) -> None:
        radius = self.settings.substance.radius
        positions = balls.positions
        if balls.all_there and self._cup.keeps_all(positions, radius):
            return
        out = self._cup.left_by(positions, radius)
        if self._arriving.any():
            out = np.where(self._arriving, self._cup.missed_by(positions, radius), out)
        out &= balls.there
        if not out.any():
            return
        left = [
            self._in_world(p, v) for p, v in zip(positions[out], balls.velocities[out], strict=True)
        ]
        was_inside = bool((out & ~self._arriving).any())
        balls.remove(np.flatnonzero(out))
        self._arriving &= ~out
        remaining = int((balls.there & ~self._arriving).sum())
        changes.event(
            "spilled",
            cup=self._cup.name,
            count=len(left),
            left=remaining,
            # rounded to a hundredth of a millimetre, for readability
            positions=[pose[:3].round(5).tolist() for pose in left],
            velocities=[pose[7:10].round(5).tolist() for pose in left],
        )
        if was_inside and not remaining:
            changes.event("empty", cup=self._cup.name)
        for entity in self._spares.send(left, changes.time_ns):
            changes.give_back(entity, POSE)

    def _in_world(self, position: Floats, velocity: Floats) -> Floats:
        """Return (13,) pose and twist of a particle."""
        return compose(self._motion.pose, pose_value(position, linear=velocity).data)

    def _write_values(self, balls: Balls, pushes: Floats, changes: Changes) -> None:
        cup, substance = self._cup.name, self.settings.substance
        rows = np.empty((balls.capacity, PARTICLE_SIZE))
        positions = balls.positions
        rows[:, 0:3], rows[:, 3:6] = positions, balls.velocities
        rows[:, 6] = substance.radius
        if not balls.all_there or self._arriving.any():
            rows[~balls.there] = 0.0
            inside = balls.there & ~self._arriving
            pushes, positions = pushes[inside], positions[inside]
        rotation = quat2mat(self._motion.pose[3:7].tolist())
        wrench = self._weight.update(pushes, positions, rotation, substance.mass)
        values = {PARTICLES: rows.ravel(), COUNT.name: np.array([float(len(positions))])}
        values[EXTERNAL_WRENCH.name] = wrench
        for name, data in values.items():
            changes.set(cup, name, data)
        changes.values.update(self._spares.poses(changes.time_ns))

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Reserve an object as the body of a particle that leaves the cup.

        Raises:
            Refused: if the attribute is not the pose of an object, or the object is the cup.
        """
        known = scene.layout.has(entity, attribute) and attribute == POSE.name
        if not known or scene.layout.entity(entity).kind is not EntityKind.OBJECT:
            raise Refused(f"the fluid in {self.settings.cup} cannot use {entity}.{attribute}")
        if entity == self.settings.cup:
            raise Refused(f"the fluid in {entity} cannot move its own cup")
        self._spares.keep(entity, value)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release a spare object, at the pose of the particle that it replaces or else at its waiting pose.

        Raises:
            Refused: if the model is not responsible for it.
        """
        if attribute != POSE.name or entity not in self._spares:
            raise Refused(
                f"the fluid in {self.settings.cup} is not responsible for {entity}.{attribute}"
            )
        return self._spares.release(entity, scene.time_ns)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Execute ``add`` with positions [m] and velocities [m/s] in the world: adds particles that fall into the cup.

        Raises:
            Refused: if the command is unknown, or the capacity is too small.
        """
        if name != "add":
            raise Refused(
                f"a fluid has no command {name!r}; its command is add (positions, velocities)"
            )
        balls = self._require_balls()
        poured = read_pouring(arguments)
        free = np.flatnonzero(~balls.there)
        if len(free) < len(poured.positions):
            raise Refused(
                f"there is room for {len(free)} more particles in {self._cup.name}, not for"
                f" {len(poured.positions)}; the parameter capacity limits their number"
            )
        which = free[: len(poured.positions)]
        balls.place(which, *poured.in_frame(self._motion.pose))
        self._arriving[which] = True

    def save(self) -> Mapping[str, Plain]:
        """Return the state of the particles, of the cup's motion, and of the spare objects."""
        parts = {"arriving": self._arriving, "motion": self._motion, "weight": self._weight}
        return {
            "balls": self._require_balls().save(),
            "parts": record({**parts, "spares": self._spares}, name=_NAME),
        }

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Continue with the saved particles.

        Raises:
            Refused: if the state is of another fluid.
        """
        fresh = {"motion": self._motion, "weight": self._weight, "spares": self._spares}
        parts = rebuild(saved["parts"], fresh, name=_NAME)
        self._arriving = parts["arriving"]
        self._require_balls().restore(saved["balls"])

    def stop(self) -> None:
        """Release the engine."""
        self._balls = None
