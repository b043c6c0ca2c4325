"""The world of a running Gazebo server, stepped in lock-step by a twin."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from hetwin_gazebo.options import Physics
from hetwin_gazebo.server.connection import (
    RESPONSE_TIMEOUT_S,
    Connection,
    Orders,
    ServerLost,
)
from hetwin_gazebo.server.matching import step_duration_ns
from hetwin_gazebo.server.state import EntityTree, WorldState, type_id
from hetwin_suite.engine import Remark

CONTACTS = "ContactSensorData"
"""The component with which a collision reports its contacts."""
_MARKER_ENTITIES, _MARK_COMPONENT = tuple(range(2**40, 2**40 + 4)), "WorldPoseCmd"
"""Entities of the twin, used in rotation; their component shows in the published state that an order was applied.

Four are needed, since Gazebo takes up to three iterations to remove a component.
"""
_MESSAGE_TIMEOUT_S = 0.25
"""Time after which a message that has not arrived counts as lost [s]."""
_REPORT_PERIOD_S = 1.0
"""Minimum time between two reports of steps that the server made by itself [s]."""


class ServerWorld:
    """Steps a world in lock-step, and removes at the end what it has created.

    Gazebo stores the contacts of its last step, and crashes if they are requested after one of the touching models was
    removed. The twin therefore makes a step before the first request, and after models were removed.

    Args:
        name: name of the world.
        partition: partition of its server; None: the environment's, or Gazebo's default.
        create_missing: whether to create models of the scenario that are missing in the world.

    Attributes:
        name, create_missing: the arguments.
        partition: partition of its server.
        state: state after the last request.
        created: models that the twin has created.
        folder: folder for the files of these models.
        physics: physics engine of the world.
        reporting_collisions: collisions whose contact reports only the twin has enabled.
        step_ns: duration of a step [ns].
        unrequested_steps: number of steps that the server made without the twin's commands.

    Raises:
        BadInput: if the world cannot be used.
    """

    def __init__(self, name: str, partition: str | None, *, create_missing: bool) -> None:
        self.name, self.create_missing = name, create_missing
        self._connection = Connection(name, partition)
        self.partition = self._connection.partition
        self.state = self._connection.state()
        self.step_ns = step_duration_ns(self.state)
        plugin = self.state.get(self.state.world, "PhysicsEnginePlugin") or b""
        self.physics: Physics = "bullet-featherstone" if b"bullet" in plugin else "dartsim"
        self.created: set[str] = set()
        self.reporting_collisions: set[int] = set()
        self._folder = tempfile.TemporaryDirectory(prefix="hetwin_gz_")
        self.folder = Path(self._folder.name)
        self.unrequested_steps = 0
        # The entity used last, whether its component is still set, and the iteration in which it was last published.
        self._marker, self._is_mark_set, self._published_iteration = _MARKER_ENTITIES[0], False, 0
        self._unreported_steps, self._reported_at = 0, float("-inf")
        self._remarks: list[Remark] = []
        self._pause()
        self.step({})

    def _pause(self) -> None:
        self._connection.order({}, 0)
        self._wait_for(lambda state: state.paused, "pause")

    def tree(self) -> EntityTree:
        """Return the names of the entities in the world."""
        return EntityTree(self.state)

    def subscribe(self) -> None:
        """Subscribe to changes of the state, which replaces requests for the whole state."""
        self._connection.subscribe()
        self._is_mark_set = False

    def unsubscribe(self) -> None:
        """Return to requests for the whole state, which are needed to create models."""
        if self._connection.is_subscribed:
            self._connection.unsubscribe()
            self._refresh()

    def _refresh(self) -> None:
        """Read the state of an iteration that started after the last order."""
        self._connection.state()  # may be of an iteration that started before the order
        self._process(self._connection.state())

    def order(self, orders: Orders) -> None:
        """Set components without a step; returns when the server has applied them."""
        before = self.state.iterations
        if self._connection.is_subscribed:
            self._process_changes(lambda: not self._is_mark_set)
            self._apply_with_mark(orders, 0)
            self._process_changes(lambda: not self._is_mark_set)
        else:
            self._connection.order(orders, 0)
            self._refresh()
        self._count_unrequested(self.state.iterations - before)

    def step(self, orders: Orders) -> None:
        """Set components, and make one step.

        Raises:
            ServerLost: if the server does not step, or was reset.
        """
        expected = self.state.iterations + 1
        if self._connection.is_subscribed:
            self._apply_with_mark(orders, 1)
            self._process_changes(lambda: self._published_iteration >= expected)
        else:
            self._connection.order(orders, 1)
            self._wait_for(lambda state: state.iterations >= expected and state.paused, "step")
        self._count_unrequested(self.state.iterations - expected)

    def _apply_with_mark(self, orders: Orders, steps: int) -> None:
        """Make the server publish the changes of the iteration that sets these components, and of the next one.

        The server publishes an iteration in which a component is added or removed. The command for a model's pose
        exists for one iteration; for a model that physics does not know, it has no other effect.
        """
        self._marker = _MARKER_ENTITIES[
            (self._marker + 1 - _MARKER_ENTITIES[0]) % len(_MARKER_ENTITIES)
        ]
        marks = {(self._marker, "Model"): b"-", (self._marker, _MARK_COMPONENT): b"0 0 0 0 0 0"}
        self._connection.order({**orders, **marks}, steps)
        self._is_mark_set = True

    def _process_changes(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + RESPONSE_TIMEOUT_S
        lost_deadline = time.monotonic() + _MESSAGE_TIMEOUT_S
        while not reached():
            message = self._connection.next_change(max(0.0, lost_deadline - time.monotonic()))
            if message is not None:
                self._process(message)
                if self._marker in message.state.entities:
                    self._published_iteration = self.state.iterations
                    self._is_mark_set &= not _is_removed(message, self._marker)
            if time.monotonic() > deadline:
                raise self._timed_out("step")
            if time.monotonic() >= lost_deadline and not reached():
                self._recover_lost_message()
                lost_deadline = time.monotonic() + _MESSAGE_TIMEOUT_S

    def _recover_lost_message(self) -> None:
        """Read the whole state after a message was lost; detects a server that has ended."""
        self._connection.unsubscribe()
        self._refresh()
        self._is_mark_set, self._published_iteration = False, self.state.iterations
        self._connection.subscribe()

    def _process(self, message: Any) -> None:
        """Process a whole state, or a message of changes."""
        state = message if isinstance(message, WorldState) else None
        iterations = int(message.stats.iterations) if state is None else state.iterations
        if iterations < self.state.iterations:
            raise ServerLost(f"another program has reset the world {self.name} of Gazebo")
        if state is None:
            self.state.update(message)
        else:
            self.state = state

    def _wait_for(self, reached: Callable[[WorldState], bool], what: str) -> None:
        deadline = time.monotonic() + RESPONSE_TIMEOUT_S
        while True:
            self._process(self._connection.state())
            if reached(self.state):
                return
            if time.monotonic() > deadline:
                raise self._timed_out(what)

    def _timed_out(self, what: str) -> ServerLost:
        return ServerLost(
            f"the Gazebo server of the world {self.name} did not {what} within {RESPONSE_TIMEOUT_S:g} s"
        )

    def _count_unrequested(self, extra: int) -> None:
        self.unrequested_steps += extra
        self._unreported_steps += extra

    def remark(self, text: str) -> None:
        """Add a remark for the run's report."""
        self._remarks.append(Remark(self.name, "", text, "server_deviates"))

    def take_remarks(self) -> list[Remark]:
        """Return the remarks; unrequested steps of the server are reported at most once a second."""
        now = time.monotonic()
        if self._unreported_steps and now - self._reported_at >= _REPORT_PERIOD_S:
            self.remark(
                f"the server made {self._unreported_steps} steps that the twin did not ask for"
                f" ({self.unrequested_steps} in total): another program steps or runs the world"
            )
            self._unreported_steps, self._reported_at = 0, now
        remarks, self._remarks = self._remarks, []
        return remarks

    def create(self, models: Mapping[str, str]) -> None:
        """Create models, given as name -> SDFormat.

        Raises:
            ServerLost: if the server does not create them.
        """
        for name, sdf in models.items():
            self._connection.create(name, sdf)
            self.created.add(name)
        if models:
            self._wait_for(
                lambda state: models.keys() <= EntityTree(state).models.keys(), "create models"
            )

    def end(self) -> None:
        """Remove the models that the twin created, and leave the world paused."""
        with suppress(ServerLost):  # a server that has ended needs no cleanup
            self.remove(self.created)
        self.created.clear()
        self._folder.cleanup()

    def remove(self, names: Collection[str]) -> bool:
        """Remove some of the models that were created; return whether they could be removed.

        If sensors of the world use contacts, removal would crash Gazebo, so nothing is removed.

        Raises:
            ServerLost: if the server does not remove them.
        """
        self.unsubscribe()
        for marker in _MARKER_ENTITIES:
            self._connection.forget(marker)
        self.order({(entity, CONTACTS): None for entity in self.reporting_collisions})
        self.reporting_collisions.clear()
        removed = self.created & set(names)
        if removed and any(self.state.with_component(CONTACTS)):
            return False  # sensors of the world use the contacts
        for name in sorted(removed):
            self._connection.remove(name)
        if removed:
            self._wait_for(
                lambda state: not removed & EntityTree(state).models.keys(), "remove models"
            )
            self.step({})
        self.created -= removed
        return True


def _is_removed(message: Any, marker: int) -> bool:
    components = message.state.entities[marker].components.values()
    return any(c.remove and c.type == type_id(_MARK_COMPONENT) for c in components)
