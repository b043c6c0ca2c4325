"""Measures inverse kinematics: ours one by one and as a batch, a paper's swarm, and TRAC-IK where it is installed.

Poses are those of random postures within the joints' limits. A pose counts as solved if forward kinematics that is not
ours (MuJoCo's, which reads the URDF by itself) finds each of the six errors at most 1e-5, and all joints are within
their limits. Times are processor times of a pose; of a batch, the mean.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from arms import ARMS, ByMujoco, postures
from machine import machine
from particle_swarm import Swarm

from hetwin_calibration.robot.least_motion import middle, motion, solve_with_least_motion
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.solver import Solver, sampled_limits

SEED = 20261122
EXACT = 1e-5
SOLVERS = ("newton", "newton_batch", "swarm", "trac_ik")
SWARM_POSES = 50
ITERATIONS = (100, 200, 500)
PUBLISHED = {
    "pr2": (99.96, 0.31),
    "panda": (99.88, 0.37),
    "baxter": (99.83, 0.37),
    "ur5": (99.17, 0.37),
}
"""TRAC-IK's own table: solved [%] and mean time [ms], 10,000 poses, C++."""
EXAMPLES = """examples:
  python benchmarks/inverse_kinematics.py --json
  python benchmarks/inverse_kinematics.py --poses 1000 --robots tiago ur5 --solvers newton trac_ik
"""


class Found(NamedTuple):
    """What a solver says of m poses.

    Attributes:
        positions: (m, n) of the joints [rad or m].
        claimed: (m,) whether it says that they solve the pose.
        ms: (m,) processor time.
    """

    positions: Floats
    claimed: np.ndarray[Any, np.dtype[np.bool_]]
    ms: Floats


def one_by_one(chain: Chain, poses: Floats) -> Found:
    """Solve by our solver of single poses."""
    solver = Solver(chain)
    rows, ms = [], []
    for pose in poses:
        begun = time.thread_time()
        rows.append(solver.solve(pose))
        ms.append((time.thread_time() - begun) * 1e3)
    solved = np.array([row.solved for row in rows])
    return Found(np.array([row.positions for row in rows]), solved, np.array(ms))


def batch(chain: Chain, poses: Floats) -> Found:
    """Solve all poses together."""
    solver = Solver(chain)
    begun = time.process_time()
    found = solver.solve_all(poses)
    ms = (time.process_time() - begun) * 1e3 / len(poses)
    return Found(found.positions, found.solved, np.full(len(poses), ms))


def swarm(chain: Chain, poses: Floats) -> Found:
    """Solve by the paper's algorithm from the middle of the joints' limits."""
    solver, rows, ms = Swarm(chain), [], []
    for pose in poses:
        begun = time.process_time()
        rows.append(solver.solve(pose[None], middle(chain)[None]))
        ms.append((time.process_time() - begun) * 1e3)
    solved = np.concatenate([row.solved for row in rows])
    return Found(np.concatenate([row.positions for row in rows]), solved, np.array(ms))


def trac_ik(name: str, count: int) -> Found:
    """Solve by TRAC-IK in a process of its own."""
    peer = Path(__file__).with_name("inverse_kinematics_peer.py")
    command = [sys.executable, str(peer), name, str(count), str(SEED)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout.splitlines()[-1])
    joints = len(ARMS[name].chain().joints)
    positions = [[np.nan] * joints if row is None else row for row, _ in rows]
    claimed = np.array([row is not None for row, _ in rows])
    return Found(np.array(positions), claimed, np.array([ms for _, ms in rows]))


def checked(name: str, chain: Chain, poses: Floats, found: Found) -> int:
    """Return how many poses are solved, by forward kinematics that is not ours."""
    arm, (lower, upper) = ARMS[name], sampled_limits(chain)
    other = ByMujoco(arm.urdf, arm.base, arm.tip)
    solved = 0
    for pose, positions in zip(poses[found.claimed], found.positions[found.claimed], strict=True):
        there = other.matrix(chain.joints, positions)
        way = _rotation(pose[3:]) @ there[:3, :3].T
        turn = np.abs(way - way.T).max() / 2.0
        near = np.abs(there[:3, 3] - pose[:3]).max() <= EXACT and turn <= EXACT
        inside = (positions >= lower - 1e-9).all() and (positions <= upper + 1e-9).all()
        solved += bool(near and inside and np.trace(way) > 2.9)
    return solved


