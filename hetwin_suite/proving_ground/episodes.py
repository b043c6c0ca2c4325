"""Records many episodes of one kind in parallel, each from its own random generator."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hetwin_core.ensemble.writing import writing
from hetwin_suite.mismatch import Mismatch, Place, in_order, refuse
from hetwin_suite.proving_ground.distribution import distribution
from hetwin_suite.proving_ground.drops.draw import FARTHEST_M
from hetwin_suite.proving_ground.drops.episode import record as record_drop
from hetwin_suite.proving_ground.drops.fixed import check_choices
from hetwin_suite.proving_ground.home_lab.episode import record as record_home_lab
from hetwin_suite.proving_ground.insertions.episode import record as record_insertion
from hetwin_suite.proving_ground.kind import FlawChoice, GraspChoice, Kind, RealityChoice
from hetwin_suite.proving_ground.lab.recorded import record as record_lab_robot
from hetwin_suite.proving_ground.recipe import Aim, Recipe, Shifts
from hetwin_suite.runs import BadInput, resource
from hetwin_suite.study import Each, Processes

DISTRIBUTION = "distribution.json"
MOST_FRICTION = 10.0
MOST_AIM_M = 0.2
"""Aims are at most so far from the rim."""

Summary: TypeAlias = Mapping[str, Any]
"""The summary of an episode: label, cause, margin ..."""


RECORDERS: Mapping[Kind, Callable[[Path, Recipe, np.random.Generator, Path], Summary]] = {
    Kind.DROP: record_drop,
    Kind.INSERTION: record_insertion,
    Kind.LAB_ROBOT: record_lab_robot,
    Kind.HOME_LAB: record_home_lab,
}


def _ignore(name: str, summary: Summary) -> None:
    """Ignore the progress."""


def record_episodes(
    kind: Kind,
    count: int,
    seed: int,
    out: Path,
    jobs: int | None = 1,
    on_episode: Callable[[str, Summary], None] = _ignore,
    *,
    look: Callable[[], None] = lambda: None,
    grasp: GraspChoice = GraspChoice.CAGE,
    flaw: FlawChoice = FlawChoice.ANY,
    mismatches: Sequence[Mismatch] = (),
    reality: RealityChoice = RealityChoice.MUJOCO,
    near_rim: float | None = None,
    aim: Aim | None = None,
    episode: int | None = None,
    shifts: Shifts | None = None,
    friction: float | None = None,
) -> dict[str, Any]:
    """Write episodes ``drop_0001`` ... and `distribution.json` into `out`.

    Episode i of a seed does not depend on `count` and `jobs`.

    Args:
        kind: of the episodes.
        count: number of episodes.
        seed: of all random numbers.
        out: folder, which must be empty or missing.
        jobs: number of processes; None: one per core.
        on_episode: called with the name and the summary of each finished episode.
        look: called several times a second.
        grasp: how drops take the ball.
        flaw: what goes wrong in drops.
        mismatches: that act on reality.
        reality: what simulates drops.
        aim: of all drops: how far inside the rim [m], at most to the middle, and in which direction from it [rad].
        near_rim: largest distance of the aims of drops from the rim [m].
        episode: number of the only one to be recorded, from 1; then `count` says nothing.
        shifts: what is really elsewhere than its episode has it.
        friction: of a lab robot's wheels on the floor; None: as in the world's file.

    Returns:
        The content of `distribution.json`.

    Raises:
        BadInput: if a number is too small, `out` is not empty, options fix the same draw, Drake is not installed, a
            mismatch does not act on reality, or what is to be elsewhere is not in an episode.
        RunFailed: if an episode cannot be recorded.
    """
    numbers = [("-n", count, 1), ("--seed", seed, 0)]
    numbers += [] if jobs is None else [("--jobs", jobs, 1)]
    numbers += [] if episode is None else [("--episode", episode, 1)]
    for option, value, least in numbers:
        if value < least:
            raise BadInput("is too small", where=option, found=value, expected=f">= {least}")
    check_choices(grasp, flaw)
    _check_near_rim(near_rim)
    _check_reality(reality)
    _check_aim(aim, near_rim)
    _check_friction(friction)
    refuse(mismatches, (Place.REALITY,), "to replay with it: hetwin evaluate table2 --mismatch ...")
    is_new = not out.exists()
    _make_free(out)
    root = resource("worlds").parent
    first = Recipe(
        seed, 0, grasp, flaw, in_order(mismatches), reality, near_rim, aim, dict(shifts or {})
    )
    first = replace(first, friction=friction)
    indices = range(count) if episode is None else (episode - 1,)
    tasks = [(kind, replace(first, index=index), out, root) for index in indices]
    summaries: dict[int, Summary] = {}
    with _left_as_found(out, is_new):
        for done in Processes(jobs).work(Each(_record_one), tasks, look=look):
            index = done.task[1].index
            summaries[index] = done.value
            on_episode(name_of(kind, index), done.value)
    counted = distribution([summaries[index] for index in indices])
    chosen: dict[str, Any] = {"grasp": grasp.value, "flaw": flaw.value}
    if kind is not Kind.DROP:
        chosen = {}
    if reality is not RealityChoice.MUJOCO:
        chosen["reality"] = reality.value
    levels = {one.axis.name: one.level for one in mismatches}
    chosen |= first.told if episode is None else {**first.told, "episode": episode}
    found = {"kind": kind.value, "seed": seed, **chosen, "mismatch": levels, **counted}
    (out / DISTRIBUTION).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return found


def name_of(kind: Kind, index: int) -> str:
    """Return the name of the episode with this index, from 0."""
    return f"{kind.value}_{index + 1:04d}"


def _check_near_rim(near_rim: float | None) -> None:
    if near_rim is not None and not 0.0 < near_rim <= FARTHEST_M:
        raise BadInput(
            "this is no distance of an aim from the rim",
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
    if not abs(aim[0]) <= MOST_AIM_M:
        raise BadInput(
            "this is no distance of an aim from the rim",
            where="--aim",
            found=aim[0],
            expected=f"metres, {-MOST_AIM_M:g} to {MOST_AIM_M:g}; above 0 inside",
        )


def _check_friction(friction: float | None) -> None:
    if friction is not None and not 0.0 <= friction <= MOST_FRICTION:
        raise BadInput(
            "this is no coefficient of friction",
            where="--friction",
            found=friction,
            expected=f"0 to {MOST_FRICTION:g}",
        )


def _make_free(out: Path) -> None:
    problem = "is not a folder"
    if out.is_dir():
        problem = "is not empty" if any(out.iterdir()) else ""
    elif not out.exists():
        with writing("the folder", out, "--out"):
            out.mkdir(parents=True)
        return
    if problem:
        raise BadInput(problem, where="--out", found=str(out), expected="a new or empty folder")


@contextmanager
def _left_as_found(out: Path, is_new: bool) -> Iterator[None]:
    """Input that is refused leaves no new folder without an episode."""
    try:
        yield
    except BadInput:
        if is_new and not any(out.iterdir()):
            out.rmdir()
        raise


_Task: TypeAlias = tuple[Kind, Recipe, Path, Path]


def _record_one(task: _Task) -> Summary:
    kind, recipe, out, root = task
    # The same child as SeedSequence(seed).spawn(n)[index], for any n.
    random = np.random.default_rng(np.random.SeedSequence(recipe.seed, spawn_key=(recipe.index,)))
    folder = out / name_of(kind, recipe.index)
    return RECORDERS[kind](folder, recipe, random, root)
