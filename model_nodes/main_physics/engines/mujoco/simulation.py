"""A compiled world in motion: the parts that act on it, and its steps, singly or many in one call.

The loop over many steps is in C, so a step costs no more than MuJoCo's own functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import mujoco as mj
import numpy as np
from mujoco import rollout

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Diverged, EngineSettings, Unsupported
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.contacts import Contacts, LinkContacts
from model_nodes.main_physics.engines.mujoco.depenetration import Depenetration
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.fidelities import Fidelities, LinkFidelities
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.kinematic_bodies import Attachments, KinematicBodies
from model_nodes.main_physics.engines.mujoco.link_watch import LinkWatch
from model_nodes.main_physics.engines.mujoco.motors import Motors
from model_nodes.main_physics.engines.mujoco.servo import BaseServo, Servo
from model_nodes.main_physics.engines.mujoco.sleep import NO_SENSORS
from model_nodes.main_physics.engines.mujoco.tables import Tables, make_tables
from model_nodes.main_physics.engines.shared import Touches
from model_nodes.main_physics.sources.part import JointMotion

_PHYSICS = mj.mjtState.mjSTATE_FULLPHYSICS.value
_INTEGRATION = mj.mjtState.mjSTATE_INTEGRATION.value
_INPUTS = mj.mjtState.mjSTATE_QFRC_APPLIED.value | mj.mjtState.mjSTATE_EQ_ACTIVE.value
"""State that `rollout` would reset unless it is given in each step."""


class Rollout:
    """The states that follow the current one; positions and contacts in `data` must be recomputed afterwards.

    Args:
        model: model of the world.
        data: current state; it is not changed.
        forces: (n, nv) generalized forces on the joints in each step of MuJoCo.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, forces: Floats) -> None:
        self._model, self._data = model, data
        count = len(forces)
        initial = np.empty((1, mj.mj_stateSize(model, _PHYSICS)))
        mj.mj_getState(model, data, initial[0], _PHYSICS)
        inputs = np.empty((1, count, model.nv + model.neq))
        inputs[0, :, : model.nv], inputs[0, :, model.nv :] = forces, data.eq_active
        warmstart = np.array(data.qacc_warmstart)[None]
        states = np.empty((1, count, initial.size))
        with _preserve_state(model, data):
            # Without its checks `rollout` writes no sensor readings, which are far larger than the states.
            rollout.rollout(
                [model],
                data,
                initial,
                inputs,
                control_spec=_INPUTS,
                skip_checks=True,
                nstep=count,
                initial_warmstart=warmstart,
                state=states,
            )
        self._states: Floats = states[0]
        self._index = 0

    def advance(self, steps: int) -> None:
        """Set the world to its state this number of MuJoCo's steps later.

        Raises:
            IndexError: if fewer states were computed.
        """
        self._index += steps
        mj.mj_setState(self._model, self._data, self._states[self._index - 1], _PHYSICS)

    def skip(self, steps: int) -> None:
        """Skip states for steps that the world has taken otherwise."""
        self._index += steps


@contextmanager
def _preserve_state(model: mj.MjModel, data: mj.MjData) -> Iterator[None]:
    """Let the world be stepped without sensors, and restore its state afterwards."""
    state = np.empty(mj.mj_stateSize(model, _INTEGRATION))
    mj.mj_getState(model, data, state, _INTEGRATION)
    flags = model.opt.disableflags
    model.opt.disableflags = flags | NO_SENSORS
    try:
        yield
    finally:
        model.opt.disableflags = flags
        mj.mj_setState(model, data, state, _INTEGRATION)


Soft: TypeAlias = tuple[tuple[int, ...], float]
NO_SOFT_JOINTS: Soft = ((), 0.0)
_TOO_FAST = 1e4
"""Speed of a joint or body above which the simulation has diverged [m/s or rad/s]."""
_SINGLE_THREAD_SIZE = 4096
"""Length of a vector up to which BLAS uses a single thread."""


