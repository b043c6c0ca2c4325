"""Particles: loads as they may be, and what the robot sees of them.

After Tallavajhula et al. (2019), section 4.4: a belief is a set of sampled states, and actions end uncertainly since
the robot senses with noise. The robot knows where packets stand, but neither their masses nor their friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hetwin_suite.engine import Diverged
from hetwin_suite.model import Floats
from hetwin_truck.actions import Unloader
from hetwin_truck.packets import Packet
from hetwin_truck.site import Site

MASS_DEVIATION = 0.35
"""Standard deviation of the logarithm of a packet's mass."""
FRICTION = (0.35, 0.65)
"""Range of the friction of all packets of a load."""
SENSING = 0.01
"""Standard deviation of each side of a box that the robot sees [m]."""
SWEEPS = {"sweep_15": 0.15, "sweep_30": 0.30, "sweep_50": 0.50}
"""How far the nose goes into the packets in each sweep [m]."""
MOVES = ("pick", *SWEEPS)
"""What a strategy is made of."""


def moves_within(deepest: float) -> tuple[str, ...]:
    """Return the moves with which the nose goes at most `deepest` [m] into the packets."""
    return tuple(move for move in MOVES if SWEEPS.get(move, 0.0) <= deepest)


class After(NamedTuple):
    """What one move of one particle brought.

    Attributes:
        unloaded: number of packets.
        seconds: simulated.
        processor_s: processor time [s].
        state: state of the site; None if the engine diverged.
    """

    unloaded: int
    seconds: float
    processor_s: float
    state: object | None


class _Seeing(Unloader):
    """An unloader that sees the boxes with noise."""

    def __init__(self, site: Site, into_wall: float) -> None:
        super().__init__(site, into_wall)
        self.random = np.random.default_rng(0)

    def boxes(self) -> Floats:
        seen = super().boxes()
        noisy = seen + self.random.normal(0.0, SENSING, seen.shape)
        # A box that is thinner than the noise keeps its order of corners.
        return np.hstack(
            [np.minimum(noisy[:, :3], noisy[:, 3:]), np.maximum(noisy[:, :3], noisy[:, 3:])]
        )


def draw_particle(packets: Sequence[Packet], random: np.random.Generator) -> list[Packet]:
    """Draw the masses of the packets, and one friction for all."""
    friction = float(random.uniform(*FRICTION))
    factors = np.exp(random.normal(0.0, MASS_DEVIATION, len(packets))).tolist()
    return [
        replace(p, mass=p.mass * factor, friction=friction)
        for p, factor in zip(packets, factors, strict=True)
    ]


class Particle:
    """One load as it may be, on a site of its own.

    Args:
        packets: with the particle's masses and friction.
        seed: of what the robot sees; the same for all moves of one depth, so that strategies are compared on the
            same draws.
        sleep: whether the engine puts resting packets to sleep.
    """

    def __init__(
        self, packets: Sequence[Packet], seed: Sequence[int], *, sleep: bool = False
    ) -> None:
        self._site, self._seed = Site(packets, sleep=sleep), tuple(seed)
        depths = {"pick": 0.0, **SWEEPS}
        self._unloaders = {name: _Seeing(self._site, depth) for name, depth in depths.items()}
        self._site.settle()
        self.start = self._site.save()

    def boxes(self) -> Floats:
        """Return what the robot sees at the start, as `Unloader.boxes` does but with noise."""
        self._site.restore(self.start)
        unloader = self._unloaders["pick"]
        unloader.random = np.random.default_rng((*self._seed, 0))
        return unloader.boxes()

    def move(self, state: object, name: str, depth: int, mode: str) -> After:
        """Make a move from a state.

        Args:
            state: state of this particle.
            name: one of `MOVES`.
            depth: number of moves before it.
            mode: mode of fidelity.
        """
        self._site.restore(state)
        unloader = self._unloaders[name]
        unloader.random = np.random.default_rng((*self._seed, depth))
        try:
            outcome = unloader.perform("pick" if name == "pick" else "sweep", mode)
        except Diverged:
            return After(0, 0.0, 0.0, None)
        return After(len(outcome.unloaded), outcome.simulated, outcome.cpu, self._site.save())
