"""Replays recorded drops and insertions with commanded fingers, driven with limited effort, and compares the grips.

Each episode is simulated anew by the stand-in. The twin gets its recording, but of the right hand the positions that
the stand-in's controller wanted instead of those that were measured, the true scene, and drives with the gains of the
stand-in's. A single physics simulation then has to stop the fingers at the object and hold it. Compared are whether it
is held before the hand opens, and how hard it is gripped while both hold it and it touches nothing else: by the torques
of the fingers' first joints, as the stand-in's controller judges its grip, and by the normal forces on the object. The
latter depend on how the fingers wedge it, which no drive determines.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.drops import episode as drops
from hetwin_bauer2022.insertions import episode as insertions
from hetwin_bauer2022.recipe import Recipe
from hetwin_bauer2022.two_hands.episode_files import write_files
from hetwin_bauer2022.two_hands.joints import ALL, FINGERS, LEVERS, drives
from hetwin_bauer2022.two_hands.witness import TOUCH_N, Sample
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_stand_ins.motion import Program
from hetwin_suite.robot import Reading

SEED = 16_000
BEFORE_S = 0.05
"""The grips are compared so long before the hand opens."""
FADING = "fading"
"""The flaw of drives that lose their force, which commands do not show."""
DEADLINE_S = 3600.0
"""Wall time that a call of a model may take, so that nothing depends on the machine's load."""
ROOT = resource("urdf").parent

EXAMPLES = """examples:
  python benchmarks/limited_drives.py
  python benchmarks/limited_drives.py --kind drop --count 5 --json > grips.json
"""


@dataclass(frozen=True, slots=True)
class Episode:
    """What the stand-in did.

    Attributes:
        thing: the object.
        scene: model -> true (7,) pose at the start.
        opening: when the hand opens [s].
        flaw: what went wrong.
    """

    thing: str
    scene: Mapping[str, Floats]
    program: Program
    readings: Sequence[Reading]
    samples: Sequence[Sample]
    opening: float
    flaw: str


@dataclass(frozen=True, slots=True)
class Row:
    """One episode: whether the object was held, and the mean forces of a finger [N], in the twin and in truth.

    Attributes:
        grip: by the torque of its first joint.
        pressure: normal to the object.
        share_equal: of the time until the hand opens in which both say the same.
    """

    episode: str
    flaw: str
    truly_held: bool
    held: bool
    true_grip: float
    grip: float
    true_pressure: float
    pressure: float
    share_equal: float

    @property
    def right(self) -> bool:
        """Whether the twin says what the recording does."""
        return self.held is self.truly_held

    @property
    def deviation(self) -> float:
        """Of the grip, relative to the true one; nan unless both hold."""
        both = self.held and self.truly_held and self.true_grip > 0
        return self.grip / self.true_grip - 1.0 if both else float("nan")


