"""Replays recorded episodes of `home_lab` in the twin, and compares what it says came about with what did.

The twin is right about an episode if of the five things that happen (held, in the container, shut, switched on, hot)
the same came about as in the stand-in, in the same order, each within a second of it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from machine import machine

import hetwin_suite
from hetwin_home.episode import record_cups

EXAMPLES = """examples:
  python benchmarks/home_lab.py --jobs 2                         # records and replays twenty; about half an hour
  python benchmarks/home_lab.py --episodes cups --jobs 2 --json  # those of `hetwin record home_lab --out cups`
"""
EVENTS = {
    "held": "picked_up",
    "in_container": "entered",
    "shut": "closed",
    "switched_on": "switched_on",
    "hot": "became_hot",
}
SOURCE_K, ROOM_K, HOT_K, RATE = 373.15, 296.15, 318.15, 0.2
TO_HOT_S = math.log((SOURCE_K - ROOM_K) / (SOURCE_K - HOT_K)) / RATE
"""How long the cup takes from room temperature, exactly but for what the room takes back."""
WITHIN_S = 1.0


def replayed(episode: Path) -> dict[str, Any]:
    """Replay one episode."""
    truth = json.loads((episode / "truth.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name:
        ran = hetwin_suite.run("home_lab", source=episode, out=Path(name) / "run")
    about = ("cup", "microwave")
    first: dict[str, float] = {}
    for event in ran.events:
        told: Any = event
        if told["arguments"].get("object") in about:
            first.setdefault(str(told["name"]), float(told["time"]))
    twin = {what: first.get(name) for what, name in EVENTS.items()}
    really = truth["happened"]
    off = {
        what: None if None in (twin[what], really[what]) else round(twin[what] - really[what], 3)
        for what in EVENTS
    }
    same = all((twin[what] is None) == (really[what] is None) for what in EVENTS)
    near = all(value is None or abs(value) <= WITHIN_S for value in off.values())
    warm = None
    if twin["hot"] is not None and twin["switched_on"] is not None:
        warm = round(twin["hot"] - twin["switched_on"] - TO_HOT_S, 3)
    return {
        "episode": episode.name,
        "held": really["held"] is not None,
        "really": really,
        "twin": twin,
        "off_s": off,
        "right": same and near and _in_order(twin) == _in_order(really),
        "hot_off_exact_s": warm,
        "real_time_factor": round(ran.real_time_factor, 2),
    }


def _in_order(when: dict[str, float | None]) -> list[str]:
    came = {what: time for what, time in when.items() if time is not None}
    return sorted(came, key=lambda what: came[what])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=Path, help="folder of recorded ones; default: new ones")
    parser.add_argument("--count", type=int, default=20, help="of new ones")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    before = machine()
    with tempfile.TemporaryDirectory() as name:
        folder = given.episodes or Path(name) / "episodes"
        if given.episodes is None:
            record_cups(given.count, given.seed, folder, given.jobs)
        rows = []
        with ProcessPoolExecutor(given.jobs) as pool:
            for row in pool.map(replayed, sorted(folder.glob("home_lab_*"))):
                rows.append(row)
                print(
                    json.dumps({k: row[k] for k in ("episode", "right", "off_s")}), file=sys.stderr
                )
    wanted = list(EVENTS)
    found = {
        "machine": before,
        "episodes": len(rows),
        "held": sum(row["held"] for row in rows),
        "twin_right": sum(row["right"] for row in rows),
        "in_order": sum(_in_order(row["twin"]) == wanted for row in rows),
        "hot_off_exact_s": max((abs(row["hot_off_exact_s"] or 0.0) for row in rows), default=None),
        "real_time_factor": min((row["real_time_factor"] for row in rows), default=None),
    }
    print(json.dumps({**found, **({"rows": rows} if given.json else {})}, indent=2))


if __name__ == "__main__":
    main()
