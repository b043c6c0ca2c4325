"""`hetwin record`: ground truth from a stand-in for a real robot."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.options import Mismatches
from hetwin_suite.proving_ground.kind import FlawChoice, GraspChoice, Kind, RealityChoice


def record(
    kind: Annotated[Kind, typer.Argument(help="what the robot does")],
    out: Annotated[Path, typer.Option(help="folder for the episodes; new or empty")],
    episodes: Annotated[int, typer.Option(min=1, help="how many")] = 10,
    episode: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="only this one of the seed, again")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="of all random numbers")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="processes")] = 1,
    grasp: Annotated[
        GraspChoice, typer.Option(help="of drops: how the hand takes the ball")
    ] = GraspChoice.CAGE,
    flaw: Annotated[
        FlawChoice, typer.Option(help="of drops: what goes wrong, apart from the aim")
    ] = FlawChoice.ANY,
    near_rim: Annotated[
        float | None,
        typer.Option(metavar="M", help="of drops: aims at most so near to the rim, on either side"),
    ] = None,
    aim: Annotated[
        str | None,
        typer.Option(
            metavar="INSIDE_M,BEARING_RAD",
            help="of drops: all aims so far inside the rim, and in this direction from the container's middle",
        ),
    ] = None,
    shift: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=X,Y",
            help="with something really so far elsewhere, in m of the world; may be given several times",
        ),
    ] = None,
    mismatch: Mismatches = None,
    reality: Annotated[
        RealityChoice,
        typer.Option(help="of drops: what simulates the real world; drake needs the extra drake"),
    ] = RealityChoice.MUJOCO,
    friction: Annotated[
        float | None,
        typer.Option(
            help="of lab_robot: coefficient of its wheels on the floor; default: the world's"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
) -> None:
    """Record episodes of a simulated real robot, with what it believes and what is true.

    Each episode is a folder with recording/ (rosbag2), scene.json (what the robot believes) and
    truth.json (what really happened); distribution.json tells how the episodes are distributed.

    Episodes of lab_robot are moves of one robot, whose hidden measures the seed says: drive.csv (wheels, and where it
    really was) and laps.csv are logs for hetwin calibrate, robot.json is its data sheet.

    Episodes of home_lab are of a TIAGo that warms a cup, which stands elsewhere each time, as does the robot at first;
    they need the extra robots. hetwin run home_lab --source EPISODE replays one.

    --grasp, --flaw, --near-rim, --aim and --shift leave everything else about the episodes of a seed as it is. A cage
    bears the ball from below, a pinch holds it by friction. --shift moves what stands (the stand, the container, the
    socket) without the robot's knowing. With --mismatch reality itself is another one, e.g. an arm that gives way more.

    For example:

    hetwin record drop --episodes 1 --seed 12 --out episodes/drops

    hetwin record drop --episodes 1 --seed 7 --grasp pinch --flaw none --out episodes/pinches

    hetwin record drop --seed 5 --episode 1 --near-rim 0.01 --shift stand=0.002,0 --out episodes/again

    hetwin record home_lab --episodes 1 --out episodes/cups
    """
    from hetwin_suite._mismatch.registry import read_mismatches
    from hetwin_suite.proving_ground.episodes import record_episodes
    from hetwin_suite.running.patience import Patience, to_stderr

    mismatches = read_mismatches(mismatch or ())
    shifts = read_shifts(shift or ())
    chosen_aim = None if aim is None else read_aim(aim)
    count = episodes if episode is None else 1
    patience, done = Patience(to_stderr), 0

    def show(name: str, summary: Mapping[str, Any]) -> None:
        nonlocal done
        done += 1
        to_stderr(f"{done} of {count}: {name}: {', '.join([summary['label'], *_why(summary)])}")
        patience.heard()

    found = record_episodes(
        *(kind, episodes, seed, out, jobs, show),
        look=lambda: patience.look(f"{done} of {count} recorded"),
        grasp=grasp,
        flaw=flaw,
        mismatches=mismatches,
        reality=reality,
        near_rim=near_rim,
        aim=chosen_aim,
        episode=episode,
        shifts=shifts,
        friction=friction,
    )
    if as_json:
        print(json.dumps({**found, "out": str(out.resolve())}, indent=2))
    else:
        _print(found, out)


def read_aim(text: str) -> tuple[float, float]:
    """Return what `--aim INSIDE_M,BEARING_RAD` says.

    Raises:
        BadInput: if the text says something else.
    """
    found = _two_numbers(text)
    if found is None:
        raise BadInput(
            "this is no aim",
            where="--aim",
            found=text,
            expected="INSIDE_M,BEARING_RAD, e.g. 0.05,0; below 0 it is outside of the rim",
        )
    return found


def _two_numbers(text: str) -> tuple[float, float] | None:
    """Return two finite numbers between which a comma stands; None of any other text."""
    try:
        x, y = map(float, text.split(","))
    except ValueError:
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def read_shifts(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return what `--shift NAME=X,Y` says: name -> x, y [m].

    Raises:
        BadInput: if a text says something else, or a name is given twice.
    """
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, numbers = text.partition("=")
        shift = _two_numbers(numbers)
        if not name or shift is None:
            raise BadInput(
                "this is no shift",
                where="--shift",
                found=text,
                expected="NAME=X,Y in m, e.g. bin=0.02,0",
            )
        if name in found:
            raise BadInput(
                "this is shifted twice", where="--shift", found=text, expected=f"{name} once"
            )
        found[name] = shift
    return found


def _why(summary: Mapping[str, Any]) -> list[str]:
    parts = [str(summary["cause"]).replace("_", " ")] if summary["cause"] else []
    if "container" in summary:
        parts.append(str(summary["container"]))
    if "short" in summary:
        parts.append(f"{summary['short'] * 1000:.1f} mm short")
    if "margin" in summary:
        parts.append(f"margin {summary['margin'] * 1000:+.0f} mm")
    return parts


def _print(found: Mapping[str, Any], out: Path) -> None:
    print(f"{found['episodes']} episodes in {out}")
    for key in ("labels", "causes", "containers"):
        if found.get(key):
            counts = ", ".join(f"{n.replace('_', ' ')} {c}" for n, c in found[key].items())
            print(f"  {key}: {counts}")
    if "near_boundary" in found:
        near = found["near_boundary"]
        print(f"  within {near['within_m'] * 1000:.0f} mm of the boundary: {near['share']:.0%}")
    if "rule_blocked_means_success" in found:
        rule = found["rule_blocked_means_success"]
        print(f"  blocked until release means success: right in {rule['accuracy']:.0%}")