@dataclass(slots=True)
class Grips(RunListener):
    """A listener that collects the normal forces of the four fingers, and of all else, on an object, every 10 ms."""

    thing: str
    times: list[float] = field(default_factory=list)
    forces: list[Floats] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    torques: list[Floats] = field(default_factory=list)

    def started(self, start: RunStart) -> None:
        """Find the entities."""
        names = [entity.name for entity in start.layout.entities]
        self._thing = names.index(self.thing)
        self._finger = {
            i: int(name.split("_")[3]) - 1
            for i, name in enumerate(names)
            if name.startswith("right_hand_finger_")
        }
        robot = next(e for e in start.layout.entities if e.kind is EntityKind.ROBOT)
        first = start.layout.range_of(robot.name, "joint_efforts").start
        self._torques = [first + robot.joints.index(name) for name in FINGERS["right"][::3]]
        self._every = max(1, round(start.rate / 100))

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Add up the forces."""
        if step % self._every:
            return
        forces, others = np.zeros(4), 0.0
        for row in scene.proximity[:, :12]:
            pair = {int(row[0]), int(row[1])}
            if self._thing not in pair:
                continue
            finger = self._finger.get((pair - {self._thing}).pop())
            force = abs(float(row[6:9] @ row[9:12]))
            if finger is None:
                others += force
            else:
                forces[finger] += force
        self.others.append(others)
        self.torques.append(scene.values[self._torques])
        self.times.append(scene.time_ns * 1e-9)
        self.forces.append(forces)


def simulated(kind: str, index: int, seed: int) -> Episode:
    """Let the stand-in do an episode."""
    recipe = Recipe(seed, index)
    random = np.random.default_rng([seed, index])
    if kind == "drop":
        drop = drops.simulate(random, ROOT, recipe)
        return Episode(
            "ball",
            drops.initial_poses(drop.drawn, true=True),
            drop.program,
            drop.readings,
            drop.samples,
            drop.program.time_of("release"),
            str(drop.drawn.flaw),
        )
    done = insertions.simulate(random, ROOT)
    drawn = done.drawn
    scene = {
        "spu": drawn.socket_pose(True),
        "dip": done.samples[0].pose,  # where the fingers have moved it
    }
    opening = done.program.time_of("release")
    return Episode("dip", scene, done.program, done.readings, done.samples, opening, "none")


def commanded(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The readings, but of the right hand all except the first with what its controller wanted."""
    before: Reading | None = None
    for reading in readings:
        if reading.joints != FINGERS["right"] or reading.targets is None:
            yield reading
            continue
        if before is not None and before.targets is not None:
            speeds = (reading.targets - before.targets) / (reading.time - before.time)
            reading = replace(reading, positions=reading.targets, velocities=speeds)
        before = reading
        yield reading


def limited(scenario: Scenario, tip_force: float | None = None) -> Scenario:
    """The scenario, with the gains of the stand-in in the fingers; they press with at most this force [N]."""
    gains = drives()
    groups: dict[str, dict[str, Any]] = {}
    for joint in range(3):
        at = ALL.index(FINGERS["right"][joint])
        groups[f"right_{joint + 1}"] = {
            "joints": [f"right_hand_finger_*_joint_{joint + 1}"],
            "mode": "limited",
            "stiffness": float(gains.stiffness[at]),
            "damping": float(gains.damping[at]),
        }
        if tip_force is not None:
            groups[f"right_{joint + 1}"]["effort"] = float(LEVERS[joint] * tip_force)
    given = scenario.file.robot
    told = given.model_dump(mode="json") if isinstance(given, Robot) else {"urdf": given}
    robot = Robot.model_validate({**told, "drives": groups})
    return replace(scenario, file=scenario.file.model_copy(update={"robot": robot}))


def replayed(kind: str, episode: Episode, folder: Path) -> Grips:
    """Let the twin follow the commands."""
    name = {"drop": "uncertain_environment_single", "insertion": "insertion_single"}[kind]
    random = np.random.default_rng(0)
    readings = list(commanded(episode.readings))
    where = folder / "episode"
    program, scene = episode.program, dict(episode.scene)
    write_files(where, 0, name, scene, {}, program, readings, random)
    scenario = limited(load_scenario(find_scenario(name)))
    believed = json.loads((where / "scene.json").read_text(encoding="utf-8"))["scene"]
    grips = Grips(episode.thing)
    options = RunOptions(source=str(where / "recording"), scene=believed)
    session(scenario, options=options, listeners=[grips], deadline_s=DEADLINE_S).run()
    return grips


