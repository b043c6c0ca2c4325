"""A connector: a probe that snaps into a socket (paper 0, section 4.4, the model of the SPU)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    Request,
    RequestKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.poses import compose, conjugate, multiply, relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD, AttributeSpec, Floats, Meaning, Value
from model_nodes.checked_parameters import number, read_numbers

COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
CONNECTED = AttributeSpec("connected", 1, "", Meaning.ENTITY)
HYSTERESIS = 1.2
"""The probe leaves the outer cylinder when it is this much farther out than where it entered."""

_PARAMETERS = (
    ParameterRequest("probe", ParameterKind.ENTITY, "what is plugged in"),
    ParameterRequest("socket", ParameterKind.ENTITY, "what it is plugged into"),
    ParameterRequest(
        "connected_pose",
        ParameterKind.VECTOR,
        "pose of the connected probe in the socket's frame: x y z, qw qx qy qz",
        unit="m",
    ),
    ParameterRequest(
        "axis",
        ParameterKind.VECTOR,
        "direction in which the probe goes in, in the socket's frame",
        required=False,
        default=[0.0, 0.0, -1.0],
    ),
    number("near_radius", 0.03, "m", "outer cylinder: collisions are switched off inside"),
    number("near_length", 0.06, "m", "... and its half length along the axis"),
    number("lock_radius", 0.016, "m", "inner cylinder: the probe is connected inside"),
    number("lock_length", 0.007, "m", "... and its half length along the axis"),
    number("lock_angle", 15.0, "deg", "the probe's axis may be off by this"),
    ParameterRequest(
        "takes_over",
        ParameterKind.BOOLEAN,
        "whether it takes collisions and pose, or only says whether the probe is in its place",
        required=False,
        default=True,
    ),
)


class Connector(Model):
    """Says when a probe is connected to a socket, and keeps it there.

    It compares the probe with its ideal connected pose. Inside a cylinder around it, the model asks for the probe's
    *collisions*, so that physics does not jam what snaps in on the real robot; inside a smaller one it asks for the
    probe's *pose* and reports ``connected``. Both only while something carries the probe, which is while its pose is
    given in another frame than the world's: nothing snaps in that nobody pushes. A probe that leaves the outer cylinder
    unconnected, or that is let go unconnected, gets its collisions back. With `takes_over` false it only says whether
    the probe is in its place, as for a baseline without it.
    """

    @classmethod
    def describe(cls) -> ModelDescription:
        """What the model is."""
        return ModelDescription(
            kind=ModelKind.SIMULATION,
            summary="Lets a probe snap into a socket, and says when it is connected.",
            rate=50.0,
            provides=(POSE, COLLISION, CONNECTED),
        )

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """Probe, socket, the ideal pose and the two cylinders."""
        return _PARAMETERS

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Bring the probe's attribute ``connected``.

        Raises:
            BadInput: if the ideal pose or the axis cannot be used.
        """
        self._probe, self._socket = parameters["probe"], parameters["socket"]
        self._limits = read_numbers(_PARAMETERS, parameters)
        self._ideal = _pose(parameters["connected_pose"])
        self._axis = _direction(parameters["axis"])
        self._takes_over = parameters.get("takes_over", True)
        return Contribution(
            attributes=(AttributeStart(self._probe, CONNECTED, Value(np.full(1, -1.0), 0)),),
            reads=(Selection(self._probe, "*"), Selection(self._socket, "pose")),
        )

    def start(self, scene: Snapshot) -> None:
        """The run begins with nothing connected.

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

    def step(self, tick: StepInput) -> StepOutput:
        """Compare the probe with its ideal pose."""
        output = StepOutput(tick.time_ns)
        radial, axial, angle = self._offset(tick.scene)
        limits = self._limits
        reach = HYSTERESIS if self._has_collision else 1.0
        near = (
            radial <= reach * limits["near_radius"] and abs(axial) <= reach * limits["near_length"]
        )
        locked = (
            radial <= limits["lock_radius"]
            and abs(axial) <= limits["lock_length"]
            and angle <= limits["lock_angle"]
        )
        if not self._takes_over:
            self._watch(locked, output)
            return output
        carried = tick.scene.parent(self._probe) != WORLD
        if carried and near and not self._has_collision:
            output.requests.append(Request(RequestKind.TAKE, self._probe, COLLISION.name))
        if carried and locked and not self._has_pose:
            output.requests.append(Request(RequestKind.TAKE, self._probe, POSE.name))
            output.events.append(self._connected(tick.scene.time_ns))
        if not (near and carried) and self._has_collision and not self._has_pose:
            output.requests.append(Request(RequestKind.GIVE_BACK, self._probe, COLLISION.name))
        self._answer(output)
        return output

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take the probe's collisions, or its pose: it is in its ideal place from then on.

        Raises:
            Refused: if this is nothing of the probe's.
        """
        if entity != self._probe or attribute not in (COLLISION.name, POSE.name):
            raise Refused(f"the connector is for {self._probe}, not for {entity}.{attribute}")
        if attribute == COLLISION.name:
            self._has_collision = True
        else:
            self._has_pose = True

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Give back the probe's collisions, switched on, or its pose, which moves with the socket.

        Raises:
            Refused: if the model does not have it.
        """
        if entity == self._probe and attribute == COLLISION.name and self._has_collision:
            self._has_collision = False
            return Value(np.ones(1), scene.time_ns)
        if entity == self._probe and attribute == POSE.name and self._has_pose:
            self._has_pose = False
            return Value(compose(scene.pose(self._socket), self._ideal), scene.time_ns)
        raise Refused(f"the connector is not responsible for {entity}.{attribute}")

    def _watch(self, locked: bool, output: StepOutput) -> None:
        """Say whether the probe is in its place, and leave it where it is."""
        if locked and not self._is_in_place:
            output.events.append(self._connected(output.time_ns))
        self._is_in_place = locked
        index = self._socket_id if locked else -1.0
        output.values[self._probe, CONNECTED.name] = Value(np.full(1, index), output.time_ns)

    def _connected(self, time_ns: int) -> Event:
        arguments = {"probe": self._probe, "socket": self._socket}
        return Event("connected", time_ns, arguments=arguments)

    def _answer(self, output: StepOutput) -> None:
        now = output.time_ns
        index = self._socket_id if self._has_pose else -1.0
        output.values[self._probe, CONNECTED.name] = Value(np.full(1, index), now)
        if self._has_collision:
            output.values[self._probe, COLLISION.name] = Value(np.zeros(1), now)
        if self._has_pose:
            output.values[self._probe, POSE.name] = Value(self._ideal, now, self._socket)

    def _offset(self, scene: Snapshot) -> tuple[float, float, float]:
        """Distance from the axis and along it [m], and angle between the axes [deg], to the ideal pose."""
        pose = relative_to(scene.pose(self._socket), scene.pose(self._probe))
        offset = pose[:3] - self._ideal[:3]
        axial = float(offset @ self._axis)
        radial = float(np.linalg.norm(offset - axial * self._axis))
        turn = multiply(pose[3:7].tolist(), conjugate(self._ideal[3:7].tolist()))
        w, x, y, z = turn
        moved = np.array(  # the axis after the turn; its roll about the axis does not matter
            [
                self._axis + 2 * (w * np.cross((x, y, z), self._axis)),
                2 * np.cross((x, y, z), np.cross((x, y, z), self._axis)),
            ]
        ).sum(axis=0)
        cosine = min(1.0, max(-1.0, float(moved @ self._axis)))
        return radial, axial, math.degrees(math.acos(cosine))


def _pose(numbers: list[float]) -> Floats:
    if len(numbers) != 7 or abs(sum(q * q for q in numbers[3:]) - 1.0) > 1e-3:
        expected = "seven numbers x y z, qw qx qy qz, with a unit quaternion"
        raise BadInput("not a pose", where="connected_pose", found=numbers, expected=expected)
    return np.array([*numbers, *([0.0] * 6)])


def _direction(numbers: list[float]) -> Floats:
    length = math.sqrt(sum(x * x for x in numbers))
    if len(numbers) != 3 or length < 1e-9:
        expected = "three numbers, not all 0"
        raise BadInput("not a direction", where="axis", found=numbers, expected=expected)
    return np.array(numbers) / length
