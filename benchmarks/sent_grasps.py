"""Sends `{grasp: OBJECT}` to stand-ins that obey and whose base is not where the scenario has it; counts what is held.

Each robot begins up to three centimetres off in x and in y and up to 0.05 rad turned, and says by its localization
where it is, a centimetre and a third of a degree off each time. Its friction, stiffness and noise are drawn.
The stand-in itself, which knows the truth, says where the object is in the end: held is what is higher than it was by
at least half of the lift.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from hetwin_commanding.link.sending import send
from hetwin_commanding.obeying.running import obeying
from hetwin_commanding.plan import Plan
from hetwin_commanding.rehearsal import Rule, rehearse
from hetwin_commanding.send import Commander
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.kinematics.planar import PlanarPose

ROOT = Path(__file__).resolve().parent.parent
LOCALIZATIONS = 8
OFF_M, TURNED_RAD, LIFT_M = 0.03, 0.05, 0.1
EXAMPLES = """examples:
  python benchmarks/sent_grasps.py                        # twenty; some ten minutes on two idle cores
  python benchmarks/sent_grasps.py --scenario home_lab --object cup --at 3.4 1.6 0 --count 20
  python benchmarks/sent_grasps.py --count 3 --json
"""
ARM = """
scenario: arm_on_a_base
extends: {root}/scenarios/pick_and_place.yaml
robot:
  urdf: urdf/tabletop_arm.urdf
  base: {{odometry: odom}}
  joints_at_start: {{shoulder_lift_joint: -0.1, elbow_joint: 1.6, wrist_pitch_joint: 1.64159}}
commands:
  groups:
    arm: {{joints: [shoulder_*, elbow_joint, wrist_*, hand_roll_joint], controller: arm_controller}}
    gripper: {{joints: [gripper_*], controller: gripper_controller}}
  base: cmd_vel
  clearance: 0.01
entities: {{box: {{attributes: {{pickable: {{}}}}}}}}
"""


def stand_in(scenario: str, seed: int, what: str, start: list[float]) -> None:
    """Obey until it is interrupted, then print how far an object has risen [m]."""
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
    with obeying(scenario, seed=seed, start=PlanarPose(*start)) as running:
        before = running.robot.poses()[what][2]
        print("obeys", flush=True)
        running.run(lambda _: None, over=lambda: bool(stop))
        print(json.dumps(float(running.robot.poses()[what][2] - before)), flush=True)


def one(scenario: str, what: str, start: list[float], seed: int, folder: Path) -> dict[str, Any]:
    """Send one goal to one displaced robot."""
    goal = folder / "goal.yaml"
    goal.write_text(json.dumps({"grasp": what, "lift": LIFT_M}), "utf-8")
    command = [sys.executable, __file__, "--stand-in", scenario, "--object", what]
    command += ["--seed", str(seed), "--at", *map(str, start)]
    robot = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert robot.stdout is not None
    try:
        if "obeys" not in robot.stdout.readline():
            raise RuntimeError("the stand-in has not started")
        ended = send(Commander.of(scenario, goal, RunOptions()), "").to_json()
    finally:
        robot.terminate()
    rise = float(json.loads(robot.stdout.read()))
    robot.wait(20)
    rules = [refusal["rule"] for refusal in ended["rehearsal"]["refused"]]
    return {
        "start": [round(part, 4) for part in start],
        "result": ended["result"],
        "refused": rules,
        "sent": ended["sent"],
        "consistency": ended["consistency"],
        "rise": round(rise, 4),
        "held": rise > LIFT_M / 2.0,
    }


def in_physics(
    scenario: str, what: str, start: list[float], seed: int, folder: Path
) -> dict[str, Any]:
    """Plan for where a robot believes its base to be, and let the twin carry that out where the base truly is."""
    random = np.random.default_rng(seed)
    noise = random.standard_normal((LOCALIZATIONS, 3)).mean(axis=0) * (0.01, 0.01, 0.0052)
    goal = folder / "goal.yaml"
    goal.write_text(json.dumps({"grasp": what, "lift": LIFT_M}), "utf-8")
    commander = Commander.of(scenario, goal, RunOptions())
    twin, commands = commander.twin, commander.commands
    believed = PlanarPose(*(np.array(start) + noise).tolist())
    plan, rehearsal = commander.rehearsed(twin.resting, believed)
    truly = Plan(plan.names, plan.start, plan.stages, PlanarPose(*start))
    done = rehearse(truly, twin, commander.commanded, commands, twin.resting)
    missed = [str(refusal) for refusal in done.refused if refusal.rule is Rule.OUTCOME]
    return {
        "start": [round(part, 4) for part in start],
        "believed off": [round(part, 4) for part in noise.tolist()],
        "result": "reached" if rehearsal.ok else "refused",
        "refused": [str(refusal) for refusal in rehearsal.refused],
        "sent": False,
        "missed": missed,
        "held": rehearsal.ok and not missed,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", help="default: the tabletop arm on a base that drives")
    parser.add_argument("--object", default="box")
    parser.add_argument("--at", type=float, nargs=3, default=[0.0, 0.0, 0.0], help="x y yaw")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--domain", type=int, default=96, help="ROS_DOMAIN_ID")
    parser.add_argument(
        "--in-physics",
        action="store_true",
        help="without ROS and real time: what is planned for the believed place is done at the true one",
    )
    parser.add_argument("--stand-in", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    if given.stand_in:
        stand_in(given.stand_in, given.seed, given.object, given.at)
        return
    os.environ["ROS_DOMAIN_ID"] = str(given.domain)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    random = np.random.default_rng(given.seed)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario = given.scenario
        if scenario is None:
            scenario = str(folder / "arm_on_a_base.yaml")
            Path(scenario).write_text(ARM.format(root=ROOT), "utf-8")
        for i in range(given.count):
            off = random.uniform(-1.0, 1.0, 3) * (OFF_M, OFF_M, TURNED_RAD)
            start = (np.array(given.at) + off).tolist()
            measure = in_physics if given.in_physics else one
            rows.append(measure(scenario, given.object, start, given.seed + i, folder))
            if not given.json:
                print(json.dumps(rows[-1]), flush=True)
    held = sum(row["held"] for row in rows)
    unsent = [row for row in rows if row["refused"] and row["sent"]]
    results = dict(Counter(row["result"] for row in rows))
    found = {"machine": machine(), "count": len(rows), "held": held, "results": results}
    print(
        json.dumps(
            {**found, "refused but sent": len(unsent), **({"rows": rows} if given.json else {})},
            indent=2,
        )
    )
    sys.exit(0 if held >= 0.9 * len(rows) and not unsent else 1)


if __name__ == "__main__":
    main()
