"""A connector: a probe that snaps into a socket (Bauer et al., 2022, section 4.4, the model of the SPU)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityName, Parameters, parameter
from hetwin_core.ensemble.scene.poses import compose, conjugate, multiply, relative_to, rotate
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD, AttributeSpec, Meaning, Value
from hetwin_core.ensemble.validation import Number

COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
CONNECTED = AttributeSpec("connected", 1, "", Meaning.ENTITY)
HYSTERESIS = 1.2
"""Ratio of the cylinder that the probe must leave to the one that it must enter."""


def _pose(numbers: list[float]) -> list[float]:
    if len(numbers) != 7 or abs(sum(q * q for q in numbers[3:]) - 1.0) > 1e-3:
        raise ValueError("seven numbers x y z, qw qx qy qz, with a unit quaternion")
    return numbers


def _direction(numbers: list[float]) -> list[float]:
    length = math.sqrt(sum(x * x for x in numbers))
    if len(numbers) != 3 or length < 1e-9:
        raise ValueError("three numbers, not all 0")
    return [x / length for x in numbers]


class Settings(Parameters):
    """The parameters of the model."""

    probe: EntityName = parameter("the object that is plugged in")
    socket: EntityName = parameter("the object that the probe is plugged into")
    connected_pose: Annotated[list[Number], AfterValidator(_pose)] = parameter(
        "pose of the connected probe in the socket's frame: x y z, qw qx qy qz", unit="m"
    )
    axis: Annotated[list[Number], AfterValidator(_direction)] = parameter(
        "unit vector of the direction in which the probe goes in, in the socket's frame",
        [0.0, 0.0, -1.0],
    )
    near_radius: Amount = parameter(
        "radius of the cylinder around the connected pose in which collisions are off", 0.03, "m"
    )
    near_length: Amount = parameter("half the length of that cylinder, along the axis", 0.06, "m")
    lock_radius: Amount = parameter(
        "radius of the cylinder around the connected pose in which the probe connects", 0.016, "m"
    )
    lock_length: Amount = parameter("half the length of that cylinder, along the axis", 0.007, "m")
    lock_angle: Amount = parameter(
        "largest angle between the probe's axis and the connected one", 15.0, "deg"
    )
    approach_length: Amount = parameter(
        "distance that the probe must move along the axis, within the inner cylinder's radius, to connect",
        0.02,
        "m",
    )
    sure: float = parameter(
        "if above 0, the probe connects when a judged claim `connected` of the hand that carried it is more probable"
        " than this; its position is ignored. 0: its position decides",
        0.0,
        ge=0,
        lt=1,
    )
    takes_over: bool = parameter(
        "whether it takes collisions and pose, or only reports whether the probe is in place", True
    )


class Connector(Model[Settings]):
    """Detects when a probe is connected to a socket, and keeps it there.

    The model compares the probe's pose with the ideal connected pose. Inside a cylinder around that pose it requests
    the probe's *collisions*, so that physics does not jam a plug that snaps in on the real robot; inside a smaller
    cylinder it requests the probe's *pose* and reports ``connected``. It requests both only while the probe is carried,
    that is, while its pose is given in a frame other than the world's: a probe that is not pushed does not snap in. The
    probe must also have moved along the axis over `approach_length` within the smaller cylinder's radius: through the
    side or the far end, where the socket has a wall, it cannot enter.

    If `sure` is above 0, judged claims ``connected`` replace all these conditions, even after the probe was released; a
    later claim can disconnect it. A probe that leaves the outer cylinder or is released without being connected gets
    its collisions back. If `takes_over` is false, the model only reports whether the probe is in its place, as a
    baseline.
    """

    thresholds = ("lock_radius", "lock_length", "lock_angle")
    watching: ClassVar[Mapping[str, Json]] = {"takes_over": False}

    summary = "Lets a probe snap into a socket, and reports when it is connected."
    rate = 50.0
    provides = (POSE, COLLISION, CONNECTED)
    raises: ClassVar[Mapping[str, str]] = {
        "connected": "the probe has reached its place in the socket: probe, socket"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the probe's attribute ``connected``.

        Raises:
            BadInput: if the ideal pose or the axis is invalid.
        """
        self._probe, self._socket = self.settings.probe, self.settings.socket
        self._ideal = np.array([*self.settings.connected_pose, *([0.0] * 6)])
        self._axis = np.array(self.settings.axis)
        self._takes_over = self.settings.takes_over
        scene.set(self._probe, CONNECTED, -1.0)
        scene.needs((self._probe, "*"), (self._socket, "pose"))

    def start(self, scene: Snapshot) -> None:
        """Start with nothing connected.

        Raises:
            BadInput: if probe or socket has no pose.
        """
        for name, entity in (("probe", self._probe), ("socket", self._socket)):
            if not scene.layout.has(entity, POSE.name):
                raise BadInput("this entity has no pose", where=name, found=entity)
        self._socket_id = float(scene.layout.entity_id(self._socket))
        self._has_collision = False
        self._has_pose = False
        self._is_in_place = False
        self._has_approached: bool | None = None
        self._carrier, self._judged = "", False

    def step(self, tick: Tick) -> Changes:
        """Compare the probe with its ideal pose."""
        changes = tick.changes()
        radial, axial, angle = self._offset(tick.scene)
        limits = self.settings
        reach = HYSTERESIS if self._has_collision else 1.0
        near = radial <= reach * limits.near_radius and abs(axial) <= reach * limits.near_length
        locked = (
            self._approaches(radial, axial)
            and abs(axial) <= limits.lock_length
            and angle <= limits.lock_angle
        )
        if not self._takes_over:
            self._report_in_place(locked, changes)
            return changes
        carried = tick.scene.parent(self._probe) != WORLD
        if carried and near and not self._has_collision:
            changes.take(self._probe, COLLISION)
        connects = self._is_judged_connected(tick) if limits.sure else carried and locked
        if connects and not self._has_pose:
            changes.take(self._probe, POSE)
            self._report_connected(changes, tick.scene.time_ns)
        elif limits.sure and self._has_pose and not connects:
            changes.give_back(self._probe, POSE)
        if not (near and carried) and self._has_collision and not self._has_pose:
            changes.give_back(self._probe, COLLISION)
        self._write_values(changes)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take over the probe's collisions, or its pose, which is the ideal one from then on.

        Raises:
            Refused: if it is another attribute or entity.
        """
        if entity != self._probe or attribute not in (COLLISION.name, POSE.name):
            raise Refused(f"the connector is for {self._probe}, not for {entity}.{attribute}")
        if attribute == COLLISION.name:
            self._has_collision = True
        else:
            self._has_pose = True

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release the probe's collisions, enabled, or its pose, which moves with the socket.

        Raises:
            Refused: if the model is not responsible for the attribute.
        """
        if entity == self._probe and attribute == COLLISION.name and self._has_collision:
            self._has_collision = False
            return Value(np.ones(1), scene.time_ns)
        if entity == self._probe and attribute == POSE.name and self._has_pose:
            self._has_pose = False
            return Value(compose(scene.pose(self._socket), self._ideal), scene.time_ns)
        raise Refused(f"the connector is not responsible for {entity}.{attribute}")

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return the offsets from the ideal pose by the names of `thresholds`; None while the probe is not carried."""
        if scene.parent(self._probe) == WORLD:
            return None
        radial, axial, angle = self._offset(scene)
        return {"lock_radius": radial, "lock_length": abs(axial), "lock_angle": angle}

    def _is_judged_connected(self, tick: Tick) -> bool:
        """Whether the hand that carries, or last carried, the probe was last judged to have connected it."""
        parent = tick.scene.parent(self._probe)
        self._carrier = self._carrier if parent in (WORLD, self._socket) else parent
        for event in tick.events:
            claim = event.arguments
            is_of_carrier = (
                claim.get("claim") == CONNECTED.name and claim.get("hand") == self._carrier
            )
            if event.name == JUDGED and is_of_carrier:
                self._judged = float(str(claim["probability"])) > self.settings.sure
        return self._judged

    def _approaches(self, radial: float, axial: float) -> bool:
        """Whether the probe has moved along the axis, inside the inner cylinder's radius all the time.

        A probe that is inside at the first step counts as having done so, since its earlier path is unknown.
        """
        limits = self.settings
        if radial > limits.lock_radius or axial > limits.lock_length:
            self._has_approached = False
        elif self._has_approached is None or axial <= -limits.approach_length:
            self._has_approached = True
        return self._has_approached is True

    def _report_in_place(self, locked: bool, changes: Changes) -> None:
        """Report whether the probe is in its place, without taking responsibility."""
        if locked and not self._is_in_place:
            self._report_connected(changes, changes.time_ns)
        self._is_in_place = locked
        index = self._socket_id if locked else -1.0
        changes.set(self._probe, CONNECTED, index)

    def _report_connected(self, changes: Changes, since_ns: int) -> None:
        changes.event("connected", since_ns, probe=self._probe, socket=self._socket)

    def _write_values(self, changes: Changes) -> None:
        index = self._socket_id if self._has_pose else -1.0
        changes.set(self._probe, CONNECTED, index)
        if self._has_collision:
            changes.set(self._probe, COLLISION, 0.0)
        if self._has_pose:
            changes.set(self._probe, POSE, self._ideal, self._socket)

    def _offset(self, scene: Snapshot) -> tuple[float, float, float]:
        """Return the radial and the axial distance [m] and the angle between the axes [deg] to the ideal pose."""
        pose = relative_to(scene.pose(self._socket), scene.pose(self._probe))
        offset = pose[:3] - self._ideal[:3]
        axial = float(offset @ self._axis)
        radial = float(np.linalg.norm(offset - axial * self._axis))
        rotation = multiply(pose[3:7].tolist(), conjugate(self._ideal[3:7].tolist()))
        # roll about the axis does not matter
        moved = np.array(rotate(rotation, self._axis.tolist()))
        cosine = min(1.0, max(-1.0, float(moved @ self._axis)))
        return radial, axial, math.degrees(math.acos(cosine))
