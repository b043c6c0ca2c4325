"""Records many drops or insertions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.distribution import distribution
from hetwin_bauer2022.drops.choices import check_choices
from hetwin_bauer2022.drops.draw import FARTHEST_M
from hetwin_bauer2022.drops.episode import record as record_drop
from hetwin_bauer2022.insertions.episode import record as record_insertion
from hetwin_bauer2022.kind import FlawChoice, GraspChoice, Kind, RealityChoice
from hetwin_bauer2022.mismatch import Mismatch, Place, check_places, sorted_mismatches
from hetwin_bauer2022.recipe import Aim, Recipe, Shifts
from hetwin_suite.episode import Summary
from hetwin_suite.episode import record_episodes as record_takes
from hetwin_suite.runs import BadInput, resource

MAX_AIM_M = 0.2
"""Maximum distance of an aim from the rim [m]."""

RECORDERS: Mapping[Kind, Callable[[Path, Recipe, np.random.Generator, Path], Summary]] = {
    Kind.DROP: record_drop,
    Kind.INSERTION: record_insertion,
}


def record_episodes(
    kind: Kind,
    count: int,
    seed: int,
    out: Path,
    jobs: int | None = 1,
    on_episode: Callable[[str, Summary], None] = lambda *_: None,
    *,
    look: Callable[[], None] = lambda: None,
    grasp: GraspChoice = GraspChoice.CAGE,
    flaw: FlawChoice = FlawChoice.ANY,
    mismatches: Sequence[Mismatch] = (),
    reality: RealityChoice = RealityChoice.MUJOCO,
    near_rim: float | None = None,
    aim: Aim | None = None,
    boundary: bool = False,
    episode: int | None = None,
    shifts: Shifts | None = None,
) -> dict[str, Any]:
    """Write episodes ``drop_0001`` ... and `distribution.json` into `out`.

    Episode i of a seed does not depend on `count` and `jobs`.

    Args:
        kind: kind of the episodes.
        count: number of episodes.
        seed: seed of all random numbers.
        out: folder, which must be empty or missing.
        jobs: number of parallel processes; None: one per core.
        on_episode: called with the name and the summary of each finished episode.
        look: called several times a second.
        grasp: grasp of the ball in drops.
        flaw: flaw of drops.
        mismatches: mismatches of reality.
        reality: simulator of drops.
        aim: aim of all drops: distance inside the rim, at most up to the centre [m], and its direction from the centre
        [rad].
        near_rim: maximum distance of the aims of drops from the rim [m].
        boundary: whether the deciding quantity is drawn close to the boundary between success and failure.
        episode: number of a single episode to record, from 1; `count` is then ignored.
        shifts: entity -> offset of its true position from its drawn one.

    Returns:
        The content of `distribution.json`.

    Raises:
        BadInput: if a number is too small, `out` is not empty, options fix the same draw, Drake is not installed, a
            mismatch does not act on reality, or a shifted entity is not in an episode.
        RunFailed: if an episode cannot be recorded.
    """
    check_choices(grasp, flaw)
    _check_near_rim(near_rim)
    _check_reality(reality)
    _check_aim(aim, near_rim)
    _check_boundary(boundary, grasp, flaw, near_rim)
    check_places(
        mismatches, (Place.REALITY,), "to replay with it: hetwin evaluate table2 --mismatch ..."
    )
    first = Recipe(
        seed,
        0,
        grasp,
        flaw,
        sorted_mismatches(mismatches),
        reality,
        near_rim,
        aim,
        boundary,
        dict(shifts or {}),
    )
    chosen: dict[str, Any] = {"grasp": grasp.value, "flaw": flaw.value}
    if kind is not Kind.DROP:
        chosen = {}
    if reality is not RealityChoice.MUJOCO:
        chosen["reality"] = reality.value
    levels = {mismatch.axis.name: mismatch.level for mismatch in mismatches}
    return record_takes(
        kind.value,
        partial(record, kind, resource("worlds").parent),
        first,
        count,
        out,
        jobs,
        on_episode,
        look=look,
        episode=episode,
        chosen={**chosen, **first.options, "mismatch": levels},
        distribution=distribution,
    )


def record(
    kind: Kind, root: Path, folder: Path, recipe: Recipe, random: np.random.Generator
) -> Summary:
    """Record one episode; see `hetwin_suite.episode.record_episodes`."""
    return RECORDERS[kind](folder, recipe, random, root)


def _check_near_rim(near_rim: float | None) -> None:
    if near_rim is not None and not 0.0 < near_rim <= FARTHEST_M:
        raise BadInput(
            "not a valid distance of an aim from the rim",
            where="--near-rim",
            found=near_rim,
            expected=f"metres, above 0 and at most {FARTHEST_M:g}",
        )


def _check_reality(reality: RealityChoice) -> None:
    if reality is RealityChoice.DRAKE and find_spec("pydrake") is None:
        raise BadInput(
            "Drake is not installed",
            where="--reality",
            found=reality.value,
            expected="pip install 'hetwin-suite[drake]', or --reality mujoco",
        )


def _check_boundary(
    boundary: bool, grasp: GraspChoice, flaw: FlawChoice, near_rim: float | None
) -> None:
    usual = (GraspChoice.CAGE, FlawChoice.ANY, None)
    if boundary and (grasp, flaw, near_rim) != usual:
        raise BadInput(
            "--boundary draws grasp, flaw and aim itself",
            where="--boundary",
            found=f"--grasp {grasp}, --flaw {flaw}, --near-rim {near_rim}",
            expected="--boundary without --grasp, --flaw and --near-rim",
        )


def _check_aim(aim: Aim | None, near_rim: float | None) -> None:
    if aim is None:
        return
    if near_rim is not None:
        raise BadInput(
            "--near-rim and --aim both fix the aim",
            where="--aim",
            found=f"{aim[0]:g},{aim[1]:g}",
            expected="one of the two options",
        )
    if not abs(aim[0]) <= MAX_AIM_M:
        raise BadInput(
            "not a valid distance of an aim from the rim",
            where="--aim",
            found=aim[0],
            expected=f"metres, {-MAX_AIM_M:g} to {MAX_AIM_M:g}; above 0 inside",
        )
