"""Measures the accuracy of in-hand localization and grasp monitor on recorded episodes.

    python benchmarks/in_hand_localization.py --episodes DIR [--scenario FILE] [--mismatch AXIS=LEVEL ...] [--jobs N]
        [--json]

DIR is searched for episodes of `hetwin record`. Each is replayed in its scenario (or the given one), with `--mismatch`
made worse as by `hetwin evaluate table2`; the truth stays what it was.
While the hand really holds the object and in-hand localization is responsible for its pose, the pose relative to the
palm is compared with the truth, 50 times a second: distance of the origins, angle between the z axes of objects other
than spheres, and whether the error of the position is inside the 95 % bound of its covariance. The grasp monitor's
output is compared at every step of the main model, except for 0.15 s around each begin and end of a true grasp.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.evaluation.episode_with_mismatches import (
    check_mismatches,
    write_with_mismatches,
)
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_bauer2022.evaluation.judge import scenario_of_episode
from hetwin_bauer2022.mismatch.registry import read_mismatches
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.model import Changes, Model, Tick
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_in_hand import InHandLocalization

BOUND_95 = 7.815
"""95 % quantile of the chi-squared distribution with three degrees of freedom, for the squared normalized error."""
EDGE_S = 0.15
PERIOD_NS = 20_000_000


@dataclass
class Outcome:
    """The result of one episode.

    Attributes:
        name: of the episode.
        thing: name of the object.
        round: whether the object is a sphere, without an axis to compare.
        samples: (n, 3) error of the position [m], of the axis [rad], squared normalized error.
        unseen: number of samples at which the object was held, but in-hand localization was not responsible.
        monitor: numbers of main steps of true positives, false positives, false negatives, true negatives.
        step_ms: wall times of the localization's steps.
    """

    name: str
    thing: str
    round: bool = False
    samples: list[tuple[float, float, float]] = field(default_factory=list)
    unseen: int = 0
    monitor: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    step_ms: list[float] = field(default_factory=list)


class Truth:
    """The ground truth of an episode at any time."""

    def __init__(self, folder: Path) -> None:
        data: dict[str, Any] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        self.thing: str = data["object"]
        self._held: list[list[float]] = data["held"]
        columns: list[str] = data["columns"]
        path = np.array(data["path"], np.float64)
        self._times = path[:, columns.index("time")]
        first = columns.index("palm_x")
        self._in_palm = path[:, first : first + 7]

    def held(self, seconds: float) -> bool:
        """Whether the hand holds the object."""
        return any(begin <= seconds <= end for begin, end in self._held)

    def at_edge(self, seconds: float) -> bool:
        """Whether a grasp has just begun or ended, or soon will."""
        return any(abs(seconds - edge) <= EDGE_S for stretch in self._held for edge in stretch)

    def in_palm(self, seconds: float) -> Floats:
        """Return (7,) the pose in the palm; the orientation is that of the previous sample."""
        position = [np.interp(seconds, self._times, self._in_palm[:, i]) for i in range(3)]
        before = max(0, int(np.searchsorted(self._times, seconds + 1e-9)) - 1)
        return np.array([*position, *self._in_palm[before, 3:]])


class Watch(RunListener):
    """Compares a run with the truth."""

    def __init__(self, truth: Truth, localization: str, outcome: Outcome) -> None:
        self._truth = truth
        self._model = localization
        self.outcome = outcome

    def started(self, start: RunStart) -> None:
        """Find the hand and the object's shape."""
        layout = start.layout
        self._hand = layout.of_kind(EntityKind.HAND)[0]
        shapes = layout.entity(self._truth.thing).shapes
        self.outcome.round = all(s.kind is ShapeKind.SPHERE for s in shapes if s.collides)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Take a sample."""
        seconds = scene.time_ns * 1e-9
        held = self._truth.held(seconds)
        if scene.layout.has(self._hand.name, "holding") and not self._truth.at_edge(seconds):
            seen = bool(scene.get(self._hand.name, "holding")[0])
            self.outcome.monitor[2 * (not seen) + (not held)] += 1
        if held and scene.time_ns % PERIOD_NS == 0:
            self._compare(scene, seconds)

    def _compare(self, scene: Snapshot, seconds: float) -> None:
        thing = self._truth.thing
        if scene.owner(thing, "pose") != self._model:
            self.outcome.unseen += 1
            return
        found = relative_to(scene.pose(self._hand.parent), scene.pose(thing))
        true = self._truth.in_palm(seconds)
        error = found[:3] - true[:3]
        covariance = _full(scene.get(thing, "pose_covariance"))[:3, :3]
        # The covariance is along the hand's axes, which are the palm's here.
        normalized = float(error @ np.linalg.pinv(covariance, hermitian=True) @ error)
        cosine = min(1.0, abs(float(_axis(found[3:7]) @ _axis(true[3:7]))))
        self.outcome.samples.append((float(np.linalg.norm(error)), math.acos(cosine), normalized))

    def ended(self, summary: RunSummary) -> None:
        """Print the error, if there is one."""
        if summary.error is not None:
            print(f"{self.outcome.name}: {summary.error}", file=sys.stderr)


def play_worse(episode: LabelledEpisode, scenario_name: str, mismatches: Sequence[str]) -> Outcome:
    """Replay one episode with mismatch, given as `AXIS=LEVEL`.

    Raises:
        BadInput: see `play`; or if a mismatch is not possible.
    """
    if not mismatches:
        return play(episode, scenario_name)
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        worse = write_with_mismatches(
            episode, read_mismatches(mismatches), Path(folder) / episode.name
        )
        return play(worse, scenario_name)


def play(episode: LabelledEpisode, scenario_name: str) -> Outcome:
    """Replay one episode.

    Raises:
        BadInput: if the scenario has no in-hand localization, or cannot be run.
    """
    found = load_scenario(find_scenario(scenario_name or episode.scenario))
    scenario = scenario_of_episode(found, episode)
    truth = Truth(episode.folder)
    outcome = Outcome(episode.name, truth.thing)
    name = _localization(scenario)
    options = RunOptions(source=str(episode.recording), scene=episode.scene)
    conductor = session(scenario, options=options, listeners=[Watch(truth, name, outcome)])
    (port,) = (port for port in conductor.ports if port.plan.name == name)
    assert isinstance(port, LocalPort)
    _time_steps(port.model, truth.thing, outcome.step_ms)
    conductor.prepare()
    conductor.run()
    return outcome


def _localization(scenario: Scenario) -> str:
    for plan in scenario.models:
        if issubclass(plan.cls, InHandLocalization):
            return plan.name
    raise BadInput("the scenario has no in_hand_localization", file=scenario.path)


def _time_steps(model: Model, thing: str, took: list[float]) -> None:
    """Record the wall times of the steps at which the model is responsible."""
    step = model.step

    def timed(tick: Tick) -> Changes | None:
        begin = time.perf_counter()
        output = step(tick)
        if output is not None and (thing, "pose") in output.values:
            took.append(1e3 * (time.perf_counter() - begin))
        return output

    model.step = timed  # type: ignore[method-assign]


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return all figures, per object and in total."""
    objects = {}
    for thing in sorted({o.thing for o in outcomes}):
        mine = [o for o in outcomes if o.thing == thing]
        samples = np.array([s for o in mine for s in o.samples]).reshape(-1, 3)
        numbers: dict[str, Any] = {
            "episodes": len(mine),
            "samples": len(samples),
            "held_but_not_localized": sum(o.unseen for o in mine),
        }
        if len(samples):
            numbers |= _errors(samples, axis=not mine[0].round)
        objects[thing] = numbers
    right, false, missed, _ = (int(n) for n in np.sum([o.monitor for o in outcomes], axis=0))
    took = np.array([t for o in outcomes for t in o.step_ms])
    return {
        "episodes": len(outcomes),
        "in_hand_localization": objects,
        "grasp_monitor": {
            "precision": _share(right, right + false),
            "recall": _share(right, right + missed),
        },
        "step_ms": {
            "median": round(float(np.median(took)), 4) if len(took) else None,
            "p95": round(float(np.percentile(took, 95)), 4) if len(took) else None,
        },
    }