def compared(name: str, episode: Episode, grips: Grips) -> Row:
    """Compare the twin's grips with the true ones, at the same times."""
    true_times = np.array([sample.time for sample in episode.samples])
    true_forces = np.array([sample.fingers for sample in episode.samples])
    times, forces = np.array(grips.times), np.array(grips.forces)
    same = np.abs(true_times[:, None] - times).argmin(axis=0)
    others = np.array([sample.others for sample in episode.samples])[same]
    alone = np.maximum(others, grips.others) < TOUCH_N
    truth = true_forces[same]
    held, truly = _held(forces), _held(truth)
    at = int(np.searchsorted(times, episode.opening - BEFORE_S)) - 1
    both = held & truly & alone & (times < episode.opening)
    grip, true_grip = np.array(grips.torques) / LEVERS[0], _true_grip(episode, times)
    agree = float((held == truly)[times < episode.opening].mean())
    true, twin, true_normal, normal = (
        float(values[both].mean()) if both.any() else float("nan")
        for values in (true_grip, grip, truth, forces)
    )
    is_held, truly_held = bool(held[at]), bool(truly[at])
    return Row(name, episode.flaw, truly_held, is_held, true, twin, true_normal, normal, agree)


def _true_grip(episode: Episode, times: Floats) -> Floats:
    """(n, 4) forces at the tips [N] that the measured torques of the first joints mean."""
    hand = [reading for reading in episode.readings if reading.joints == FINGERS["right"]]
    known = np.array([reading.time for reading in hand])
    nearest = np.abs(known[:, None] - times).argmin(axis=0)
    torques = np.array([reading.efforts[::3] for reading in hand])
    return np.asarray(torques[nearest] / LEVERS[0])


def _held(forces: Floats) -> np.ndarray:
    """(n,) whether fingers on both sides press, as the stand-in's witness has it."""
    return np.asarray((forces[:, :2].max(axis=1) > TOUCH_N) & (forces[:, 2:].max(axis=1) > TOUCH_N))


def row(kind: str, index: int, seed: int) -> Row:
    """Compare one episode."""
    episode = simulated(kind, index, seed)
    with tempfile.TemporaryDirectory() as folder:
        grips = replayed(kind, episode, Path(folder))
    return compared(f"{kind}_{index + 1:04d}", episode, grips)


def rows(kinds: Sequence[str], count: int, seed: int, jobs: int) -> Iterator[Row]:
    """Compare episodes, in the order in which they are done."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        tasks = [pool.submit(row, kind, i, seed) for i in range(count) for kind in kinds]
        for task in as_completed(tasks):
            yield task.result()


def summary(found: Sequence[Row]) -> dict[str, Any]:
    """The figures of the acceptance."""
    deviations = np.array([row.deviation for row in found])
    known = np.abs(deviations[~np.isnan(deviations)])
    steady = np.array([abs(row.deviation) for row in found if row.flaw != FADING])
    steady = steady[~np.isnan(steady)]
    return {
        "episodes": len(found),
        "right": sum(row.right for row in found),
        "share_right": sum(row.right for row in found) / max(len(found), 1),
        "grip_deviation_median": float(np.median(known)) if len(known) else None,
        "grip_within_20_percent": float((known <= 0.2).mean()) if len(known) else None,
        "of_drives_that_do_not_fade": float((steady <= 0.2).mean()) if len(steady) else None,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns 0 if at least 95 % of the episodes are right."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", choices=("drop", "insertion"), help="default: both")
    parser.add_argument("--count", type=int, default=50, help="episodes of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    kinds = [options.kind] if options.kind else ["drop", "insertion"]
    found = []
    for one in rows(kinds, options.count, options.seed, options.jobs):
        found.append(one)
        print(
            f"{one.episode} {one.flaw}: held {one.held} (truly {one.truly_held}),"
            f" grip {one.grip:.2f} N (truly {one.true_grip:.2f} N),"
            f" pressure {one.pressure:.2f} N (truly {one.true_pressure:.2f} N),"
            f" equal {100 * one.share_equal:.0f} % of the time",
            file=sys.stderr,
            flush=True,
        )
    figures = summary(found)
    if options.json:
        print(json.dumps({**figures, "rows": [asdict(one) for one in found]}, indent=1))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return 0 if figures["share_right"] >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
