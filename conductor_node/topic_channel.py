"""Calls of a model's node over its topics, for nodes that share no memory with the conductor's."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from hetwin.msg import ModelCall, ModelOutput
from hetwin_core.ensemble.transport.remote.memory import FlatMessage
from hetwin_core.wire.names import CALL, OUTPUT, STEP_DEPTH
from hetwin_core.wire.spinning import spin_until

LOOK_PERIOD_S = 0.1


class TopicChannel:
    """Carries one call at a time to a node, and its result back.

    Args:
        node: the conductor's.
        to: full name of the model's node.
        run: token of the run, which calls and results carry.
        executor: spins the conductor's node while a result is waited for.
    """

    ENDS = 2

    def __init__(self, node: Node, to: str, run: str, executor: Executor) -> None:
        self._node, self._run = node, run
        self._executor = executor
        depth = QoSProfile(depth=STEP_DEPTH)
        self._calls = node.create_publisher(ModelCall, f"{to}/{CALL}", depth)
        self._outputs = node.create_subscription(
            ModelOutput, f"{to}/{OUTPUT}", self._on_output, depth
        )
        self._call = ModelCall(run=run)
        self._awaited: Future[ModelOutput] = Future()
        self._unasked: list[ModelOutput] = []

    def undiscovered(self) -> list[str]:
        """Which ends of the topics, of those that the model's node has, are not there."""
        ends = {
            f"subscription of {self._calls.topic_name!r}": self._calls.get_subscription_count(),
            f"publisher of {self._outputs.topic_name!r}": self._outputs.get_publisher_count(),
        }
        return [end for end, count in ends.items() if not count]

    def discovered(self) -> int:
        """How many of these ends are there."""
        return self.ENDS - len(self.undiscovered())

    def request(self, message: FlatMessage) -> None:
        """Send a call."""
        self._awaited = Future()
        self._call = ModelCall(
            sequence=self._call.sequence + 1,
            call=message.call,
            index=message.index,
            numbers=message.numbers,
            tables=message.tables,
            events=message.events,
            more=message.more,
            run=self._run,
        )
        self.repeat()

    def repeat(self) -> None:
        """Send the last call once more."""
        self._calls.publish(self._call)

    def reply_until(self, until: float, look: Callable[[], bool]) -> Any:
        """Wait for the result.

        Args:
            until: when to give up, by `time.monotonic` [s].
            look: is called from time to time; false ends the waiting.

        Returns:
            The result; None if there is none.
        """
        while True:
            left = max(0.0, until - time.monotonic())
            output = spin_until(self._executor, self._awaited, min(left, LOOK_PERIOD_S))
            if output is not None or not look() or left == 0.0:
                return output

    def unasked(self) -> list[ModelOutput]:
        """Results of steps that were not called for, since the last time."""
        found, self._unasked = self._unasked, []
        return found

    def close(self) -> None:
        """Disconnect; what still arrives is dropped."""
        self._node.destroy_publisher(self._calls)
        self._node.destroy_subscription(self._outputs)

    def _on_output(self, output: ModelOutput) -> None:
        """Take a result; a late one, which is not waited for any more, has another number."""
        if output.run != self._run:
            return
        if not output.sequence:
            self._unasked.append(output)
        elif output.sequence == self._call.sequence and not self._awaited.done():
            self._awaited.set_result(output)
