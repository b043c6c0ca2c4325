"""Models, links and joints of a server's world, with the functions that Gazebo's bindings offer in its own process.

Where those take the entity component manager, these take an `Exchange`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from model_nodes.main_physics.engines.gz.bindings import gazebo
from model_nodes.main_physics.engines.gz.server.components import (
    message_of,
    pose_of,
    text_of,
    text_of_pose,
    values_of,
    vector_of,
)
from model_nodes.main_physics.engines.gz.server.state import WorldState

Orders = dict[tuple[int, str], bytes | None]
"""(entity, type of component) -> the component to set; None removes it."""
_PLACING = ("WorldPoseCmd", "JointPositionReset", "JointVelocityReset")
_MOVING = ("JointVelocityCmd", "ExternalWorldWrenchCmd")


@dataclass(slots=True)
class Exchange:
    """What a step reads, and what it orders.

    Attributes:
        state: after the last step.
        orders: for the next one.
    """

    state: WorldState
    orders: Orders = field(default_factory=dict)

    def ensure(self, entity: int, component: str, data: bytes) -> None:
        """Have an entity report a component, unless it does already."""
        if self.state.get(entity, component) is None:
            self.orders[entity, component] = data

    def take(self) -> tuple[Orders, Orders]:
        """Take the orders that place something, if any, and those that move it in the next step.

        Placing must be over before the step begins: Gazebo executes a pose in two iterations, and a paused world
        iterates as well.
        """
        orders, self.orders = self.orders, {}
        if not any(component in _PLACING for _, component in orders):
            return {}, orders
        moving = {key: data for key, data in orders.items() if key[1] in _MOVING}
        return {key: data for key, data in orders.items() if key not in moving}, moving


class ServerModel:
    """A model that stands in the world itself."""

    def __init__(self, entity: int, link: int) -> None:
        self._entity, self._link = entity, link

    def entity(self) -> int:
        """Its number."""
        return self._entity

    def set_world_pose_cmd(self, ecm: Exchange, pose: Any) -> None:
        """Place the model so that its root link has this pose."""
        of_link = pose_of(ecm.state.need(self._link, "Pose"))
        placed = pose * of_link.inverse()
        ecm.orders[self._entity, "WorldPoseCmd"] = text_of_pose(placed)


class ServerLink:
    """A link of such a model."""

    def __init__(self, entity: int, model: int) -> None:
        self._entity, self._model = entity, model

    def enable_velocity_checks(self, ecm: Exchange) -> None:
        """Have its velocities reported."""
        ecm.ensure(self._entity, "WorldLinearVelocity", b"0 0 0")
        ecm.ensure(self._entity, "WorldAngularVelocity", b"0 0 0")

    def world_pose(self, ecm: Exchange) -> Any:
        """Its pose in the world."""
        of_link = pose_of(ecm.state.need(self._entity, "Pose"))
        return pose_of(ecm.state.need(self._model, "Pose")) * of_link

    def world_linear_velocity(self, ecm: Exchange) -> Any:
        """Its velocity along the world's axes [m/s]."""
        return vector_of(ecm.state.need(self._entity, "WorldLinearVelocity"))

    def world_angular_velocity(self, ecm: Exchange) -> Any:
        """Its angular velocity along the world's axes [rad/s]."""
        return vector_of(ecm.state.need(self._entity, "WorldAngularVelocity"))

    def set_linear_velocity(self, ecm: Exchange, velocity: Any) -> None:
        """Order a velocity along its own axes [m/s]."""
        ecm.orders[self._entity, "LinearVelocityCmd"] = text_of(velocity)

    def set_angular_velocity(self, ecm: Exchange, velocity: Any) -> None:
        """Order an angular velocity along its own axes [rad/s]."""
        ecm.orders[self._entity, "AngularVelocityCmd"] = text_of(velocity)

    def add_world_wrench(self, ecm: Exchange, force: Any, torque: Any) -> None:
        """Order a force [N] and a torque [Nm] for one step, along the world's axes."""
        wrench = gazebo().message("wrench_pb2", "Wrench")()
        for of, vector in ((wrench.force, force), (wrench.torque, torque)):
            of.x, of.y, of.z = vector.x(), vector.y(), vector.z()
        ecm.orders[self._entity, "ExternalWorldWrenchCmd"] = wrench.SerializeToString()


class ServerJoint:
    """A joint.

    Attributes:
        name: in the scene.
        asked: the speed ordered for the next step; None: none.
    """

    def __init__(self, entity: int, name: str) -> None:
        self._entity, self.name = entity, name
        self.asked: float | None = None

    def enable_position_check(self, ecm: Exchange, axes: int) -> None:
        """Have its position reported."""
        ecm.ensure(self._entity, "JointPosition", message_of([0.0] * axes))

    def enable_velocity_check(self, ecm: Exchange, axes: int) -> None:
        """Have its velocity reported."""
        ecm.ensure(self._entity, "JointVelocity", message_of([0.0] * axes))

    def position(self, ecm: Exchange) -> list[float]:
        """Its position [rad or m]."""
        return values_of(ecm.state.need(self._entity, "JointPosition"))

    def velocity(self, ecm: Exchange) -> list[float]:
        """Its velocity [rad/s or m/s]."""
        return values_of(ecm.state.need(self._entity, "JointVelocity"))

    def set_velocity(self, ecm: Exchange, velocities: list[float]) -> None:
        """Order a velocity for one step."""
        self.asked = velocities[0]
        ecm.orders[self._entity, "JointVelocityCmd"] = message_of(velocities)

    def reset_position(self, ecm: Exchange, positions: list[float]) -> None:
        """Place the joint."""
        ecm.orders[self._entity, "JointPositionReset"] = message_of(positions)

    def reset_velocity(self, ecm: Exchange, velocities: list[float]) -> None:
        """Give the joint a velocity."""
        ecm.orders[self._entity, "JointVelocityReset"] = message_of(velocities)
