"""Beliefs: results of a strategy for all particles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hetwin_truck.packets import Packet
from hetwin_truck.planning.particles import Particle, draw_particle

Strategy: TypeAlias = tuple[str, ...]
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Node:
    """The belief after a strategy.

    Attributes:
        strategy: moves that lead to it.
        unloaded: packets since the start, mean over the particles.
        seconds: simulated time since the start, mean over the particles [s].
        processor_s: processor time of its last move, sum over the particles [s].
        lost: whether the engine diverged for a particle, which ends the strategy.
    """

    strategy: Strategy
    unloaded: float
    seconds: float
    processor_s: float
    lost: bool = False

    @property
    def rate(self) -> float:
        """Packets unloaded per hour."""
        return 0.0 if self.lost or not self.seconds else self.unloaded / self.seconds * HOUR


START = Node((), 0.0, 0.0, 0.0)


class Beliefs:
    """Simulates the beliefs of one load, each once.

    Args:
        packets: the load as the robot knows it.
        particles: number of particles.
        mode: fidelity mode.
        seed: seed of the particles.
        sleep: whether the engine puts resting packets to sleep.
    """

    def __init__(
        self,
        packets: Sequence[Packet],
        particles: int,
        mode: str,
        seed: Sequence[int] = (0,),
        *,
        sleep: bool = False,
    ) -> None:
        self._mode = mode
        self.particles = [
            Particle(
                draw_particle(packets, np.random.default_rng((*seed, i))), (*seed, i), sleep=sleep
            )
            for i in range(particles)
        ]
        self._states: dict[Strategy, list[object]] = {(): [p.start for p in self.particles]}
        self._nodes: dict[Strategy, Node] = {(): START}

    def after(self, strategy: Strategy) -> Node:
        """Return the belief after a strategy, with simulation of beliefs that are missing on the path to it."""
        if strategy in self._nodes:
            return self._nodes[strategy]
        previous = self.after(strategy[:-1])
        node = (
            self._lost_node(previous, strategy)
            if previous.lost
            else self._moved_node(previous, strategy)
        )
        self._nodes[strategy] = node
        return node

    def _lost_node(self, previous: Node, strategy: Strategy) -> Node:
        return Node(strategy, previous.unloaded, previous.seconds, 0.0, lost=True)

    def _moved_node(self, previous: Node, strategy: Strategy) -> Node:
        depth = len(strategy) - 1
        states = self._states[previous.strategy]
        results = [
            particle.move(state, strategy[-1], depth, self._mode)
            for particle, state in zip(self.particles, states, strict=True)
        ]
        states_after = [r.state for r in results if r.state is not None]
        lost = len(states_after) < len(results)
        if not lost:
            self._states[strategy] = states_after
        return Node(
            strategy,
            previous.unloaded + float(np.mean([r.unloaded for r in results])),
            previous.seconds + float(np.mean([r.seconds for r in results])),
            sum(r.processor_s for r in results),
            lost,
        )
