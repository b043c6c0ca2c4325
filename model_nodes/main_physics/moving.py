"""What moves the robots: a source, and how their joints, fingers and bases do as it says."""

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
from model_nodes.main_physics.drive import Drive
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.fingers import Fingers
from model_nodes.main_physics.limiting import LimitedFingers
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.sources.of_settings import open_of_settings
from model_nodes.main_physics.sources.source import JointMotion, JointNow, Source
from model_nodes.main_physics.watching import Watching
from model_nodes.main_physics.world.names import joint_name

_CHANGED = "the run goes on with another source than it began with"


class RobotMotion:
    """Moves the robots of a world in an engine, from where they are at the start.

    Args:
        settings: of the main model.
        robots: all of them.
        engine: in which they move.

    Attributes:
        source: says how; None: they rest.
        notes: what is worth knowing about it.
        drive: completes the source's motion.
        bases: those that it moves.
        given_way: indices of driven joints that need not be where they are commanded.

    Raises:
        BadInput: if the source cannot be used.
    """

    _block: Block
    _entities: Mapping[str, Entity]

    def __init__(self, settings: Settings, robots: Sequence[SceneRobot], engine: Engine) -> None:
        self._robots, self._engine = tuple(robots), engine
        self._bodies = [robot.body for robot in robots]
        self._period_ns = round(1e9 / settings.rate)
        self._watching: Watching | None = None
        self._replaced = False
        self._begun = False
        self.source = open_of_settings(settings, robots)
        self.bases = BaseDrives(robots, self.source, self._period_ns)
        start = {name: at for robot in robots for name, at in robot.joints_at_start.items()}
        self.drive = Drive(self._bodies, self.source, start, self._period_ns)
        self.fingers = Fingers(engine.driven, settings, engine)
        joints = [(joint_name(body, j), j) for body in self._bodies for j in body.driven_joints]
        self._limits = LimitedFingers(dict(joints))
        self._own = np.flatnonzero([j.drive.mode is not DriveMode.FOLLOW for _, j in joints])
        self.given_way = tuple(sorted({*self.fingers.loose, *self._own.tolist()}))
        self._place(self.drive.at(0))
        self.notes = [str(note) for note in getattr(self.source, "notes", ())]
        if self.source is not None and joints and not self.drive.has_efforts(0):
            self.notes.append("source: has no joint efforts; joint_efforts is 0")

    def know(self, block: Block, entities: Sequence[Entity]) -> None:
        """Let sources know where things are, and what they are."""
        self._block, self._entities = block, {entity.name: entity for entity in entities}
        if self.source is not None:
            self.source.use_places(self._pose_of, self._entities)

    def _pose_of(self, entity: str) -> Floats:
        return self._block.value(entity, POSE.name)

    def watched_by(self, watching: Watching) -> None:
        """Keep a watch up to date about what commands the joints."""
        self._watching = watching

    def _place(self, motion: JointMotion) -> None:
        motion, engine = self.fingers.closed(motion), self._engine
        count = len(motion.positions)
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        positions[:count] = motion.positions
        velocities[:count] = motion.velocities
        engine.place_joints(positions, velocities)
        self.bases.place(engine)

    def begin(self) -> None:
        """Prepare the first step, once; a live robot may have moved since it was bound."""
        if self._begun:
            return
        self._begun = True
        if self.source is not None and self.source.begin():
            self._place(self.drive.at(0))

    def sense(self, time_ns: int, events: Sequence[Event]) -> list[Event]:
        """Let the source sense the robots; returns the events of bases that it puts elsewhere.

        Raises:
            Unsupported: if the engine has no such base.
        """
        source = self.source
        if source is None or not source.senses:
            return []
        source.sense(time_ns, self._block.joint_positions, events)
        placement = source.take_placement()
        if placement is None:
            return []
        return [self.bases.align(self._engine, self._block.value, placement, time_ns)]

    def command(self, time_ns: int) -> tuple[JointMotion, list[Event]]:
        """Command the step that ends at a time; returns the joints' motion and events of corrected bases."""
        engine, motion = self._engine, self.drive.at(time_ns)
        if self.source is not None and self._limits.update(engine, self.source.limited):
            self._let_loose()
        self.fingers.command(motion)
        return motion, self.bases.command(engine, time_ns)

    def _let_loose(self) -> None:
        """Take note of the joints whose efforts are limited since the run began."""
        joints = [self._engine.driven.index(name) for name in self._limits.names]
        self._own = np.union1d(self._own, joints).astype(np.intp)
        if self._watching is not None:
            self._watching.let_loose(joints)

    def efforts(self, motion: JointMotion) -> Floats:
        """The recorded efforts, and those of the drives that do not follow."""
        if not len(self._own):
            return motion.efforts
        exerted, efforts = np.empty(len(motion.efforts)), motion.efforts.copy()
        self._engine.read_efforts(exerted)
        known = ~np.isnan(exerted)
        efforts[known] = exerted[known]
        return efforts

    def go_on_with(self, settings: Settings, time_ns: int) -> None:
        """Let the source of other settings take the robots over from where they are.

        Raises:
            BadInput: if it cannot be used.
            Refused: if it cannot begin in the middle of a run.
        """
        self._go_on_with(open_of_settings(settings, self._robots), time_ns)
        self._replaced = True

    def _go_on_with(self, source: Source | None, time_ns: int) -> None:
        if source is None or not source.takes_over:
            raise Refused("only a plan can take a robot over in the middle of a run")
        joints = self._joints_now()
        mimics = {joint_name(body, j) for body in self._bodies for j in body.joints if j.mimic}
        held = {name: joint.position for name, joint in joints.items() if name not in mimics}
        bases = BaseDrives(self._robots, source, self._period_ns)
        drive = Drive(self._bodies, source, held, self._period_ns)
        source.use_places(self._pose_of, self._entities)
        source.take_over(time_ns, joints)
        if self.source is not None and self.source is not source:
            self.source.close()
        self.source, self.drive, self.bases = source, drive, bases
        if self._watching is not None:
            self._watching.go_on_with(drive)

    def _joints_now(self) -> dict[str, JointNow]:
        """How the driven joints are; those with a limited effort as far beyond that as they press."""
        engine = self._engine
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        engine.read_joints(positions, velocities)
        efforts = self._block.efforts(engine.driven)
        now = zip(engine.driven, positions.tolist(), velocities.tolist(), strict=False)
        return {
            name: JointNow(at + self._limits.pressing(name, efforts[name]), speed, efforts[name])
            for name, at, speed in now
        }

    @property
    def parts(self) -> dict[str, Any]:
        """What of it changes in a run, but for the source."""
        return {
            "bases": self.bases,
            "measured_efforts": self.drive.measured_efforts,
            "fingers": self.fingers,
            "limits": self._limits,
            "begun": self._begun,
        }

    @property
    def limited(self) -> frozenset[str]:
        """Names of the joints that were given drives of limited effort since the run began."""
        return frozenset(self._limits.names)

    def saved_source(self) -> dict[str, Plain]:
        """Where the source is, and why no other process can go on with it if none can."""
        needed: dict[str, Plain] = {"needs_source": _CHANGED} if self._replaced else {}
        if self.source is None:
            return needed
        try:
            return {"source": self.source.save(), **needed}
        except Refused as refusal:
            return {"needs_source": str(refusal)}

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Be as some saved `parts`."""
        self._begun = parts["begun"]
        self.drive.measured_efforts = parts["measured_efforts"]
        loose = {self._engine.driven[i] for i in self._own.tolist()}
        if not self.limited <= loose and self._limits.again(self._engine):
            self._let_loose()

    def restore_source(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Bring the source to where it was; another one than the saved one takes the robots over, if it can."""
        if self.source is not None and "source" in saved:
            self.source.restore(saved["source"])
        elif self.source is not None and self.source.takes_over:
            self._go_on_with(self.source, scene.time_ns)

    def close(self) -> None:
        """Close the source."""
        source, self.source = self.source, None
        if source is not None:
            source.close()
