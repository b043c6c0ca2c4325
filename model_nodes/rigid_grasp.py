"""Rigid grasp: an object is rigidly attached to the hand while the model is responsible for its pose.

The second baseline of Bauer et al. (2022, section 4.2) attaches objects in this way; as a model of the ensemble, any
trigger can start it. On release the object continues with the hand's velocity.
"""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, Hand, Parameters, parameter
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.poses import compose, is_pose, relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD, Floats, Value
from model_nodes.hand_motion import HandMotion


class Settings(Parameters):
    """The parameters of the model."""

    hand: Hand = parameter("the hand that objects move with")
    velocity_window: Amount = parameter(
        "time over which the hand's velocity at release is fitted", 0.08, "s"
    )


class RigidGrasp(Model[Settings]):
    """Keeps the pose of each object that it is responsible for constant in the hand's grasp frame."""

    summary = "Moves objects with the hand; releases them with the hand's velocity."
    rate = 100.0
    provides = (POSE,)

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read the hand; the model contributes no attributes."""
        self._hand = settings.hand.name
        self._motion = HandMotion(round(settings.velocity_window * 1e9))
        self._held: dict[str, Floats] = {}
        scene.needs((self._hand, "pose"))

    def start(self, scene: Snapshot) -> None:
        """Start with nothing held.

        Raises:
            BadInput: if the scene has no such hand.
        """
        if not scene.layout.has(self._hand, "pose"):
            raise BadInput("no pose of this hand in the scene", where="hand", found=self._hand)
        self._held.clear()
        self._motion.clear()
        self._motion.add(scene.time_ns, scene.pose(self._hand))

    def step(self, tick: Tick) -> Changes | None:
        """Return the poses of the held objects, in the hand's frame."""
        self._motion.add(tick.scene.time_ns, tick.scene.pose(self._hand))
        if not self._held:
            return None
        changes = tick.changes()
        for entity, pose in self._held.items():
            changes.set(entity, POSE, pose, self._hand)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Hold an object at its current pose relative to the hand.

        Raises:
            Refused: if it is not the pose of an object, or the value is not a pose.
        """
        self._check_can_take(entity, attribute, value, scene)
        hand = scene.pose(self._hand)
        world = value.data
        if value.parent != WORLD:
            world = compose(scene.pose(value.parent), value.data)
        pose = relative_to(hand, world)
        pose[7:] = 0.0
        self._held[entity] = pose

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release an object with the hand's velocity at the object's origin.

        Raises:
            Refused: if the object is not held.
        """
        if attribute != "pose" or entity not in self._held:
            raise Refused(
                f"the rigid grasp of {self._hand} is not responsible for {entity}.{attribute}"
            )
        hand = scene.pose(self._hand)
        self._motion.add(scene.time_ns, hand)
        moving = np.concatenate([hand[:7], self._motion.twist()])
        return Value(compose(moving, self._held.pop(entity)), scene.time_ns)

    def _check_can_take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        claim = f"the rigid grasp of {self._hand} cannot hold {entity}.{attribute}"
        if attribute != "pose" or not scene.layout.has(entity, attribute):
            raise Refused(f"{claim}: it holds poses of objects only")
        kind = scene.layout.entity(entity).kind
        if kind is not EntityKind.OBJECT:
            raise Refused(
                f"{claim}: {entity} is of kind {kind.value}, expected {EntityKind.OBJECT.value}"
            )
        if not is_pose(value.data):
            raise Refused(f"{claim}: the value is not a finite pose with a unit quaternion")
        if value.parent != WORLD and not scene.layout.has(value.parent, "pose"):
            raise Refused(f"{claim}: its frame {value.parent!r} is not in the scene")
