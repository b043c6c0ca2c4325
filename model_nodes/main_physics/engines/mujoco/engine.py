"""MuJoCo as an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.poses import compose, cross, relative_to
from hetwin_core.ensemble.scene.snapshot import no_proximity
from hetwin_core.ensemble.scene.values import Floats, Ints, Value
from model_nodes.main_physics.engines.engine import (
    Diverged,
    Engine,
    EngineSettings,
    Rangefinder,
    Remark,
    Scanner,
    Unsupported,
)
from model_nodes.main_physics.engines.mujoco.attachments import Attachments
from model_nodes.main_physics.engines.mujoco.base_servo import BaseServo
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.carried_bodies import carried_bodies
from model_nodes.main_physics.engines.mujoco.changed_body import (
    CHANGED,
    make_bouncing,
    make_heavier,
    make_rougher,
)
from model_nodes.main_physics.engines.mujoco.clearances import Clearances
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.contacts import Contacts, SolvedContacts
from model_nodes.main_physics.engines.mujoco.depenetration import Depenetration
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.fidelities import Fidelities
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.inverse_dynamics import InverseDynamics
from model_nodes.main_physics.engines.mujoco.kinematic_bodies import KinematicBodies
from model_nodes.main_physics.engines.mujoco.link_fidelities import LinkFidelities
from model_nodes.main_physics.engines.mujoco.motors import Motors
from model_nodes.main_physics.engines.mujoco.rangefinders import Rangefinders
from model_nodes.main_physics.engines.mujoco.rolled_out import RolledOut
from model_nodes.main_physics.engines.mujoco.servo import Servo
from model_nodes.main_physics.engines.mujoco.sleep import is_enabled
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables, make_tables
from model_nodes.main_physics.engines.mujoco.transfer import copy_joints
from model_nodes.main_physics.engines.proximity import note_too_many, proximity_objects
from model_nodes.main_physics.world.description import Body, Vector, World
from model_nodes.main_physics.world.drives import JointDrive
from model_nodes.main_physics.world.ignored import note_ignored
from model_nodes.main_physics.world.names import frame_name
from model_nodes.main_physics.world.notes import Notes

_Any = TypeVar("_Any")
_TOO_FAST = 1e4
"""A joint or body faster than this has diverged [m/s or rad/s]."""
_FEW = 4096
"""So many numbers BLAS does not share among threads."""
_STATE = mj.mjtState.mjSTATE_INTEGRATION.value
_CHANGED = (
    "geom_surfacevel",
    "dof_armature",
    "eq_obj1id",
    "eq_data",
    "body_pos",
    "body_quat",
    *CHANGED,
)
"""Arrays of the model that change during a run, beside the collision bits."""


@dataclass(frozen=True, slots=True)
class _Saved:
    state: Floats
    model: dict[str, Any]
    parts: tuple[object, ...]
    periods: int


class MujocoEngine(Engine):
    """MuJoCo, with settings for manipulation (implicit integrator, elliptic cones, no-slip solver)."""

    name = "mujoco"
    deterministic = True
    bounces = True

    @property
    def description(self) -> str:
        """The engine and its version."""
        return f"mujoco ({mj.__version__})"

    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Compile the world; see `builder` for the differences between MuJoCo and Gazebo."""
        notes = Notes()
        note_ignored(world, notes)
        self._settings = settings
        self._inverse: InverseDynamics | None = None
        self._soft: tuple[tuple[int, ...], float] = ((), 0.0)
        self._forces: list[Floats] | None = None
        self._rolled_out: RolledOut | None = None
        self._builder = Builder(world, settings, notes)
        model = self._builder.compile()
        self._use(model, mj.MjData(model))
        self._periods = 0
        note_too_many(settings, len(self._tables.free), notes)
        return notes.all()

    def _use(self, model: mj.MjModel, data: mj.MjData) -> None:
        self._model, self._data = model, data
        self._qpos, self._qvel = data.qpos, data.qvel
        self._origins, self._centres, self._wrenches = data.xpos, data.xipos, data.xfrc_applied
        self._tables = tables = make_tables(self._builder.world, model)
        self._servo = Servo(model, data, tables)
        self._servo.soften(*self._soft)
        world = self._builder.world
        self._motors = Motors(model, data, tables, lambda: FeedForward(world, data, tables))
        self._servo.add_armature(model, data, self._motors.add_armature)
        self._collisions = Collisions(model, tables, self._hand_links(tables))
        self._reader = FrameReader(model, data, tables)
        self._bases = BaseServo(model, data, tables, self._reader)
        self._fidelities = Fidelities(model, data, tables, self._collisions, self._reader)
        self._link_fidelities = LinkFidelities(model, data, tables, self._collisions)
        self._kinematic = KinematicBodies(model, tables, self._reader)
        self._contacts = Contacts(model, data, tables)
        self._depenetration = Depenetration(model, data, tables, self._collisions)
        self._measure_anew()
        self._rangefinders = Rangefinders(model, data, tables)
        self._attachments = Attachments(model, data, tables, self._collisions)
        self._released: dict[str, tuple[int, Floats]] = {}
        mj.mj_kinematics(model, data)
        self._still = self._reader.still()
        self._dirty, self._fidelity_changed = True, False

    def _measure_anew(self) -> None:
        """Forget all distances that were measured."""
        tables = self._tables
        near = [
            b
            for name in proximity_objects(self._settings, tables.free)
            for b in tables.free[name].members
        ]
        self._clearances: Clearances | None = None
        self._pairs = Pairs(self._model, self._data, tables, near, self._settings.proximity_range)

    def _hand_links(self, tables: Tables) -> list[int]:
        members = [link for hand in self._builder.world.hands for link in hand.members]
        return [tables.body_of(link) for link in dict.fromkeys(members)]

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames: moving ones first."""
        return self._tables.frames

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints."""
        return self._tables.joints

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the robots' joints."""
        return self._tables.driven

    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set all joints exactly."""
        self._data.qpos[self._tables.joint_positions] = positions
        self._data.qvel[self._tables.joint_velocities] = velocities
        self._servo.place()
        self._motors.place()
        self._dirty = True

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Set the command of the driven joints; see `servo` and `motors`."""
        self._servo.command(positions, velocities)
        if self._motors.any:
            self._motors.command(velocities)

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the robots whose base follows a command."""
        return self._tables.followed

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the pose and the twist of a robot's root link, and take along what it carries; see `carried_bodies`."""
        base = self._tables.bases.get(robot)
        if base is None:
            raise Unsupported(f"the base of {robot} is fixed; it cannot be placed")
        self._refresh()
        fixed_to = {**self._attachments.bodies, **self._kinematic.parents}
        carried = []
        if self._periods:  # before the first step the scene says where everything is
            carried = carried_bodies(self._model, self._data, self._tables, base, fixed_to)
        before = self._reader.one(base.body)
        places = [relative_to(before, self._reader.one(free.body)) for free in carried]
        self._reader.place(base, state)
        for free, place in zip(carried, places, strict=True):
            self._reader.place(free, compose(state, place))
        self._bases.place()
        self._dirty = True

    def command_bases(self, states: Floats) -> None:
        """Set the command of the bases that follow one; see `base_servo`."""
        self._bases.command(states)

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the drives that do not follow; see `motors`."""
        out[:] = np.nan
        self._motors.read_efforts(out)

    def soften_joints(self, joints: Sequence[str], stiffness: float) -> None:
        """Take the servo's armature from these joints; see `servo`."""
        self._soft = tuple(self.driven.index(name) for name in joints), stiffness
        self._servo.soften(*self._soft)
        self._servo.add_armature(self._model, self._data, self._motors.add_armature)
        self._dirty = True

    def limit_joints(self, drives: Mapping[str, JointDrive]) -> None:
        """Replace the drives of these joints; see `motors` and `collisions`."""
        model, data = self._model, self._data
        self._refresh()
        touching = self._builder.drive(drives)
        world, before = self._builder.world, self._tables
        own = zip(before.driven, before.drives, strict=True)
        self._tables = tables = replace(
            before, drives=tuple(drives.get(name, drive) for name, drive in own)
        )
        mean = model.stat.meaninertia
        scratch = mj.MjData(model)  # mj_setConst leaves the robot where all joints are 0
        model.dof_armature[tables.joint_velocities[: len(tables.driven)]] = 0.0
        mj.mj_setConst(model, scratch)
        model.stat.meaninertia = mean
        self._servo = Servo(model, data, tables)
        self._servo.soften(*self._soft)
        self._motors = Motors(model, data, tables, lambda: FeedForward(world, data, tables))
        self._servo.add_armature(model, scratch, self._motors.add_armature)
        self._servo.place()
        self._motors.place()
        self._collisions.let_touch(map(tables.body_of, touching))
        self._dirty = True

    def command_efforts(self, efforts: Floats) -> None:
        """Set the efforts of the driven joints; see `servo`."""
        self._servo.command_efforts(efforts)

    def step(self) -> None:
        """Advance by one period."""
        model, data = self._model, self._data
        count, period = self._settings.substeps, self._settings.period
        begin = self._time_ns(0.0)
        if self._kinematic.any and not (self._is_current and self._kinematic.are_at(begin)):
            self._refresh()
            self._dirty = self._kinematic.place(begin)
        self._refresh()
        for i in range(1, count + 1):
            share = i / count
            self._servo.push(self._servo.target(share, period))
            if self._bases.any:
                self._bases.push(share, period)
            if self._motors.any:
                before = self._servo.target((i - 1) / count, period)
                self._motors.push(before, self._servo.target(share, period))
            if self._forces is not None:
                self._forces.append(data.qfrc_applied.copy())
            mj.mj_step2(model, data)
            if i == count:
                self._contacts.copy()
            if self._kinematic.any:
                mj.mj_kinematics(model, data)
                mj.mj_comPos(model, data)
                mj.mj_comVel(model, data)
                self._kinematic.place(self._time_ns(share))
            self._begin_step()
        self._reader.read()
        self._periods += 1
        if self._rolled_out is not None:
            self._rolled_out.stepped(count)
        self._check()
        if self._depenetration.any:
            self._depenetration.update(self._seconds())
            self._dirty = True

    @property
    def _is_current(self) -> bool:
        """Whether nothing was changed since positions, velocities and contacts were computed."""
        return not (self._dirty or self._fidelity_changed)

    def _refresh(self) -> None:
        # After changes between steps: compute positions, velocities and contacts again.
        if self._dirty or self._fidelity_changed:
            self._begin_step()
            self._reader.read()
            self._dirty = self._fidelity_changed = False

    def _begin_step(self) -> None:
        mj.mj_step1(self._model, self._data)
        self._depenetration.step()

    def _seconds(self) -> float:
        return self._periods * self._settings.period

    def _time_ns(self, share: float) -> int:
        return round((self._periods + share) * self._settings.period * 1e9)

    def _check(self) -> None:
        qvel = self._qvel
        # Not all with BLAS, which would wake its threads for the long vectors of a large world.
        few = qvel.size <= _FEW
        square = qvel.dot(qvel) if few else np.einsum("i,i->", qvel, qvel)
        if not square < _TOO_FAST**2:
            fastest = int(np.argmax(np.nan_to_num(np.abs(qvel), nan=np.inf)))
            body = int(self._model.dof_bodyid[fastest])
            name = self._tables.frames[self._tables.body_frames[body]]
            raise Diverged(f"{name} has diverged (faster than {_TOO_FAST:g})")

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        self._refresh()
        out[: self._tables.moving] = self._reader.sensed
        out[self._tables.moving :] = self._still

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        positions[:] = self._qpos.take(self._tables.joint_positions)
        velocities[:] = self._qvel.take(self._tables.joint_velocities)

    def proximity(self) -> Floats:
        """Return rows for the objects of the settings; also for pairs that do not collide."""
        self._refresh()
        return _rows(self._pairs.nearest(), self._contacts.last, self._tables.body_frames)

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Keep the positions and the contacts, from which the rows of a former state are computed too."""
        self._refresh()
        pairs, contacts, positions = self._pairs, self._contacts.last, self._qpos.copy()
        frames = self._tables.body_frames

        def rows() -> Floats:
            is_now = pairs is self._pairs and self._is_current
            is_now = is_now and positions.tobytes() == self._qpos.tobytes()
            near = pairs.nearest() if is_now else pairs.nearest_at(positions)
            return _rows(near, contacts, frames)

        return rows

    def clearances(self, reach: float) -> Floats:
        """Measure the distances of the robots' links; see `clearances`."""
        if self._clearances is None:
            self._clearances = Clearances(self._builder.world, self.frames, self.joints)
        positions = self._qpos[self._tables.joint_positions]
        return self._clearances.rows(positions, reach, self._base_poses())

    def _base_poses(self) -> dict[str, Floats]:
        bases = self._tables.bases.items()
        return {name: self._qpos[base.position : base.position + 7] for name, base in bases}

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """Compute efforts in a model of the robots alone; see `inverse_dynamics`."""
        if self._inverse is None:
            self._inverse = InverseDynamics(self._builder.world)
        return self._inverse.efforts(positions, velocities, accelerations, self._base_poses())

    def contacts(self) -> Floats:
        """Return the contacts that were solved in the last step."""
        return self._contacts.last.table()

    def _free(self, name: str) -> FreeBody:
        free = self._tables.free.get(name)
        if free is None:
            raise Unsupported(
                f"in MuJoCo other models can move only free bodies; {name} is not one"
            )
        return free

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic; see `kinematic_bodies`."""
        if self._kinematic.follows(name, value):
            return
        free = self._free(name)
        if not free.rigid:
            raise Unsupported(f"{name} has joints; only rigid objects can follow another model")
        self._refresh()
        before = self._frame(free)
        self._fidelities.hold_high(name, True)
        if self._kinematic.set(free, value):
            self._released[name] = (self._periods, before)
            self._depenetration.end(free)
            self._attachments.detach(free)
            for body in free.members:
                self._collisions.set_kinematic(body, True)
            self._dirty = True

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics; see `depenetration`."""
        free = self._free(name)
        self._refresh()
        self._fidelities.hold_high(name, True)  # MuJoCo does not update an object of lower fidelity
        when, pose = self._released.pop(name, (-1, value.data))
        untouched = when == self._periods and np.array_equal(pose, value.data)
        if not untouched:
            self._attachments.detach(free)
            self._kinematic.set(free, value)
            self._kinematic.place(value.time_ns)
        self._kinematic.release(name)
        for body in free.members:
            self._collisions.set_kinematic(body, False)
        self._dirty = True
        if not untouched:
            # It may penetrate others at this pose.
            self._refresh()
            self._depenetration.begin(free, self._seconds())
            self._dirty = True
        self._fidelities.hold_high(name, False)

    def _frame(self, free: FreeBody) -> Floats:
        return np.array(self._reader.sensed[self._tables.body_frames[free.body]])

    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object; see `depenetration`."""
        free = self._free(name)
        was_on = self._collisions.is_on(free.body)
        if not on:
            self._depenetration.end(free)
        for body in free.members:
            self._collisions.switch(body, on)
        self._dirty = True
        held = name in self._kinematic or name in self._attachments.bodies
        if on and not was_on and not held:
            self._refresh()
            self._depenetration.begin(free, self._seconds())
            self._dirty = True

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the fidelity of objects and links; see `fidelities` and `link_fidelities`."""
        names = list(names)
        links = [name for name in names if name in self._link_fidelities]
        names = [self._free(name).name for name in names if name not in self._link_fidelities]
        if self._dirty:
            # MuJoCo does not update what sleeps.
            self._refresh()
        self._fidelity_changed |= self._fidelities.set(names, level)
        self._dirty |= self._link_fidelities.set(links, level)

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """Set the surface velocity of all geoms of a body."""
        try:
            geoms = list(self._tables.geoms[self._tables.body_of(frame)])
        except KeyError:
            raise Unsupported(f"there is no {frame} whose surface could move") from None
        self._model.geom_surfacevel[geoms] = (*velocity, *turn)
        self._model.flg_surfacevel = bool(self._model.geom_surfacevel.any())
        self._dirty = True

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object or a link."""
        if name in self._link_fidelities:
            return self._link_fidelities.level(name)
        return self._fidelities.level(self._free(name).name)

    def read_rangefinders(self, rangefinders: Sequence[Rangefinder]) -> Floats:
        """Cast the rays; see `rangefinders`."""
        self._refresh()
        links = self._link_fidelities
        on = [links.level(rangefinder.frame) is not Fidelity.LOW for rangefinder in rangefinders]
        return self._rangefinders.read(rangefinders, on)

    def read_scan(self, scanner: Scanner) -> Floats:
        """Cast all beams at once; see `rangefinders`."""
        self._refresh()
        on = self._link_fidelities.level(scanner.frame) is not Fidelity.LOW
        return self._rangefinders.scan(scanner, on)

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a wrench, transformed to the centre of mass, where MuJoCo expects it."""
        body = self._free(name).body
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        (ox, oy, oz), (x, y, z) = self._origins[body].tolist(), self._centres[body].tolist()
        mx, my, mz = cross((x - ox, y - oy, z - oz), (fx, fy, fz))
        self._wrenches[body] = (fx, fy, fz, tx - mx, ty - my, tz - mz)

    def attach(self, name: str, to: str) -> None:
        """Attach an object to a frame by a weld."""
        free = self._free(name)
        self._refresh()
        try:
            other = self._tables.body_of(to)
        except KeyError:
            raise Unsupported(f"there is no {to} to attach {name} to") from None
        self.detach(name)
        self._fidelities.hold_high(name, True)
        self._attachments.attach(free, other)
        self._dirty = True

    def detach(self, name: str) -> None:
        """Deactivate the weld."""
        free = self._free(name)
        if self._attachments.detach(free):
            self._refresh()
            self._depenetration.begin(free, self._seconds())
            self._fidelities.hold_high(name, False)
            self._dirty = True

    def place_standing(self, name: str, pose: Floats) -> None:
        """Move the root of a body that stands."""
        body = self._builder.body(name)
        if body is None or not body.static or body.robot:
            raise Unsupported(f"{name} is not a body of the world that stands")
        root = self._tables.body_of(frame_name(body, body.links[0].name))
        self._refresh()
        self._builder.move(body, pose)
        self._model.body_pos[root], self._model.body_quat[root] = pose[:3], pose[3:7]
        mj.mj_kinematics(self._model, self._data)
        self._still = self._reader.still()
        if self._clearances is not None:
            self._clearances.move(self._tables.frames[self._tables.body_frames[root]], pose)
        self._dirty = True

    def change_body(
        self,
        name: str,
        *,
        mass: float = 1.0,
        friction: float = 1.0,
        coefficient: float | None = None,
        bounce: float | None = None,
    ) -> None:
        """Change the model; see `changed_body`."""
        body = self._builder.body(name)
        if body is None:
            raise Unsupported(f"there is no body {name}")
        bodies = [self._tables.body_of(frame_name(body, link.name)) for link in body.links]
        if mass != 1.0:
            free = self._free(name)
            if not free.rigid:
                raise Unsupported(f"{name} has joints; only rigid objects can become heavier")
            make_heavier(self._model, free, mass)
            self._kinematic.make_heavier(free, mass)
        geoms = [geom for one in bodies for geom in self._tables.geoms[one]]
        make_rougher(self._model, geoms, friction, coefficient)
        if bounce is not None:
            make_bouncing(self._model, geoms, bounce, self._builder.contact_time)
        self._dirty = True

    def save(self) -> object:
        """Return the state, the changed arrays of the model, and the state of all parts of the engine."""
        state = np.empty(mj.mj_stateSize(self._model, _STATE))
        mj.mj_getState(self._model, self._data, state, _STATE)
        changed = {name: getattr(self._model, name).copy() for name in _CHANGED}
        parts = (
            self._servo.save(),
            self._collisions.save(),
            self._kinematic.save(),
            self._depenetration.save(),
            self._attachments.save(),
            self._fidelities.save(),
            self._link_fidelities.save(),
            dict(self._released),
            self._motors.save(),
            self._bases.save(),
        )
        return _Saved(state, changed, parts, self._periods)

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        if not isinstance(state, _Saved) or len(state.state) != mj.mj_stateSize(
            self._model, _STATE
        ):
            raise Unsupported("this is not a state of this world in MuJoCo")
        before = np.hstack((self._model.body_pos, self._model.body_quat))
        for name, values in state.model.items():
            getattr(self._model, name)[:] = values
        self._stand_elsewhere(before)
        self._model.flg_surfacevel = bool(self._model.geom_surfacevel.any())
        (
            servo,
            collisions,
            kinematic,
            overlaps,
            attachments,
            fidelities,
            links,
            released,
            *drives,
        ) = state.parts
        self._motors.restore(drives[0])
        self._bases.restore(drives[1])
        self._link_fidelities.restore(links)
        self._servo.restore(servo)
        self._collisions.restore(collisions)
        self._kinematic.restore(kinematic)
        self._depenetration.restore(overlaps)
        self._attachments.restore(attachments)
        assert isinstance(released, dict)
        self._released = dict(released)
        mj.mj_setState(self._model, self._data, state.state, _STATE)
        self._fidelities.restore(fidelities)
        self._periods = state.periods
        self._contacts.clear()
        self._dirty = True

    def _stand_elsewhere(self, before: Floats) -> None:
        """Take note of the bodies that stand elsewhere in the model than before, (nbody, 7)."""
        now = np.hstack((self._model.body_pos, self._model.body_quat))
        if np.array_equal(now, before):
            return
        for body in self._builder.world.bodies:
            root = self._tables.body_of(frame_name(body, body.links[0].name))
            if not np.array_equal(now[root], before[root]):
                self._builder.move(body, now[root])
        mj.mj_kinematics(self._model, self._data)
        self._still = self._reader.still()
        self._measure_anew()

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
        before, data, tables = self._model, self._data, self._tables
        names = {body: tables.frames[tables.body_frames[body]] for body in self._collisions.off}
        kinematic, returned = self._kinematic.values, self._depenetration.names
        attached, lowered = self._attachments.frames, self._fidelities.wanted
        links = self._link_fidelities.levels
        remarks = self._depenetration.remarks
        model = self._builder.compile()
        fresh = mj.MjData(model)
        self._use(model, fresh)
        copy_joints(before, data, model, fresh)
        fresh.time = data.time
        self._depenetration.remarks = remarks
        for frame in names.values():
            if frame in self._tables.frames:
                self._collisions.switch(self._tables.body_of(frame), False)
        for name, value in self._still_free(kinematic).items():
            self.follow(name, value)
        for name, frame in attached.items():
            if name in self._tables.free and frame in self._tables.frames:
                self.attach(name, frame)
        self._refresh()
        for name, level in (self._still_free(lowered) | links).items():
            self.set_fidelity([name], level)
        self._refresh()
        for name in returned:
            if name in self._tables.free:
                self._depenetration.begin(self._tables.free[name], self._seconds())
        self._servo.place()
        self._motors.place()
        self._bases.place()
        self._dirty = True

    def _still_free(self, by_name: dict[str, _Any]) -> dict[str, _Any]:
        return {name: value for name, value in by_name.items() if name in self._tables.free}

    def record_forces(self) -> Sequence[Floats]:
        """Keep the forces of each substep."""
        self._forces = []
        return self._forces

    def roll_out(self, forces: Floats) -> None:
        """Compute all states ahead; see `rolled_out`."""
        led = (
            (self._motors.any or bool(self._soft[0]), "a drive gives way to what it touches"),
            (self._kinematic.any, "a body follows another model"),
            (self._depenetration.any, "a body comes out of another one"),
            (is_enabled(self._model), "bodies sleep"),
        )
        for is_so, why in led:
            if is_so:
                raise Unsupported(f"physics is not alone: {why}")
        self._refresh()
        self._rolled_out = RolledOut(self._model, self._data, forces)

    def leap(self, periods: int) -> None:
        """Go on from a state that was computed ahead."""
        if self._rolled_out is None:
            raise Unsupported("nothing was computed ahead")
        self._rolled_out.go_on(periods * self._settings.substeps)
        self._periods += periods
        self._servo.place()
        self._bases.place()
        self._dirty = True

    def take_remarks(self) -> list[Remark]:
        """Return the remarks about penetrations."""
        remarks = self._depenetration.remarks
        if remarks:
            self._depenetration.remarks = []
        return remarks

    def close(self) -> None:
        """Release nothing: Python frees everything."""


def _rows(
    near: Mapping[tuple[int, int], Nearest], contacts: SolvedContacts, frames: Ints
) -> Floats:
    """(n, 12) rows as `Engine.proximity`; `frames` are those of the bodies."""
    if not near:
        return no_proximity()
    bodies = frames[np.array(list(near))].tolist()
    rows = [
        (*pair, n.distance, *n.point, *n.normal, *contacts.force_on(*key))
        for pair, (key, n) in zip(bodies, near.items(), strict=True)
    ]
    return np.array(rows, np.float64)
