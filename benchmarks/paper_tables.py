"""Prints Tables III and IV of Jiang et al., their errors computed anew, beside ours [cm].

Ours are measured by `hetwin urdf describe` on TIAGo's URDF of example-robot-data, and on a world with the furniture,
whose things are named as in the paper, in small letters.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from pathlib import Path
from typing import Any

from hetwin_calibration.robot.describing import describe_file
from hetwin_core.ensemble.resources import example_robots

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


def table_iv(world: Path) -> list[dict[str, Any]]:
    """Return the rows of Table IV; ours are missing where there is no such world."""
    found: list[dict[str, Any]] = []
    for name, (real, paper, printed) in PLACES.items():
        row = {"name": name, "real": real, "paper": paper, "printed_error": printed}
        row["error"] = math.dist(real, paper)
        if world.exists():
            mine = measured(world, [f"x,{name},x,0", f"y,{name},y,0"])
            row |= {"ours": mine, "our_error": math.dist(real, mine)}
        found.append(row)
    return found


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
    parser.add_argument("--json", action="store_true", help="print JSON")
    words = parser.parse_args()
    three, four = table_iii(), table_iv(words.world)
    if words.json:
        tables = {"components": components(), "table_iii": three, "table_iv": four}
        print(json.dumps(tables))
        return
    found = components()
    print(f"components: {found['ours']} links and sensors, {found['real']} in the paper; missing:")
    for name, why in found["missing"].items():
        print(f"  {name}: {why}")
    show(three)
    show(four)


if __name__ == "__main__":
    main()
