"""`hetwin truck choose`: the strategy of a library that suits a load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson
from hetwin_suite.cli.truck.arguments import Packets


def choose(
    library: Annotated[Path, typer.Argument(help="what hetwin truck learn has written")],
    packets: Packets = 150,
    seed: Annotated[int, typer.Option(min=0, help="of the load")] = 0,
    as_json: AsJson = False,
) -> None:
    """Choose the strategy that suits a load best, by what the robot sees of it; needs the extra learn.

    A random forest learns from the library which strategy is best where, and errors count by the packets per hour that
    they cost. With --json: {chosen: [move, ...]}.

    Example: hetwin truck choose truck.json --packets 12 --seed 9
    """
    from hetwin_suite.proving_ground.truck.planning.choosing import Chooser, read_strategy_library
    from hetwin_suite.proving_ground.truck.planning.library import look_at_cut_out

    chooser = Chooser(read_strategy_library(library))
    chosen = chooser.choose(look_at_cut_out(seed, packets))
    print(json.dumps({"chosen": chosen}) if as_json else " ".join(chosen))
