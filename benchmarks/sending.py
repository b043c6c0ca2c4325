"""Sends goals to stand-ins that obey, and measures what the link promises.

- goals: random ones, a third of which break a rule. Nothing may go out for those, each must be refused with its rule,
  and all others must be reached within 0.01 rad. Someone else listens to the robot's topics and judges.
- kills: the twin is killed at a random time, and the robot must stand within 0.6 s; then the robot, and the twin must
  say `lost` within 1 s. Joints keep their limits all the way.
- faults: robots that freeze or drift must be noticed within 0.5 s of it, and goals without a fault never deviate.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine
from sending_observer import Observer

from hetwin_commanding.goals import read_goals
from hetwin_commanding.link.sending import send
from hetwin_commanding.send import Commander
from hetwin_core.ensemble.conductor.start.options import RunOptions

HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
START_LIMIT_S = 60.0
SEND_LIMIT_S = 60.0
REACHED, STANDS_S, LOST_S, NOTICED_S, LIMITS = 0.01, 0.6, 1.0, 0.5, 1.05
NOISE = 0.006
"""What the noise of the sensors adds to a speed [rad/s or m/s]."""
EXAMPLES = """examples:
  python benchmarks/sending.py                          # everything; some twenty minutes on two idle cores
  python benchmarks/sending.py --robot panda --goals 20 --kills 0 --faults 0
  python benchmarks/sending.py --json > sending.json
"""

SCENARIO = """
scenario: sending
world: {world}
robot: {robot}
rate: 400
models:
  physics: {{type: main_physics, main: true, engine: mujoco}}
