"""Gazebo Sim behind the engine interface, in this process and in lock-step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import Floats, Value
from model_nodes.main_physics.engines.engine import (
    EVERYTHING_NEAR,
    Beam,
    Diverged,
    Engine,
    EngineSettings,
    Remark,
    Unsupported,
)
from model_nodes.main_physics.engines.gz.bindings import gazebo
from model_nodes.main_physics.engines.gz.clock import Clock
from model_nodes.main_physics.engines.gz.commands import Orders, taken
from model_nodes.main_physics.engines.gz.joint_spline import Course
from model_nodes.main_physics.engines.gz.objects import Objects
from model_nodes.main_physics.engines.gz.options import read_options
from model_nodes.main_physics.engines.gz.parts import parts_of
from model_nodes.main_physics.engines.gz.proxies.collision_masks import Form
from model_nodes.main_physics.engines.gz.self_test import check_physics
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.gz.simulation import Simulation
from model_nodes.main_physics.engines.gz.touching import Touching
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.names import frame_name
from model_nodes.main_physics.world.notes import Notes

_TOO_FAST = 1e4
"""A joint or body faster than this has diverged [m/s or rad/s]."""


@dataclass(frozen=True, slots=True)
class _Saved:
    positions: Floats
    velocities: Floats
    poses: dict[str, Floats]
    objects: object
    course: object
    periods: int


class GazeboEngine(Engine):
    """Gazebo Sim with DART, or with bullet-featherstone.

    What Gazebo lacks is made up for: an object whose collisions change is swapped for a twin (`masks`); what
    follows another model is a heavy twin with a velocity servo (`twins`); what hangs on something that moves freely
    is made a part of it (`parts`); distances and frames come from a shadow of the world (`shadow`).
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
        check_physics(self._options.physics)
        steps = self._options.steps(settings.period, settings.substeps)
        self._steps, self._step_ns = steps, round(settings.period * 1e9) // steps
        if settings.contact_time is not None:
            notes.add(
                "contact_time is MuJoCo's; Gazebo's engines part overlapping bodies by their own rule"
            )
        self._clock = Clock(settings.period)
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
        self._course = Course(len(tables.driven), self._settings.period)
        self._objects = Objects(world, self._shadow, self._clock)
        near = self._near_objects()
        self._touching = Touching(self._shadow, near, self._settings.proximity_range)
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
        self.close()
        self._objects.outdated = False
        self._joints_placed = True
        self._objects.placed.update(self._shadow.poses)
        self._touching.forget()

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
        self._shadow.jump(self._clock.seconds)

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Remember where the driven joints shall be."""
        self._course.command(positions, velocities)

    def step(self) -> None:
        """Go on by one period."""
        shadow, objects = self._shadow, self._objects
        if shadow.place_led(self._clock.ns()):
            shadow.jump(self._clock.seconds)
        swapped = objects.choose()
        if objects.outdated:
            self._start_over()
        simulation = self._running()
        placed = taken(objects.placed, swapped, shadow.poses)
        objects.placed, reset, self._joints_placed = {}, self._joints_placed, False
        begins = {name: shadow.poses[name] for name in objects.told}
        wrenches = objects.wrenches()
        for i in range(1, self._steps + 1):
            target = self._course.at(i / self._steps)
            ends = self._told_at(target, i / self._steps)
            orders = Orders(
                self._step_ns * 1e-9,
                target,
                shadow.positions,
                shadow.velocities,
                reset,
                objects.links.stiff,
                objects.roles.active,
                placed,
                begins,
                ends,
                wrenches,
            )
            ecm = simulation.step(partial(orders.give, simulation=simulation))
            placed, reset, begins = {}, False, ends
            self._read(simulation, ecm, complete=i == self._steps)
        self._clock.periods += 1
        self._touching.stepped(simulation)
        shadow.update(self._clock.seconds)
        shadow.place_led(self._clock.ns())
        self._check()
        objects.part()

    def _check(self) -> None:
        speed = self._shadow.speed()
        finite = isfinite(speed) and all(
            isfinite(float(pose.sum())) for pose in self._shadow.poses.values()
        )
        if not (finite and speed < _TOO_FAST):
            raise Diverged(
                f"{self._shadow.fastest()} has no sensible motion any more (faster than {_TOO_FAST:g})"
            )

    def _running(self) -> Simulation:
        if self._simulation is None:
            shadow, objects = self._shadow, self._objects
            self._simulation = Simulation(
                self._world,
                parts_of(self._world, shadow.inertial, shadow.loads, objects.mute()),
                shadow.poses,
                objects.roles.loaded,
                self.joints,
                self._step_ns,
                self._options,
            )
        return self._simulation

    def _told_at(self, target: Floats, share: float) -> dict[str, Floats]:
        """Where objects that are told shall be after a share of the step, the robot being where it shall be."""
        shadow, roles = self._shadow, self._objects.roles
        if not shadow.led.any:
            return {name: shadow.poses[name] for name in roles.frozen}
        count = len(target)
        kept = shadow.positions.copy(), shadow.velocities.copy()
        shadow.positions[:count] = target
        shadow.update(self._clock.seconds)
        shadow.place_led(self._clock.ns(share))
        ends = {name: shadow.poses[name] for name in self._objects.told}
        shadow.positions[:], shadow.velocities[:] = kept
        return ends

    def _read(self, simulation: Simulation, ecm: Any, *, complete: bool) -> None:
        shadow = self._shadow
        poses: dict[str, Floats] = {}
        for name, form in self._objects.roles.active.items():
            if form is None:
                continue
            twin = simulation.twins[name, form]
            if complete or form is Form.LED or twin.placed:
                pose = twin.read(ecm)
                if form is not Form.LED:
                    poses[name] = pose
        if complete:
            shadow.set_objects(poses)
        joints = simulation.joints
        shadow.positions[:] = [joint.position(ecm)[0] for joint in joints]
        if complete:
            shadow.velocities[:] = [joint.velocity(ecm)[0] for joint in joints]

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        self._shadow.read(out)

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        positions[:] = self._shadow.positions
        velocities[:] = self._shadow.velocities

    def proximity(self) -> Floats:
        """Rows for the objects of the settings; also for pairs whose collisions are off."""
        return self._touching.proximity()

    def contacts(self) -> Floats:
        """The contacts of Gazebo's last step."""
        return self._touching.contacts()

    def follow(self, name: str, value: Value) -> None:
        """Lead an object, by a twin with a velocity servo."""
        self._objects.follow(name, value)

    def hand_back(self, name: str, value: Value) -> None:
        """Let an object go; see `parting`."""
        self._objects.hand_back(name, value)

    def set_collision(self, name: str, on: bool) -> None:
        """Swap an object for a twin that touches nothing, or back."""
        self._objects.set_collision(name, on)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Hold objects where they are, and springs of robots still; see `roles` and `link_levels`."""
        self._objects.set_fidelity(names, level)

    def fidelity(self, name: str) -> Fidelity:
        """In how much detail an object or a link is simulated now."""
        return self._objects.fidelity(name)

    def look(self, beams: Sequence[Beam]) -> Floats:
        """MuJoCo's geometry tells; see `shadow`."""
        on = [self.fidelity(beam.frame) is not Fidelity.LOW for beam in beams]
        return self._shadow.look(beams, on)

    def push(self, name: str, wrench: Floats) -> None:
        """Let a force act on an object in each of Gazebo's steps."""
        self._objects.push(name, wrench)

    def attach(self, name: str, to: str) -> None:
        """Lead an object by a frame, or make it a part of what moves freely."""
        self._objects.attach(name, to)

    def detach(self, name: str) -> None:
        """Let go of what it hangs on."""
        self._objects.detach(name)

    def save(self) -> object:
        """Positions, velocities, and what is asked of the objects."""
        shadow = self._shadow
        return _Saved(
            shadow.positions.copy(),
            shadow.velocities.copy(),
            {name: pose.copy() for name, pose in shadow.poses.items()},
            self._objects.save(),
            self._course.save(),
            self._clock.periods,
        )

    def restore(self, state: object) -> None:
        """Go back to a saved state; contacts that held are found again."""
        if not isinstance(state, _Saved) or set(state.poses) != set(self._shadow.poses):
            raise Unsupported("this is no state of this world in Gazebo")
        shadow = self._shadow
        shadow.positions[:], shadow.velocities[:] = state.positions, state.velocities
        self._objects.restore(state.objects)
        shadow.set_objects(state.poses)
        self._objects.placed.update(state.poses)
        self._course.restore(state.course)
        self._clock.periods = state.periods
        self._joints_placed = True
        self._touching.forget()
        shadow.jump(self._clock.seconds)

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
        shadow_before, objects_before = self._shadow, self._objects
        self._use(world, Notes())
        self._shadow.keep_from(shadow_before)
        count = len(self.driven)
        self._course.begin(self._shadow.positions[:count], self._shadow.velocities[:count])
        self._objects.keep_from(objects_before)
        self._start_over()

    def take_remarks(self) -> list[Remark]:
        """What was done about overlaps."""
        return self._objects.take_remarks()

    def close(self) -> None:
        """Let Gazebo go."""
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
