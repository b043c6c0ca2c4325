"""Gazebo Sim as an engine, in this process and in lock-step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any

from hetwin_gazebo.bases import Bases, objects_moving_with, states_after_placing
from hetwin_gazebo.bindings import gazebo, new_partition
from hetwin_gazebo.checks import check_physics, check_robots, note_missing
from hetwin_gazebo.commands import Commands, poses_to_set
from hetwin_gazebo.drives import Drives, JointEfforts
from hetwin_gazebo.impacts import Impacts, Momentum
from hetwin_gazebo.lockstep import Clock, LockStep
from hetwin_gazebo.objects import Objects
from hetwin_gazebo.options import read_options
from hetwin_gazebo.parts import check_balls, parts_of
from hetwin_gazebo.proxies.selection import ProxyKind
from hetwin_gazebo.server.simulation import ServerPart
from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.simulation import Simulation
from hetwin_gazebo.stretch import Stretch, StretchParts
from hetwin_gazebo.touching import LinkContacts, Touching
from hetwin_gazebo.user_world import (
    note_carried,
    note_divided,
    note_left_behind,
    options_of_world,
    with_gazebo_names,
)
from hetwin_suite.engine import (
    Body,
    Diverged,
    Engine,
    EngineSettings,
    Notes,
    Rangefinder,
    Remark,
    Scanner,
    Unsupported,
    World,
    frame_name,
    note_too_many,
    proximity_objects,
)
from hetwin_suite.model import Fidelity, Floats, Value
from hetwin_suite.source import JointMotion

_BULLET_NOTE = (
    "bullet-featherstone separates overlapping bodies faster the deeper they overlap (8 mm/s per mm), lets objects that"
    " land flat tip over and objects held by friction creep (1 mm/s), limits speeds to 100 m/s, and resumes from a"
    " restored state with different contacts; dartsim does not"
)
_MAX_SPEED = 1e4
"""Speed of a joint or body above which the simulation counts as diverged [m/s or rad/s]."""


@dataclass(frozen=True, slots=True)
class _Saved:
    positions: Floats
    velocities: Floats
    poses: dict[str, Floats]
    balls: object
    objects: object
    bases: dict[str, Floats]
    led: object
    drives: object
    periods: int


class GazeboEngine(Engine):
    """Gazebo Sim with DART, or with bullet-featherstone.

    Works around missing features of Gazebo: an object whose collisions change is swapped for a proxy
    (`collision_masks`); an object that follows another model is a heavy proxy with a velocity servo (`proxy`); an
    object attached to a free body becomes part of it (`parts`); distances and frames come from a shadow of the world
    (`shadow`).
    """

    name = "gz"
    deterministic = False

    def __init__(self) -> None:
        gazebo()
        self._partition = new_partition()
        self._simulation: LockStep | None = None
        self._server: ServerPart | None = None
        self._links: LinkContacts | None = None

    @property
    def description(self) -> str:
        """Name of the engine, its release, and Gazebo's physics engine."""
        computes = self._options.physics if self._server is None else self._server.description
        return f"gz (Gazebo Sim {gazebo().release}, {computes})"

    @property
    def shown(self) -> Mapping[str, str]:
        """Name of the world in topics, and the partition in which other programs of Gazebo find it."""
        partition, world = self._partition, self._world.name
        if self._server is not None:
            partition, world = self._server.shown
        elif not self._options.visible:
            return {}
        return {"by": "gazebo", "partition": partition, "world": world.replace(" ", "_")}

    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Load a world and start Gazebo with it."""
        self.close()
        try:
            return self._load(world, settings)
        except BaseException:
            self.close()  # so that a running Gazebo does not keep a half-loaded world
            raise

    def _load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        notes = Notes()
        self._settings = settings
        options = read_options(settings.options)
        if options.server is None:
            self._options = options_of_world(options, world, notes)
            check_physics(self._options.physics)
            check_balls(world, self._options.physics)
            if self._options.physics != "dartsim":
                check_robots(world, self._options.physics)
            springs = any(
                joint.spring is not None for body in world.bodies for joint in body.joints
            )
            steps = self._options.steps(settings.period, settings.substeps, springs=springs)
        else:
            check_robots(world, "a running Gazebo")
            self._server = ServerPart(options)
            self._options = options.model_copy(update={"physics": self._server.physics})
            steps = self._server.steps(settings.period)
        self._steps, self._step_ns = steps, round(settings.period * 1e9) // steps
        if self._options.physics == "bullet-featherstone":
            notes.add(_BULLET_NOTE)
        if settings.contact_time is not None:
            notes.add(
                "contact_time applies to MuJoCo only; Gazebo's engines resolve penetrations by their own rules"
            )
        self._clock = Clock(settings.period)
        self._load_world(world, notes)
        note_too_many(settings, len(self._shadow.tables.free), notes)
        self._ensure_simulation()  # now, since starting takes several seconds, too long for a step
        if self._server is None:
            note_carried(world, notes)
            note_left_behind(world, self._objects.selection.swapped, notes)
            note_divided(world, notes)
            note_missing(world, notes)
        else:
            for note in self._server.notes:
                notes.add(note)
        return notes.all()

    def _load_world(self, world: World, notes: Notes) -> None:
        self._world = world = with_gazebo_names(world)
        self._shadow = Shadow(world, self._settings, notes)
        tables = self._shadow.tables
        self._joint_efforts = JointEfforts(self._shadow)
        self._bases = Bases(self._shadow, self._settings.period)
        self._drives = Drives(self._joint_efforts, self._bases, self._settings.period)
        self._objects = Objects(world, self._shadow, self._clock)
        self._objects.selection.expect(self._settings.handed_over)
        near = proximity_objects(self._settings, tables.free)
        self._momentum = Momentum(self._shadow, self._objects, self._settings.period)
        self._impacts = Impacts(self._shadow, self._objects, self._momentum)
        self._touching = Touching(
            self._shadow, self._objects, self._momentum, near, self._settings.proximity_range
        )
        self._stretch_parts = StretchParts(
            self._shadow,
            self._objects,
            self._drives,
            self._momentum,
            self._impacts,
            self._clock,
        )
        self._links = None if self._links is None else LinkContacts(self._shadow, near)
        self._proximity_names = near
        self._request_reload()

    def _request_reload(self) -> None:
        """Make Gazebo reload the world in its current state at the next step."""
        self._close_simulation()
        self._objects.outdated = False
        self._joints_placed = True
        self._objects.placed.update(self._shadow.poses)
        self._bases.place_all()
        self._touching.forget()

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, moving ones first."""
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
        self._drives.set_state(positions[:count], velocities[:count])
        self._joints_placed = True
        self._shadow.jump(self._clock.seconds)

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Set the command of the driven joints."""
        self._drives.command(positions, velocities)

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the robots whose base follows a command."""
        return self._bases.followed

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the base of a robot, with the objects that it holds; before the first step it holds none."""
        if robot not in self._bases:
            raise Unsupported(f"the base of {robot} is fixed; it cannot be placed")
        shadow, objects = self._shadow, self._objects
        held = (
            objects_moving_with(robot, shadow, self._touching.touching())
            if self._clock.periods
            else set()
        )
        states = states_after_placing(robot, state, held - objects.selection.frozen.keys(), shadow)
        self._bases.place(robot, state)
        objects.put(states)

    def command_bases(self, states: Floats) -> None:
        """Set the command of the bases that follow one; see `bases`."""
        self._bases.command(states)

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of limited joints; see `drives`."""
        self._drives.read_efforts(self._shadow.positions, self._shadow.velocities, out)

    @property
    def settled(self) -> bool:
        """Whether no penetration is being resolved."""
        return self._objects.settled

    def stretch(self, motions: Sequence[JointMotion], *, is_seen: bool = True) -> None:
        """Advance by one period with each command; see `Stretch`."""
        swapped: Sequence[str] = self._objects.choose()
        while motions and (swapped or not self._can_stretch):
            motion, *motions = motions
            self.command_joints(motion.positions, motion.velocities, motion.accelerations)
            self._step(swapped)
            swapped = self._objects.choose() if motions else ()
        if motions:
            self._stretch(motions)

    def _stretch(self, motions: Sequence[JointMotion]) -> None:
        assert isinstance(self._simulation, Simulation)
        self._place_kinematic()
        self._touching.begin_step()
        seconds = self._step_ns * 1e-9
        Stretch(self._stretch_parts, self._simulation, self._steps, seconds).run(motions)
        self._touching.end_step(self._simulation)
        self._check()

    @property
    def _can_stretch(self) -> bool:
        """Whether nothing but the commands of joints without limits is new in the next steps."""
        is_own = isinstance(self._simulation, Simulation) and self._options.physics == "dartsim"
        has_only_followers = self._drives.all_follow and len(self.joints) == len(self.driven)
        is_changed = self._joints_placed or self._objects.placed or self._objects.outdated
        is_same = not (is_changed or self._bases.any) and self._objects.are_plain
        return is_own and has_only_followers and is_same

    def _place_kinematic(self) -> None:
        if self._shadow.place_kinematic(self._clock.ns()):
            self._shadow.jump(self._clock.seconds)

    def step(self, *, is_seen: bool = True) -> None:
        """Advance by one period."""
        self._step(self._objects.choose())

    def _step(self, swapped: Sequence[str]) -> None:
        """Advance by one period; `swapped` are the objects whose proxy changes."""
        shadow, objects = self._shadow, self._objects
        self._place_kinematic()
        if objects.outdated:
            self._request_reload()
        simulation = self._ensure_simulation()
        if objects.placed:
            self._check()  # bullet-featherstone would silently limit the speed
        placed = poses_to_set(objects.placed, swapped, shadow.poses) | self._bases.placed
        objects.placed, reset, self._joints_placed = {}, self._joints_placed, False
        self._bases.placed = {}
        starts = {name: shadow.poses[name] for name in objects.prescribed} | self._bases.at(0.0)
        wrenches = objects.wrenches()
        self._touching.begin_step()
        self._momentum.begin_step(wrenches)
        picture_poses = {name: shadow.poses[name] for name in simulation.pictures_of}
        for i in range(1, self._steps + 1):
            fraction, seconds = i / self._steps, self._step_ns * 1e-9
            ends = self._prescribed_at(fraction)
            commands = Commands(
                seconds,
                self._drives.commands(fraction, seconds, shadow.positions, shadow.velocities),
                shadow.positions,
                shadow.velocities,
                reset,
                objects.links.locked,
                objects.selection.active,
                placed,
                starts,
                ends,
                wrenches,
                shadow.balls,
                picture_poses if i == 1 else {},
                self._settings.period,
            )
            ecm = simulation.step(partial(commands.apply, simulation=simulation))
            placed, reset, starts = {}, False, ends
            self._read(simulation, ecm, complete=i == self._steps)
        self._clock.periods += 1
        self._bases.end_step()
        shadow.update(self._clock.seconds)
        shadow.place_kinematic(self._clock.ns())
        self._momentum.end_step()
        self._touching.end_step(simulation)
        shadow.follow_links(self._clock.seconds)
        self._check()
        objects.shift(self._impacts.shifts())
        objects.depenetrate()

    def _check(self) -> None:
        speed = self._shadow.speed()
        finite = isfinite(speed) and all(
            isfinite(float(pose.sum())) for pose in self._shadow.poses.values()
        )
        if not (finite and speed < _MAX_SPEED):
            raise Diverged(f"{self._shadow.fastest()} has diverged (faster than {_MAX_SPEED:g})")

    def _ensure_simulation(self) -> LockStep:
        if self._simulation is None:
            shadow, objects = self._shadow, self._objects
            parts = parts_of(self._world, shadow.inertial, shadow.loads, objects.collisionless())
            if self._server is not None:
                loaded = objects.selection.loaded
                self._simulation = self._server.simulation(
                    self._world, parts, shadow.poses, loaded, self.joints
                )
                return self._simulation
            self._simulation = Simulation(
                self._world,
                parts,
                shadow.poses | shadow.bases,
                objects.selection.loaded,
                objects.names_with_pictures(),
                self.joints,
                self._step_ns,
                self._options,
                self._partition,
            )
        return self._simulation

    def _prescribed_at(self, fraction: float) -> dict[str, Floats]:
        """Return the prescribed poses of objects and bases after a fraction of the step, robots as commanded."""
        shadow, selection = self._shadow, self._objects.selection
        commanded = self._bases.at(fraction)
        if not shadow.kinematic.any:
            return {name: shadow.poses[name] for name in selection.frozen} | commanded
        seconds = self._step_ns * 1e-9
        target = self._drives.target(fraction, seconds, shadow.positions, shadow.velocities)
        bases = self._bases.expected(fraction)
        moved = shadow.kinematic_poses(target, bases, self._clock.ns(fraction))
        return {name: shadow.poses[name] for name in selection.frozen} | moved | commanded

    def _read(self, simulation: LockStep, ecm: Any, *, complete: bool) -> None:
        shadow = self._shadow
        poses: dict[str, Floats] = {}
        for name, kind in self._objects.selection.active.items():
            if kind is None:
                continue
            proxy = simulation.proxies[name, kind]
            if complete or kind is ProxyKind.KINEMATIC or proxy.placed:
                pose = proxy.read(ecm)
                if kind is not ProxyKind.KINEMATIC:
                    poses[name] = pose
        if complete:
            shadow.set_objects(poses)
        self._read_bases(simulation, ecm, complete=complete)
        joints = simulation.joints
        shadow.positions[:] = [joint.position(ecm)[0] for joint in joints]
        if complete or not self._drives.all_follow:
            shadow.velocities[:] = [joint.velocity(ecm)[0] for joint in joints]
            shadow.balls.read_positions(ecm, simulation.balls)

    def _read_bases(self, simulation: LockStep, ecm: Any, *, complete: bool) -> None:
        states: dict[str, Floats] = {}
        for name, base in simulation.bases.items():
            if complete or base.placed or name in self._bases.followed:
                states[name] = base.read(ecm)
        if complete:
            self._shadow.set_bases(states)

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        self._shadow.read_frames(out)

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        positions[:] = self._shadow.positions
        velocities[:] = self._shadow.velocities

    def proximity(self) -> Floats:
        """Return rows for the objects of the settings; also for pairs that do not collide."""
        return self._touching.proximity()

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Return a function that computes the rows of the current state, valid until the next step; see `touching`."""
        return self._touching.proximity_when_read()

    def clearances(self, reach: float) -> Floats:
        """Measure the distances of the robots' links in MuJoCo's geometry; see `shadow`."""
        return self._shadow.clearances(reach)

    def take_touches(self) -> Floats:
        """Return reported contacts of links and objects, some steps late, and distances; see `LinkContacts`.

        If there are more than `proximity.MAX_PROXIMITY_OBJECTS` objects, only those named in the settings are covered.
        """
        if self._links is None:
            self._links = LinkContacts(self._shadow, self._proximity_names)
        self._links.note_contacts(self._simulation, self._clock.ns())
        return self._shadow.touches.take()

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """Compute efforts by MuJoCo, in a model of the robots alone; see `inverse_dynamics`."""
        return self._joint_efforts.efforts(positions, velocities, accelerations)

    def contacts(self) -> Floats:
        """Return the contacts of the last step, one row for each pair of frames; see `touching`."""
        return self._touching.contacts()

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic, by a proxy with a velocity servo."""
        self._objects.follow(name, value)

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics; see `depenetration`."""
        self._objects.hand_back(name, value)

    def set_collision(self, name: str, on: bool) -> None:
        """Swap an object for a proxy without collisions, or back."""
        self._objects.set_collision(name, on)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Hold objects in place and lock springs of robots; see `selection` and `link_levels`."""
        chosen = list(names)
        if self._server is not None:
            self._server.check_fidelity(self._world, chosen, level)
        self._objects.set_fidelity(chosen, level)

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object or a link."""
        return self._objects.fidelity(name)

    def read_rangefinders(self, rangefinders: Sequence[Rangefinder]) -> Floats:
        """Cast rays in MuJoCo's geometry; see `shadow`."""
        enabled = [
            self.fidelity(rangefinder.frame) is not Fidelity.LOW for rangefinder in rangefinders
        ]
        return self._shadow.read_rangefinders(rangefinders, enabled)

    def read_scan(self, scanner: Scanner) -> Floats:
        """Cast all beams at once in MuJoCo's geometry; see `shadow`."""
        return self._shadow.read_scan(scanner, self.fidelity(scanner.frame) is not Fidelity.LOW)

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a force to an object in each of Gazebo's steps."""
        self._objects.push(name, wrench)

    def attach(self, name: str, to: str) -> None:
        """Make an object follow a frame, or a part of a free body."""
        if self._server is not None:
            self._server.check_attach(self._world, name, to)
        self._objects.attach(name, to)

    def detach(self, name: str) -> None:
        """Detach an object."""
        self._objects.detach(name)

    def save(self) -> object:
        """Return positions, velocities, and the requested states of the objects."""
        shadow = self._shadow
        return _Saved(
            shadow.positions.copy(),
            shadow.velocities.copy(),
            {name: pose.copy() for name, pose in shadow.poses.items()},
            shadow.balls.save(),
            self._objects.save(),
            dict(shadow.bases),
            self._bases.save(),
            self._drives.save(),
            self._clock.periods,
        )

    def restore(self, state: object) -> None:
        """Restore a saved state; contacts are detected anew."""
        if not isinstance(state, _Saved) or set(state.poses) != set(self._shadow.poses):
            raise Unsupported("this is not a state of this world in Gazebo")
        shadow = self._shadow
        shadow.positions[:], shadow.velocities[:] = state.positions, state.velocities
        shadow.balls.restore(state.balls)
        self._objects.restore(state.objects)
        shadow.set_objects(state.poses)
        self._objects.placed.update(state.poses)
        shadow.set_bases(state.bases)
        self._bases.restore(state.led)
        self._drives.restore(state.drives)
        self._clock.periods = state.periods
        self._joints_placed = True
        self._touching.forget()
        shadow.jump(self._clock.seconds)

    def add(self, body: Body) -> None:
        """Add a body: Gazebo reloads the world and continues from the same state; a running one creates it."""
        if self._server is not None:
            self._server.check_add(body.name)
        if body.robot:
            raise Unsupported(f"Gazebo cannot add the robot {body.name} to a running world")
        names = {frame_name(body, link.name) for link in body.links}
        if names & set(self.frames):
            raise Unsupported(f"a name of {body.name} is already used by another body")
        self._rebuild(replace(self._world, bodies=(*self._world.bodies, body)))

    def remove(self, name: str) -> None:
        """Remove a body: Gazebo reloads the world and continues from the same state; a running one removes it."""
        matching = [body for body in self._world.bodies if body.name == name]
        if not matching or matching[0].robot:
            raise Unsupported(f"Gazebo can remove only bodies of the world; {name} is not one")
        if self._server is not None:
            self._server.check_remove(matching[0])
        remaining = tuple(body for body in self._world.bodies if body.name != name)
        self._rebuild(replace(self._world, bodies=remaining))
        if self._server is not None:
            self._server.remove(matching[0])

    def _rebuild(self, world: World) -> None:
        previous_shadow, previous_objects, previous_bases = self._shadow, self._objects, self._bases
        self._load_world(world, Notes())
        self._shadow.copy_from(previous_shadow)
        count = len(self.driven)
        self._drives.set_state(self._shadow.positions[:count], self._shadow.velocities[:count])
        self._bases.copy_from(previous_bases)
        self._objects.copy_from(previous_objects)
        self._request_reload()

    def take_remarks(self) -> list[Remark]:
        """Return remarks about penetrations, and about a server that deviates from its orders."""
        remarks = self._objects.take_remarks()
        return remarks if self._server is None else remarks + self._server.take_remarks()

    def close(self) -> None:
        """Shut Gazebo down, or leave a running one to its user."""
        self._close_simulation()
        if self._server is not None:
            self._server.end()
            self._server = None

    def _close_simulation(self) -> None:
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
