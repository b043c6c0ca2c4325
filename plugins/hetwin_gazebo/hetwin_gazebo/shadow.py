"""A shadow of the world in MuJoCo without dynamics, for quantities that Gazebo does not report.

Gazebo computes the motion of bodies. From its positions and velocities, MuJoCo computes the poses of all frames, the
distances between geometries, and the inertia of links that specify none. Frames and joints thus have the same order
and meaning in both engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mujoco as mj
import numpy as np

from hetwin_gazebo.parts import BallJoints, Load
from hetwin_suite.engine import (
    POSE_SIZE,
    Builder,
    EngineSettings,
    FeedForward,
    FrameReader,
    Inertial,
    KinematicBodies,
    LinkWatch,
    Nearest,
    Notes,
    Pairs,
    Rangefinder,
    Rangefinders,
    Scanner,
    Touches,
    World,
    make_tables,
    pose_of,
)
from hetwin_suite.model import Floats, Value, compose, extrapolate, multiply, rotate


class Shadow:
    """Positions and velocities of everything, and the quantities derived from them.

    Attributes:
        positions, velocities: (n,) of all joints, in the engine's order.
        poses: object -> (13,) pose and twist.
        bases: robot with a free or moving base -> (13,) pose and twist of its root link.
        balls: state of the ball joints.
        kinematic: objects whose motion another model prescribes.
        loads: objects that are parts of others.
        masses: (n,) masses of the objects [kg], in the order of `tables.free`.
        touches: contacts of the robots' links.
    """

    def __init__(self, world: World, settings: EngineSettings, notes: Notes) -> None:
        self._builder = Builder(world, replace(settings, options={}), notes)
        self.world = world
        self._settings = settings
        self._model = self._builder.compile()
        self._data = mj.MjData(self._model)
        self.tables = make_tables(world, self._model)
        self._reader = FrameReader(self._model, self._data, self.tables)
        self.kinematic = KinematicBodies(self._model, self.tables, self._reader)
        self._rangefinders = Rangefinders(self._model, self._data, self.tables)
        self.loads: dict[str, Load] = {}
        self.balls = BallJoints(world, self._model)
        self.positions: Floats = np.zeros(len(self.tables.joints))
        self.velocities: Floats = np.zeros(len(self.tables.joints))
        self._roots = np.array([free.body for free in self.tables.free.values()], np.intp)
        self.masses: Floats = self._model.body_subtreemass[self._roots]
        self.touches = Touches()
        self._links: LinkWatch | None = None
        self._pairs_of_object: dict[str, Pairs] = {}
        self.update(0.0)
        self._static_poses = self._reader.still_poses()
        self.poses: dict[str, Floats] = {name: self.frame(name) for name in self.tables.free}
        self.bases: dict[str, Floats] = {
            name: self._state_of_body(base.body) for name, base in self.tables.bases.items()
        }

    def inertial(self, frame: str) -> Inertial:
        """Return mass and inertia of a link, as specified or computed from its geometries."""
        model, body = self._model, self.tables.body_of(frame)
        pose = pose_of([*model.body_ipos[body], *model.body_iquat[body]])
        a, b, c = (float(moment) for moment in model.body_inertia[body])
        return Inertial(float(model.body_mass[body]), pose, (a, b, c, 0.0, 0.0, 0.0))

    def set_objects(self, poses: Mapping[str, Floats]) -> None:
        """Set poses and twists of objects; requires a call of `update` afterwards."""
        for name, pose in poses.items():
            self._reader.place(self.tables.free[name], pose.tolist())
            self.poses[name] = pose

    def set_bases(self, states: Mapping[str, Floats]) -> None:
        """Set poses and twists of robots' root links; requires a call of `update` afterwards."""
        for name, state in states.items():
            self._reader.place(self.tables.bases[name], state.tolist())
            self.bases[name] = state

    def feed_forward(self) -> FeedForward:
        """Return the computation of efforts for the current state."""
        return FeedForward(self.world, self._data, self.tables)

    def inertias(self) -> Floats:
        """Return (n,) the inertia that each joint moves, with all joints at zero [kg m^2 or kg]."""
        inertias: Floats = self._model.dof_M0[self.tables.joint_velocities]
        return inertias

    def update(self, seconds: float) -> None:
        """Compute all frames at a time [s]; kinematic objects stay at the poses set by `place_kinematic`."""
        self._write_joints(seconds)
        self.balls.write_to(self._data)
        self._compute_frames()
        self._move_loads()

    def _write_joints(self, seconds: float) -> None:
        data, tables = self._data, self.tables
        data.time = seconds
        data.qpos[tables.joint_positions] = self.positions
        data.qvel[tables.joint_velocities] = self.velocities

    def jump(self, seconds: float) -> None:
        """Compute all frames like `update`, after a discontinuous change."""
        self.update(seconds)

    def _compute_frames(self) -> None:
        model, data = self._model, self._data
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_sensorPos(model, data)
        mj.mj_sensorVel(model, data)

    def place_kinematic(self, time_ns: int) -> bool:
        """Set all kinematic objects to their poses at a time, relative to parents that are up to date.

        Returns whether any object has moved.
        """
        moved = self.kinematic.any and self.kinematic.place(time_ns)
        if moved:
            self._compute_frames()
            self._move_loads()
        for name in self.kinematic.values:
            self.poses[name] = self.frame(name)
        return moved

    def kinematic_poses(
        self, positions: Floats, bases: Mapping[str, Floats], time_ns: int
    ) -> dict[str, Floats]:
        """Return object -> (7,) pose of each kinematic object at a time, for robots in a given state.

        Requires a call of `update` afterwards.

        Args:
            positions: (n,) positions of the driven joints.
            bases: robot -> (13,) pose and twist of its root link.
            time_ns: time of the poses.
        """
        model, data, tables = self._model, self._data, self.tables
        data.qpos[tables.joint_positions[: len(positions)]] = positions
        for name, state in bases.items():
            self._reader.place(tables.bases[name], state.tolist())
        if self.loads:
            self._compute_frames()
            self._move_loads()
        else:  # faster: velocities and sensors are not needed
            mj.mj_kinematics(model, data)
        parents, found = self.kinematic.parents, {}
        for name, value in self.kinematic.values.items():
            if parent := parents[name]:
                relative, turn = value.data.tolist(), data.xquat[parent].tolist()
                arm = rotate(turn, relative[:3])
                rotation = multiply(turn, relative[3:7])
                found[name] = np.array((*arm, *rotation))
                found[name][:3] += data.xpos[parent]
            else:
                found[name] = extrapolate(value.data, (time_ns - value.time_ns) * 1e-9)[:7]
        return found

    def _move_loads(self) -> None:
        """Move attached objects with the bodies that they are parts of."""
        if not self.loads:
            return
        pose = np.zeros(POSE_SIZE)
        for name, load in self.loads.items():
            pose[:7] = load.pose
            self.set_objects({name: compose(self.frame_of_any(load.to), pose)})
        self._compute_frames()

    def set_kinematic(self, name: str, value: Value) -> bool:
        """Set the prescribed value of a kinematic object; return whether the object was free before."""
        return self.kinematic.set(self.tables.free[name], value)

    def frame(self, name: str) -> Floats:
        """Return (13,) a copy of pose and twist of a moving frame."""
        return self._state_of_body(self.tables.body_of(name))

    def _state_of_body(self, body: int) -> Floats:
        return np.array(self._reader.sensed[self.tables.body_frames[body]])

    def frame_of_any(self, name: str) -> Floats:
        """Return (13,) pose and twist of any frame."""
        tables = self.tables
        frame = int(tables.body_frames[tables.body_of(name)])
        if frame < tables.moving:
            return self.frame(name)
        return np.array(self._static_poses[frame - tables.moving])

    def read_rangefinders(
        self, rangefinders: Sequence[Rangefinder], enabled: Sequence[bool]
    ) -> Floats:
        """Return the readings of range sensors; see `Engine.read_rangefinders`."""
        return self._rangefinders.read(rangefinders, enabled)

    def read_scan(self, scanner: Scanner, on: bool) -> Floats:
        """Return the scan of a laser scanner; see `Engine.read_scan`."""
        return self._rangefinders.scan(scanner, on)

    def momenta(self) -> Floats:
        """Return (n, 3) linear momentum of each object [Ns], in the order of `tables.free`."""
        mj.mj_subtreeVel(self._model, self._data)
        momenta: Floats = self.masses[:, None] * self._data.subtree_linvel[self._roots]
        return momenta

    def mass_offsets(self) -> Floats:
        """Return (n,) distance of each object's centre of mass from its origin [m], in the order of `tables.free`."""
        data, roots = self._data, self._roots
        offsets: Floats = np.linalg.norm(data.subtree_com[roots] - data.xpos[roots], axis=1)
        return offsets

    def all_positions(self) -> Floats:
        """Return a copy of all positions, as MuJoCo's ``qpos``."""
        positions: Floats = self._data.qpos.copy()
        return positions

    def moving_frames(self) -> Floats:
        """Return (n, 13) a copy of the poses and twists of the moving frames, which come first."""
        return self._reader.sensed.copy()

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames to `out` (n, 13)."""
        out[: self.tables.moving] = self._reader.sensed
        out[self.tables.moving :] = self._static_poses

    def clearances(self, reach: float) -> Floats:
        """Measure the distances of the robots' links; see `Engine.clearances`."""
        if self._links is None:
            self._links = LinkWatch(self.world, self.tables, self._data.qpos, self.touches)
        return self._links.rows(self._now_ns, reach)

    def follow_links(self, seconds: float) -> None:
        """Track contacts of links after a step that ends at a time [s], once their distances were requested."""
        if self._links is not None:
            self._links.waits -= 1
            if self._links.waits <= 0:
                self._write_joints(seconds)
                self._links.follow(self._now_ns)

    @property
    def _now_ns(self) -> int:
        return round(float(self._data.time) * 1e9)

    def pairs(self, names: tuple[str, ...], reach: float) -> Pairs:
        """Return the pairs of these objects with all other bodies, within a reach [m]."""
        bodies = [body for name in names for body in self.tables.free[name].members]
        return Pairs(self._model, self._data, self.tables, bodies, reach)

    def nearest_to(self, name: str, reach: float) -> dict[tuple[int, int], Nearest]:
        """Return the bodies within `reach` [m] of an object; pairs are cached for each object."""
        if name not in self._pairs_of_object:
            self._pairs_of_object[name] = self.pairs((name,), reach)
        return self._pairs_of_object[name].nearest()

    def copy_from(self, previous: Shadow) -> None:
        """Copy the state of the joints and objects that still exist; requires a call of `jump` afterwards."""
        indices = {joint: i for i, joint in enumerate(previous.tables.joints)}
        for i, joint in enumerate(self.tables.joints):
            if joint in indices:
                self.positions[i] = previous.positions[indices[joint]]
                self.velocities[i] = previous.velocities[indices[joint]]
        self.balls.copy_from(previous.balls)
        self.set_objects({n: pose for n, pose in previous.poses.items() if n in self.poses})
        self.set_bases(previous.bases)

    def speed(self) -> float:
        """Return the largest speed of all joints and objects; NaN if one is not finite."""
        return float(np.abs(self._data.qvel).max(initial=0.0))

    def fastest(self) -> str:
        """Return the name of the fastest frame."""
        index = int(np.argmax(np.nan_to_num(np.abs(self._data.qvel), nan=np.inf)))
        frame = int(self.tables.body_frames[int(self._model.dof_bodyid[index])])
        return self.tables.frames[frame]
