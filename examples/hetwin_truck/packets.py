"""Loads of a truck's trailer: columns of packets of many sizes (Tallavajhula et al., 2019, figure 5).

The paper gives the numbers of packets and shows pictures. Scenario A is a short load of the trailer's height in an
otherwise empty trailer. B is a full trailer. C is as long as B but only half as high, so that most of its packets are
far from the robot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TRAILER_WIDTH = 2.4
TRAILER_HEIGHT = 2.6
GAP = 0.012
"""Gap between columns [m]."""
_CLEARANCE = 0.0005
"""Gap between packets of a column [m]."""
_DENSITY = (60.0, 220.0)
"""Range of the packets' densities [kg/m^3]."""


@dataclass(frozen=True, slots=True)
class Load:
    """The number of packets and their stacking height [m]."""

    packets: int
    height: float


LOADS = {"A": Load(491, 2.2), "B": Load(1007, 2.2), "C": Load(539, 1.2)}
SMALL = Load(160, 1.3)
"""The load of the scenario `truck_unloading`."""
CUT_OUT = 150
"""Number of packets in the part of scenario A on which the policy of actions is learned."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A box with its `size` x y z [m], its `mass` [kg], and its centre `at` x y z; x points into the trailer.

    `turn` is its roll, pitch and yaw [rad].
    """

    name: str
    size: tuple[float, float, float]
    mass: float
    at: tuple[float, float, float]
    friction: float = 0.5
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)


def draw_load(load: Load, random: np.random.Generator) -> list[Packet]:
    """Draw rows of columns inwards, from the trailer's door (x = 0); packets of a column have similar sizes."""
    packets: list[Packet] = []
    depth = 0.0
    while len(packets) < load.packets:
        depth += _row(packets, load, depth, random)
    return packets


def _row(packets: list[Packet], load: Load, depth: float, random: np.random.Generator) -> float:
    """Add one row across the trailer, and return its depth [m]."""
    y, deepest = -TRAILER_WIDTH / 2 + GAP, 0.0
    while len(packets) < load.packets:
        width, length = random.uniform(0.26, 0.44), random.uniform(0.24, 0.42)
        if y + width > TRAILER_WIDTH / 2 - GAP:
            break
        _column(packets, load, (depth, y), (length, width), random)
        y += width + GAP
        deepest = max(deepest, length)
    return deepest + GAP


def _column(
    packets: list[Packet],
    load: Load,
    corner: tuple[float, float],
    footprint: tuple[float, float],
    random: np.random.Generator,
) -> None:
    top = 0.0
    limit = load.height * random.uniform(0.85, 1.0)
    while len(packets) < load.packets:
        height = random.uniform(0.14, 0.34)
        if top + height > limit:
            return
        length, width = (
            footprint[0] * random.uniform(0.9, 1.0),
            footprint[1] * random.uniform(0.9, 1.0),
        )
        at = (
            corner[0] + footprint[0] / 2,
            corner[1] + footprint[1] / 2,
            top + height / 2 + _CLEARANCE,
        )
        mass = float(random.uniform(*_DENSITY) * length * width * height)
        packets.append(Packet(f"packet_{len(packets):04d}", (length, width, height), mass, at))
        top += height + _CLEARANCE
