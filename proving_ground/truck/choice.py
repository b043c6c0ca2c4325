"""Whether to pick or to sweep: states labelled by trying both (paper 1, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_suite.ensemble.values import Floats
from hetwin_suite.model_nodes.main_physics.engines.engine import Diverged
from hetwin_suite.proving_ground.truck.actions import ACTIONS, Unloader
from hetwin_suite.proving_ground.truck.packets import (
    CUT_OUT,
    TRAILER_HEIGHT,
    TRAILER_WIDTH,
    Load,
    draw_load,
)
from hetwin_suite.proving_ground.truck.site import Site

GRID = (6, 6)
"""Fields across and up in which the nearest face is looked for."""
INTO_WALL = 0.15
"""How far a sweep goes into the packets [m]; one that goes further unloads more than a pick from nearly any state."""
HEIGHTS = (0.5, 2.2)
"""Up to which the cut-outs are stacked [m]: from what is left on the floor to walls as high as the trailer."""
_DEEPEST = 2.0
_SETTLE_STEPS = 60
_FEWEST = 12


@dataclass(frozen=True, slots=True)
class Example:
    """A state, what each action unloaded from it, and the processor time that finding out took [s]."""

    features: tuple[float, ...]
    pick: int
    sweep: int
    cpu: float

    @property
    def picks(self) -> bool:
        """Whether picking unloads more."""
        return self.pick > self.sweep


def features_of(boxes: Floats) -> Floats:
    """What the robot sees of the pile: how far behind the nearest face each field of a grid begins, and sums.

    Args:
        boxes: (n, 6) lower and upper corners of the packets in front of the robot.
    """
    across, up = GRID
    depth = np.full(GRID, _DEEPEST)
    nearest = boxes[:, 0].min()
    for i in range(across):
        left = TRAILER_WIDTH * (i / across - 0.5)
        in_column = (boxes[:, 4] > left) & (boxes[:, 1] < left + TRAILER_WIDTH / across)
        for j in range(up):
            low = TRAILER_HEIGHT * j / up
            seen = in_column & (boxes[:, 5] > low) & (boxes[:, 2] < low + TRAILER_HEIGHT / up)
            if seen.any():
                depth[i, j] = min(_DEEPEST, boxes[seen, 0].min() - nearest)
    close = boxes[boxes[:, 0] < nearest + 0.6]
    sums = [len(close), close[:, 5].max(), close[:, 5].mean(), (close[:, 2] < 0.1).sum()]
    return np.concatenate([depth.ravel(), sums])


def episode(mode: str, seed: tuple[int, ...], states: int) -> list[Example]:
    """Examples from one cut-out of scenario A, tried in a mode of fidelity.

    From every state both actions are tried; the program goes on from what one of them, drawn by lot, left. It ends
    early when little is left, or when the engine diverges.

    Args:
        mode: of fidelity.
        seed: of the load and of the lots.
        states: at most so many.
    """
    random = np.random.default_rng(seed)
    site = Site(draw_load(Load(CUT_OUT, random.uniform(*HEIGHTS)), random))
    unloader = Unloader(site, INTO_WALL)
    for _ in range(_SETTLE_STEPS):
        site.step(site.joints)
    found: list[Example] = []
    while len(found) < states and len(unloader.boxes()) >= _FEWEST:
        state, features = site.save(), features_of(unloader.boxes())
        counts, after, cpu = [], [], 0.0
        for action in ACTIONS:
            site.restore(state)
            try:
                outcome = unloader.perform(action, mode)
            except Diverged:
                return found
            counts.append(len(outcome.unloaded))
            after.append(site.save())
            cpu += outcome.cpu
        found.append(Example(tuple(features.tolist()), counts[0], counts[1], cpu))
        site.restore(after[int(random.integers(len(after)))])
    return found
