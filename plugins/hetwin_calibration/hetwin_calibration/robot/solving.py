"""Forward and inverse kinematics of many poses, with processor times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_calibration.robot.least_motion import middle, solve_with_least_motion
from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain, Solutions, Solver


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """Options of the inverse kinematics.

    Attributes:
        one_by_one: whether each pose is solved separately.
        least_motion: whether the solution with the least motion is chosen.
        seconds: processor time for each pose [s]; None: no limit.
        seed: seed of random draws.
    """

    one_by_one: bool = False
    least_motion: bool = False
    seconds: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SolvedPoses:
    """Result of the inverse kinematics.

    Attributes:
        joints: names of the chain's n joints.
        solutions: solutions of the m poses.
        cpu_ms: (m,) processor time of each pose [ms]; the mean for poses that were solved together.
    """

    joints: tuple[str, ...]
    solutions: Solutions
    cpu_ms: Floats

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin urdf inverse --json`."""
        found = self.solutions
        rows = [
            row if solved else None
            for row, solved in zip(found.positions.tolist(), found.solved.tolist(), strict=True)
        ]
        return {
            "joints": list(self.joints),
            "solutions": rows,
            "error_m": found.distances.tolist(),
            "error_rad": found.angles.tolist(),
            "solved": int(found.solved.sum()),
            "of": len(rows),
            "cpu_ms": {
                "mean": float(self.cpu_ms.mean()),
                "median": float(np.median(self.cpu_ms)),
                "p95": float(np.percentile(self.cpu_ms, 95)),
                "p99": float(np.percentile(self.cpu_ms, 99)),
            },
        }


def solve_poses(
    chain: Chain,
    poses: Floats,
    before: Floats | None,
    options: SolveOptions,
    report: Callable[[int], None],
) -> SolvedPoses:
    """Solve the inverse kinematics of m poses.

    Args:
        chain: chain with n joints.
        poses: (m, 7) poses of the tip in the frame of the chain's root.
        before: (m, n) previous joint positions [rad or m]; None: the middle of the limits for the least motion, else
            starts from the solver's table.
        options: options.
        report: callback for progress, called with the number of poses that are done.
    """
    solve = _solver(chain, before is None, options)
    starts = np.tile(middle(chain), (len(poses), 1)) if before is None else before
    size = 1 if options.one_by_one else max(1, len(poses))
    parts, cpu = [], []
    for i in range(0, len(poses), size):
        started = time.process_time()
        parts.append(solve(poses[i : i + size], starts[i : i + size]))
        count = len(parts[-1].solved)
        cpu += [(time.process_time() - started) / count * 1e3] * count
        report(i + count)
    solutions = Solutions(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return SolvedPoses(chain.joints, solutions, np.array(cpu))


def _solver(
    chain: Chain, from_table: bool, options: SolveOptions
) -> Callable[[Floats, Floats], Solutions]:
    solver = Solver(chain, options.seed)

    def solve(poses: Floats, starts: Floats) -> Solutions:
        seconds = None if options.seconds is None else options.seconds * len(poses)
        if options.least_motion:
            return solve_with_least_motion(solver, poses, starts, seconds)
        return solver.solve_all(poses, None if from_table else starts, seconds)

    return solve


def place_postures(chain: Chain, positions: Floats) -> Floats:
    """Return the poses (m, 7) of the chain's end for joint positions (m, n) [rad or m], each with qw >= 0."""
    poses = np.array([chain.place(row).pose for row in positions]).reshape(len(positions), 7)
    poses[poses[:, 3] < 0.0, 3:] *= -1.0
    return poses
