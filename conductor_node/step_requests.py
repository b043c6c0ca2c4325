"""Asks the nodes of models for steps: what is the same for several of them goes out once."""

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
from hetwin_core.wire import step_codec
from hetwin_core.wire.names import STEP_DEPTH, STEPS

CORES = len(os.sched_getaffinity(0))


@dataclass(slots=True)
class _Letter:
    """A step that several models may share.

    Attributes:
        topic: where it goes.
        models: indices of those whom it asks.
        with_state: whether one of them reads the scene.
    """

    topic: str
    tick: StepInput
    further: Sequence[int]
    sequence: int
    models: list[int]
    with_state: bool

    def suits(self, topic: str, tick: StepInput, further: Sequence[int]) -> bool:
        """Whether another model's step says the same."""
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
    """Models that were asked at once: whoever waits for one of them waits for all, in one go.

    Attributes:
        over: done when all have answered.
        expected: how many have not yet.
    """

    def __init__(self) -> None:
        self.over: Future[None] = Future()
        self.expected = 0

    @property
    def leaves_a_core(self) -> bool:
        """Whether the conductor has a core of its own while they are at work."""
        return self.expected < CORES

    def answered(self) -> None:
        """One has answered, or is not waited for any more."""
        self.expected -= 1
        if not self.expected and not self.over.done():
            self.over.set_result(None)


class StepPost:
    """Publishes steps, one topic for all models that are due at the same steps.

    Models that are due at other times are not woken up.

    Args:
        node: the conductor's.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publishers: dict[str, Any] = {}
        self._letters: list[_Letter] = []
        self._sequence = 0
        self._round = Round()

    def topic(self, plan: ModelPlan) -> str:
        """Full name of the topic on which a model is asked; somebody publishes there from now on."""
        group = "main" if plan.main else f"every_{plan.every}"
        name = f"{STEPS}/{'beside_' if plan.beside else ''}{group}"
        full = str(self._node.resolve_topic_name(name))
        if full not in self._publishers:
            qos = QoSProfile(depth=STEP_DEPTH)
            self._publishers[full] = self._node.create_publisher(Step, name, qos)
        return full

    def reaches(self, topic: str, node: str) -> bool:
        """Whether a node (its full name) hears what is published there."""
        namespace, _, name = node.rpartition("/")
        if not self._publishers[topic].get_subscription_count():
            return False
        ends = self._node.get_subscriptions_info_by_topic(topic)
        return any((e.node_name, e.node_namespace.rstrip("/")) == (name, namespace) for e in ends)

    def ask(
        self, topic: str, model: int, tick: StepInput, further: Sequence[int], *, reads: bool
    ) -> tuple[int, Round]:
        """Have a model asked for a step with the next `send`.

        Args:
            topic: the model's.
            model: its index.
            tick: the step.
            further: times of the steps that it may take at once [ns].
            reads: whether it needs the state.

        Returns:
            The number that its answer will carry, and with whom it answers.
        """
        self._round.expected += 1
        for letter in self._letters:
            if letter.suits(topic, tick, further):
                letter.models.append(model)
                letter.with_state = letter.with_state or reads
                return letter.sequence, self._round
        self._sequence += 1
        self._letters.append(_Letter(topic, tick, further, self._sequence, [model], reads))
        return self._sequence, self._round

    def send(self) -> None:
        """Publish what models are to be asked."""
        if not self._letters:
            return
        letters, self._letters = self._letters, []
        self._round = Round()
        for letter in letters:
            message = Step(sequence=letter.sequence, models=array("i", letter.models))
            step_codec.fill_step(message, letter.tick, letter.further, with_state=letter.with_state)
            self._publishers[letter.topic].publish(message)
