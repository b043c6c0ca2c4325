"""Gazebo Sim behind the engine interface, in this process and in lock-step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from hetwin_suite.ensemble.errors import BadInput
from hetwin_suite.ensemble.fidelity import Fidelity
from hetwin_suite.ensemble.poses import relative_to
from hetwin_suite.ensemble.snapshot import PROXIMITY_COLUMNS, no_proximity
from hetwin_suite.ensemble.values import WORLD, Floats, Value
from hetwin_suite.model_nodes.main_physics.description import Body, World
from hetwin_suite.model_nodes.main_physics.engines.engine import (
    EVERYTHING_NEAR,
    Diverged,
    Engine,
    EngineSettings,
    Remark,
    Unsupported,
)
from hetwin_suite.model_nodes.main_physics.engines.gz.bindings import gazebo
from hetwin_suite.model_nodes.main_physics.engines.gz.contacts import CONTACT_COLUMNS, Contacts
from hetwin_suite.model_nodes.main_physics.engines.gz.course import Course
from hetwin_suite.model_nodes.main_physics.engines.gz.masks import Form
from hetwin_suite.model_nodes.main_physics.engines.gz.options import read_options
from hetwin_suite.model_nodes.main_physics.engines.gz.orders import Orders, taken
from hetwin_suite.model_nodes.main_physics.engines.gz.parting import Parting
from hetwin_suite.model_nodes.main_physics.engines.gz.roles import Roles
from hetwin_suite.model_nodes.main_physics.engines.gz.shadow import Shadow
from hetwin_suite.model_nodes.main_physics.engines.gz.simulation import Simulation
from hetwin_suite.model_nodes.main_physics.engines.gz.world_sdf import lumps
from hetwin_suite.model_nodes.main_physics.names import frame_name
from hetwin_suite.model_nodes.main_physics.notes import Notes

_TOO_FAST = 1e4
"""A joint or body faster than this has diverged [m/s or rad/s]."""
_TOUCHING = 1e-3
"""Only of pairs closer than this Gazebo is asked for forces [m]."""


@dataclass(frozen=True, slots=True)
class _Saved:
    positions: Floats
    velocities: Floats
    poses: dict[str, Floats]
    led: object
    roles: object
    parting: object
    course: object
    attached: dict[str, str]
    periods: int


class GazeboEngine(Engine):
    """Gazebo Sim with DART, or with bullet-featherstone.

    What Gazebo lacks is made up for: an object whose collisions change is swapped for a twin (`masks`); what
    follows another model is a heavy twin with a velocity servo (`twins`); distances and frames come from a
    shadow of the world (`shadow`).
    """

    name = "gz"
    deterministic = False

    def __init__(self) -> None:
        gazebo()
        self._simulation: Simulation | None = None

    @property
    def words(self) -> str:
        """The engine, its release, and Gazebo's own physics engine."""
        return f"gz (Gazebo Sim {gazebo().release}, {self._options.physics})"

    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Load a world and start Gazebo with it."""
        self.close()
        notes = Notes()
        self._settings = settings
        self._options = read_options(settings.options)
        steps = self._options.steps(settings.period, settings.substeps)
        self._steps, self._step_ns = steps, round(settings.period * 1e9) // steps
        if settings.contact_time is not None:
            notes.add(
                "contact_time is MuJoCo's; Gazebo's engines part overlapping bodies by their own rule"
            )
        self._periods = 0
        self._attached: dict[str, str] = {}
        self._released: dict[str, tuple[int, Floats]] = {}
        self._remarks: list[Remark] = []
        self._use(world, notes)
        count = len(self._shadow.tables.free)
        if settings.proximity_objects is None and count > EVERYTHING_NEAR:
            notes.add(
                f"proximity is told of none of the {count} objects, since they are more than"
                f" {EVERYTHING_NEAR}; name some in proximity_objects"
            )
        self._running()  # takes some seconds, which a step must not
        return notes.all()

    def _use(self, world: World, notes: Notes) -> None:
        self._world = world
        self._shadow = Shadow(world, self._settings, notes)
        tables = self._shadow.tables
        self._bodies = {body.name: body for body in world.bodies if not body.static}
        self._parts = {body.name: lumps(body, self._shadow.inertial) for body in world.bodies}
        self._course = Course(len(tables.driven), self._settings.period)
        self._near = self._shadow.pairs(self._near_objects(), self._settings.proximity_range)
        self._parting = Parting(self._shadow)
        self._roles = Roles(tables.free)
        self._frame_ids = {name: i for i, name in enumerate(tables.frames)}
        self._placed: dict[str, Floats] = {}
        self._start_over()

    def _near_objects(self) -> tuple[str, ...]:
        free, named = self._shadow.tables.free, self._settings.proximity_objects
        if named is None:
            return tuple(free) if len(free) <= EVERYTHING_NEAR else ()
        for name in named:
            if name not in free:
                raise BadInput(
                    "is no free object",
                    where="proximity_objects",
                    found=name,
                    expected=", ".join(free),
                )
        return named

    def _start_over(self) -> None:
        """Gazebo is to be loaded anew, with everything as it is now."""
        if self._simulation is not None:
            self._simulation.close()
        self._simulation = None
        self._joints_placed = True
        self._placed.update(self._shadow.poses)
        self._contacts = Contacts([], {})
        self._heard = True

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames: what moves first."""
        return self._shadow.tables.frames

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints."""
        return self._shadow.tables.joints

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the robots' joints."""
        return self._shadow.tables.driven

    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set all joints exactly."""
        self._shadow.positions[:] = positions
        self._shadow.velocities[:] = velocities
        count = len(self.driven)
        self._course.begin(positions[:count], velocities[:count])
        self._joints_placed = True
        self._refresh()

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Remember where the driven joints shall be."""
        self._course.command(positions, velocities)

    def _refresh(self) -> None:
        self._shadow.update(self._seconds())
        self._near.forget()

    def _seconds(self) -> float:
        return self._periods * self._settings.period

    def _time_ns(self, share: float) -> int:
        return round((self._periods + share) * self._settings.period * 1e9)

    def step(self) -> None:
        """Go on by one period."""
        shadow = self._shadow
        shadow.place_led(self._time_ns(0.0))
        swapped = self._choose()
        simulation = self._running()
        placed = taken(self._placed, swapped, shadow.poses)
        self._placed, reset, self._joints_placed = {}, self._joints_placed, False
        begins = {name: shadow.poses[name] for name in self._told}
        for i in range(1, self._steps + 1):
            target = self._course.at(i / self._steps)
            ends = self._led_at(target, i)
            orders = Orders(
                self._step_ns * 1e-9,
                self.joints,
                target,
                shadow.positions,
                shadow.velocities,
                reset,
                self._roles.active,
                placed,
                begins,
                ends,
            )
            ecm = simulation.step(partial(orders.give, simulation=simulation))
            placed, reset, begins = {}, False, ends
            self._read(simulation, ecm, complete=i == self._steps)
        self._periods += 1
        self._heard = False
        shadow.update(self._seconds())
        shadow.place_led(self._time_ns(0.0))
        if not (shadow.speed() < _TOO_FAST and self._is_finite()):
            raise Diverged(
                f"{shadow.fastest()} has no sensible motion any more (faster than {_TOO_FAST:g})"
            )
        self._part()

    def _is_finite(self) -> bool:
        return isfinite(self._shadow.speed()) and all(
            bool(np.isfinite(pose).all()) for pose in self._shadow.poses.values()
        )

    def _running(self) -> Simulation:
        if self._simulation is None:
            self._simulation = Simulation(
                self._world,
                self._parts,
                self._shadow.poses,
                self._roles.loaded,
                self._step_ns,
                self._options,
            )
        return self._simulation

    @property
    def _told(self) -> tuple[str, ...]:
        """The objects that are where they are told: led ones, and those of less than high fidelity."""
        return (*self._shadow.led.values, *self._roles.frozen)

    def _led_at(self, target: Floats, i: int) -> dict[str, Floats]:
        """Where the led objects shall be after Gazebo's i-th step, the robot being where it shall be."""
        shadow = self._shadow
        if not shadow.led.any:
            return {name: shadow.poses[name] for name in self._roles.frozen}
        count = len(target)
        kept = shadow.positions.copy(), shadow.velocities.copy()
        shadow.positions[:count] = target
        shadow.update(self._seconds())
        shadow.place_led(self._time_ns(i / self._steps))
        ends = {name: shadow.poses[name] for name in self._told}
        shadow.positions[:], shadow.velocities[:] = kept
        return ends

    def _choose(self) -> list[str]:
        """Find each object's form; answers those that change theirs."""
        swapped, lacking = self._roles.choose(self._shadow.led.values, self._parting.passing)
        if lacking:
            self._start_over()
        return swapped

    def _read(self, simulation: Simulation, ecm: Any, *, complete: bool) -> None:
        shadow = self._shadow
        poses: dict[str, Floats] = {}
        for name, form in self._roles.active.items():
            if form is None:
                continue
            twin = simulation.twins[name, form]
            if complete or form is Form.LED or twin.placed:
                pose = twin.read(ecm)
                if form is not Form.LED:
                    poses[name] = pose
        if complete:
            shadow.set_objects(poses)
        for i, name in enumerate(self.joints):
            joint = simulation.joints[name]
            shadow.positions[i] = joint.position(ecm)[0]
            shadow.velocities[i] = joint.velocity(ecm)[0]

    def _part(self) -> None:
        if not self._parting.any:
            return
        for name, shift in self._parting.look(self._seconds(), self._settings.period).items():
            pose = self._shadow.poses[name].copy()
            pose[:3] += shift
            self._put(name, pose)
        self._remarks += self._parting.take_remarks()

    def _put(self, name: str, pose: Floats) -> None:
        self._shadow.set_objects({name: pose})
        self._placed[name] = pose
        self._refresh()

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        self._shadow.read(out)

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        positions[:] = self._shadow.positions
        velocities[:] = self._shadow.velocities

    def proximity(self) -> Floats:
        """Rows for the objects of the settings; also for pairs whose collisions are off."""
        near = self._near.nearest()
        if not near:
            return no_proximity()
        frame = self._shadow.tables.body_frames
        forces: dict[tuple[int, int], Floats] = {}
        if any(nearest.distance < _TOUCHING for nearest in near.values()):
            self._listen()
            forces = self._contacts.forces(
                {
                    (int(frame[body]), int(frame[other])): np.array(nearest.normal)
                    for (body, other), nearest in near.items()
                }
            )
        rows = np.zeros((len(near), PROXIMITY_COLUMNS))
        for row, ((body, other), n) in zip(rows, near.items(), strict=True):
            key = (int(frame[body]), int(frame[other]))
            row[:9] = (*key, n.distance, *n.point, *n.normal)
            if key in forces:
                row[9:12] = forces[key]
        return rows

    def _listen(self) -> None:
        if self._heard or self._simulation is None:
            return
        simulation = self._simulation
        frame_of = {number: self._frame_ids[n] for number, n in simulation.frame_of.items()}
        self._contacts = Contacts(simulation.contacts(), frame_of)
        self._heard = True

    def contacts(self) -> Floats:
        """The contacts of Gazebo's last step."""
        self._listen()
        pairs = self._contacts.pairs
        if not pairs:
            return np.empty((0, CONTACT_COLUMNS))
        return self._contacts.table(self._shadow.directions(pairs))

    def _free(self, name: str) -> Body:
        body = self._bodies.get(name)
        if body is None:
            raise Unsupported(f"Gazebo moves only free bodies from outside; {name} is none")
        if body.moving_joints:
            raise Unsupported(
                f"{name} has joints; only rigid objects can be led or change their collisions in Gazebo"
            )
        return body

    def follow(self, name: str, value: Value) -> None:
        """Lead an object, by a twin with a velocity servo."""
        self._free(name)
        before = self._shadow.frame(name)
        if self._shadow.lead(name, value):
            self._released[name] = (self._periods, before)
            self._roles.frozen.pop(name, None)
            self._parting.end(name)

    def hand_back(self, name: str, value: Value) -> None:
        """Let an object go; see `parting`."""
        self._free(name)
        self._attached.pop(name, None)
        when, pose = self._released.pop(name, (-1, value.data))
        untouched = when == self._periods and np.array_equal(pose, value.data)
        shadow = self._shadow
        if not untouched:
            shadow.lead(name, value)
            shadow.place_led(value.time_ns)
            self._put(name, shadow.frame(name))
        shadow.led.free(name)
        self._freeze(name)
        if not untouched and name not in self._roles.off and name not in self._roles.frozen:
            self._parting.begin(name, self._seconds())
            self._remarks += self._parting.take_remarks()

    def set_collision(self, name: str, on: bool) -> None:
        """Swap an object for a twin that touches nothing, or back."""
        self._free(name)
        (self._roles.off.discard if on else self._roles.off.add)(name)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Hold objects where they are: medium ones as heavy twins, low ones touching nothing."""
        chosen = list(names)
        for name in chosen:
            self._free(name)
        for name in chosen:
            self._roles.levels[name] = level
            self._freeze(name)

    def fidelity(self, name: str) -> Fidelity:
        """In how much detail an object is simulated now."""
        self._free(name)
        return self._roles.fidelity(name, self._shadow.led.values)

    def _freeze(self, name: str) -> None:
        """Keep pose and twist of an object whose fidelity is low, or give them back."""
        high, frozen = self.fidelity(name) is Fidelity.HIGH, self._roles.frozen
        if high and name in frozen:
            self._put(name, frozen.pop(name))
        elif not high and name not in frozen and name not in self._shadow.led:
            pose = self._shadow.poses[name]
            frozen[name] = pose
            self._put(name, np.concatenate([pose[:7], np.zeros(6)]))

    def attach(self, name: str, to: str) -> None:
        """Let an object follow a frame of a robot or of what stands, where it is.

        Gazebo's joints between models are made by topics, one step late. What follows a frame that is moved
        from outside anyway gives the same motion.
        """
        self._free(name)
        if to not in self.frames:
            raise Unsupported(f"there is no {to} to attach {name} to")
        links = {frame_name(b, link.name) for b in self._bodies.values() for link in b.links}
        if to in links:
            raise Unsupported(
                f"Gazebo attaches objects only to robots and to what stands; {to} moves freely"
            )
        self.detach(name)
        here = relative_to(self._shadow.frame_of_any(to), self._shadow.poses[name])
        here[7:] = 0.0
        self._attached[name] = to
        self.follow(name, Value(here, self._time_ns(0.0), to))

    def detach(self, name: str) -> None:
        """Let go of what it follows."""
        if self._attached.pop(name, None) is not None:
            pose = self._shadow.poses[name]
            self.hand_back(name, Value(pose, self._time_ns(0.0), WORLD))

    def save(self) -> object:
        """Positions, velocities, and who is led."""
        shadow = self._shadow
        return _Saved(
            shadow.positions.copy(),
            shadow.velocities.copy(),
            {name: pose.copy() for name, pose in shadow.poses.items()},
            shadow.led.save(),
            self._roles.save(),
            self._parting.save(),
            self._course.save(),
            dict(self._attached),
            self._periods,
        )

    def restore(self, state: object) -> None:
        """Go back to a saved state; contacts that held are found again."""
        if not isinstance(state, _Saved) or set(state.poses) != set(self._shadow.poses):
            raise Unsupported("this is no state of this world in Gazebo")
        shadow = self._shadow
        shadow.positions[:], shadow.velocities[:] = state.positions, state.velocities
        shadow.led.restore(state.led)
        shadow.set_objects(state.poses)
        self._placed.update(state.poses)
        self._roles.restore(state.roles)
        self._parting.restore(state.parting)
        self._course.restore(state.course)
        self._attached = dict(state.attached)
        self._released.clear()
        self._periods = state.periods
        self._joints_placed = True
        self._contacts, self._heard = Contacts([], {}), True
        self._refresh()

    def add(self, body: Body) -> None:
        """Add a body: Gazebo is loaded anew and goes on from the same state."""
        if body.robot:
            raise Unsupported(f"Gazebo cannot add the robot {body.name} to a running world")
        names = {frame_name(body, link.name) for link in body.links}
        if names & set(self.frames):
            raise Unsupported(f"there is a body with a name of {body.name} already")
        self._rebuild(replace(self._world, bodies=(*self._world.bodies, body)))

    def remove(self, name: str) -> None:
        """Remove a body: Gazebo is loaded anew and goes on from the same state."""
        found = [body for body in self._world.bodies if body.name == name]
        if not found or found[0].robot:
            raise Unsupported(f"Gazebo removes only bodies of the world; {name} is none")
        rest = tuple(body for body in self._world.bodies if body.name != name)
        self._rebuild(replace(self._world, bodies=rest))

    def _rebuild(self, world: World) -> None:
        before, roles, passing = self._shadow, self._roles, self._parting.names
        self._use(world, Notes())
        shadow = self._shadow
        poses = {n: p for n, p in before.poses.items() if n in shadow.poses}
        joints = dict(zip(before.tables.joints, range(len(before.positions)), strict=True))
        for i, joint in enumerate(self.joints):
            if joint in joints:
                shadow.positions[i] = before.positions[joints[joint]]
                shadow.velocities[i] = before.velocities[joints[joint]]
        count = len(self.driven)
        self._course.begin(shadow.positions[:count], shadow.velocities[:count])
        shadow.set_objects(poses)
        for name, value in before.led.values.items():
            if name in poses and (value.parent == WORLD or value.parent in self.frames):
                shadow.lead(name, value)
        self._roles.keep_from(roles)
        self._attached = {n: to for n, to in self._attached.items() if n in shadow.led}
        self._refresh()
        self._start_over()
        for name in passing:
            if name in shadow.poses:
                self._parting.begin(name, self._seconds())
        self._parting.take_remarks()

    def take_remarks(self) -> list[Remark]:
        """What was done about overlaps."""
        remarks, self._remarks = self._remarks, []
        return remarks

    def close(self) -> None:
        """Let Gazebo go."""
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
