"""Makes the log of a long run: a pick-and-place played forwards and backwards, among other objects that stay.

The states are those of a real run, with the twists and forces that belong to them; the box wanders from the table to
the tray and back. Around it stand further objects, each in contact with the table. The robot's program tells its tasks,
and believes where each object is, ten times a second. A belief is frozen now and then.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.beliefs import BeliefFields, belief_event
from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord, RunStart
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.ensemble.tasks import Status, TaskFields, task_event
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Interval

OBJECTS = 12
STATES_PER_S = 100
BELIEFS_PER_S = 10
FROZEN_EVERY = 7
"""In every so-manieth round trip the belief about the box is frozen while it is carried."""
_STEP_NS = 1_000_000_000 // STATES_PER_S
_BOX = "box"
_TOUCHED_S, _PICKED_S, _LOWERED_S, _PLACED_S = 4.03, 4.87, 8.70, 9.22
"""When the fingers touch the box in the run that is played, it leaves the table, touches the tray, is set down."""


class Played:
    """A run, state by state, forwards and backwards, with more objects.

    Args:
        run: folder of a run of ``pick_and_place``.
        objects: how many there are.
    """

    def __init__(self, run: Path, objects: int = OBJECTS) -> None:
        tables = open_tables(run)
        span = Interval(tables.start_ns, tables.known_until_ns)
        self.grid = np.arange(_STEP_NS, tables.known_until_ns, _STEP_NS)
        scenes = [tables.poses.snapshot(int(time_ns)) for time_ns in self.grid]
        self._old = tables.layout
        self.models = scenes[0].models
        self.others = [f"cup{i}" for i in range(1, objects)]
        self.layout = self._widened()
        self._scenes = [
            (
                np.concatenate((scene.values, self._others_values())),
                np.concatenate((scene.owners, np.zeros(len(self.others), np.int32))),
                np.concatenate((scene.parents, np.full(len(self.others), -1, np.int32))),
                np.concatenate((scene.proximity, self._others_rows())),
            )
            for scene in scenes
        ]
        self.seconds = (span.to_ns - span.from_ns) / 1e9

    def __len__(self) -> int:
        return len(self._scenes)

    def scene(self, number: int, time_ns: int) -> Snapshot:
        """Return the scene of a step; odd rounds go backwards."""
        trip, at = divmod(number, len(self))
        backwards = trip % 2 == 1
        values, owners, parents, near = self._scenes[len(self) - 1 - at if backwards else at]
        if backwards:
            values = values.copy()
            for slot in self.layout.slots:
                if slot.attribute.name == POSE.name:
                    values[slot.offset + 7 : slot.offset + 13] *= -1.0
        return Snapshot(
            self.layout, self.models, time_ns, values, owners, parents, proximity_tables(near)
        )

    def _widened(self) -> Layout:
        old = self._old
        added = [Entity(name, EntityKind.OBJECT, mass=0.2) for name in self.others]
        attributes = [(slot.entity, slot.attribute) for slot in old.slots]
        return Layout.build(
            [*old.entities, *added], [*attributes, *((n, POSE) for n in self.others)]
        )

    def _others_values(self) -> Floats:
        poses = np.zeros((len(self.others), POSE.size))
        poses[:, 0] = -0.3
        poses[:, 1] = np.linspace(-0.4, 0.4, len(self.others))
        poses[:, 2], poses[:, 3] = 0.8, 1.0
        return poses.reshape(-1)

    def _others_rows(self) -> Floats:
        rows = np.zeros((len(self.others), PROXIMITY_COLUMNS))
        rows[:, 0] = [self.layout.entity_id(name) for name in self.others]
        rows[:, 1] = self.layout.entity_id("table")
        rows[:, 2], rows[:, 8], rows[:, 11] = -1e-5, 1.0, 1.96
        return rows


def make_hour(run: Path, out: Path, seconds: float = 3600.0) -> Path:
    """Write the log of a long run; returns its folder.

    Args:
        run: folder of a run of ``pick_and_place``.
        out: folder to write.
        seconds: simulated time.
    """
    played = Played(run)
    records = tuple(
        ModelRecord(n, n, n, "service", "after", 100.0, i == 0, "here", 1)
        for i, n in enumerate(played.models)
    )
    start = RunStart(
        scenario="made_hour",
        scenario_file="made_hour.yaml",
        source="made up",
        seed=0,
        rate=float(STATES_PER_S),
        duration_ns=None,
        layout=played.layout,
        models=records,
        robot_descriptions={},
        warnings=(),
        snapshot=played.scene(0, 0),
    )
    with RunLog(out) as log:
        log.started(start)
        for step in range(1, round(seconds * STATES_PER_S)):
            time_ns = step * _STEP_NS
            for event in _events(played, step, time_ns):
                log.event(event)
            scene = played.scene(step, time_ns)
            if step % (STATES_PER_S // BELIEFS_PER_S) == 0:
                for belief in _beliefs(played, scene, step):
                    log.belief(belief)
            log.stepped(step, scene)
    return out


def _beliefs(played: Played, scene: Snapshot, step: int) -> Iterator[Event]:
    trip = step // len(played)
    for name in (_BOX, *played.others):
        pose = scene.pose(name)[:7]
        if name == _BOX and trip % FROZEN_EVERY == 0:
            pose = played.scene(trip * len(played), 0).pose(name)[:7]
        fields = BeliefFields("loc", (name,), pose=tuple(pose.tolist()), origin=f"/believed/{name}")
        yield belief_event(fields, scene.time_ns, "/beliefs")


def _events(played: Played, step: int, time_ns: int) -> Iterator[Event]:
    """Yield the tasks of a round, and what an observer sees of it."""
    trip, at = divmod(step, len(played))
    backwards, second = trip % 2 == 1, STATES_PER_S
    length = len(played) / STATES_PER_S
    picked = length - _LOWERED_S if backwards else _PICKED_S
    placed = length - _TOUCHED_S if backwards else _PLACED_S
    here, there = ("tray", "table") if backwards else ("table", "tray")
    pick, place, serve = (f"{name}.{trip + 1}" for name in ("pick_up", "place", "serve"))
    held, on = 'held("box", "gripper")', f'on("box", "{there}")'
    tasks = {
        1: [
            TaskFields(serve, "", (), "serve", on, Status.ACTIVE),
            TaskFields(pick, serve, (), "pick_up", held, Status.ACTIVE),
        ],
        round((picked + 0.5) * second): [
            TaskFields(pick, serve, (), "pick_up", held, Status.DONE),
            TaskFields(place, serve, (pick,), "place", on, Status.ACTIVE),
        ],
        round((placed + 0.3) * second): [
            TaskFields(place, serve, (pick,), "place", on, Status.DONE),
            TaskFields(serve, "", (), "serve", on, Status.DONE),
        ],
    }
    for fields in tasks.get(at, ()):
        yield task_event(fields, time_ns, "/tasks")
    for name, when, support in (("picked_up", picked, here), ("put_down", placed, there)):
        if at == round(when * second):
            what = {"object": _BOX, "hand": "gripper", "support": support}
            yield Event(name, time_ns, source="handling", arguments=dict(what))


def recorded_run(folder: Path) -> Path:
    """Run ``pick_and_place``; returns the run's folder."""
    out = folder / "run"
    command = ["hetwin", "run", "pick_and_place", "--no-page", "--out", str(out)]
    subprocess.run([Path(sys.executable).with_name(command[0]), *command[1:]], check=True)
    return out


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder of the run that is made")
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated time [s]")
    parser.add_argument("--run", type=Path, help="a run of pick_and_place; default: one is made")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_hour(given.run or recorded_run(Path(folder)), given.out, given.seconds)


if __name__ == "__main__":
    main()