commands:
  groups:
    arm: {{joints: {joints}, controller: arm_controller}}
  speed: 0.5
  workspace: {workspace}
  clearance: 0.01
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A robot, where its arm may go, and what breaks a rule.

    Attributes:
        urdf: in example-robot-data.
        link: the end of its arm.
        joints: those that are commanded, with the positions between which goals are drawn [rad or m].
        workspace: corners [m].
        outside: joints that take the end out of the workspace, with the others in the middle.
        into: joints that bring the arm into the ground or the robot, likewise.
    """

    urdf: str
    link: str
    joints: dict[str, tuple[float, float]]
    workspace: list[list[float]]
    outside: dict[str, float]
    into: dict[str, float]

    @property
    def middle(self) -> dict[str, float]:
        """Where the robot begins."""
        return {name: round((low + high) / 2.0, 6) for name, (low, high) in self.joints.items()}


KINDS = {
    "tiago": Kind(
        "tiago_description/robots/tiago.urdf",
        "arm_7_link",
        {
            "torso_lift_joint": (0.15, 0.3),
            "arm_1_joint": (1.2, 1.7),
            "arm_2_joint": (0.1, 0.6),
            "arm_3_joint": (-0.6, 0.2),
            "arm_4_joint": (0.7, 1.3),
            "arm_5_joint": (-0.6, 0.6),
            "arm_6_joint": (-0.4, 0.4),
            "arm_7_joint": (-0.8, 0.8),
        },
        [[0.1, -0.45, 0.3], [1.2, 0.45, 1.6]],
        {"arm_1_joint": 2.6, "arm_2_joint": 0.0, "arm_4_joint": 0.0},
        {"arm_1_joint": 2.09, "arm_2_joint": -1.37, "arm_4_joint": 0.65},
    ),
    "panda": Kind(
        "panda_description/urdf/panda.urdf",
        "panda_link8",
        {
            "panda_joint1": (-0.3, 0.3),
            "panda_joint2": (-0.9, -0.4),
            "panda_joint3": (-0.3, 0.3),
            "panda_joint4": (-2.5, -2.0),
            "panda_joint5": (-0.3, 0.3),
            "panda_joint6": (1.3, 1.9),
            "panda_joint7": (0.4, 1.2),
        },
        [[-0.2, -0.3, -0.2], [1.0, 0.3, 1.3]],
        {"panda_joint1": 1.6},
        {"panda_joint2": 1.72, "panda_joint4": -0.3, "panda_joint6": 2.5},
    ),
}


@dataclass
class Case:
    """A goal, the rule that it breaks (empty: none), and the positions that it is to lead to."""

    text: str
    rule: str = ""
    positions: dict[str, float] = field(default_factory=dict)


class Cases:
    """Draws goals for a robot.

    Args:
        kind: of robot.
        folder: for files of trajectories.
        seed: of everything.
    """

    def __init__(self, kind: Kind, folder: Path, seed: int) -> None:
        self._kind, self._folder = kind, folder
        self._random = np.random.default_rng(seed)
        self._number = 0

    def draw(self, count: int, here: Callable[[], dict[str, float]]) -> Iterator[Case]:
        """Yield goals; every third breaks a rule, each rule in turn; `here` says where the robot is."""
        breaking = [self._position, self._velocity, self._start, self._unreachable]
        breaking += [self._workspace, self._collision]
        for i in range(count):
            yield breaking[i // 3 % len(breaking)](here()) if i % 3 == 2 else self.free()

    def free(self) -> Case:
        """Return a goal that breaks no rule."""
        names = list(self._kind.joints)
        chosen = self._random.choice(names, self._random.integers(1, len(names) + 1), replace=False)
        positions = {
            str(name): round(float(self._random.uniform(*self._kind.joints[name])), 4)
            for name in chosen
        }
        return Case(f"joints: {json.dumps(positions)}\n", positions=positions)

    def _position(self, here: dict[str, float]) -> Case:
        name = str(self._random.choice(list(self._kind.joints)))
        beyond = float(self._random.uniform(4.0, 6.0))
        return Case(f"joints: {{{name}: {beyond:.4f}}}\n", "position")

    def _unreachable(self, here: dict[str, float]) -> Case:
        x, y, z = self._random.uniform((3.0, -1.0, 0.0), (5.0, 1.0, 2.0)).tolist()
        tip = [round(x, 4), round(y, 4), round(z, 4), 1.0, 0.0, 0.0, 0.0]
        return Case(f"{{tip: {tip}, link: {self._kind.link}}}\n", "unreachable")

    def _workspace(self, here: dict[str, float]) -> Case:
        positions = {**self._kind.middle, **self._kind.outside}
        return Case(f"joints: {json.dumps(positions)}\n", "workspace")

    def _collision(self, here: dict[str, float]) -> Case:
        positions = {**self._kind.middle, **self._kind.into}
        return Case(f"joints: {json.dumps(positions)}\n", "collision")

    def _velocity(self, here: dict[str, float]) -> Case:
        name = list(self._kind.joints)[int(self._random.integers(1, len(self._kind.joints)))]
        low, high = self._kind.joints[name]
        there = low if abs(here[name] - low) > abs(here[name] - high) else high
        way = abs(there - here[name])
        return self._trajectory({name: there}, [(way / float(self._random.uniform(6, 9)), there)])

    def _start(self, here: dict[str, float]) -> Case:
        name = str(self._random.choice(list(self._kind.joints)))
        away = here[name] + float(self._random.choice([-1, 1]) * self._random.uniform(0.05, 0.3))
        case = self._trajectory({name: away}, [(0.0, away), (4.0, here[name])])
        return replace(case, rule="start")

    def _trajectory(
        self, positions: dict[str, float], points: Sequence[tuple[float, float]]
    ) -> Case:
        self._number += 1
        file = self._folder / f"motion_{self._number}.yaml"
        rows = [
            {"positions": [round(at, 5)], "velocities": [0.0], "time_from_start": round(when, 4)}
            for when, at in points
        ]
        file.write_text(json.dumps({"joint_names": list(positions), "points": rows}), "utf-8")
        return Case(f"trajectory: {file.name}\n", "velocity")


class Place:
    """A robot's scenario in a folder, and what sends to it.

    Args:
        kind: of robot.
        folder: for the files.
        seed: of the stand-ins.
    """

    def __init__(self, kind: Kind, folder: Path, seed: int) -> None:
        self.kind, self.folder, self.seed = kind, folder, seed
        robot = {
            "urdf": f"package://example-robot-data/robots/{kind.urdf}",
            "joints_at_start": kind.middle,
        }
        self.scenario = folder / "sending.yaml"
        text = SCENARIO.format(
            world="worlds/empty.sdf",
            robot=json.dumps(robot),
            joints=json.dumps(list(kind.joints)),
            workspace=kind.workspace,
        )
        self.scenario.write_text(text, encoding="utf-8")
        self._goal = folder / "goal.yaml"
        self._goal.write_text("joints: {" + next(iter(kind.joints)) + ": 0}\n", "utf-8")
        self.commander = Commander.of(str(self.scenario), self._goal, RunOptions())

    def written(self, case: Case) -> Path:
        """Write a goal to its file."""
        self._goal.write_text(case.text, encoding="utf-8")
        return self._goal

    def sent(self, case: Case) -> dict[str, Any]:
        """Send a goal from this process; returns what the command would print."""
        goals = tuple(read_goals(self.written(case)))
        return send(replace(self.commander, goals=goals), "").to_json()

    def long_way(self) -> Case:
        """Return a goal that breaks no rule, the longest way of some."""
        cases = Cases(self.kind, self.folder, self.seed)
        found: list[tuple[float, Case]] = []
        for _ in range(10):
            case = cases.free()
            goals = tuple(read_goals(self.written(case)))
            rehearsal = replace(self.commander, goals=goals).rehearse_only().rehearsal
            if rehearsal.ok:
                found.append((rehearsal.duration, case))
        return max(found, key=lambda one: one[0])[1]

    @contextmanager
    def robot(self, fault: str | None = None) -> Iterator[subprocess.Popen[str]]:
        """A stand-in, until the end; each has another seed."""
        self.seed += 1
        command = [*HETWIN, "robot", "obey", str(self.scenario), "--seed", str(self.seed)]
        process = subprocess.Popen(
            [*command, *(["--fault", fault] if fault else [])],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert process.stdout is not None
            if "obeys" not in process.stdout.readline():
                raise RuntimeError("the stand-in has not started")
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def goals(place: Place, count: int, observer: Observer) -> dict[str, Any]:
    """Send random goals to one robot; returns what was and was not as promised."""
    limits = place.commander.commanded
    speed = dict(zip(limits.names, limits.speed.tolist(), strict=True))
    cases = Cases(place.kind, place.folder, place.seed)
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    offsets: list[float] = []
    lags: list[float] = []
    with place.robot():
        observer.wait()
        for case in cases.draw(count, observer.joints):
            observer.begin()
            ended = place.sent(case)
            time.sleep(0.2)
            seen = observer.end()
            rules = {refusal["rule"] for refusal in ended["rehearsal"]["refused"]}
            counts[f"{case.rule or 'free'}: {ended['result']}"] += 1
            if case.rule:
                if seen.commands or ended["sent"] or case.rule not in rules:
                    wrong.append(
                        f"{case.text.strip()}: {ended['result']} {rules}, {seen.commands} sent"
                    )
                continue
            off = max(abs(seen.last[name] - at) for name, at in case.positions.items())
            offsets.append(off)
            fast = max((seen.fastest[name] - NOISE) / speed[name] for name in speed)
            consistency = ended["consistency"] or {}
            if consistency.get("lag"):
                lags.append(consistency["lag"]["p95"])
            if ended["result"] != "reached" or off > REACHED or fast > LIMITS:
                wrong.append(
                    f"{case.text.strip()}: {ended['result']} {sorted(rules)}, {off:.4f} off, {fast:.2f} of the speed"
                )
    return {
        "goals": count,
        "counts": dict(sorted(counts.items())),
        "deviated": sum(n for name, n in counts.items() if name.endswith("deviated")),
        "largest offset": round(max(offsets, default=0.0), 5),
        "lag p95": round(max(lags, default=0.0), 4),
        "wrong": wrong,
    }


def kills(place: Place, count: int, observer: Observer) -> dict[str, Any]:
    """Kill the twin, and then the robot, at random times of a motion."""
    random = np.random.default_rng(place.seed)
    case = place.long_way()
    stands: list[float] = []
    losts: list[float] = []
    wrong: list[str] = []
    for i in range(2 * count):
        with place.robot() as robot:
            observer.wait()
            observer.begin()
            twin = subprocess.Popen(
                [*HETWIN, "send", str(place.scenario), str(place.written(case)), "--json"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            try:
                observer.wait_for_command(SEND_LIMIT_S)
                time.sleep(float(random.uniform(0.0, 0.8)))
                at = time.monotonic()
                if i % 2 == 0:
                    twin.kill()
                    time.sleep(1.5)
                    stands.append(observer.end().moved_until - at)
                    if stands[-1] > STANDS_S:
                        wrong.append(f"the robot stood {stands[-1]:.2f} s after the twin's end")
                else:
                    robot.kill()
                    out, _ = twin.communicate(timeout=SEND_LIMIT_S)
                    losts.append(time.monotonic() - at)
                    result = json.loads(out)["result"]
                    if result not in ("lost", "reached") or losts[-1] > LOST_S:
                        wrong.append(f"{result} {losts[-1]:.2f} s after the robot's end")
            finally:
                twin.kill()
                twin.communicate()
    return {
        "stands after": [round(s, 3) for s in sorted(stands)],
        "lost after": [round(s, 3) for s in sorted(losts)],
        "wrong": wrong,
    }


def faults(place: Place, count: int, observer: Observer) -> dict[str, Any]:
    """Send to robots that freeze or drift."""
    random = np.random.default_rng(place.seed)
    case = place.long_way()
    delays: dict[str, list[float]] = {"freeze": [], "drift": []}
    wrong: list[str] = []
    for i in range(count):
        kind, at = ("freeze", "drift")[i % 2], float(random.uniform(0.05, 0.5))
        with place.robot(f"{kind}:{at:.3f}"):
            observer.wait()
            ended = place.sent(case)
        found = (ended["consistency"] or {}).get("deviates") or []
        if ended["result"] != "deviated" or not found:
            wrong.append(f"{kind}:{at:.3f}: {ended['result']}")
            continue
        delays[kind].append(
            found[0] - at
        )  # both since the first command, which the robot gets at once
        if delays[kind][-1] > NOTICED_S:
            wrong.append(f"{kind}:{at:.3f}: noticed {delays[kind][-1]:.2f} s later")
    return {
        "noticed after": {kind: [round(d, 3) for d in sorted(ds)] for kind, ds in delays.items()},
        "wrong": wrong,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robot", choices=list(KINDS), action="append", help="default: all")
    parser.add_argument("--goals", type=int, default=100, help="for each robot")
    parser.add_argument("--kills", type=int, default=20, help="of each side, for each robot")
    parser.add_argument("--faults", type=int, default=20, help="for each robot")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--domain", type=int, default=95, help="ROS_DOMAIN_ID")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(given.domain)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    result: dict[str, Any] = {"machine": machine()}
    for name in given.robot or list(KINDS):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(KINDS[name], Path(folder), given.seed)
            with Observer(list(KINDS[name].joints), "arm_controller") as observer:
                found: dict[str, Any] = {}
                for what, count, measure in (
                    ("goals", given.goals, goals),
                    ("kills", given.kills, kills),
                    ("faults", given.faults, faults),
                ):
                    if count:
                        found[what] = measure(place, count, observer)
                        if not given.json:
                            print(
                                f"{name}: {what}: {json.dumps(found[what], indent=2)}", flush=True
                            )
                result[name] = found
    if given.json:
        print(json.dumps(result, indent=2))
    failed = [f for robot in given.robot or KINDS for f in result[robot].values() if f["wrong"]]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
