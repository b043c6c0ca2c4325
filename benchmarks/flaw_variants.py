"""The variants of `set_table` and of a smaller program: what each plants, and where the physics has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import flaw_programs
import numpy as np
from flaw_cases import Planted, States, Vain

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scene.values import Floats
from hetwin_futures.batch import project
from hetwin_suite._study.run_result import RunResult
from hetwin_suite._study.study import Study

SCENARIO, CLEAN = "set_table", "none"
PLATE, CUP, OTHER_CUP, MISSED_CUP = "plate2", "cup1", "cup2", "cup3"
LAMP, LAMP_RADIUS, PLATE_HALF = "lamp", 0.015, 0.06
ROBOT, STAND = "serving_robot", np.array([0.0, 1.12])
"""The robot, and where it is to stand at the table [m]."""
TRAY_HALF_DIAGONAL = 0.35
"""What stands on the tray is not farther from its middle [m]."""
CARRIED = 0.9
"""What a hand carries is higher than this; what stands is lower [m]."""
_OF_PROGRAM = ("task_failed", "let_fall")
"""Variants of the smaller program."""
_SAME_RUN = {"seen_wrongly": "failed_navigation"}
"""Cases that are judged in runs of another variant."""
_AT_ONCE = 10
"""So many runs are kept before they are judged."""
TOLERATED = 0.02
"""Something is elsewhere if it is further away [m]."""


def runs_of(name: str, seed: int, count: int, jobs: int, out: Path) -> Iterator[RunResult]:
    """Run a variant so often, each time with what is uncertain drawn anew; yields what came of the runs."""
    options = RunOptions(variant=_SAME_RUN.get(name, name))
    scenario = str(flaw_programs.write(out / "program")) if name in _OF_PROGRAM else SCENARIO
    for begin in range(0, count, _AT_ONCE):
        number = min(_AT_ONCE, count - begin)
        folder = out / str(seed + begin)
        study = Study(scenario, options, seed=seed + begin, out=folder, jobs=jobs)
        yield from project(study, number).runs


def clean(states: States) -> list[Planted]:
    """Nothing is planted, and plate and cup stand on the tray in the end.

    Raises:
        Vain: if they do not: it went wrong by itself.
    """
    for name in (PLATE, CUP):
        last = states.pose(name)[-1]
        away = np.linalg.norm(last[:2] - states.pose("tray")[-1, :2])
        if away > TRAY_HALF_DIAGONAL or not states.pose("tray")[-1, 2] < last[2] < CARRIED:
            raise Vain(f"{name} does not stand on the tray")
    return []


def wrong_order(states: States) -> list[Planted]:
    """The plate is put down while the cup is still carried."""
    plate, cup = (states.pose(name)[:, 2] for name in (PLATE, CUP))
    carried = states.first(plate > CARRIED)
    return [
        _found("wrong_order", states.first((plate < CARRIED) & (cup > CARRIED), carried), PLATE)
    ]


def knocked_over(states: States) -> list[Planted]:
    """The bottle topples."""
    return [_found("knocked_over", states.first(states.tilt("bottle") > 0.26), "bottle")]


def grasp_lost(states: States) -> list[Planted]:
    """The cup leaves the hand while the robot drives."""
    away = _distance(states, CUP, "right_hand")
    carried = states.first(states.pose(CUP)[:, 2] > CARRIED)
    near = float(np.interp(carried, states.times, away))
    return [_found("grasp_lost", states.first(away > near + 0.005, carried), CUP)]


def wrong_object(states: States) -> list[Planted]:
    """The other cup is lifted."""
    height = states.pose(OTHER_CUP)[:, 2]
    return [_found("wrong_object", states.first(height > height[0] + 0.005), CUP, OTHER_CUP)]


def stale_belief(states: States) -> list[Planted]:
    """What the robot has seen is moved, by itself."""
    return [_found("stale_belief", _elsewhere(states, name), name) for name in (PLATE, CUP)]


def failed_navigation(states: States) -> list[Planted]:
    """The robot comes to rest beside where it is to stand."""
    pose = states.pose(ROBOT)
    still = np.linalg.norm(pose - pose[-1], axis=1) < 1e-3
    states.first(np.full(len(pose), np.linalg.norm(pose[-1, :2] - STAND) > 0.1))
    return [_found("failed_navigation", states.first(still), ROBOT)]


def carrying_collision(states: States) -> list[Planted]:
    """The plate, a square, reaches the lamp's pole."""
    plate, lamp = states.pose(PLATE), states.pose(LAMP)
    turn = 2.0 * np.arctan2(plate[:, 6], plate[:, 3])
    away = lamp[:, :2] - plate[:, :2]
    along = np.abs(np.cos(turn) * away[:, 0] + np.sin(turn) * away[:, 1])
    across = np.abs(np.cos(turn) * away[:, 1] - np.sin(turn) * away[:, 0])
    beyond = np.maximum(np.stack([along, across]) - PLATE_HALF, 0.0)
    touches = np.linalg.norm(beyond, axis=0) < LAMP_RADIUS + 0.001
    return [_found("carrying_collision", states.first(touches), LAMP)]


