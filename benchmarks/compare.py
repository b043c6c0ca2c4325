"""Measures whether the comparison of two runs finds where they part, and names what was changed.

Each pair is a healthy pick-and-place and the same with one thing changed through its scene, at random: the tray moved,
the box moved or turned, a neighbour moved into the way or added. What is true is seen by a listener of both runs, in
every step of physics, without the log: the first object that moves by more than 5 mm or 5 degrees otherwise than in the
healthy run. The comparison reads the logs. It is right if it names that object, within 0.3 s, or says that nothing
parts where nothing does; the change has to stand in what was given.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from hetwin_compare.compare import compare_runs
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.request import RunRequest

EXAMPLES = """examples:
  python benchmarks/compare.py
  python benchmarks/compare.py --pairs 10 --seed 4 --json
"""
SCENARIO = "pick_and_place"
WITHIN_S = 0.3
APART_M, APART_RAD = 0.005, radians(5.0)
SETTLED_S = 0.5
"""An object that only one run has may settle until then."""
BOX, TRAY = (0.45, 0.2, 0.8), (0.42, -0.26, 0.79)
"""Where they stand in the healthy run [m]."""
CAN = """<sdf version="1.9"><model name="can"><link name="link">
<inertial><mass>0.15</mass><inertia><ixx>3.4e-4</ixx><iyy>3.4e-4</iyy><izz>3e-5</izz></inertia></inertial>
<collision name="c"><geometry><cylinder><radius>0.02</radius><length>0.16</length></cylinder></geometry></collision>
<visual name="v"><geometry><cylinder><radius>0.02</radius><length>0.16</length></cylinder></geometry></visual>
</link></model></sdf>
"""
CAN_Z = 0.83
"""Height of the middle of a can on the table [m]."""
ASIDE = {"can1": (0.75, 0.45), "can2": (0.8, -0.4)}
"""Neighbours of the healthy run, where they are in nobody's way [m]."""
KINDS = ("tray moved", "box moved", "box turned", "neighbour moved", "neighbour added")

Scene = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Pair:
    """What was found of a pair.

    Attributes:
        kind: of the change.
        changed: the entity.
        true_at: when the runs part [s]; None if they do not.
        true_of: the objects that part then.
        found_at: when they do by the comparison.
        found_of: which ones.
        given: what is said to have been given differently.
        first: the earliest place of any kind at which the comparison says that they part, with its kind.
        seconds: processor time of the comparison.
    """

    kind: str
    changed: str
    true_at: float | None
    true_of: list[str]
    found_at: float | None
    found_of: list[str]
    given: list[str]
    first: str
    seconds: float

    @property
    def right(self) -> bool:
        """Whether the right object parts at the right time, or none where none does."""
        if self.true_at is None or self.found_at is None:
            return self.true_at is None and self.found_at is None
        names = bool({*self.true_of} & {*self.found_of})
        return names and abs(self.true_at - self.found_at) <= WITHIN_S

    @property
    def named(self) -> bool:
        """Whether the change, and nothing else of the scene, stands in what was given."""
        return self.given == [f"scene {self.changed}"]


class PathRecorder(RunListener):
    """Keeps the poses of all objects after every step."""

    def __init__(self) -> None:
        self.times: list[int] = []
        self._rows: list[Floats] = []
        self._columns: dict[str, slice] = {}

    def started(self, start: RunStart) -> None:
        """Keep where the objects are."""
        for entity in start.layout.of_kind(EntityKind.OBJECT):
            self._columns[entity.name] = start.layout.range_of(entity.name, "pose")
        self.stepped(0, start.snapshot)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Keep a step."""
        self.times.append(scene.time_ns)
        rows = [scene.values[columns][:7].copy() for columns in self._columns.values()]
        self._rows.append(np.stack(rows))

    def paths(self) -> dict[str, Floats]:
        """Return (n, 7) poses by object."""
        whole = np.stack(self._rows, axis=1)
        return dict(zip(self._columns, whole, strict=True))


def main() -> int:
    """Run the benchmark."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for pair in measure(Path(folder), options.pairs, options.seed):
            print(_line(pair), file=sys.stderr, flush=True)
            pairs.append(pair)
    right, named = (sum(getattr(p, name) for p in pairs) for name in ("right", "named"))
    result = {
        "machine": machine(),
        "seed": options.seed,
        "pairs": [{**asdict(pair), "right": pair.right, "named": pair.named} for pair in pairs],
        "right": right / len(pairs),
        "named": named / len(pairs),
    }
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        _show(pairs)
    return 0 if right >= 0.95 * len(pairs) and named == len(pairs) else 1


