"""Figures 2 to 9 are drawings that run, and go the way of the networks in YAML."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import hetwin_twin_lab
from hetwin_machines.network import Network
from hetwin_machines.network_files import find_network, load_network
from hetwin_machines.running import NetworkRun

FOLDER = Path(hetwin_twin_lab.__file__).parent / "scenarios" / "networks"
FIGURES = {
    "2": "counter",
    "3": "master_slave",
    "4": "plan",
    "5_l0": "lab_l0",
    "5_l1": "lab_l1",
    "5_l2": "lab_l2",
    "6": "lidar_sweep",
    "7": "real_time",
    "8": "l0_l1_link",
    "9": "smart_logger",
}


def trace(network: Network, steps: int) -> list[dict[str, Any]]:
    """What comes of inputs at random, the same for all networks with the same signals."""
    rng, run, lines = random.Random(1), NetworkRun(network), []
    for _ in range(steps):
        row: dict[str, Any] = {name: rng.randint(0, 4) for name in sorted(network.inputs)}
        row |= {name: rng.random() < 0.4 for name in sorted(network.events)}
        row |= {name: row[name] > 2 for name in ("needs", "inactive") if name in row}
        lines += list(run.step(row))
    return lines


@pytest.mark.parametrize("figure", FIGURES)
def test_a_drawn_figure_goes_the_way_of_the_network(figure: str) -> None:
    drawn = load_network(FOLDER / f"figure_{figure}.drawio")
    written = load_network(find_network(FIGURES[figure]))
    assert trace(drawn, 300) == trace(written, 300)
    assert len({str(line["machines"]) for line in trace(drawn, 300)}) > 1
