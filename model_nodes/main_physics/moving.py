"""Moves the robots: plans, and the joints, fingers and bases that follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from model_nodes.main_physics.base_drive import BaseDrives
from model_nodes.main_physics.block import Block
from model_nodes.main_physics.driving import Fingers, LimitedFingers
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.sources.factory import open_plans
from model_nodes.main_physics.sources.part import JointMotion, JointReading
from model_nodes.main_physics.sources.plans import Plans
from model_nodes.main_physics.watching import RobotReporter
from model_nodes.main_physics.world.description import joint_name

_SOURCE_REPLACED = "the source was replaced during the run"


class RobotMotion:
    """Moves the robots of a world in an engine, from their state at the start.

    Args:
        settings: settings of the main model.
        robots: all robots.
        engine: engine with the robots.

    Attributes:
        plans: plans of the robots.
        notes: notes on the plans, for the user.
        bases: bases that follow a source.
        loose_joints: indices of driven joints that may deviate from their command.
        prepared: whether the first step has been prepared.
        has_own_efforts: whether some drives exert efforts of their own, so that `efforts` differ from the recorded
            ones.

    Raises:
        BadInput: if a source cannot be used.
    """

    _block: Block
    _entities: Mapping[str, Entity]

    def __init__(self, settings: Settings, robots: Sequence[SceneRobot], engine: Engine) -> None:
        self._robots, self._engine = tuple(robots), engine
        self._bodies = [robot.body for robot in robots]
        self._period_ns = round(1e9 / settings.rate)
        self._watching: RobotReporter | None = None
        self._replaced = False
        self.prepared = False
        start = {name: q for robot in robots for name, q in robot.joints_at_start.items()}
        self.plans, self.bases = self._bind(open_plans(settings, robots), start)
        self.fingers = Fingers(engine.driven, settings, engine)
        joints = [(joint_name(body, j), j) for body in self._bodies for j in body.driven_joints]
        self._limits = LimitedFingers(dict(joints))
        self._yielding = np.flatnonzero([j.drive.mode is not DriveMode.FOLLOW for _, j in joints])
        self.has_own_efforts = len(self._yielding) > 0
        self.loose_joints = tuple(sorted({*self.fingers.loose, *self._yielding.tolist()}))
        self._place(self.plans.motion(0))
        self.notes = [*self.plans.notes]
        if self.plans and joints and not self.plans.has_efforts(0):
            self.notes.append("source: has no joint efforts; joint_efforts is 0")

    def _bind(self, plans: Plans, start: Mapping[str, float]) -> tuple[Plans, BaseDrives]:
        bases = BaseDrives(self._robots, plans, self._period_ns)
        plans.drive(self._bodies, start, self._period_ns)
        return plans, bases

    def set_scene(self, block: Block, entities: Sequence[Entity]) -> None:
        """Give the plans access to the scene: poses and kinds of entities."""
        self._block, self._entities = block, {entity.name: entity for entity in entities}
        self.plans.set_scene_access(self._pose_of, self._entities)

    def _pose_of(self, entity: str) -> Floats:
        return self._block.value(entity, POSE.name)

    def set_watch(self, watching: RobotReporter) -> None:
        """Keep a watch informed about the joints' commands."""
        self._watching = watching

    def _place(self, motion: JointMotion) -> None:
        motion, engine = self.fingers.with_margin(motion), self._engine
        count = len(motion.positions)
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        positions[:count] = motion.positions
        velocities[:count] = motion.velocities
        engine.place_joints(positions, velocities)
        self.bases.place(engine)

    def prepare(self) -> None:
        """Prepare the first step; a live robot may have moved since it was bound."""
        self.prepared = True
        if self.plans.start():
            self._place(self.plans.motion(0))

    def sense(self, time_ns: int, events: Sequence[Event]) -> list[Event]:
        """Let the plans sense the robots; returns an event for each base that they place anew.

        Raises:
            Unsupported: if the engine has no such base.
        """
        placement = self.plans.sense(time_ns, self._block.joint_positions, events)
        if placement is None:
            return []
        return [self.bases.align(self._engine, self._block.value, placement, time_ns)]

    def advance(self, times_ns: Sequence[int]) -> tuple[JointMotion, list[Event]]:
        """Take the steps that end at these times; only the state after the last one will be read.

        Returns:
            The joints' motion at the end, and events about corrected bases.
        """
        plans, watching = self.plans, self._watching
        is_stepwise = self.fingers.close_further or self.fingers.soft or self.bases.any
        is_batch = len(times_ns) > 1 and not (is_stepwise or plans.limited)
        if is_batch and (watching is None or watching.due_ns > times_ns[-2]):
            motions = plans.motions(times_ns)
            if motions is not None:
                self._engine.stretch(motions)
                return motions[-1], []
        return self._step_each(times_ns, is_stepwise)

    def _step_each(
        self, times_ns: Sequence[int], is_stepwise: bool
    ) -> tuple[JointMotion, list[Event]]:
        plans, watching, motions, events = self.plans, self._watching, list[JointMotion](), []
        last_ns = times_ns[-1]
        for time_ns in times_ns:
            motion = plans.motion(time_ns)
            motions.append(motion)
            if is_stepwise or plans.limited:
                self._engine.stretch(motions[:-1], is_seen=False)
                motions.clear()
                events += self._command(motion, time_ns)
                self._engine.step(is_seen=time_ns == last_ns)
            if time_ns != last_ns and watching is not None and time_ns >= watching.due_ns:
                watching.report(time_ns, motion)
        self._engine.stretch(motions)
        return motion, events

    def _command(self, motion: JointMotion, time_ns: int) -> list[Event]:
        """Command the step that ends at a time; returns events about corrected bases."""
        engine, limited = self._engine, self.plans.limited
        if limited and self._limits.update(engine, limited):
            self._add_limited()
        target = self.fingers.with_margin(motion) if self.fingers.close_further else motion
        engine.command_joints(target.positions, target.velocities, target.accelerations)
        if self.fingers.soft:
            engine.command_efforts(self.fingers.efforts(motion))
        return self.bases.command(engine, time_ns) if self.bases.any else []

    def _add_limited(self) -> None:
        """Update the joints whose efforts have been limited during the run."""
        joints = [self._engine.driven.index(name) for name in self._limits.names]
        self._yielding = np.union1d(self._yielding, joints).astype(np.intp)
        self.has_own_efforts = len(self._yielding) > 0
        if self._watching is not None:
            self._watching.add_loose_joints(joints)

    def efforts(self, motion: JointMotion) -> Floats:
        """The recorded efforts, replaced by those of drives that exert their own [Nm or N]."""
        exerted, efforts = np.empty(len(motion.efforts)), motion.efforts.copy()
        self._engine.read_efforts(exerted)
        known = ~np.isnan(exerted)
        efforts[known] = exerted[known]
        return efforts

    def replace_plans(self, settings: Settings, time_ns: int) -> None:
        """Let plans from other settings take the robots over in their current state.

        Raises:
            BadInput: if the plans cannot be used.
            Refused: if the plans cannot start in the middle of a run.
        """
        self._continue_with(open_plans(settings, self._robots), time_ns)
        self._replaced = True

    def _continue_with(self, plans: Plans, time_ns: int) -> None:
        if not plans.takes_over:
            raise Refused("only a plan can take a robot over in the middle of a run")
        joints = self._joint_states()
        mimics = {joint_name(body, j) for body in self._bodies for j in body.joints if j.mimic}
        start = {name: joint.position for name, joint in joints.items() if name not in mimics}
        _, bases = self._bind(plans, start)
        plans.set_scene_access(self._pose_of, self._entities)
        plans.take_over(time_ns, joints)
        if self.plans is not plans:
            self.plans.close()
        self.plans, self.bases = plans, bases
        if self._watching is not None:
            self._watching.replace_plans(plans)

    def _joint_states(self) -> dict[str, JointReading]:
        """The state of the driven joints; effort-limited ones have the commanded position that keeps them pressing."""
        engine = self._engine
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        engine.read_joints(positions, velocities)
        efforts = self._block.efforts(engine.driven)
        states = zip(engine.driven, positions.tolist(), velocities.tolist(), strict=False)
        return {
            name: JointReading(q + self._limits.press_offset(name, efforts[name]), v, efforts[name])
            for name, q, v in states
        }

    @property
    def parts(self) -> dict[str, Any]:
        """The state that changes during a run, except that of the plans."""
        return {
            "bases": self.bases,
            "measured_efforts": self.plans.measured_efforts,
            "fingers": self.fingers,
            "limits": self._limits,
            "begun": self.prepared,
        }

    @property
    def limited(self) -> frozenset[str]:
        """Names of the joints that have got drives of limited effort since the start of the run."""
        return frozenset(self._limits.names)

    def saved_source(self) -> dict[str, Plain]:
        """The position of the plans, or the reason why another process cannot continue with them."""
        needed: dict[str, Plain] = {"needs_source": _SOURCE_REPLACED} if self._replaced else {}
        if not self.plans:
            return needed
        try:
            return {"source": self.plans.save(), **needed}
        except Refused as refusal:
            return {"needs_source": str(refusal)}

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Restore a saved `parts`."""
        self.prepared = parts["begun"]
        self.plans.measured_efforts = parts["measured_efforts"]
        loose = {self._engine.driven[i] for i in self._yielding.tolist()}
        if not self.limited <= loose and self._limits.reapply(self._engine):
            self._add_limited()

    def restore_source(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Restore the position of the plans; plans other than the saved ones take the robots over, if they can."""
        if self.plans and "source" in saved:
            self.plans.restore(saved["source"])
        elif self.plans.takes_over:
            self._continue_with(self.plans, scene.time_ns)

    def close(self) -> None:
        """Close the plans."""
        self.plans.close()
