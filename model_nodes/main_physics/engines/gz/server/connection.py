"""One world of a Gazebo server in another process: its services, and its topic of changes.

Gazebo's bindings keep Python's lock while a request waits, and need it to hand over a message: one that arrives in
between stops both until the request gives up. So a reply is waited for only while nothing is subscribed; otherwise what
was ordered shows in the next message.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.gz.bindings import gazebo, transport_node
from model_nodes.main_physics.engines.gz.server.components import type_id
from model_nodes.main_physics.engines.gz.server.handles import Orders
from model_nodes.main_physics.engines.gz.server.state import WorldState
from model_nodes.main_physics.engines.gz.simulation import GazeboFailed

FIND_S = 15.0
"""How long a world is looked for."""
PATIENCE_S = 5.0
"""A server that does not do what is asked within this time hangs or has ended."""
_STATE_MS, _COMMAND_MS = 1000, 3000
_BRIEF_MS = 2
"""How long a reply is waited for that may not come [ms]."""
_SETTLED_S = 0.02
_FIRST_S = 2.0
"""How long the first message is waited for; a paused world sends 30 a second."""
_CONTROL = re.compile(r"/world/([^/]+)/control/state")
_WHERE = "options.server"


class ServerLost(GazeboFailed):
    """The server has ended, hangs, or its world was reset."""


class Connection:
    """Requests to a world.

    Args:
        world: its name.
        partition: the transport partition of its server; None: the environment's, or Gazebo's default.

    Attributes:
        world: as given.
        partition: of the server.
        listens: whether changes are subscribed to, and replies are not waited for.

    Raises:
        BadInput: if there is no such world, more than one, or it does not report its state.
    """

    def __init__(self, world: str, partition: str | None) -> None:
        self.world = world
        gz = gazebo()
        self._node, self.partition = transport_node(partition, "options.partition")
        self._options = gz.transport.SubscribeOptions()
        self._arrived: deque[bytes] = deque()
        self._news = threading.Condition()
        self.listens = False
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
        deadline = time.monotonic() + FIND_S
        needed = {f"/world/{self.world}/{service}" for service in ("control/state", "state")}
        while not needed <= (services := set(self._node.service_list())):
            if time.monotonic() > deadline:
                raise self._not_found(services)
            time.sleep(0.05)
        if len(self._node.service_info(f"/world/{self.world}/control/state")) > 1:
            raise BadInput(
                f"several Gazebo servers have a world of this name in the partition {self.partition}",
                where=_WHERE,
                found=self.world,
                expected="one, or a partition of its own for each (GZ_PARTITION)",
            )

    def _not_found(self, services: set[str]) -> BadInput:
        worlds = sorted(m[1] for s in services if (m := _CONTROL.fullmatch(s)))
        if self.world in worlds:
            return BadInput(
                "the world does not report its state",
                where=_WHERE,
                found=self.world,
                expected="a world with the plugin gz::sim::systems::SceneBroadcaster",
            )
        seen = ", ".join(worlds) or "no world at all"
        return BadInput(
            f"no running Gazebo has this world within {FIND_S:g} s",
            where=_WHERE,
            found=self.world,
            expected=f"a world of the partition {self.partition}, in which there is {seen};"
            " its server must have the same GZ_PARTITION and GZ_IP",
        )

    def state(self) -> WorldState:
        """The state after the server's next iteration.

        Raises:
            ServerLost: if the server does not reply.
        """
        deadline = time.monotonic() + PATIENCE_S
        empty, reply = self._types["Empty"](), self._types["SerializedStepMap"]
        while (message := self._request("state", empty, reply, _STATE_MS)) is None:
            if time.monotonic() > deadline:
                raise self._lost("state")
        return WorldState(message)

    def listen(self) -> None:
        """Subscribe to the changes of each iteration in which something is set."""
        if not self.listens:
            kind = self._types["SerializedStepMap"].DESCRIPTOR.full_name
            topic = f"/world/{self.world}/state"
            self.listens = self._node.subscribe_raw(topic, self._on_news, kind, self._options)
            with self._news:
                self._news.wait_for(lambda: self._arrived, _FIRST_S)

    def mute(self) -> None:
        """Unsubscribe."""
        if self.listens:
            self._node.unsubscribe(f"/world/{self.world}/state")
            time.sleep(_SETTLED_S)  # a message that is being handed over
        self.listens = False
        self._arrived.clear()

    def _on_news(self, message: bytes, _info: Any) -> None:
        with self._news:
            self._arrived.append(message)
            self._news.notify()

    def next_change(self, patience_s: float) -> Any:
        """The next message of changes; None if none arrives in time."""
        with self._news:
            if not self._news.wait_for(lambda: self._arrived, patience_s):
                return None
            return self._types["SerializedStepMap"].FromString(self._arrived.popleft())

    def order(self, orders: Orders, steps: int) -> None:
        """Have the server pause, set these components, and make some steps.

        Raises:
            ServerLost: if the server does not reply, or refuses; never while it `listens`.
        """
        request = self._types["WorldControlState"]()
        request.world_control.pause = True
        request.world_control.multi_step = steps
        entities: dict[int, Any] = {}
        for (number, component), data in orders.items():
            if number not in entities:
                entities[number] = request.state.entities.add(id=number)
            # A component without content would be ignored, even if it is to be removed.
            told, remove = data or b"-", data is None
            entities[number].components.add(type=type_id(component), component=told, remove=remove)
        if self.listens:
            self._request("control/state", request, self._types["Boolean"], _BRIEF_MS)
        else:
            self._command("control/state", request)

    def create(self, name: str, sdf: str) -> None:
        """Have the server create a model; it is there some iterations later.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        request = self._types["EntityFactory"](sdf=sdf, name=name, allow_renaming=False)
        self._command("create", request)

    def remove(self, name: str) -> None:
        """Have the server remove a model.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        entity = self._types["Entity"]
        self._command("remove", entity(name=name, type=entity.MODEL))

    def forget(self, entity: int) -> None:
        """Have the server drop an entity that is no model.

        Raises:
            ServerLost: if the server does not reply, or refuses.
        """
        request = self._types["WorldControlState"]()
        request.world_control.pause = True
        request.state.entities.add(id=entity, remove=True)
        self._command("control/state", request)

    def _command(self, service: str, request: Any) -> None:
        reply = self._request(service, request, self._types["Boolean"], _COMMAND_MS)
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
