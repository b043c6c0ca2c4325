"""Requests steps from the nodes of models; a step that is the same for several of them is published once."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from hetwin.msg import Step
from hetwin_core.ensemble.model import StepInput
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.wire.names import STEP_DEPTH, STEPS

CORES = len(os.sched_getaffinity(0))


@dataclass(slots=True)
class _StepRequest:
    """A step that several models may share.

    Attributes:
        topic: where it goes.
        models: indices of the models that are to step.
        with_state: whether one of them reads the scene.
    """

    topic: str
    tick: StepInput
    further: Sequence[int]
    sequence: int
    models: list[int]
    with_state: bool

    def is_same(self, topic: str, tick: StepInput, further: Sequence[int]) -> bool:
        """Whether another model's step is the same."""
        mine = self.tick
        return (
            self.topic == topic
            and mine.time_ns == tick.time_ns
            and mine.period_ns == tick.period_ns
            and mine.scene is tick.scene
            and mine.events == tick.events
            and not (mine.foreign or tick.foreign or self.further or further)
        )


class Round:
    """Models whose steps were requested together; waiting for one of them waits for all.

    Attributes:
        over: done when all have returned their outputs.
        expected: how many have not yet.
    """

    def __init__(self) -> None:
        self.over: Future[None] = Future()
        self.expected = 0

    @property
    def leaves_a_core(self) -> bool:
        """Whether a core is left for the conductor while they compute."""
        return self.expected < CORES

    def received(self) -> None:
        """An output has arrived, or is not waited for any more."""
        self.expected -= 1
        if not self.expected and not self.over.done():
            self.over.set_result(None)


class StepRequests:
    """Publishes steps, on one topic for all models that are due at the same steps, so that no others wake up.

    Args:
        node: the conductor's.
        run: token of the run.
    """

    def __init__(self, node: Node, run: str) -> None:
        self._node, self._run = node, run
        self._publishers: dict[str, Any] = {}
        self._requests: list[_StepRequest] = []
        self._sequence = 0
        self._round = Round()

    def topic(self, plan: ModelPlan) -> str:
        """Full name of the topic of a model's steps; it has a publisher from now on."""
        group = "main" if plan.main else f"every_{plan.every}"
        name = f"{STEPS}/{'beside_' if plan.beside else ''}{group}"
        full = str(self._node.resolve_topic_name(name))
        if full not in self._publishers:
            qos = QoSProfile(depth=STEP_DEPTH)
            self._publishers[full] = self._node.create_publisher(Step, name, qos)
        return full

    def reaches(self, topic: str, node: str) -> bool:
        """Whether a node, given by its full name, is subscribed to a topic."""
        namespace, _, name = node.rpartition("/")
        if not self._publishers[topic].get_subscription_count():
            return False
        ends = self._node.get_subscriptions_info_by_topic(topic)
        return any((e.node_name, e.node_namespace.rstrip("/")) == (name, namespace) for e in ends)

    def request(
        self, topic: str, model: int, tick: StepInput, further: Sequence[int], *, reads: bool
    ) -> tuple[int, Round]:
        """Request a step of a model with the next `send`.

        Args:
            topic: of the model.
            model: its index.
            tick: the step.
            further: times of the steps that it may take at once [ns].
            reads: whether it needs the state.

        Returns:
            The number that its output will carry, and the round that it belongs to.
        """
        self._round.expected += 1
        for request in self._requests:
            if request.is_same(topic, tick, further):
                request.models.append(model)
                request.with_state = request.with_state or reads
                return request.sequence, self._round
        self._sequence += 1
        self._requests.append(_StepRequest(topic, tick, further, self._sequence, [model], reads))
        return self._sequence, self._round

    def send(self) -> None:
        """Publish the requested steps."""
        if not self._requests:
            return
        requests, self._requests = self._requests, []
        self._round = Round()
        for request in requests:
            message = Step(
                sequence=request.sequence, models=array("i", request.models), run=self._run
            )
            step_codec.fill_step(
                message, request.tick, request.further, with_state=request.with_state
            )
            self._publishers[request.topic].publish(message)
