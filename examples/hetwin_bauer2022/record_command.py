"""`hetwin record`: ground truth from a stand-in for a real robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hetwin_bauer2022.kind import FlawChoice, GraspChoice, Kind, RealityChoice
from hetwin_bauer2022.mismatch_option import Mismatches
from hetwin_suite.command import (
    BadInput,
    EpisodeNumber,
    Jobs,
    Result,
    Seed,
    numbers,
    option,
    record_with_progress,
)

Out = Annotated[Path, option("--out", "folder for the episodes; new or empty")]
Count = Annotated[int, option("-n", "episodes", 1)]
Shift = Annotated[
    list[str] | None,
    typer.Option(
        "--shift",
        metavar="NAME=X,Y",
        help="offset of something's true position, in the world [m]; may be given several times",
    ),
]
Boundary = Annotated[
    bool,
    typer.Option("--boundary", help="draw the deciding quantity close to success and failure"),
]
DEFAULT_COUNT = 10


def drop(
    out: Out,
    count: Count = DEFAULT_COUNT,
    episode: EpisodeNumber = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    grasp: Annotated[GraspChoice, typer.Option(help="grasp of the ball")] = GraspChoice.CAGE,
    flaw: Annotated[FlawChoice, typer.Option(help="flaw, apart from the aim")] = FlawChoice.ANY,
    near_rim: Annotated[
        float | None,
        typer.Option(metavar="M", help="maximum distance of aims from the rim, on either side"),
    ] = None,
    aim: Annotated[
        str | None,
        typer.Option(
            metavar="INSIDE_M,BEARING_RAD",
            help="all aims at this distance inside the rim, in this direction from the container's centre",
        ),
    ] = None,
    boundary: Boundary = False,
    shift: Shift = None,
    mismatch: Mismatches = None,
    reality: Annotated[
        RealityChoice,
        typer.Option(help="simulator of the real world; drake needs the extra drake"),
    ] = RealityChoice.MUJOCO,
) -> Result:
    """Record drops of a ball into a container, with the robot's beliefs and the truth.

    Each episode is a folder with recording/ (rosbag2), scene.json (the robot's beliefs) and truth.json (the true
    course); distribution.json has the distribution of the episodes.

    --grasp, --flaw, --near-rim, --aim and --shift leave everything else about the episodes of a seed unchanged. A cage
    supports the ball from below, a pinch holds it by friction. --shift moves the stand or the container without the
    robot's knowledge. --mismatch changes reality itself, e.g. to a more compliant arm. --boundary draws drops that
    could end either way: close to the rim, slipping, knocked, or with fingers that open one by one.

    For example:

    hetwin record drop -n 1 --seed 12 --out episodes/drops

    hetwin record drop -n 1 --seed 7 --grasp pinch --flaw none --out episodes/pinches

    hetwin record drop --seed 5 --episode 1 --near-rim 0.01 --shift stand=0.002,0 --out episodes/again
    """
    return _record(
        *(Kind.DROP, out, count, episode, seed, jobs),
        shift=shift,
        mismatch=mismatch,
        grasp=grasp,
        flaw=flaw,
        reality=reality,
        near_rim=near_rim,
        aim=None if aim is None else read_aim(aim),
        boundary=boundary,
    )


def insertion(
    out: Out,
    count: Count = DEFAULT_COUNT,
    episode: EpisodeNumber = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    boundary: Boundary = False,
    shift: Shift = None,
    mismatch: Mismatches = None,
) -> Result:
    """Record insertions of a plug into a socket, with the robot's beliefs and the truth.

    The files are those of hetwin record drop. --shift moves the socket without the robot's knowledge; --mismatch
    changes reality itself. --boundary draws insertions that could end either way: half in, tilted, or beside the hole.

    Example: hetwin record insertion -n 1 --seed 3 --out episodes/insertions
    """
    return _record(
        *(Kind.INSERTION, out, count, episode, seed, jobs),
        shift=shift,
        mismatch=mismatch,
        boundary=boundary,
    )


def _record(
    kind: Kind,
    out: Path,
    count: int,
    episode: int | None,
    seed: int,
    jobs: int | None,
    *,
    shift: Sequence[str] | None = None,
    mismatch: Sequence[str] | None = None,
    **choices: Any,
) -> Result:
    from hetwin_bauer2022.episodes import record_episodes
    from hetwin_bauer2022.mismatch import read_mismatches

    choices |= {"mismatches": read_mismatches(mismatch or ()), "shifts": read_shifts(shift or ())}
    record = partial(record_episodes, kind, count, seed, out, jobs, episode=episode, **choices)
    return record_with_progress(
        record, out, count if episode is None else 1, _summary_parts, _lines
    )


def read_aim(text: str) -> tuple[float, float]:
    """Parse the value of `--aim INSIDE_M,BEARING_RAD`.

    Raises:
        BadInput: if the text is malformed.
    """
    parsed = numbers(text, 2)
    if parsed is None:
        raise BadInput(
            "not an aim",
            where="--aim",
            found=text,
            expected="INSIDE_M,BEARING_RAD, e.g. 0.05,0; below 0 is outside the rim",
        )
    return parsed[0], parsed[1]


def read_shifts(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Parse the values of `--shift NAME=X,Y`: name -> x, y [m].

    Raises:
        BadInput: if a text is malformed, or a name is given twice.
    """
    parsed: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, offsets = text.partition("=")
        shift = numbers(offsets, 2)
        if not name or shift is None:
            raise BadInput(
                "not a shift",
                where="--shift",
                found=text,
                expected="NAME=X,Y in m, e.g. bin=0.02,0",
            )
        if name in parsed:
            raise BadInput(
                "the same object is shifted twice",
                where="--shift",
                found=text,
                expected=f"{name} once",
            )
        parsed[name] = shift[0], shift[1]
    return parsed


def _summary_parts(summary: Mapping[str, Any]) -> list[str]:
    parts: list[str] = []
    if "container" in summary:
        parts.append(str(summary["container"]))
    if "short" in summary:
        parts.append(f"{summary['short'] * 1000:.1f} mm short")
    if "margin" in summary:
        parts.append(f"margin {summary['margin'] * 1000:+.0f} mm")
    return parts


def _lines(parsed: Mapping[str, Any]) -> Iterator[str]:
    if "near_boundary" in parsed:
        near_boundary = parsed["near_boundary"]
        yield f"  within {near_boundary['within_m'] * 1000:.0f} mm of the boundary: {near_boundary['share']:.0%}"
    if "rule_blocked_means_success" in parsed:
        rule = parsed["rule_blocked_means_success"]
        yield f"  blocked until release means success: right in {rule['accuracy']:.0%}"
