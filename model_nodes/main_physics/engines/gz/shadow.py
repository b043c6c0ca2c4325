"""The same world in MuJoCo, without its dynamics: what Gazebo does not tell follows from there.

Gazebo computes how things move. Where all frames are then, the distances between forms, and the inertia of
what has none, MuJoCo's geometry tells from Gazebo's positions and velocities. Frames and joints thus have the
same order and meaning in both engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats, Value
from model_nodes.main_physics.engines.engine import Beam, EngineSettings
from model_nodes.main_physics.engines.gz.parts import Load
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.kinematic_bodies import LedObjects
from model_nodes.main_physics.engines.mujoco.rangefinders import Beams
from model_nodes.main_physics.engines.mujoco.tables import make_tables
from model_nodes.main_physics.world.description import Inertial, Vector, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import pose_of


class Shadow:
    """Positions and velocities of everything, and what follows from them.

    Attributes:
        positions, velocities: of all joints, in the engine's order.
        poses: (13,) pose and twist of each object, by its name.
        led: objects that move as another model says.
        loads: objects that are parts of others.
    """

    def __init__(self, world: World, settings: EngineSettings, notes: Notes) -> None:
        self._builder = Builder(world, replace(settings, options={}), notes)
        self.world = world
        self._settings = settings
        self._model = self._builder.compile()
        self._data = mj.MjData(self._model)
        self.tables = make_tables(world, self._model)
        self._reader = FrameReader(self._model, self._data, self.tables)
        self.led = LedObjects(self._model, self.tables, self._reader)
        self._beams = Beams(self._model, self._data, self.tables)
        self.loads: dict[str, Load] = {}
        self.positions: Floats = np.zeros(len(self.tables.joints))
        self.velocities: Floats = np.zeros(len(self.tables.joints))
        self._pairs: list[Pairs] = []
        self._overlaps: dict[str, Pairs] = {}
        self.update(0.0)
        self._still = self._reader.still()
        self.poses: dict[str, Floats] = {name: self.frame(name) for name in self.tables.free}

    def inertial(self, frame: str) -> Inertial:
        """Mass and inertia of a link, as far as they are known or follow from its forms."""
        model, body = self._model, self.tables.body_of(frame)
        pose = pose_of([*model.body_ipos[body], *model.body_iquat[body]])
        a, b, c = (float(moment) for moment in model.body_inertia[body])
        return Inertial(float(model.body_mass[body]), pose, (a, b, c, 0.0, 0.0, 0.0))

    def set_objects(self, poses: Mapping[str, Floats]) -> None:
        """Put objects at their poses and twists; `update` comes next."""
        for name, pose in poses.items():
            self._reader.place(self.tables.free[name], pose)
            self.poses[name] = pose

    def update(self, seconds: float) -> None:
        """Find all frames at a time; led objects stay where `place_led` put them."""
        data, tables = self._data, self.tables
        data.time = seconds
        data.qpos[tables.joint_positions] = self.positions
        data.qvel[tables.joint_velocities] = self.velocities
        self._find()
        self._carry()

    def jump(self, seconds: float) -> None:
        """As `update`, after something was put elsewhere by hand."""
        self.update(seconds)
        for pairs in self._pairs:
            pairs.forget()

    def _find(self) -> None:
        model, data = self._model, self._data
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_sensorPos(model, data)
        mj.mj_sensorVel(model, data)

    def place_led(self, time_ns: int) -> bool:
        """Put all led objects where they are at that time; their parents must be up to date.

        Answers whether any has moved.
        """
        moved = self.led.any and self.led.place(time_ns)
        if moved:
            self._find()
            self._carry()
        for name in self.led.values:
            self.poses[name] = self.frame(name)
        return moved

    def _carry(self) -> None:
        """Put loads where what they are parts of is."""
        if not self.loads:
            return
        here = np.zeros(POSE_SIZE)
        for name, load in self.loads.items():
            here[:7] = load.pose
            self.set_objects({name: compose(self.frame_of_any(load.to), here)})
        self._find()

    def lead(self, name: str, value: Value) -> bool:
        """Lead an object by a new value; answers whether it has been free until now."""
        return self.led.set(self.tables.free[name], value)

    def frame(self, name: str) -> Floats:
        """(13,) pose and twist of one frame, as a copy."""
        tables = self.tables
        return np.array(self._reader.sensed[tables.body_frames[tables.body_of(name)]])

    def frame_of_any(self, name: str) -> Floats:
        """(13,) pose and twist of one frame, also of one that never moves."""
        tables = self.tables
        at = int(tables.body_frames[tables.body_of(name)])
        if at < tables.moving:
            return self.frame(name)
        return np.array(self._still[at - tables.moving])

    def look(self, beams: Sequence[Beam], on: Sequence[bool]) -> Floats:
        """What range sensors see; see `Engine.look`."""
        return self._beams.look(beams, on)

    def directions(self, pairs: set[tuple[int, int]]) -> dict[tuple[int, int], Vector]:
        """(frame, other frame) -> unit vector from the other to the frame, at their nearest points."""
        model, data, segment = self._model, self._data, np.zeros(6)
        found: dict[tuple[int, int], Vector] = {}
        for one, other in pairs:
            bodies = [int(self.tables.frame_bodies[i]) for i in (one, other)]
            geoms = [self.tables.geoms[body] for body in bodies]
            best = (np.inf, data.xipos[bodies[0]] - data.xipos[bodies[1]])
            for geom in geoms[0]:
                for far in geoms[1]:
                    distance = float(mj.mj_geomDistance(model, data, far, geom, 1.0, segment))
                    way = (segment[3:] - segment[:3]) * (1.0 if distance >= 0 else -1.0)
                    if distance < best[0] and way @ way > 1e-18:
                        best = (distance, way.copy())
            length = float(np.linalg.norm(best[1]))
            x, y, z = (best[1] / length).tolist() if length > 0 else (0.0, 0.0, 1.0)
            found[one, other] = (x, y, z)
        return found

    def read(self, out: Floats) -> None:
        """Write the poses and twists of all frames to `out` (n, 13)."""
        out[: self.tables.moving] = self._reader.sensed
        out[self.tables.moving :] = self._still

    def pairs(self, names: tuple[str, ...], reach: float) -> Pairs:
        """Pairs of these objects against all else, within a reach [m]."""
        bodies = [body for name in names for body in self.tables.free[name].members]
        pairs = Pairs(self._model, self._data, self.tables, bodies, reach)
        self._pairs.append(pairs)
        return pairs

    def overlaps(self, name: str, reach: float) -> dict[tuple[int, int], Nearest]:
        """What is nearer to an object than `reach` [m]; made once for each object."""
        if name not in self._overlaps:
            self._overlaps[name] = self.pairs((name,), reach)
        self._overlaps[name].forget()
        return self._overlaps[name].nearest()

    def keep_from(self, before: Shadow) -> None:
        """Take over where the joints and objects are that are still there; `jump` comes next."""
        at = {joint: i for i, joint in enumerate(before.tables.joints)}
        for i, joint in enumerate(self.tables.joints):
            if joint in at:
                self.positions[i] = before.positions[at[joint]]
                self.velocities[i] = before.velocities[at[joint]]
        self.set_objects({n: pose for n, pose in before.poses.items() if n in self.poses})

    def speed(self) -> float:
        """The largest velocity of all joints and objects; nan if one is not finite."""
        return float(np.abs(self._data.qvel).max(initial=0.0))

    def fastest(self) -> str:
        """Name of the frame that moves fastest."""
        at = int(np.argmax(np.nan_to_num(np.abs(self._data.qvel), nan=np.inf)))
        frame = int(self.tables.body_frames[int(self._model.dof_bodyid[at])])
        return self.tables.frames[frame]
