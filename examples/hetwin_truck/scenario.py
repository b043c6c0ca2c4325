"""Writes a scenario in which the robot unloads one of the paper's truckloads, with its world and a recorded episode.

``python -m hetwin_truck.scenario C --seed 1 --out DIR``. It extends `truck_unloading`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import yaml

from hetwin_fidelity import MODES
from hetwin_suite.runs import find_scenario
from hetwin_truck.packets import LOADS
from hetwin_truck.record import record
from hetwin_truck.world import scenario_packets, truck_sdf

BASE = "truck_unloading"
DEFAULT_MODE = "AdFi-1"
"""Default fidelity mode in which an episode is recorded."""


def write_truck_scenario(folder: Path, load: str, seed: int = 0, mode: str = DEFAULT_MODE) -> Path:
    """Write world, episode and scenario into a folder, and return the path of the scenario.

    Args:
        folder: folder, created if missing; must hold no episode yet.
        load: A, B or C, or the shipped `small` one.
        seed: seed of the load.
        mode: fidelity mode in which the episode, a pick and a sweep, is recorded.
    """
    packets = scenario_packets(load, seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "truck.sdf").write_text(truck_sdf(packets), encoding="utf-8")
    record(folder / "episode", packets, mode)
    data = {
        "extends": str(find_scenario(BASE)),
        "scenario": f"{BASE}_{load}",
        "description": f"A recorded pick and sweep in a trailer with {len(packets)} packets.",
        "world": "truck.sdf",
        "source": "episode",
    }
    file = folder / scenario_file_name(load)
    file.write_text(yaml.safe_dump(data, sort_keys=False, width=120), encoding="utf-8")
    return file


def scenario_file_name(load: str) -> str:
    """Return the name of the scenario's file."""
    return f"{BASE}_{load}.yaml"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description="Write a scenario of unloading a truck.")
    parser.add_argument("load", choices=[*LOADS, "small"], help="number and height of packets")
    parser.add_argument("--seed", type=int, default=0, help="seed of the load (default: 0)")
    parser.add_argument(
        "--mode", choices=list(MODES), default=DEFAULT_MODE, help=f"default: {DEFAULT_MODE}"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for its files")
    parsed = parser.parse_args(arguments)
    if parsed.seed < 0:
        parser.error("--seed must be at least 0")
    if (parsed.out / "episode").exists():
        parser.error(f"--out {parsed.out} holds an episode; expected a new folder")
    print(write_truck_scenario(parsed.out, parsed.load, parsed.seed, parsed.mode))


if __name__ == "__main__":
    main()
