"""The connection to a world in a Gazebo server of another process: models, links, joints, services and changes.

Methods that take Gazebo's entity component manager take an `Exchange` here.

Gazebo's bindings hold Python's lock while a request waits, and need it to deliver a message: a message that arrives
meanwhile blocks both until the request times out. Replies are therefore awaited only while nothing is subscribed;
otherwise the next message shows whether an order was executed.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from hetwin_gazebo.bindings import gazebo, transport_node
from hetwin_gazebo.server.state import (
    WorldState,
    decode_pose,
    decode_values,
    decode_vector,
    encode_pose,
    encode_values,
    encode_vector,
    type_id,
)
from hetwin_gazebo.simulation import GazeboFailed
from hetwin_suite.model import BadInput

Orders = dict[tuple[int, str], bytes | None]
"""(entity, type of component) -> the component to set; None removes it."""
_POSE_COMPONENTS = ("WorldPoseCmd", "JointPositionReset", "JointVelocityReset")
_MOTION_COMPONENTS = ("JointVelocityCmd", "ExternalWorldWrenchCmd")


@dataclass(slots=True)
class Exchange:
    """The state that a step reads, and the orders for the next step.

    Attributes:
        state: state after the last step.
        orders: orders for the next step.
    """

    state: WorldState
    orders: Orders = field(default_factory=dict)

    def ensure(self, entity: int, component: str, data: bytes) -> None:
        """Make an entity report a component if it does not yet."""
        if self.state.get(entity, component) is None:
            self.orders[entity, component] = data

    def take(self) -> tuple[Orders, Orders]:
        """Remove and return the orders that set poses, and those that move entities in the next step.

        Poses must be set before the step starts: Gazebo executes a pose command in two iterations, and a paused world
        iterates as well.
        """
        orders, self.orders = self.orders, {}
        if not any(component in _POSE_COMPONENTS for _, component in orders):
            return {}, orders
        moving = {key: data for key, data in orders.items() if key[1] in _MOTION_COMPONENTS}
        return {key: data for key, data in orders.items() if key not in moving}, moving


class ServerModel:
    """A model at the top level of the world."""

    def __init__(self, entity: int, link: int) -> None:
        self._entity, self._link = entity, link

    def entity(self) -> int:
        """Return the id of its entity."""
        return self._entity

    def set_world_pose_cmd(self, ecm: Exchange, pose: Any) -> None:
        """Set the pose of the model so that its root link has this pose."""
        link_pose = decode_pose(ecm.state.require(self._link, "Pose"))
        placed = pose * link_pose.inverse()
        ecm.orders[self._entity, "WorldPoseCmd"] = encode_pose(placed)


class ServerLink:
    """A link of such a model."""

    def __init__(self, entity: int, model: int) -> None:
        self._entity, self._model = entity, model

    def enable_velocity_checks(self, ecm: Exchange) -> None:
        """Make the server report its velocities."""
        ecm.ensure(self._entity, "WorldLinearVelocity", b"0 0 0")
        ecm.ensure(self._entity, "WorldAngularVelocity", b"0 0 0")

    def world_pose(self, ecm: Exchange) -> Any:
        """Return its pose in the world."""
        link_pose = decode_pose(ecm.state.require(self._entity, "Pose"))
        return decode_pose(ecm.state.require(self._model, "Pose")) * link_pose

    def world_linear_velocity(self, ecm: Exchange) -> Any:
        """Return its velocity in the world's axes [m/s]."""
        return decode_vector(ecm.state.require(self._entity, "WorldLinearVelocity"))

    def world_angular_velocity(self, ecm: Exchange) -> Any:
        """Return its angular velocity in the world's axes [rad/s]."""
        return decode_vector(ecm.state.require(self._entity, "WorldAngularVelocity"))

    def set_linear_velocity(self, ecm: Exchange, velocity: Any) -> None:
        """Order a velocity in its own axes [m/s]."""
        ecm.orders[self._entity, "LinearVelocityCmd"] = encode_vector(velocity)

    def set_angular_velocity(self, ecm: Exchange, velocity: Any) -> None:
        """Order an angular velocity in its own axes [rad/s]."""
        ecm.orders[self._entity, "AngularVelocityCmd"] = encode_vector(velocity)

    def add_world_wrench(self, ecm: Exchange, force: Any, torque: Any) -> None:
        """Order a force [N] and a torque [Nm] in the world's axes for one step."""
        wrench = gazebo().message("wrench_pb2", "Wrench")()
        for component, vector in ((wrench.force, force), (wrench.torque, torque)):
            component.x, component.y, component.z = vector.x(), vector.y(), vector.z()
        ecm.orders[self._entity, "ExternalWorldWrenchCmd"] = wrench.SerializeToString()


