"""In-hand localization: the pose of an object in a hand, from finger joints, torques and the object's shape.

Bauer et al. (2022), section 4.2: the model predicts the most likely position of the object and assumes that the
object is grasped. The grasp monitor is the model that decides whether an object is grasped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from hetwin_in_hand.geometry import HandSurface, ObjectGeometry
from hetwin_in_hand.localizer import Localizer, Phase
from hetwin_in_hand.pressing import Pressing
from hetwin_in_hand.settings import Changeable, Settings
from hetwin_suite.model import (
    POSE,
    WORLD,
    AttributeSpec,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    Model,
    Refused,
    Snapshot,
    Tick,
    Value,
    check,
    compose,
    is_pose,
)

POSE_COVARIANCE = AttributeSpec("pose_covariance", 21, "m^2, m rad, rad^2")
"""The upper triangle, row by row, of the covariance of an object's position and rotation vector, both along the
axes of the hand's grasp frame; all 0 while the model is not responsible for the object's pose."""
_TRIANGLE = np.triu_indices(6)


class InHandLocalization(Model[Settings]):
    """Estimates the pose of an object in a hand.

    A filter compares the fingers with the object's surface: fingers with torque touch the surface, and no link is
    inside it. The object rests at the pose of the handover until fingers touch it, then moves with hand and fingers,
    and falls after they have released it (event ``let_go`` with ``hand`` and ``object``, stamped with the time of the
    release). Supported shapes: spheres, cylinders, capsules and boxes.

    The defaults are for the simulated two-hand robot, whose fingers' geometry and joints are known to a tenth of a
    millimetre. A real hand needs a larger `contact_offset` and `contact_noise`, depending on its kinematic errors.
    """

    summary = "Estimates the pose of an object in the hand from finger joints and torques."
    rate = 50.0
    provides = (POSE, POSE_COVARIANCE)
    raises: ClassVar[Mapping[str, str]] = {
        "let_go": "the fingers have left the object: hand, object",
        "efforts_missing": "fingers without efforts hold the object, as they stand still, which is "
        "weaker evidence: hand, object, fingers (how many)",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the objects' attribute ``pose_covariance``. The model is deterministic.

        Raises:
            BadInput: if a number or the hand's description is invalid.
        """
        self._hand, self._objects = self.settings.hand, self.settings.objects
        self._localizer: Localizer | None = None
        self._held = ""
        links = (self._hand.name, self._hand.link, *self._hand.finger_links)
        for name in self._objects:
            scene.set(name, POSE_COVARIANCE, np.zeros(21))
        scene.needs(
            *((name, POSE.name) for name in links),
            (self._hand.robot, "joint_positions"),
            (self._hand.robot, "joint_efforts"),
        )

    def start(self, scene: Snapshot) -> None:
        """Find the hand's links, their shapes and the finger joints.

        Raises:
            BadInput: if a link or joint is missing.
        """
        layout = scene.layout
        self._surface = HandSurface(layout, self._hand)
        self._pressing = Pressing(layout, self._surface.joints, self.settings)
        self._localizer, self._held = None, ""

    def step(self, tick: Tick) -> Changes:
        """Return the held object's pose and covariance."""
        changes = tick.changes()
        for name in self._objects:
            if tick.scene.get(name, POSE_COVARIANCE.name).any():
                changes.set(name, POSE_COVARIANCE, np.zeros(21))
        self._pressing.update(tick.scene)
        if self._localizer is None:
            return changes
        before = self._localizer.phase
        self._localizer.step(tick.scene)
        changes.values[self._held, POSE.name] = self._localizer.value(tick.time_ns)
        if self._held in self._objects:
            triangle = self._localizer.covariance()[_TRIANGLE]
            changes.set(self._held, POSE_COVARIANCE, triangle)
        if self._localizer.phase is Phase.HELD and before is not Phase.HELD:
            self._report_evidence(changes)
        if self._localizer.phase is Phase.FLYING and before is not Phase.FLYING:
            since_ns = self._localizer.release_ns
            changes.event("let_go", since_ns, hand=self._hand.name, object=self._held)
        return changes

    def _report_evidence(self, changes: Changes) -> None:
        """Report a hold that is inferred from stalled fingers, because efforts are missing."""
        if self._localizer is None or not (fingers := self._localizer.without_efforts):
            return
        count = len(fingers)
        changes.event("efforts_missing", hand=self._hand.name, object=self._held, fingers=count)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Start to localize an object near the given pose.

        Raises:
            Refused: if this is not the pose of an object of a supported shape, or the hand holds another object.
        """
        self._check_can_take(entity, attribute, value, scene)
        geometry = ObjectGeometry(scene.layout.entity(entity).shapes)
        if not geometry.is_known:
            claim = f"the in-hand localization of {self._hand.name} cannot hold {entity}"
            raise Refused(f"{claim}: it has no sphere, cylinder, capsule or box that collides")
        world = value.data
        if value.parent != WORLD:
            world = compose(scene.pose(value.parent), value.data)
        localizer = Localizer(
            self._hand.name, self._surface, self._pressing, geometry, self.settings
        )
        localizer.begin_at_rest(scene, world)
        self._localizer, self._held = localizer, entity

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release an object with its pose in the world and its own velocity.

        Raises:
            Refused: if the model is not responsible for the attribute.
        """
        if self._localizer is None or entity != self._held or attribute != POSE.name:
            raise Refused(
                f"the in-hand localization of {self._hand.name} is not responsible for {entity}.{attribute}"
            )
        value = self._localizer.released(scene)
        self._localizer, self._held = None, ""
        return value

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Change the parameter ``offset`` during a run.

        Raises:
            Refused: if another parameter is given.
        """
        try:
            offset = check(Changeable, dict(parameters)).offset
        except BadInput as error:
            raise Refused(f"in a run only the offset can change: {error}") from error
        if offset is None:
            return
        self.settings = self.settings.model_copy(update={"offset": offset})
        if self._localizer is not None:
            self._localizer.shift(self.settings.offset)

    def _check_can_take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        claim = f"the in-hand localization of {self._hand.name} cannot hold {entity}.{attribute}"
        if attribute != POSE.name or not scene.layout.has(entity, attribute):
            raise Refused(f"{claim}: it holds poses of objects only")
        if scene.layout.entity(entity).kind is not EntityKind.OBJECT:
            raise Refused(f"{claim}: {entity} is not an object")
        if self._localizer is not None:
            raise Refused(f"{claim}: the hand has {self._held}")
        if not is_pose(value.data):
            raise Refused(f"{claim}: the value is not a finite pose with a unit quaternion")
        if value.parent != WORLD and not scene.layout.has(value.parent, POSE.name):
            raise Refused(f"{claim}: its frame {value.parent!r} is not in the scene")
