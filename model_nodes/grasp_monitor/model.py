"""Grasp monitor: observes from fingers and distances whether a hand holds an object, and which one.

Bauer et al. (2022), section 4.2: a simple monitor that detects whether anything is grasped, but not how.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, JUDGED, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Ints, Meaning
from model_nodes.grasp_monitor.fingers import Enclosure, FingerMotion, Touches, UnknownObjectGrip
from model_nodes.grasp_monitor.settings import Settings

HOLDING = AttributeSpec("holding", meaning=Meaning.TRUTH)
"""Whether a hand holds an object."""
HELD_OBJECT = AttributeSpec("held_object", meaning=Meaning.ENTITY)
"""The object that a hand holds."""


class GraspMonitor(Model[Settings]):
    """Reports whether a hand holds an object.

    A grip begins when the fingers have closed a bit, are at rest before they are fully closed, and touch the same
    object on opposing sides. It ends when they open or close fully, when the object is no longer between them, or when
    evidence makes it sure that the hand holds nothing. Events: ``grip_closed`` and ``grip_lost``, with ``hand`` and
    ``object``, stamped with the time at which the change was first observed. The argument ``opened`` of ``grip_lost``
    is true if the fingers have opened, and false if the object left them.
    """

    summary = "Observes from fingers and distances whether a hand holds something."
    rate = 50.0
    provides = (HOLDING, HELD_OBJECT)
    raises: ClassVar[Mapping[str, str]] = {
        "grip_closed": "the fingers have closed on an object: hand, object",
        "grip_lost": "the fingers have lost the object: hand, object, opened (whether they let go of it)",
        CLOSED_ON_SOMETHING: "the fingers stopped short of their end with nothing of the scene between them:"
        " hand, closing (share of the travel), gap [m or rad]",
        LET_GO_OF_SOMETHING: "the fingers have let go of such a thing: hand, because",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the hand's attributes ``holding`` and ``held_object``.

        Raises:
            BadInput: if a threshold is not a number, or the hand's description is incomplete.
        """
        self._hand = self.settings.hand
        self._fingers = FingerMotion(self._hand, self.settings.still_range)
        robot, hand = self._hand.robot, self._hand.name
        scene.set(hand, HOLDING, np.zeros(1))
        scene.set(hand, HELD_OBJECT, -1.0)
        scene.needs((robot, "joint_positions"), (robot, "joint_efforts"), ("*", PROXIMITY))

    def start(self, scene: Snapshot) -> None:
        """Find the finger joints and links in the scene.

        Raises:
            BadInput: if one is missing.
        """
        reach = self.settings.leave_distance + self.settings.contact_distance
        opposition = math.cos(math.radians(self.settings.opposition))
        self._enclosure = Enclosure(scene.layout, self._hand, reach, opposition)
        self._positions = self._joint_indices(scene, "joint_positions")
        self._efforts: Ints | None = None
        if scene.layout.has(self._hand.robot, "joint_efforts"):
            self._efforts = self._joint_indices(scene, "joint_efforts")
        self._names = [entity.name for entity in scene.layout.entities]
        self._held_at = scene.layout.range_of(self._hand.name, HELD_OBJECT.name).start
        self._held = -1
        self._candidate = -1
        self._since_ns = scene.time_ns
        self._lost_since_ns: int | None = None
        self._most_open = 0.0
        self._grip_closing = 0.0
        self._grip_gap = 0.0
        self._opened = False
        self._refuted_at: float | None = None
        self._max_distance = self.settings.contact_distance
        self._unknown_grasp = UnknownObjectGrip(self._hand.name, self._fingers, self.settings)

    def step(self, tick: Tick) -> Changes:
        """Update the fingers and detect whether the grip has changed."""
        scene = tick.scene
        self._fingers.update(scene.time_ns, scene.values[self._positions])
        self._read_judgements(tick)
        touches = self._enclosure.touches(scene.proximity)
        before = self._held
        since_ns = (
            self._watch_grip(scene, touches) if before >= 0 else self._seek_grip(scene, touches)
        )
        changes = tick.changes()
        if self._held != before:
            name = "grip_closed" if before < 0 else "grip_lost"
            object_name = self._names[max(before, self._held)]
            opened: dict[str, Json] = {"opened": self._opened} if self._held < 0 else {}
            changes.event(name, since_ns, hand=self._hand.name, object=object_name, **opened)
        effort = self._effort(scene)
        changes.events += self._unknown_grasp.update(
            scene.time_ns, effort, holds=max(self._held, self._candidate) >= 0
        )
        hand, held = self._hand.name, float(self._held)
        if scene.values[self._held_at] != held:
            changes.set(hand, "holding", float(self._held >= 0)).set(hand, "held_object", held)
        return changes

    def _read_judgements(self, tick: Tick) -> None:
        """Store whether evidence refutes the grip; it stays refuted until the fingers open."""
        closing, sure = self._fingers.closing, self.settings.sure
        for event in tick.events:
            judgement = event.arguments
            if event.name != JUDGED or judgement["hand"] != self._hand.name:
                continue
            probability = float(str(judgement["probability"]))
            if judgement["claim"] == "held":
                self._refuted_at = closing if probability < 1.0 - sure else None
            elif judgement["claim"] == "lost" and probability > sure:
                self._refuted_at = closing
        if self._refuted_at is not None:
            self._refuted_at = max(self._refuted_at, closing)
            if self._refuted_at - closing >= self.settings.release_opening:
                self._refuted_at = None

    def _seek_grip(self, scene: Snapshot, touches: Touches) -> int:
        limits, fingers, now = self.settings, self._fingers, scene.time_ns
        if self._grip_closing - fingers.closing >= limits.release_opening:
            self._max_distance = limits.contact_distance
        found = self._enclosure.between(touches, self._max_distance, self._candidate)
        if found != self._candidate:
            self._candidate, self._since_ns = found, now
        self._most_open = min(self._most_open, fingers.closing)
        pressed = 0.0 < limits.overlap <= -self._enclosure.gap(touches, found)
        if (
            found >= 0
            and self._refuted_at is None
            and not self._is_closed()
            and fingers.closing - self._most_open >= limits.min_closing
            and (pressed or now - fingers.still_since_ns >= limits.settle_time * 1e9)
            and now - self._since_ns >= limits.dwell * 1e9
            and self._is_strong(scene, limits.min_effort)
        ):
            self._held, self._grip_closing, self._lost_since_ns = found, fingers.closing, None
            self._grip_gap = self._enclosure.gap(touches, found)
            fingers.hold()
        return max(self._since_ns, fingers.still_since_ns)

    def _watch_grip(self, scene: Snapshot, touches: Touches) -> int:
        limits, fingers, now = self.settings, self._fingers, scene.time_ns
        self._grip_closing = max(self._grip_closing, fingers.closing)
        # A gap in the grip is an error of the distances; only the distance beyond it counts.
        self._grip_gap = min(self._grip_gap, self._enclosure.gap(touches, self._held))
        leave = max(0.0, self._grip_gap) + limits.leave_distance
        opened = self._grip_closing - fingers.closing >= limits.release_opening
        if (
            not opened
            and self._refuted_at is None
            and not self._is_closed()
            and self._enclosure.keeps(touches, self._held, leave)
            and self._is_strong(scene, 0.5 * limits.min_effort)
        ):
            self._lost_since_ns = None
            return now
        since_ns = now if self._lost_since_ns is None else self._lost_since_ns
        self._lost_since_ns = since_ns
        if now - since_ns >= limits.dwell * 1e9:
            self._held, self._candidate = -1, -1
            self._opened = fingers.let_go
            # Fingers that have opened must close before they can hold again; if they have not, an object that has left
            # must come as near as it was.
            self._max_distance = limits.contact_distance
            if opened:
                self._most_open = fingers.closing
            else:
                self._max_distance = min(self._max_distance, leave)
        return since_ns

    def _is_closed(self) -> bool:
        return self._fingers.farthest >= 1.0 - self.settings.closed_margin

    def _is_strong(self, scene: Snapshot, minimum: float) -> bool:
        effort = self._effort(scene) if self.settings.min_effort > 0 else None
        return effort is None or effort >= minimum

    def _effort(self, scene: Snapshot) -> float | None:
        """Mean absolute effort of the finger joints [N or Nm]; None if none is known."""
        if self._efforts is None:
            return None
        efforts: list[float] = scene.values[self._efforts].tolist()
        known = [abs(effort) for effort in efforts if not math.isnan(effort)]
        return sum(known) / len(known) if known else None

    def _joint_indices(self, scene: Snapshot, attribute: str) -> Ints:
        robot, layout = self._hand.robot, scene.layout
        where = f"hand {self._hand.name}: joints"
        if not layout.has(robot, attribute):
            raise BadInput(
                f"the scene has no {attribute} of a robot of this name",
                where=where,
                found=robot,
            )
        joints = layout.entity(robot).joints
        unknown = [joint for joint in self._hand.joints if joint not in joints]
        if unknown:
            raise BadInput(
                "finger joints that the robot does not have",
                where=where,
                found=unknown,
                expected="joints of " + robot,
            )
        offset = layout.slots[layout.slot_id(robot, attribute)].offset
        return np.array([offset + joints.index(j) for j in self._hand.joints], np.int32)