class ServerJoint:
    """A joint.

    Attributes:
        name: name in the scene.
        commanded_velocity: velocity ordered for the next step; None: none.
    """

    def __init__(self, entity: int, name: str) -> None:
        self._entity, self.name = entity, name
        self.commanded_velocity: float | None = None

    def enable_position_check(self, ecm: Exchange, axes: int) -> None:
        """Make the server report its position."""
        ecm.ensure(self._entity, "JointPosition", encode_values([0.0] * axes))

    def enable_velocity_check(self, ecm: Exchange, axes: int) -> None:
        """Make the server report its velocity."""
        ecm.ensure(self._entity, "JointVelocity", encode_values([0.0] * axes))

    def position(self, ecm: Exchange) -> list[float]:
        """Return its position [rad or m]."""
        return decode_values(ecm.state.require(self._entity, "JointPosition"))

    def velocity(self, ecm: Exchange) -> list[float]:
        """Return its velocity [rad/s or m/s]."""
        return decode_values(ecm.state.require(self._entity, "JointVelocity"))

    def set_velocity(self, ecm: Exchange, velocities: list[float]) -> None:
        """Order a velocity for one step."""
        self.commanded_velocity = velocities[0]
        ecm.orders[self._entity, "JointVelocityCmd"] = encode_values(velocities)

    def reset_position(self, ecm: Exchange, positions: list[float]) -> None:
        """Set the position of the joint."""
        ecm.orders[self._entity, "JointPositionReset"] = encode_values(positions)

    def reset_velocity(self, ecm: Exchange, velocities: list[float]) -> None:
        """Set the velocity of the joint."""
        ecm.orders[self._entity, "JointVelocityReset"] = encode_values(velocities)


FIND_TIMEOUT_S = 15.0
"""Timeout of the search for a world [s]."""
RESPONSE_TIMEOUT_S = 5.0
"""Time after which a server that does not react hangs or has ended [s]."""
_STATE_TIMEOUT_MS, _COMMAND_TIMEOUT_MS = 1000, 3000
_UNAWAITED_MS = 2
"""Timeout of a reply that may not arrive [ms]."""
_DELIVERY_S = 0.02
_FIRST_MESSAGE_TIMEOUT_S = 2.0
"""Timeout of the first message [s]; a paused world sends 30 per second."""
_CONTROL = re.compile(r"/world/([^/]+)/control/state")
_OPTION = "options.server"


class ServerLost(GazeboFailed):
    """The server has ended, hangs, or its world was reset."""