def measure(folder: Path, count: int, seed: int) -> Iterator[Pair]:
    """Run pairs and compare them.

    Args:
        folder: takes the runs.
        count: how many pairs.
        seed: of the changes.
    """
    (folder / "can.sdf").write_text(CAN, encoding="utf-8")
    beside = {
        name: {"model": str(folder / "can.sdf"), "pose": _at(*xy, CAN_Z)}
        for name, xy in ASIDE.items()
    }
    healthy = _run(folder / "healthy", beside)
    random = np.random.default_rng(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        name, change = _change(kind, random, folder / "can.sdf")
        run = folder / f"changed{number}"
        witness = _run(run, {**beside, name: {**beside.get(name, {}), **change}})
        yield _compared(kind, name, (healthy, witness), (folder / "healthy", run))


def _compared(
    kind: str, name: str, seen: tuple[PathRecorder, PathRecorder], runs: tuple[Path, Path]
) -> Pair:
    """Return what the comparison finds of two runs, and what is true of them."""
    true_at, true_of = parting(*seen)
    begun = time.process_time()
    found = compare_runs(*runs).to_json()
    seconds = time.process_time() - begun
    state = found["divergence"]["state"]
    places = {n: row for n, row in found["divergence"].items() if row is not None}
    first = min(places, key=lambda n: places[n]["time"], default=None)
    return Pair(
        kind=kind,
        changed=name,
        true_at=true_at,
        true_of=true_of,
        found_at=None if state is None else state["time"],
        found_of=[] if state is None else state["entities"],
        given=[f"{item['what']} {item['name']}" for item in found["given"]],
        first="" if first is None else f"{first} {places[first]['time']:.2f} s",
        seconds=seconds,
    )


def parting(healthy: PathRecorder, changed: PathRecorder) -> tuple[float | None, list[str]]:
    """Return when the first object moves otherwise [s], and the objects that do within 0.1 s of that."""
    times = np.array(healthy.times[: min(len(healthy.times), len(changed.times))]) / 1e9
    one, other = healthy.paths(), changed.paths()
    found: dict[str, float] = {}
    for name in dict.fromkeys([*one, *other]):
        off = np.zeros(len(times), bool)
        if name in one and name in other:
            here, there = (_since(path[name][: len(times)], 0) for path in (one, other))
            off = _differ(here, there)
        else:
            start = int(np.searchsorted(times, SETTLED_S))
            path = one.get(name, other.get(name))
            assert path is not None  # one of them has it
            moved = _since(path[: len(times)], start)
            off = _differ(moved, _rest(len(times))) & (times >= SETTLED_S)
        if off.any():
            found[name] = float(times[int(np.argmax(off))])
    if not found:
        return None, []
    first = min(found.values())
    return first, [name for name, at in found.items() if at <= first + 0.1]


def _since(path: Floats, start: int) -> tuple[Floats, Floats]:
    """Return (n, 3) how far, and (n, 3, 3) how much turned, an object is since a step."""
    turned = np.stack([_matrix(*row[3:]) for row in path])
    return path[:, :3] - path[start, :3], turned @ turned[start].T


def _rest(count: int) -> tuple[Floats, Floats]:
    return np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1))


def _differ(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Any:
    """Return (n,) whether two motions differ by more than an object may."""
    distance = np.linalg.norm(one[0] - other[0], axis=1)
    between = one[1] @ other[1].transpose(0, 2, 1)
    cosine = (np.trace(between, axis1=1, axis2=2) - 1.0) / 2.0
    return (distance > APART_M) | (np.arccos(np.clip(cosine, -1.0, 1.0)) > APART_RAD)


def _matrix(w: float, x: float, y: float, z: float) -> Floats:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _change(kind: str, random: np.random.Generator, can: Path) -> tuple[str, dict[str, Any]]:
    """Return an entity and its entry in the scene."""
    angle = random.uniform(-pi, pi)
    if kind == "tray moved":
        return "tray", {"pose": _beside(TRAY, random.uniform(0.05, 0.3), angle)}
    if kind == "box moved":
        return "box", {"pose": _beside(BOX, random.uniform(0.01, 0.08), angle)}
    if kind == "box turned":
        return "box", {"pose": _at(*BOX, yaw=random.uniform(0.2, 1.4))}
    near = (BOX, TRAY)[int(random.integers(2))]
    distance = random.uniform(0.05, 0.11) if near is BOX else random.uniform(0.16, 0.2)
    pose = _beside((*near[:2], CAN_Z), distance, angle)
    if kind == "neighbour moved":
        return "can1", {"pose": pose}
    return "can3", {"model": str(can), "pose": pose}


def _beside(place: tuple[float, float, float], distance: float, angle: float) -> list[float]:
    x, y, z = place
    return _at(x + distance * cos(angle), y + distance * sin(angle), z)


def _at(x: float, y: float, z: float, yaw: float = 0.0) -> list[float]:
    return [float(x), float(y), z, cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)]


def _run(out: Path, scene: Scene) -> PathRecorder:
    witness = PathRecorder()
    request = RunRequest(SCENARIO, RunOptions(scene=scene), out)
    run_locally(request, load_scenario(find_scenario(SCENARIO)), out, witness)
    return witness


def _show(pairs: Iterable[Pair]) -> None:
    total: Counter[str] = Counter()
    good: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for pair in pairs:
        total[pair.kind] += 1
        good[pair.kind] += pair.right and pair.named
        parts[pair.kind] += pair.true_at is not None
    print("| change | pairs | of these part | right |\n|---|---|---|---|")
    for kind, count in total.items():
        print(f"| {kind} | {count} | {parts[kind]} | {good[kind]} |")


def _line(pair: Pair) -> str:
    mark = "" if pair.right and pair.named else "   WRONG"
    true, found = (_place(*place) for place in _places(pair))
    return f"{pair.kind}: {true}; found {found}; first {pair.first or 'nothing'}{mark}"


def _places(pair: Pair) -> Iterator[tuple[float | None, list[str]]]:
    yield pair.true_at, pair.true_of
    yield pair.found_at, pair.found_of


def _place(at: float | None, names: list[str]) -> str:
    return "nothing" if at is None else f"{', '.join(names)} at {at:.2f} s"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=50, help="default: 50")
    parser.add_argument("--seed", type=int, default=1, help="of the changes; default: 1")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
