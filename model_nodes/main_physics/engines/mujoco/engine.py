"""MuJoCo behind the engine interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.poses import cross
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, no_proximity
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
from model_nodes.main_physics.engines.mujoco.attachments import Attachments
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.contacts import Contacts
from model_nodes.main_physics.engines.mujoco.depenetration import Overlaps
from model_nodes.main_physics.engines.mujoco.distances import Pairs
from model_nodes.main_physics.engines.mujoco.fidelities import Fidelities
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.kinematic_bodies import LedObjects
from model_nodes.main_physics.engines.mujoco.link_fidelities import LinkFidelities
from model_nodes.main_physics.engines.mujoco.rangefinders import Beams
from model_nodes.main_physics.engines.mujoco.servo import Servo
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables, make_tables
from model_nodes.main_physics.engines.mujoco.transfer import copy_joints
from model_nodes.main_physics.world.description import Body, Vector, World
from model_nodes.main_physics.world.names import frame_name
from model_nodes.main_physics.world.notes import Notes

_Any = TypeVar("_Any")
_TOO_FAST = 1e4
"""A joint or body faster than this has diverged [m/s or rad/s]."""
_STATE = mj.mjtState.mjSTATE_INTEGRATION.value
_CHANGED = (
    "geom_margin",
    "geom_surfacevel",
    "dof_armature",
    "dof_M0",
    "eq_obj1id",
    "eq_data",
)
"""Arrays of the model that change during a run, beside the bits of collisions."""


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

    @property
    def words(self) -> str:
        """The engine and its version."""
        return f"mujoco ({mj.__version__})"

    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Compile the world; see `builder` for what MuJoCo means differently."""
        notes = Notes()
        self._settings = settings
        self._builder = Builder(world, settings, notes)
        model = self._builder.compile()
        self._use(model, mj.MjData(model))
        self._periods = 0
        if settings.proximity_objects is None and len(self._tables.free) > EVERYTHING_NEAR:
            notes.add(
                f"proximity is told of none of the {len(self._tables.free)} objects, since they are"
                f" more than {EVERYTHING_NEAR}; name some in proximity_objects"
            )
        return notes.all()

    def _use(self, model: mj.MjModel, data: mj.MjData) -> None:
        self._model, self._data = model, data
        self._origins, self._centres, self._wrenches = data.xpos, data.xipos, data.xfrc_applied
        self._tables = tables = make_tables(self._builder.world, model)
        self._servo = Servo(model, data, tables)
        self._servo.heavy(model, data)
        self._collisions = Collisions(model, tables, self._hand_links(tables))
        self._reader = FrameReader(model, data, tables)
        self._fidelities = Fidelities(model, data, tables, self._collisions, self._reader)
        self._link_fidelities = LinkFidelities(model, data, tables, self._collisions)
        self._led = LedObjects(model, tables, self._reader)
        self._contacts = Contacts(model, data, tables)
        self._overlaps = Overlaps(model, data, tables, self._collisions)
        near = [b for name in self._near_objects(tables) for b in tables.free[name].members]
        self._pairs = Pairs(model, data, tables, near, self._settings.proximity_range)
        self._beams = Beams(model, data, tables)
        self._attachments = Attachments(model, data, tables, self._collisions)
        self._released: dict[str, tuple[int, Floats]] = {}
        mj.mj_kinematics(model, data)
        self._still = self._reader.still()
        self._dirty, self._relevelled = True, False

    def _hand_links(self, tables: Tables) -> list[int]:
        members = [link for hand in self._builder.world.hands for link in hand.members]
        return [tables.body_of(link) for link in dict.fromkeys(members)]

    def _near_objects(self, tables: Tables) -> tuple[str, ...]:
        named = self._settings.proximity_objects
        if named is None:
            return tuple(tables.free) if len(tables.free) <= EVERYTHING_NEAR else ()
        for name in named:
            if name not in tables.free:
                raise BadInput(
                    "is no free object",
                    where="proximity_objects",
                    found=name,
                    expected=", ".join(tables.free),
                )
        return named

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames: what moves first."""
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
        self._dirty = True

    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Remember where the driven joints shall be; see `servo`."""
        self._servo.command(positions, velocities)

    def step(self) -> None:
        """Go on by one period; see the comments for the order."""
        model, data = self._model, self._data
        count, period = self._settings.substeps, self._settings.period
        begin = self._time_ns(0.0)
        if self._led.any:
            self._refresh()
            self._dirty = self._led.place(begin)
        self._refresh()
        for i in range(1, count + 1):
            share = i / count
            self._servo.push(self._servo.target(share, period))
            mj.mj_step2(model, data)
            if i == count:
                self._contacts.copy()
            if self._led.any:
                mj.mj_kinematics(model, data)
                mj.mj_comPos(model, data)
                mj.mj_comVel(model, data)
                self._led.place(self._time_ns(share))
            mj.mj_step1(model, data)
        self._reader.read()
        self._periods += 1
        self._check()
        if self._overlaps.any:
            self._overlaps.watch(self._seconds())
            self._dirty = True

    def _refresh(self) -> None:
        # Whatever was changed between steps: find positions, velocities and contacts again.
        if self._dirty or self._relevelled:
            mj.mj_step1(self._model, self._data)
            self._reader.read()
            self._pairs.forget()
            self._dirty = self._relevelled = False

    def _seconds(self) -> float:
        return self._periods * self._settings.period

    def _time_ns(self, share: float) -> int:
        return round((self._periods + share) * self._settings.period * 1e9)

    def _check(self) -> None:
        qvel = self._data.qvel
        # Not by BLAS, which would wake its threads for the many numbers of a large world.
        if not np.einsum("i,i->", qvel, qvel) < _TOO_FAST**2:
            fastest = int(np.argmax(np.nan_to_num(np.abs(qvel), nan=np.inf)))
            body = int(self._model.dof_bodyid[fastest])
            name = self._tables.frames[self._tables.body_frames[body]]
            raise Diverged(f"{name} has no sensible motion any more (faster than {_TOO_FAST:g})")

    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames."""
        self._refresh()
        out[: self._tables.moving] = self._reader.sensed
        out[self._tables.moving :] = self._still

    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""
        positions[:] = self._data.qpos[self._tables.joint_positions]
        velocities[:] = self._data.qvel[self._tables.joint_velocities]

    def proximity(self) -> Floats:
        """Rows for the objects of the settings; also for pairs whose collisions are off."""
        self._refresh()
        near = self._pairs.nearest()
        if not near:
            return no_proximity()
        rows = np.empty((len(near), PROXIMITY_COLUMNS))
        frame = self._tables.body_frames
        for i, ((body, other), n) in enumerate(near.items()):
            force = self._contacts.force_on(body, other)
            rows[i] = (frame[body], frame[other], n.distance, *n.point, *n.normal, *force)
        return rows

    def contacts(self) -> Floats:
        """The contacts that were solved in the last step."""
        return self._contacts.table()

    def _free(self, name: str) -> FreeBody:
        free = self._tables.free.get(name)
        if free is None:
            raise Unsupported(f"MuJoCo moves only free bodies from outside; {name} is none")
        return free

    def follow(self, name: str, value: Value) -> None:
        """Lead an object; see `led`."""
        free = self._free(name)
        if not free.rigid:
            raise Unsupported(f"{name} has joints; only rigid objects can follow another model")
        self._refresh()
        before = self._frame(free)
        self._fidelities.hold_high(name, True)
        if self._led.set(free, value):
            self._released[name] = (self._periods, before)
            self._overlaps.end(free)
            self._attachments.detach(free)
            for body in free.members:
                self._collisions.lead(body, True)
            self._dirty = True

    def hand_back(self, name: str, value: Value) -> None:
        """Let an object go; see `overlaps`."""
        free = self._free(name)
        self._refresh()
        self._fidelities.hold_high(name, True)  # a lowered one is not looked at again
        when, pose = self._released.pop(name, (-1, value.data))
        untouched = when == self._periods and np.array_equal(pose, value.data)
        if not untouched:
            self._attachments.detach(free)
            self._led.set(free, value)
            self._led.place(value.time_ns)
        self._led.free(name)
        for body in free.members:
            self._collisions.lead(body, False)
        self._dirty = True
        if not untouched:
            # Given back to where it is not known to fit.
            self._refresh()
            self._overlaps.begin(free, self._seconds())
            self._dirty = True
        self._fidelities.hold_high(name, False)

    def _frame(self, free: FreeBody) -> Floats:
        return np.array(self._reader.sensed[self._tables.body_frames[free.body]])

    def set_collision(self, name: str, on: bool) -> None:
        """Switch an object off for all contacts, or on again."""
        free = self._free(name)
        for body in free.members:
            self._collisions.switch(body, on)
        self._dirty = True

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Switch levels; see `fidelities`."""
        names = list(names)
        links = [name for name in names if name in self._link_fidelities]
        names = [self._free(name).name for name in names if name not in self._link_fidelities]
        if self._dirty:
            # What sleeps is not looked at again.
            self._refresh()
        self._relevelled |= self._fidelities.set(names, level)
        self._dirty |= self._link_fidelities.set(links, level)

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """Set the surface velocity of all forms of a body."""
        try:
            geoms = list(self._tables.geoms[self._tables.body_of(frame)])
        except KeyError:
            raise Unsupported(f"there is no {frame} whose surface could move") from None
        self._model.geom_surfacevel[geoms] = (*velocity, *turn)
        self._model.flg_surfacevel = bool(self._model.geom_surfacevel.any())
        self._dirty = True

    def fidelity(self, name: str) -> Fidelity:
        """The level that an object has."""
        if name in self._link_fidelities:
            return self._link_fidelities.level(name)
        return self._fidelities.level(self._free(name).name)

    def look(self, beams: Sequence[Beam]) -> Floats:
        """See `beams`."""
        self._refresh()
        links = self._link_fidelities
        on = [links.level(beam.frame) is not Fidelity.LOW for beam in beams]
        return self._beams.look(beams, on)

    def push(self, name: str, wrench: Floats) -> None:
        """Let a force act; MuJoCo wants it at the centre of mass."""
        body = self._free(name).body
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        (ox, oy, oz), (x, y, z) = self._origins[body].tolist(), self._centres[body].tolist()
        mx, my, mz = cross((x - ox, y - oy, z - oz), (fx, fy, fz))
        self._wrenches[body] = (fx, fy, fz, tx - mx, ty - my, tz - mz)

    def attach(self, name: str, to: str) -> None:
        """Fix an object to a frame by a weld."""
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
        """Let go of the weld."""
        free = self._free(name)
        if self._attachments.detach(free):
            self._refresh()
            self._overlaps.begin(free, self._seconds())
            self._fidelities.hold_high(name, False)
            self._dirty = True

    def save(self) -> object:
        """State, switched settings and who is led."""
        state = np.empty(mj.mj_stateSize(self._model, _STATE))
        mj.mj_getState(self._model, self._data, state, _STATE)
        changed = {name: getattr(self._model, name).copy() for name in _CHANGED}
        parts = (
            self._servo.save(),
            self._collisions.save(),
            self._led.save(),
            self._overlaps.save(),
            self._attachments.save(),
            self._fidelities.save(),
            self._link_fidelities.save(),
            dict(self._released),
        )
        return _Saved(state, changed, parts, self._periods)

    def restore(self, state: object) -> None:
        """Go back to a saved state."""
        if not isinstance(state, _Saved) or len(state.state) != mj.mj_stateSize(
            self._model, _STATE
        ):
            raise Unsupported("this is no state of this world in MuJoCo")
        for name, values in state.model.items():
            getattr(self._model, name)[:] = values
        self._model.flg_surfacevel = bool(self._model.geom_surfacevel.any())
        servo, collisions, led, overlaps, attachments, fidelities, links, released = state.parts
        self._link_fidelities.restore(links)
        self._servo.restore(servo)
        self._collisions.restore(collisions)
        self._led.restore(led)
        self._overlaps.restore(overlaps)
        self._attachments.restore(attachments)
        assert isinstance(released, dict)
        self._released = dict(released)
        mj.mj_setState(self._model, self._data, state.state, _STATE)
        self._fidelities.restore(fidelities)
        self._periods = state.periods
        self._contacts.clear()
        self._dirty = True

    def add(self, body: Body) -> None:
        """Add a body and go on from the same state, though not to the bit."""
        if body.robot:
            raise Unsupported(f"MuJoCo cannot add the robot {body.name} to a running world")
        names = {frame_name(body, link.name) for link in body.links}
        if names & set(self.frames):
            raise Unsupported(f"there is a body with a name of {body.name} already")
        self._builder.add(body)
        self._rebuild()

    def remove(self, name: str) -> None:
        """Remove a body and go on from the same state, though not to the bit."""
        bodies = [body for body in self._builder.world.bodies if body.name == name]
        if not bodies or bodies[0].robot:
            raise Unsupported(f"MuJoCo removes only bodies of the world; {name} is none")
        self._builder.remove(bodies[0])
        self._rebuild()

    def _rebuild(self) -> None:
        before, data, tables = self._model, self._data, self._tables
        names = {body: tables.frames[tables.body_frames[body]] for body in self._collisions.off}
        led, returned = self._led.values, self._overlaps.names
        attached, lowered = self._attachments.frames, self._fidelities.wanted
        links = self._link_fidelities.levels
        remarks = self._overlaps.remarks
        model = self._builder.compile()
        fresh = mj.MjData(model)
        self._use(model, fresh)
        copy_joints(before, data, model, fresh)
        fresh.time = data.time
        self._overlaps.remarks = remarks
        for frame in names.values():
            if frame in self._tables.frames:
                self._collisions.switch(self._tables.body_of(frame), False)
        for name, value in self._still_free(led).items():
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
                self._overlaps.begin(self._tables.free[name], self._seconds())
        self._servo.place()
        self._dirty = True

    def _still_free(self, by_name: dict[str, _Any]) -> dict[str, _Any]:
        return {name: value for name, value in by_name.items() if name in self._tables.free}

    def take_remarks(self) -> list[Remark]:
        """What was done about overlaps."""
        remarks = self._overlaps.remarks
        if remarks:
            self._overlaps.remarks = []
        return remarks

    def close(self) -> None:
        """Nothing is held that Python does not free."""
