"""Prints Tables III and IV of Jiang et al., their errors computed anew, beside ours [cm].

Ours are measured by `hetwin urdf describe` on TIAGo's URDF of example-robot-data. The furniture of Table IV is where
the twin estimates it: a run whose scenario has none of it hears a detector (3D boxes, 2 cm of noise in each coordinate,
a tenth missed), and the objects that appear are compared with what was measured. Beside it stands the world with the
furniture, which was given these coordinates.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from unannounced_things import Detection, scenario

import hetwin_suite
from hetwin_calibration.robot.describing import describe_file
from hetwin_core.ensemble.resources import example_robots
from hetwin_suite.episode import open_episode

TIAGO = "robots/tiago_description/robots/tiago.urdf"
WORLD = Path(__file__).resolve().parents[1] / "examples/hetwin_home/worlds/home_lab.sdf"
SIZES = {
    "height": ("*", "top", 110.0, 110.0998, 0.998),
    "chassis height": ("base_link", "top", 30.0, 30.0384, 0.384),
    "chassis diameter": ("base_cover_link", "diameter", 54.0, 53.172, 0.828),
}
"""Name -> link, measure, real, the paper's model, its error as printed."""
COMPONENTS = 89
"""Of the robot, as the paper counts them; it does not name them."""
ABSENT = {
    "laptop tray": "60 x 28 x 33 cm in the paper; the public description of TIAGo has no such link",
    "other components": "the paper names none of its 89, so what else it counts cannot be told apart",
}
"""What of Table III our model does not have -> why."""
PLACES = {
    "fridge": ((107.0, 348.0), (105.423, 348.525), 1.662),
    "table1": ((412.0, 157.0), (414.205, 156.423), 0.612),
    "table2": ((334.0, 347.0), (333.012, 345.423), 1.861),
    "desk": ((493.0, 213.0), (491.432, 212.433), 1.667),
    "microwave": ((405.0, 163.0), (406.429, 162.956), 1.430),
    "television": ((427.0, 152.0), (425.912, 153.422), 1.790),
}
"""Name -> real, the paper's model, its error as printed."""


NOISE_CM, MISSED, SECONDS = 2.0, 0.1, 4.0
"""Of the detector: noise of each coordinate, share of what it misses, how long it looks."""
HEIGHTS = (0.8, 0.4, 0.4, 0.4, 1.1, 1.1)
"""Of the middle of each piece [m]; two stand on a table."""


def measured(file: Path, rows: list[str]) -> list[float]:
    """Return what `hetwin urdf describe` measures [cm] for rows of name,of,measure,value."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "measured.csv"
        table.write_text("\n".join(["name,of,measure,value", *rows]) + "\n")
        return [100.0 * each.model for each in describe_file(file, measured=table).dimensions]


def table_iii() -> list[dict[str, Any]]:
    """Return the rows of Table III."""
    folder = example_robots()
    rows = [f"{name},{of},{measure},0" for name, (of, measure, *_) in SIZES.items()]
    ours = [math.nan] * len(rows) if folder is None else measured(folder / TIAGO, rows)
    return [
        {
            "name": name,
            "real": real,
            "paper": paper,
            "printed_error": printed,
            "error": abs(paper - real),
            "ours": mine,
            "our_error": abs(mine - real),
        }
        for (name, (_, _, real, paper, printed)), mine in zip(SIZES.items(), ours, strict=True)
    ]


def components() -> dict[str, Any]:
    """Return how many components of the robot our model has, and what is missing, with the reason."""
    folder = example_robots()
    if folder is None:
        return {"real": COMPONENTS, "ours": None, "missing": ABSENT}
    described = describe_file(folder / TIAGO).to_json()
    ours = int(described["links"]) + len(described["sensors"])
    return {"real": COMPONENTS, "ours": ours, "missing": ABSENT}


def table_iv(
    world: Path, ours: Mapping[str, tuple[float, float]] | None = None
) -> list[dict[str, Any]]:
    """Return the rows of Table IV; ours are the estimates, else those of the world, and missing without both."""
    found: list[dict[str, Any]] = []
    for name, (real, paper, printed) in PLACES.items():
        row = {"name": name, "real": real, "paper": paper, "printed_error": printed}
        row["error"] = math.dist(real, paper)
        if ours is not None:
            row |= {"ours": ours[name], "our_error": math.dist(real, ours[name])}
        elif world.exists():
            mine = measured(world, [f"x,{name},x,0", f"y,{name},y,0"])
            row |= {"ours": mine, "our_error": math.dist(real, mine)}
        found.append(row)
    return found


def estimated(seed: int) -> dict[str, tuple[float, float]]:
    """Return where a twin finds the furniture [cm] that nobody announced, by the names of Table IV."""
    random = np.random.default_rng(seed)
    messages = {
        time: [
            Detection(name, (*(random.normal(real, NOISE_CM) / 100.0).tolist(), HEIGHTS[i]))
            for i, (name, (real, *_)) in enumerate(PLACES.items())
            if random.random() >= MISSED
        ]
        for time in np.arange(0.1, SECONDS, 0.1).round(3).tolist()
    }
    with tempfile.TemporaryDirectory() as folder:
        file = scenario(Path(folder), messages, things=len(PLACES))
        summary = hetwin_suite.run(file, out=Path(folder) / "run", duration=SECONDS)
        episode = open_episode(summary.folder)
        stands = {
            str(event.arguments["object"]): str(event.arguments["kind"])
            for event in episode.events
            if event.name == "appeared"
        }
        found = {kind: 100.0 * episode.pose(name)[-1, :2] for name, kind in stands.items()}
    return {kind: (float(x), float(y)) for kind, (x, y) in found.items()}


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    keys = ("name", "real", "paper", "printed_error", "error", "ours", "our_error")
    print("  ".join(f"{key:>18}" for key in keys))
    for row in rows:
        print("  ".join(f"{_text(row.get(key, '-')):>18}" for key in keys))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return ", ".join(f"{number:g}" for number in value)
    return str(value)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path, default=WORLD, help="with the paper's furniture")
    parser.add_argument("--seed", type=int, default=4, help="of the detector's noise")
    parser.add_argument("--json", action="store_true", help="print JSON")
    words = parser.parse_args()
    three, given = table_iii(), table_iv(words.world)
    four = table_iv(words.world, estimated(words.seed))
    if words.json:
        tables = {"components": components(), "table_iii": three, "table_iv": four, "given": given}
        print(json.dumps(tables))
        return
    found = components()
    print(f"components: {found['ours']} links and sensors, {found['real']} in the paper; missing:")
    for name, why in found["missing"].items():
        print(f"  {name}: {why}")
    show(three)
    print("Table IV, as the twin estimates it:")
    show(four)
    print("Table IV, as the world was given:")
    show(given)


if __name__ == "__main__":
    main()