def _errors(samples: Floats, axis: bool) -> dict[str, float]:
    position, turn, normalized = samples.T
    numbers = {
        "position_error_median_mm": round(1e3 * float(np.median(position)), 3),
        "position_error_p95_mm": round(1e3 * float(np.percentile(position, 95)), 3),
        "inside_95_bound": round(float(np.mean(normalized <= BOUND_95)), 4),
    }
    if axis:
        numbers["axis_error_median_deg"] = round(math.degrees(float(np.median(turn))), 3)
        numbers["axis_error_p95_deg"] = round(math.degrees(float(np.percentile(turn, 95))), 3)
    return numbers


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _full(triangle: Floats) -> Floats:
    matrix = np.zeros((6, 6))
    matrix[np.triu_indices(6)] = triangle
    return np.asarray(matrix + matrix.T - np.diag(np.diag(matrix)))


def _axis(q: Floats) -> Floats:
    w, x, y, z = q
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, play, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--episodes", type=Path, required=True, help="folder of episodes")
    parser.add_argument("--scenario", default="", help="default: the episode's own")
    parser.add_argument(
        "--mismatch", action="append", default=[], help="AXIS=LEVEL; may be given several times"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)
    try:
        episodes = find_episodes(given.episodes)
        check_mismatches(read_mismatches(given.mismatch), episodes)
        how = (given.scenario, given.mismatch)
        outcomes = _play_all(episodes, how, given.jobs, given.json)
    except HetwinError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
    print(json.dumps(summary(outcomes), indent=None if given.json else 2))
    return 0


def _play_all(
    episodes: Sequence[LabelledEpisode], how: tuple[str, Sequence[str]], jobs: int, quiet: bool
) -> list[Outcome]:
    outcomes = []
    scenario, mismatches = ([one] * len(episodes) for one in how)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for outcome in pool.map(play_worse, episodes, scenario, mismatches):
            outcomes.append(outcome)
            if not quiet:
                print(json.dumps({"episode": outcome.name, **summary([outcome])}))
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
