"""Data for the choice between pick and sweep: states labelled by simulating both.

After Tallavajhula et al. (2019), section 5.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_suite.engine import Diverged
from hetwin_suite.model import Floats
from hetwin_truck.actions import ACTIONS, Unloader
from hetwin_truck.packets import CUT_OUT, Load, draw_load
from hetwin_truck.program import LOOSE_HEIGHT, aim, wall
from hetwin_truck.robot import COLUMNS, ROWS, SPACING
from hetwin_truck.site import Site

INTO_WALL = 0.15
"""Depth of a sweep into the packets [m]; a deeper one unloads more than a pick in nearly any state."""
HEIGHTS = (0.5, 2.2)
"""Range of the stacking heights of the cut-outs [m]: from remains on the floor to full height."""
_CUPS = (SPACING * (COLUMNS - 1), SPACING * (ROWS - 1))
"""Width and height of the array of cups [m]."""
_FLUSH_TOLERANCE = 0.03
"""Maximum distance of faces that the cups reach simultaneously [m]."""
_FLOOR_HEIGHT = 0.1
_FRONT_DEPTH = 0.6
_MIN_PACKETS = 12


@dataclass(frozen=True, slots=True)
class Example:
    """A state, the number of packets that each action unloads, and the processor time of both [s]."""

    features: tuple[float, ...]
    pick: int
    sweep: int
    cpu: float

    @property
    def picks(self) -> bool:
        """Whether picking unloads more."""
        return self.pick > self.sweep


def features_of(boxes: Floats) -> Floats:
    """Compute features of the pile for predicting the result of each action.

    Args:
        boxes: (n, 6) lower and upper corners of the packets in front of the robot.
    """
    target, near_faces, tops = aim(boxes), boxes[:, 0], boxes[:, 5]
    wall_face = float(wall(boxes)[:, 0].min())
    is_across = (
        np.abs(boxes[:, 1] + boxes[:, 4] - 2 * target.y) < boxes[:, 4] - boxes[:, 1] + _CUPS[0]
    )
    is_at_height = (tops > target.z - _CUPS[1] / 2) & (boxes[:, 2] < target.z + _CUPS[1] / 2)
    is_opposite = is_across & is_at_height
    is_swept = near_faces < wall_face + INTO_WALL
    is_loose = is_swept & (tops <= LOOSE_HEIGHT)
    values = {
        "faces that the cups meet at once": (
            is_opposite & (abs(near_faces - target.face) < _FLUSH_TOLERANCE)
        ).sum(),
        "packets in the cups' way": (
            is_opposite & (near_faces < target.face - _FLUSH_TOLERANCE)
        ).sum(),
        "height of what is picked": target.z,
        "depth of what is picked, behind the face of the wall": target.face - wall_face,
        "packets that a sweep gets to": is_swept.sum(),
        "of these on the floor": (is_swept & (boxes[:, 2] < _FLOOR_HEIGHT)).sum(),
        "of these loose": is_loose.sum(),
        "of these before the wall": (is_loose & (near_faces < wall_face)).sum(),
        "how far before the wall the first packet is": wall_face - near_faces.min(),
        "height of the front": tops[near_faces < wall_face + _FRONT_DEPTH].max(),
    }
    return np.array(list(values.values()), np.float64)


def episode(mode: str, seed: tuple[int, ...], states: int) -> list[Example]:
    """Generate examples from one cut-out of scenario A, in a fidelity mode.

    Both actions are simulated from every state; the episode continues from the result of one of them, drawn at random.
    It ends early when few packets are left, or when the engine diverges.

    Args:
        mode: fidelity mode.
        seed: seed of the load and of the random choices.
        states: maximum number of states.
    """
    random = np.random.default_rng(seed)
    site = Site(draw_load(Load(CUT_OUT, random.uniform(*HEIGHTS)), random))
    unloader = Unloader(site, INTO_WALL)
    site.settle()
    values: list[Example] = []
    while len(values) < states and len(unloader.boxes()) >= _MIN_PACKETS:
        state, features = site.save(), features_of(unloader.boxes())
        counts, states_after, cpu = [], [], 0.0
        for action in ACTIONS:
            site.restore(state)
            try:
                outcome = unloader.perform(action, mode)
            except Diverged:
                return values
            counts.append(len(outcome.unloaded))
            states_after.append(site.save())
            cpu += outcome.processor_s
        values.append(Example(tuple(features.tolist()), counts[0], counts[1], cpu))
        site.restore(states_after[int(random.integers(len(states_after)))])
    return values
