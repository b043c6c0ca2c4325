"""The trailer with its load as SDFormat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_stand_ins.sdf_text import SdfModel, SdfShape, world_sdf
from hetwin_truck.packets import (
    LOADS,
    SMALL,
    TRAILER_HEIGHT,
    TRAILER_WIDTH,
    Packet,
    draw_load,
)

COMMENT = """A trailer, open at x = 0, with its load; x points into it, y to the left, z up. The robot that unloads
     it stands in front of it. Metres. Written by hetwin_truck/world.py. """
_WALL_THICKNESS = 0.1


def truck_sdf(packets: Sequence[Packet]) -> str:
    """Return the world file."""
    end = max(p.at[0] + p.size[0] / 2 for p in packets) + 0.3
    side = TRAILER_WIDTH / 2 + _WALL_THICKNESS / 2
    length, centre_x, height = end + 0.3, (end - 0.3) / 2, TRAILER_HEIGHT
    front = end + _WALL_THICKNESS / 2
    walls = [
        SdfShape("left", "box", (length, _WALL_THICKNESS, height), (centre_x, side, height / 2)),
        SdfShape("right", "box", (length, _WALL_THICKNESS, height), (centre_x, -side, height / 2)),
        SdfShape(
            "front",
            "box",
            (_WALL_THICKNESS, TRAILER_WIDTH, height),
            (front, 0.0, height / 2),
        ),
    ]
    models = [
        SdfModel(
            "floor", [SdfShape("floor", "plane", (60.0, 60.0))], (0, 0, 0), (0.4, 0.4, 0.42), 0.6
        ),
        SdfModel("trailer", walls, (0, 0, 0), (0.75, 0.75, 0.78), 0.3),
    ]
    return world_sdf("truck", COMMENT, [*models, *(_packet_model(p) for p in packets)])


def _packet_model(packet: Packet) -> SdfModel:
    x, y, z = (packet.mass / 12 * length**2 for length in packet.size)
    colour = (0.72, 0.55, 0.36)
    inertia = (y + z, x + z, x + y)
    parts = [SdfShape("box", "box", packet.size)]
    properties = packet.friction, packet.mass, inertia, packet.turn
    return SdfModel(packet.name, parts, packet.at, colour, *properties)


def scenario_packets(scenario: str, seed: int = 0) -> list[Packet]:
    """Return the load of scenario A, B or C, or of the shipped `small` one."""
    return draw_load(_LOADS[scenario], np.random.default_rng([seed, ord(scenario[0])]))


_LOADS = {**LOADS, "small": SMALL}
