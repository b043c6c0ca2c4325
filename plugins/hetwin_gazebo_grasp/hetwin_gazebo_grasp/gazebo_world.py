"""Access to the world that a Gazebo system runs in, through Gazebo's Python bindings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hetwin_gazebo.bindings import Gazebo
from hetwin_gazebo.proxies.proxy import Proxy
from hetwin_suite.model import BadInput, Floats

_DEADLINE_MS = 5000


class NoPositionsYet(Exception):
    """Joint positions are not available yet: Gazebo provides them one step after the first request."""

    def __init__(self) -> None:
        super().__init__("joints have no positions; expected the system Physics in the world")


class GazeboWorld:
    """Implements `WorldAccess` with the entity component manager that Gazebo passes to systems.

    Args:
        gz: Gazebo's Python bindings.
    """

    def __init__(self, gz: Gazebo) -> None:
        self._gz, self._node = gz, gz.transport.Node()
        self._ecm: Any = None
        self._joints: dict[str, Any] = {}
        self._models: dict[str, Proxy] = {}

    def use(self, ecm: Any) -> None:
        """Use the entity component manager of this step."""
        self._ecm = ecm

    def models(self) -> frozenset[int]:
        """Return the entity ids of all models in the world."""
        return frozenset(self._world().models(self._ecm))

    def sdf(self) -> str:
        """Return the current world as SDFormat, from the server's service.

        Raises:
            BadInput: if the server does not respond.
        """
        self._joints.clear()
        self._models.clear()
        config = self._gz.message("sdf_generator_config_pb2", "SdfGeneratorConfig")()
        config.global_entity_gen_config.expand_include_tags.data = True
        text = self._request("generate_world_sdf", config, "stringmsg_pb2", "StringMsg")
        if text is None or not text.data:
            raise BadInput(
                "does not reply",
                where=self._service("generate_world_sdf"),
                expected="the world as SDFormat",
            )
        return str(text.data)

    def declare(self, parameter: str) -> bool:
        """Declare a parameter of the world with the value true; returns False if the server has no parameters."""
        return self._write_parameter("declare_parameter", parameter, True)

    def set(self, parameter: str, on: bool) -> None:
        """Set a declared parameter."""
        self._write_parameter("set_parameter", parameter, on)

    def is_on(self, parameter: str) -> bool:
        """Return the value of a declared parameter, which other nodes may set through the server's services."""
        name = self._gz.message("parameter_name_pb2", "ParameterName")(name=parameter)
        found = self._request("get_parameter", name, "parameter_value_pb2", "ParameterValue")
        value = self._gz.message("boolean_pb2", "Boolean")()
        return bool(found.data.Unpack(value) and value.data)

    def _write_parameter(self, service: str, name: str, on: bool) -> bool:
        request = self._gz.message("parameter_pb2", "Parameter")(name=name)
        request.value.Pack(self._gz.message("boolean_pb2", "Boolean")(data=on))
        failed = self._request(service, request, "parameter_error_pb2", "ParameterError")
        return failed is not None

    def _request(self, service: str, request: Any, module: str, name: str) -> Any:
        """Return the reply of one of the world's services; None without a reply within `_DEADLINE_MS`.

        Args:
            service: name of the service below /world/NAME.
            request: request message.
            module, name: module and class of the reply message.
        """
        kind = self._gz.message(module, name)
        done, reply = self._node.request(
            self._service(service), request, type(request), kind, _DEADLINE_MS
        )
        return reply if done else None

    def _service(self, name: str) -> str:
        return f"/world/{self._world().name(self._ecm)}/{name}"

    def positions(self, joints: Iterable[str]) -> dict[str, float]:
        """Return positions of joints [m or rad].

        Raises:
            NoPositionsYet: if a position is not available yet.
        """
        read = {name: self._joint(name).position(self._ecm) for name in joints}
        if not all(read.values()):
            raise NoPositionsYet
        return {name: float(position[0]) for name, position in read.items()}

    def pose(self, name: str) -> Floats:
        """Return the pose (7,) in the world of a link, or of a model's root link."""
        return np.asarray(self._proxy(name).read(self._ecm)[:7])

    def move(self, model: str, twist: Floats) -> None:
        """Set the twist (6,) of a model's root link for the next step."""
        self._proxy(model).move(self._ecm, twist[:3], twist[3:])

    def _joint(self, name: str) -> Any:
        found = self._joints.get(name)
        if found is None:
            model, last = self._scope(name)
            found = self._joints[name] = self._gz.sim.Joint(model.joint_by_name(self._ecm, last))
            found.enable_position_check(self._ecm)
        return found

    def _proxy(self, name: str) -> Proxy:
        found = self._models.get(name)
        if found is None:
            sim = self._gz.sim
            model, last = self._scope(name)
            link = model.link_by_name(self._ecm, last) if last else model.canonical_link(self._ecm)
            initial_pose = np.zeros(13)
            initial_pose[3] = 1.0
            found = self._models[name] = Proxy(
                self._gz, self._ecm, model, sim.Link(link), initial_pose
            )
        return found

    def _scope(self, name: str) -> tuple[Any, str]:
        """Return the (nested) model of a scoped name, and the joint's or link's own name; empty for a model."""
        first, *inner = name.split("::")
        model = self._gz.sim.Model(self._world().model_by_name(self._ecm, first))
        for name_of_nested in inner[:-1]:
            nested = [self._gz.sim.Model(entity) for entity in model.models(self._ecm)]
            model = next(
                candidate for candidate in nested if candidate.name(self._ecm) == name_of_nested
            )
        return model, "".join(inner[-1:])

    def _world(self) -> Any:
        sim = self._gz.sim
        return sim.World(sim.world_entity(self._ecm))