def _rotation(quaternion: Floats) -> Floats:
    w, (x, y, z) = float(quaternion[0]), quaternion[1:].tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


def measure(name: str, solver: str, count: int) -> dict[str, Any] | None:
    """Return the row of a robot and a solver; None if the solver is not installed."""
    if solver == "trac_ik" and importlib.util.find_spec("pytracik") is None:
        return None
    chain = ARMS[name].chain()
    count = min(count, SWARM_POSES) if solver == "swarm" else count
    poses = np.array([chain.place(row).pose for row in postures(chain, count, SEED)])
    if solver == "trac_ik":
        found = trac_ik(name, count)
    else:
        found = {"newton": one_by_one, "newton_batch": batch, "swarm": swarm}[solver](chain, poses)
    return {
        "robot": name,
        "solver": solver,
        "solved": checked(name, chain, poses, found),
        "of": count,
        "mean_ms": float(found.ms.mean()),
        "median_ms": float(np.median(found.ms)),
        "p95_ms": float(np.percentile(found.ms, 95)),
    }


def least_motion(count: int) -> dict[str, float]:
    """Return the paper's equation 8 on TIAGo, from the middle of its joints: first solution and least motion."""
    chain = ARMS["tiago"].chain()
    poses = np.array([chain.place(row).pose for row in postures(chain, count, SEED)])
    before = np.tile(middle(chain), (count, 1))
    first = Solver(chain).solve_all(poses)
    least = solve_with_least_motion(Solver(chain), poses, before)
    a, b = (float(motion(each.positions, before).mean()) for each in (first, least))
    return {"first": a, "least": b, "ratio": b / a}


def swarm_errors(count: int) -> list[dict[str, Any]]:
    """Return the swarm's median errors on TIAGo, with the motion in the fitness and without, by iterations."""
    chain = ARMS["tiago"].chain()
    poses = np.array([chain.place(row).pose for row in postures(chain, count, SEED)])
    before = np.tile(middle(chain), (count, 1))
    rows = []
    for with_motion in (True, False):
        for iterations in ITERATIONS:
            solver = Swarm(chain, iterations=iterations, with_motion=with_motion)
            found = solver.solve(poses, before)
            rows.append(
                {
                    "motion": with_motion,
                    "iterations": iterations,
                    "median_mm": 1e3 * float(np.median(found.distances)),
                    "median_degrees": float(np.degrees(np.median(found.angles))),
                    "solved": int(found.solved.sum()),
                    "of": count,
                }
            )
    return rows


def show(result: dict[str, Any]) -> None:
    """Print what was measured."""
    print(f"{'robot':8} {'solver':13} {'solved':>13} {'mean':>8} {'median':>8} {'p95':>8}  ms")
    for row in result["rows"]:
        times = " ".join(f"{row[key]:8.3f}" for key in ("mean_ms", "median_ms", "p95_ms"))
        print(f"{row['robot']:8} {row['solver']:13} {row['solved']:6d}/{row['of']:<6d} {times}")
    for row in result["published"]:
        print(f"TRAC-IK's own table, {row['robot']}: {row['solved']} %, {row['mean_ms']} ms")
    least = result["least_motion"]
    print(f"least motion on TIAGo: {least['ratio']:.3f} of the first solution's equation 8")
    for row in result["swarm"]:
        words = "with motion" if row["motion"] else "without motion"
        print(
            f"swarm on TIAGo, {words}, {row['iterations']} iterations: "
            f"{row['median_mm']:.0f} mm, {row['median_degrees']:.1f} degrees, "
            f"{row['solved']} of {row['of']} solved"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--poses", type=int, default=10_000, help="poses of each robot")
    parser.add_argument("--robots", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    words = parser.parse_args()
    rows = []
    for name in words.robots:
        for solver in words.solvers:
            print(f"{name}: {solver}", file=sys.stderr)
            row = measure(name, solver, words.poses)
            if row is None:
                print("pytracik is not installed: without TRAC-IK", file=sys.stderr)
            else:
                rows.append(row)
    result = {
        "rows": rows,
        "published": [
            {"robot": name, "solver": "trac_ik", "solved": solved, "mean_ms": ms}
            for name, (solved, ms) in PUBLISHED.items()
        ],
        "least_motion": least_motion(min(words.poses, 200)),
        "swarm": swarm_errors(min(words.poses, SWARM_POSES)),
        "machine": machine(),
    }
    if words.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