class Connection:
    """Requests to a world.

    Args:
        world: name of the world.
        partition: transport partition of its server; None: the environment's, or Gazebo's default.

    Attributes:
        world: the argument.
        partition: partition of the server.
        is_subscribed: whether changes are subscribed, so that replies are not awaited.

    Raises:
        BadInput: if there is no such world or more than one, or it does not report its state.
    """

    def __init__(self, world: str, partition: str | None) -> None:
        self.world = world
        gz = gazebo()
        self._node, self.partition = transport_node(partition, "options.partition")
        self._options = gz.transport.SubscribeOptions()
        self._arrived: deque[bytes] = deque()
        self._message_arrived = threading.Condition()
        self.is_subscribed = False
        self._types = {
            name: gz.message(module, name)
            for module, name in (
                ("boolean_pb2", "Boolean"),
                ("empty_pb2", "Empty"),
                ("entity_pb2", "Entity"),
                ("entity_factory_pb2", "EntityFactory"),
                ("serialized_map_pb2", "SerializedStepMap"),
                ("world_control_state_pb2", "WorldControlState"),
            )
        }
        self._find()

    def _find(self) -> None:
        deadline = time.monotonic() + FIND_TIMEOUT_S
        needed = {f"/world/{self.world}/{service}" for service in ("control/state", "state")}
        while not needed <= (services := set(self._node.service_list())):
            if time.monotonic() > deadline:
                raise self._not_found(services)
            time.sleep(0.05)
        if len(self._node.service_info(f"/world/{self.world}/control/state")) > 1:
            raise BadInput(
                f"several Gazebo servers have a world of this name in the partition {self.partition}",
                where=_OPTION,
                found=self.world,
                expected="one, or a partition of its own for each (GZ_PARTITION)",
            )

    def _not_found(self, services: set[str]) -> BadInput:
        worlds = sorted(m[1] for s in services if (m := _CONTROL.fullmatch(s)))
        if self.world in worlds:
            return BadInput(
                "the world does not report its state",
                where=_OPTION,
                found=self.world,
                expected="a world with the plugin gz::sim::systems::SceneBroadcaster",
            )
        available = ", ".join(worlds) or "no world at all"
        return BadInput(
            f"no running Gazebo has this world within {FIND_TIMEOUT_S:g} s",
            where=_OPTION,
            found=self.world,
            expected=f"a world of the partition {self.partition}, in which there is {available};"
            " its server must have the same GZ_PARTITION and GZ_IP",
        )

    def state(self) -> WorldState:
        """Return the state after the server's next iteration.

        Raises:
            ServerLost: if the server does not reply.
        """
        deadline = time.monotonic() + RESPONSE_TIMEOUT_S
        empty, reply = self._types["Empty"](), self._types["SerializedStepMap"]
        while (message := self._request("state", empty, reply, _STATE_TIMEOUT_MS)) is None:
            if time.monotonic() > deadline:
                raise self._lost("state")
        return WorldState(message)

    def subscribe(self) -> None:
        """Subscribe to the changes of each iteration in which a component is set."""
        if not self.is_subscribed:
            kind = self._types["SerializedStepMap"].DESCRIPTOR.full_name
            topic = f"/world/{self.world}/state"
            self.is_subscribed = self._node.subscribe_raw(
                topic, self._on_message, kind, self._options
            )
            with self._message_arrived:
                self._message_arrived.wait_for(lambda: self._arrived, _FIRST_MESSAGE_TIMEOUT_S)

    def unsubscribe(self) -> None:
        """Unsubscribe."""
        if self.is_subscribed:
            self._node.unsubscribe(f"/world/{self.world}/state")
            time.sleep(_DELIVERY_S)  # until a message that is being delivered has arrived
        self.is_subscribed = False
        self._arrived.clear()

    def _on_message(self, message: bytes, _info: Any) -> None:
        with self._message_arrived:
            self._arrived.append(message)
            self._message_arrived.notify()

    def next_change(self, patience_s: float) -> Any:
        """Return the next message of changes; None if none arrives in time."""
        with self._message_arrived:
            if not self._message_arrived.wait_for(lambda: self._arrived, patience_s):
                return None
            return self._types["SerializedStepMap"].FromString(self._arrived.popleft())

    def order(self, orders: Orders, steps: int) -> None:
        """Make the server pause, set these components, and make some steps.

        Raises:
            ServerLost: if the server does not reply or refuses; never raised while it `is_subscribed`.
        """
        request = self._types["WorldControlState"]()
        request.world_control.pause = True
        request.world_control.multi_step = steps
        entities: dict[int, Any] = {}
        for (number, component), data in orders.items():
            if number not in entities:
                entities[number] = request.state.entities.add(id=number)
            # A component without content is ignored, even if it is to be removed.
            content, remove = data or b"-", data is None
            entities[number].components.add(
                type=type_id(component), component=content, remove=remove
            )
        if self.is_subscribed:
            self._request("control/state", request, self._types["Boolean"], _UNAWAITED_MS)
        else:
            self._command("control/state", request)

    def create(self, name: str, sdf: str) -> None:
        """Make the server create a model, which appears some iterations later.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        request = self._types["EntityFactory"](sdf=sdf, name=name, allow_renaming=False)
        self._command("create", request)

    def remove(self, name: str) -> None:
        """Make the server remove a model.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        entity = self._types["Entity"]
        self._command("remove", entity(name=name, type=entity.MODEL))

    def forget(self, entity: int) -> None:
        """Make the server remove an entity that is not a model.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        request = self._types["WorldControlState"]()
        request.world_control.pause = True
        request.state.entities.add(id=entity, remove=True)
        self._command("control/state", request)

    def _command(self, service: str, request: Any) -> None:
        reply = self._request(service, request, self._types["Boolean"], _COMMAND_TIMEOUT_MS)
        if reply is None:
            raise self._lost(service)
        if not reply.data:
            raise ServerLost(f"the Gazebo server of the world {self.world} refuses {service}")

    def _request(self, service: str, request: Any, reply: Any, patience_ms: int) -> Any:
        done, received = self._node.request(
            f"/world/{self.world}/{service}", request, type(request), reply, patience_ms
        )
        return received if done else None

    def _lost(self, service: str) -> ServerLost:
        return ServerLost(
            f"the Gazebo server of the world {self.world} does not reply to {service}:"
            " it has ended, or it hangs"
        )