def unstable_support(states: States) -> list[Planted]:
    """The cup tips off the tray's edge when it is let go."""
    height, tilt = states.pose(CUP)[:, 2], states.tilt(CUP)
    put = states.first(height < CARRIED, states.first(height > CARRIED))
    states.first(height < 0.8, put)  # it really falls
    return [_found("unstable_support", states.first(tilt > 0.17, put), CUP)]


def spilled(states: States) -> list[Planted]:
    """The first particle leaves the cup."""
    count = states.numbers(CUP, "particle_count")
    return [_found("spilled", states.first(count < count[0]), CUP)]


def goal_undone(states: States) -> list[Planted]:
    """The cup is struck off where it had been put."""
    cup, plate = states.pose(CUP), states.pose(PLATE)[:, 2]
    put = states.first(plate < CARRIED, states.first(plate > CARRIED))
    row = int(np.searchsorted(states.times, put))
    moved = np.linalg.norm(cup[:, :3] - cup[row, :3], axis=1)
    states.first(states.tilt(CUP) > 0.5, put)  # it really topples
    return [_found("goal_undone", states.first(moved > 0.005, put), CUP)]


def overlooked(states: States) -> list[Planted]:
    """The third cup is visible while the robot stands at the cupboard."""
    place = states.pose(ROBOT)[:, :2]
    moving = np.linalg.norm(np.diff(place, axis=0, append=place[-1:]), axis=1) > 1e-6
    stands = states.first(~moving, states.first(moving))
    visible = states.numbers(MISSED_CUP, "visible") > 0.5
    return [_found("overlooked", states.first(visible, stands), MISSED_CUP)]


def seen_wrongly(states: States) -> list[Planted]:
    """What the robot sees where it wrongly believes to be is believed wrongly from the first percept on."""
    seen = [said for said in states.log.beliefs if said["origin"] == "percept"]
    first = {
        name: min((s["time"] for s in seen if s["arguments"] == [name]), default=0)
        for name in (PLATE, CUP)
    }
    return [_found("incorrect_belief", time / 1e9, name) for name, time in first.items()]


def task_failed(states: States) -> list[Planted]:
    """The arm cannot reach where it is to put the box."""
    times = [said["time"] for said in states.log.tasks if said["status"] == "failed"]
    if not times:
        raise Vain("no task failed")
    return [_found("task_failed", min(times) / 1e9, "box", "tray")]


def let_fall(states: States) -> list[Planted]:
    """The box falls freely where the hand opens above the tray."""
    height = states.pose("box")[:, 2]
    fast = np.gradient(height, states.times) < -0.5
    return [_found("dropped", states.first(fast), "box")]


VARIANTS: Mapping[str, Callable[[States], Sequence[Planted]]] = {
    "wrong_order": wrong_order,
    "knocked_over": knocked_over,
    "grasp_lost": grasp_lost,
    "wrong_object": wrong_object,
    "stale_belief": stale_belief,
    "failed_navigation": failed_navigation,
    "carrying_collision": carrying_collision,
    "unstable_support": unstable_support,
    "spilled": spilled,
    "goal_undone": goal_undone,
    "overlooked": overlooked,
    "seen_wrongly": seen_wrongly,
    "task_failed": task_failed,
    "let_fall": let_fall,
}
"""What each variant plants."""
OF_SCENARIO = tuple(n for n in VARIANTS if n not in _OF_PROGRAM and n not in _SAME_RUN)
"""Those that the scenario has itself."""


def _found(kind: str, time: float, *entities: str) -> Planted:
    return Planted(frozenset({kind}), frozenset(entities), time)


def _elsewhere(states: States, name: str) -> float:
    place = states.pose(name)[:, :3]
    return states.first(np.linalg.norm(place - place[0], axis=1) > TOLERATED)


def _distance(states: States, name: str, other: str) -> Floats:
    away: Floats = np.linalg.norm(states.pose(name)[:, :3] - states.pose(other)[:, :3], axis=1)
    return away
