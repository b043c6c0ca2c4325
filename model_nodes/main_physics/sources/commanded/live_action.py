"""An action that takes a trajectory for a controller, and ends when the motion does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from model_nodes.main_physics.sources.commanded.commands import (
    CommandRefused,
    Inbox,
    StopCommand,
    TrajectoryCommand,
)
from model_nodes.main_physics.sources.commanded.goals import GoalEnd, Outcome

PERIOD_S = 0.02
"""How often it is looked whether a goal has ended."""

_numbers = count(1)


class TrajectoryAction:
    """The server of one controller.

    Args:
        node: that it belongs to.
        kind: type of the action.
        name: of the action.
        inbox: gets the commands.
        read: makes a command of a goal; raises `CommandRefused`.
        result: makes a result of what became of it.
    """

    def __init__(
        self,
        node: Node,
        kind: Any,
        name: str,
        inbox: Inbox,
        read: Callable[[Any], TrajectoryCommand],
        result: Callable[[Outcome], Any],
    ) -> None:
        self._name, self._inbox = name, inbox
        self._read, self._result = read, result
        self._waiting: list[Any] = []
        self._node = node
        group = ReentrantCallbackGroup()
        self._timer = node.create_timer(PERIOD_S, self._look, callback_group=group)
        self._server = ActionServer(
            node,
            kind,
            name,
            self._execute,
            callback_group=group,
            goal_callback=self._goal,
            cancel_callback=_cancel,
        )

    def _goal(self, goal: Any) -> GoalResponse:
        try:
            self._read(goal)
        except CommandRefused as refused:
            self._inbox.refuse(self._name, str(refused))
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _look(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def _execute(self, handle: Any) -> Any:
        number = next(_numbers)
        command = replace(self._read(handle.request), number=number)
        self._inbox.put(self._name, command)
        canceling = False
        while (outcome := self._inbox.goals.take(number)) is None:
            if handle.is_cancel_requested and not canceling:
                canceling = True
                self._inbox.put(self._name, StopCommand(command.controller, number))
            future = Future(executor=self._node.executor)
            self._waiting.append(future)
            await future
        if outcome.end is GoalEnd.REACHED:
            handle.succeed()
        elif outcome.end is GoalEnd.CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return self._result(outcome)


def _cancel(_handle: Any) -> CancelResponse:
    return CancelResponse.ACCEPT
