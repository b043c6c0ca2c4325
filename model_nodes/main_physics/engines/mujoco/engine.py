"""The implementation of `Engine` with MuJoCo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import mujoco as mj

from hetwin_core.ensemble.scene.values import Fidelity, Floats, Value
from model_nodes.main_physics.engines.engine import (
    Engine,
    EngineSettings,
    Rangefinder,
    Remark,
    Scanner,
    Unsupported,
)
from model_nodes.main_physics.engines.mujoco import saved
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.objects import Objects, body_poses
from model_nodes.main_physics.engines.mujoco.robots import Robots
from model_nodes.main_physics.engines.mujoco.saved import carry_over
from model_nodes.main_physics.engines.mujoco.sensing import Sensing
from model_nodes.main_physics.engines.mujoco.simulation import Rollout, Simulation
from model_nodes.main_physics.engines.mujoco.sleep import is_enabled
from model_nodes.main_physics.engines.shared import note_too_many
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.world.description import Body, JointDrive, Vector, World, frame_name
from model_nodes.main_physics.world.notes import Notes, note_ignored


class MujocoEngine(Engine):
    """MuJoCo, with settings for manipulation (implicit integrator, elliptic cones, no-slip solver)."""

    name = "mujoco"
    deterministic = True
    bounces = True

    @property
    def description(self) -> str:
        """Name and version of the engine."""
        return f"mujoco ({mj.__version__})"

    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Compile the world; see `builder` for the differences between MuJoCo and Gazebo."""
        notes = Notes()
        note_ignored(world, notes)
        self._builder = Builder(world, settings, notes)
        self._set_simulation(Simulation(self._builder, settings))
        note_too_many(settings, len(self._simulation.tables.free), notes)
        return notes.all()

    def _set_simulation(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._robots = Robots(simulation)
        self._objects = Objects(simulation)
        self._sensing = Sensing(simulation)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames: moving ones first."""
        return self._simulation.tables.frames

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints."""
        return self._simulation.tables.joints

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the robots' joints."""
        return self._simulation.tables.driven

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the robots whose base follows a command."""
        return self._simulation.tables.followed

    # The robots; see `robots`.

    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set the state of all joints exactly."""
        self._robots.place_joints(positions, velocities)

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Set the command of the driven joints."""
        sim = self._simulation
        sim.servo.command(positions, velocities)
        if sim.motors.any:
            sim.motors.command(velocities)

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the pose and the twist of a robot's root link, and move its load along."""
        self._robots.place_base(robot, state)

    def command_bases(self, states: Floats) -> None:
        """Set the command of the bases that follow one; see `servo`."""
        self._simulation.bases.command(states)

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of all drives except those with the mode ``follow``."""
        self._robots.read_efforts(out)

    def soften_joints(self, joints: Sequence[str], stiffness: float) -> None:
        """Remove the servo's armature from these joints."""
        self._robots.soften(joints, stiffness)

    def limit_joints(self, drives: Mapping[str, JointDrive]) -> None:
        """Replace the drives of these joints."""
        self._robots.limit(drives)

    def command_efforts(self, efforts: Floats) -> None:
        """Set the efforts of the driven joints; see `servo`."""
        self._simulation.servo.command_efforts(efforts)

    def step(self, *, is_seen: bool = True) -> None:
        """Advance by one period."""
        self._simulation.step(is_seen=is_seen)
        links = self._sensing.links
        if links is not None:  # distances of links have been read before
            links.waits -= 1
            if links.waits <= 0:
                links.follow(self._simulation.time_ns(0.0))

    def stretch(self, motions: Sequence[JointMotion], *, is_seen: bool = True) -> None:
        """Advance by one period with each command, in one loop if only the servo drives joints."""
        if self._simulation.is_plain:
            self._simulation.stretch(motions, self._sensing.links, is_seen=is_seen)
        else:
            super().stretch(motions, is_seen=is_seen)

    # Measurements; see `sensing`.

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        sim = self._simulation
        if sim.dirty or sim.fidelity_changed:
            sim.refresh()
        out[: sim.tables.moving] = sim.reader.sensed
        out[sim.tables.moving :] = sim.still

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        sim = self._simulation
        positions[:] = sim.qpos.take(sim.tables.joint_positions)
        velocities[:] = sim.qvel.take(sim.tables.joint_velocities)

    def proximity(self) -> Floats:
        """Return rows for the objects of the settings, including pairs that do not collide."""
        return self._sensing.proximity()

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Keep the positions and the contacts, so that the rows can be computed after the next step as well."""
        return self._sensing.proximity_when_read()

    def clearances(self, reach: float) -> Floats:
        """Measure the distances of the robots' links."""
        return self._sensing.clearances(reach)

    def take_touches(self) -> Floats:
        """Return the touches from MuJoCo's contacts and from distances; see `contacts` and `link_watch`."""
        return self._sensing.take_touches()

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """Compute efforts in a separate model with only the robots."""
        return self._sensing.expected_efforts(positions, velocities, accelerations)

    def contacts(self) -> Floats:
        """Return the contacts that were solved in the last step."""
        return self._simulation.contacts.last.table()

    def read_rangefinders(self, rangefinders: Sequence[Rangefinder]) -> Floats:
        """Cast the rays."""
        return self._sensing.rangefinders(rangefinders)

    def read_scan(self, scanner: Scanner) -> Floats:
        """Cast all beams at once."""
        return self._sensing.scan(scanner)

    # The objects; see `objects`.

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic."""
        self._objects.follow(name, value)

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics."""
        self._objects.hand_back(name, value)

    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object."""
        self._objects.set_collision(name, on)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the fidelity of objects and links."""
        self._objects.set_fidelity(names, level)

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object or a link."""
        return self._objects.fidelity(name)

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """Set the surface velocity of all geoms of a body."""
        self._objects.run_belt(frame, velocity, turn)

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a wrench, transformed to the centre of mass, where MuJoCo expects it."""
        self._objects.push(name, wrench)

    def attach(self, name: str, to: str) -> None:
        """Attach an object to a frame by a weld."""
        self._objects.attach(name, to)

    def detach(self, name: str) -> None:
        """Deactivate the weld."""
        self._objects.detach(name)

    def place_static(self, name: str, pose: Floats) -> None:
        """Move the root of a static body."""
        self._sensing.move(self._objects.place_static(name, pose), pose)

    def change_body(
        self,
        name: str,
        *,
        mass: float = 1.0,
        friction: float = 1.0,
        coefficient: float | None = None,
        bounce: float | None = None,
    ) -> None:
        """Change the model; see `options`."""
        self._objects.change(name, mass, friction, coefficient, bounce)

    def take_remarks(self) -> list[Remark]:
        """Return the remarks about penetrations."""
        depenetration = self._simulation.depenetration
        if not depenetration.remarks:
            return []
        remarks, depenetration.remarks = depenetration.remarks, []
        return remarks

    # The whole state.

    def save(self) -> object:
        """Return the state, the changed arrays of the model, and the state of all parts of the engine."""
        return saved.save(self._simulation, self._objects, self._sensing)

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        before = body_poses(self._simulation.model)
        saved.restore(state, self._simulation, self._objects, self._sensing)
        for root, pose in self._objects.update_moved(before):
            self._sensing.move(root, pose)

    def add(self, body: Body) -> None:
        """Add a body and continue from the same state, though not bitwise."""
        if body.robot:
            raise Unsupported(f"MuJoCo cannot add the robot {body.name} to a running world")
        names = {frame_name(body, link.name) for link in body.links}
        if names & set(self.frames):
            raise Unsupported(f"a name of {body.name} is already used by another body")
        self._builder.add(body)
        self._rebuild()

    def remove(self, name: str) -> None:
        """Remove a body and continue from the same state, though not bitwise."""
        bodies = [body for body in self._builder.world.bodies if body.name == name]
        if not bodies or bodies[0].robot:
            raise Unsupported(f"MuJoCo can remove only bodies of the world; {name} is not one")
        self._builder.remove(bodies[0])
        self._rebuild()

    def _rebuild(self) -> None:
        before = self._simulation
        self._set_simulation(Simulation(self._builder, before.settings, before.soft))
        carry_over(before, self._simulation, self._objects)
        if before.watches_links:
            self._simulation.watch_links()

    def record_forces(self) -> Sequence[Floats]:
        """Record the forces of each substep."""
        return self._simulation.record_forces()

    def roll_out(self, forces: Floats) -> None:
        """Compute all following states; see `Rollout`."""
        sim = self._simulation
        obstacles = (
            (sim.motors.any or bool(sim.soft[0]), "a drive gives way to what it touches"),
            (sim.kinematic.any, "a body follows another model"),
            (sim.depenetration.is_busy, "a body comes out of another one"),
            (is_enabled(sim.model), "bodies sleep"),
        )
        for applies, reason in obstacles:
            if applies:
                raise Unsupported(f"more than the recorded forces determines the motion: {reason}")
        sim.refresh()
        sim.rolled_out = Rollout(sim.model, sim.data, forces)
        sim.dirty = True

    @property
    def computed_ahead(self) -> bool:
        """Whether states were computed ahead."""
        return self._simulation.rolled_out is not None

    @property
    def settled(self) -> bool:
        """Whether no penetration is being resolved."""
        sim = self._simulation
        return not (sim.depenetration.is_busy or sim.rolled_out is not None)

    def leap(self, periods: int) -> None:
        """Continue from a state that was computed ahead."""
        self._simulation.leap(periods)

    def close(self) -> None:
        """Do nothing: Python frees all resources."""