class Simulation:
    """A compiled world with its state; adding or removing bodies requires a new one.

    Args:
        builder: builder of the world.
        settings: settings of the engine.
        soft: indices among the driven joints of those that forces move, and their stiffness [Nm/rad or N/m].

    Attributes:
        model, data: MuJoCo's model and data.
        tables: ids and addresses in the model.
        still: (n, 13) states of the frames that never move.
        periods: number of completed periods.
        dirty: whether positions, velocities or contacts must be recomputed.
        fidelity_changed: whether they must be recomputed because a fidelity has changed.
        forces: forces of each substep while they are recorded; otherwise None.
        rolled_out: states that were computed ahead, for `leap`.
        touches: touches of the robots' links, once they are watched.
    """

    def __init__(
        self, builder: Builder, settings: EngineSettings, soft: Soft = NO_SOFT_JOINTS
    ) -> None:
        self.builder, self.settings = builder, settings
        self.model = model = builder.compile()
        self.data = data = mj.MjData(model)
        self.qpos, self.qvel = data.qpos, data.qvel
        self.tables = tables = make_tables(builder.world, model)
        self.soft = soft
        self.drive(data)
        self.collisions = Collisions(model, tables, self._hand_links())
        self.reader = FrameReader(model, data, tables)
        self.bases = BaseServo(model, data, tables, self.reader)
        self.fidelities = Fidelities(model, data, tables, self.collisions, self.reader)
        self.link_fidelities = LinkFidelities(model, data, tables, self.collisions)
        self.kinematic = KinematicBodies(model, tables, self.reader)
        self.contacts = Contacts(model, data, tables)
        self.depenetration = Depenetration(model, data, tables, self.collisions)
        self.attachments = Attachments(model, data, tables, self.collisions)
        self._is_small = self.qvel.size <= _SINGLE_THREAD_SIZE
        self.periods = 0
        self.forces: list[Floats] | None = None
        self.rolled_out: Rollout | None = None
        self.touches = Touches()
        self._links: LinkContacts | None = None
        mj.mj_kinematics(model, data)
        self.still = self.reader.still_poses()
        self.dirty, self.fidelity_changed = True, False

    def drive(self, state: mj.MjData, tables: Tables | None = None) -> None:
        """Create the drives of the robots' joints.

        Args:
            state: data for MuJoCo to compute the inertias with the armature in.
            tables: tables with changed drives; None: the current tables.
        """
        self.tables = tables = tables or self.tables
        world, data = self.builder.world, self.data
        self.servo = Servo(self.model, data, tables)
        self.servo.soften(*self.soft)
        self.motors = Motors(self.model, data, tables, lambda: FeedForward(world, data, tables))
        self.servo.add_armature(self.model, state, self.motors.add_armature)
        is_servo_only = not (self.motors.any or tables.followed)
        self._has_servo_only = is_servo_only and self.settings.substeps == 1

    def _hand_links(self) -> list[int]:
        members = [link for hand in self.builder.world.hands for link in hand.members]
        return [self.tables.body_of(link) for link in dict.fromkeys(members)]

    def place_drives(self) -> None:
        """Set the commands of all drives to the current state."""
        self.servo.place()
        self.motors.place()
        self.bases.place()

    def step(self, *, is_seen: bool = True) -> None:
        """Advance by one period.

        Args:
            is_seen: whether the contacts will be read.
        """
        count = self.settings.substeps
        if self.kinematic.any:
            self._place_kinematic(self.time_ns(0.0))
        if self.dirty or self.fidelity_changed:
            self.refresh()
        for i in range(1, count + 1):
            self._substep(i, count, is_seen)
        if self.model.opt.disableflags & NO_SENSORS:
            self.reader.read()
        self.periods += 1
        if self.rolled_out is not None:
            self.rolled_out.skip(count)
        self._check()
        if self.depenetration.returned or self.depenetration.margins.any:
            self.depenetration.update(self.seconds)
            self.dirty = True

    @property
    def is_plain(self) -> bool:
        """Whether only the servo drives joints, so that `stretch` can replace calls of `step`."""
        busy = self.soft[0] or self.depenetration.is_busy or self.forces is not None
        if busy or self.rolled_out is not None or not self._has_servo_only:
            return False
        return not self.model.opt.disableflags & NO_SENSORS

    def stretch(
        self, motions: Sequence[JointMotion], link_watch: LinkWatch | None, *, is_seen: bool
    ) -> None:
        """Advance by one period with each command, doing only what a step of a plain simulation needs.

        Args:
            motions: the commands.
            link_watch: detects touches of links; None if they were not requested.
            is_seen: whether the contacts after the last command will be read.
        """
        if self.kinematic.any:
            self._place_kinematic(self.time_ns(0.0))
        self.refresh()
        drive = self.servo.drive
        for motion in motions:
            drive(motion.positions)
            self._advance(1.0, is_seen=is_seen and motion is motions[-1])
            self.periods += 1
            if link_watch is not None:
                link_watch.waits -= 1
                if link_watch.waits <= 0:
                    link_watch.follow(self.time_ns(0.0))
        self.servo.record_commands(motions[-2:])
        self._check()

    def _place_kinematic(self, now_ns: int) -> None:
        """Place the bodies that follow other models at their poses of this time."""
        if not (self.is_current and self.kinematic.are_at(now_ns)):
            self.refresh()
            self.dirty = self.kinematic.place(now_ns)

    def _substep(self, i: int, count: int, is_seen: bool) -> None:
        share, period = i / count, self.settings.period
        target = self.servo.push(share, period)
        if self.bases.any:
            self.bases.push(share, period)
        if self.motors.any:
            self.motors.push(self.servo.target((i - 1) / count, period), target)
        if self.forces is not None:
            self.forces.append(self.data.qfrc_applied.copy())
        self._advance(share, is_seen=is_seen and i == count)
        if self.depenetration.margins.any:
            self.depenetration.margins.apply()

    def _advance(self, share: float, *, is_seen: bool) -> None:
        """Take a step of MuJoCo that ends at a fraction of the next period, and record its contacts."""
        model, data, links = self.model, self.data, self._links
        mj.mj_step2(model, data)
        found = links.find(data) if links is not None and data.ncon else ()
        if found or is_seen:
            self.contacts.copy()
        if links is not None and found:
            links.record(self.time_ns(share), self.contacts.last, found)
        if self.kinematic.any:
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_comVel(model, data)
            self.kinematic.place(self.time_ns(share))
        mj.mj_step1(model, data)

    @property
    def watches_links(self) -> bool:
        """Whether the contacts of links are recorded."""
        return self._links is not None

    def watch_links(self) -> None:
        """Record the contacts of links in `touches` from now on."""
        self._links = LinkContacts(self.model, self.tables, self.touches)

    def leap(self, periods: int) -> None:
        """Continue from a state that was computed ahead; see `Rollout`."""
        if self.rolled_out is None:
            raise Unsupported("no states have been computed ahead")
        self.rolled_out.advance(periods * self.settings.substeps)
        self.periods += periods
        self.servo.place()
        self.bases.place()
        self.dirty = True

    @property
    def is_current(self) -> bool:
        """Whether nothing has changed since positions, velocities and contacts were computed."""
        return not (self.dirty or self.fidelity_changed)

    def refresh(self) -> None:
        """Recompute positions, velocities and contacts if something has changed between steps."""
        if self.dirty or self.fidelity_changed:
            mj.mj_step1(self.model, self.data)
            if self.depenetration.margins.any:
                self.depenetration.margins.apply()
            if self.model.opt.disableflags & NO_SENSORS:
                self.reader.read()
            self.dirty = self.fidelity_changed = False

    @property
    def seconds(self) -> float:
        """The time at the end of the last complete period [s]."""
        return self.periods * self.settings.period

    def time_ns(self, share: float) -> int:
        """Return the time after a fraction of the next period [ns]."""
        return round((self.periods + share) * self.settings.period * 1e9)

    def _check(self) -> None:
        qvel = self.qvel
        # Not always with BLAS, which would wake its threads for the long vectors of a large world.
        square = qvel.dot(qvel) if self._is_small else np.einsum("i,i->", qvel, qvel)
        if not square < _TOO_FAST**2:
            fastest = int(np.argmax(np.nan_to_num(np.abs(qvel), nan=np.inf)))
            body = int(self.model.dof_bodyid[fastest])
            name = self.tables.frames[self.tables.body_frames[body]]
            raise Diverged(f"{name} has diverged (faster than {_TOO_FAST:g})")

    def record_forces(self) -> Sequence[Floats]:
        """Record the forces of each substep from now on; see `Engine.record_forces`."""
        self.forces = []
        return self.forces
