"""Arguments that the commands of `hetwin truck` have in common."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

import typer

from hetwin_suite.command import BadInput

Mode: TypeAlias = Literal["HiFi", "AdFi-1", "AdFi-2", "AdFi-3"]
"""The modes of the fidelity manager; see `model_nodes.fidelity.near_robot.MODES`."""
ModeOption = Annotated[
    Mode, typer.Option(help="HiFi: all packets always high; AdFi: what is near the robot")
]
Sleep = Annotated[
    bool, typer.Option("--sleep", help="let the engine put packets that rest to sleep")
]
Particles = Annotated[
    int, typer.Option(min=1, help="how many loads as they may be (masses, friction) are simulated")
]
Length = Annotated[int, typer.Option(min=1, help="moves of a strategy")]
Deepest = Annotated[
    float,
    typer.Option(metavar="M", help="how far the nose may go into the packets in a sweep [m]"),
]
Packets = Annotated[int, typer.Option(min=1, help="of a load, a cut-out of scenario A")]


def checked_moves(deepest: float) -> tuple[str, ...]:
    """Return the moves with which the nose goes no farther than `deepest` [m] into the packets.

    Raises:
        BadInput: if no sweep is left.
    """
    from hetwin_suite.proving_ground.truck.planning.particles import SWEEPS, moves_within

    shallowest = min(SWEEPS.values())
    if not deepest >= shallowest:
        raise BadInput(
            "no sweep is as shallow as that",
            where="--deepest",
            found=f"{deepest:g}",
            expected=f"a depth of at least {shallowest:g} m",
        )
    return moves_within(deepest)


def checked_budget(budget_s: float) -> float:
    """Return a budget of processor time [s].

    Raises:
        BadInput: if it is none.
    """
    if not (budget_s > 0 and math.isfinite(budget_s)):
        raise BadInput(
            "there is no time to simulate anything",
            where="--budget",
            found=f"{budget_s:g}",
            expected="a time above 0 s",
        )
    return budget_s
