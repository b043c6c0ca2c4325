"""TRAC-IK on random poses of an arm, by its wheel pytracik, as a process of its own: it allows one instance in each."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from arms import ARMS, postures

from hetwin_core.kinematics.chains.solver import sampled_limits

TIMEOUT_S = 0.05
"""Wall time of a pose; ten times the usual, so that other work on the machine does not decide."""
EPSILON = 1e-5


def main() -> None:
    """Print solutions (null where there is none) and processor times [ms] of an arm's poses: NAME COUNT SEED."""
    import pytracik

    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    arm, chain = ARMS[name], ARMS[name].chain()
    solver = pytracik.TRAC_IK(
        arm.base, arm.tip, arm.urdf.read_text(), TIMEOUT_S, EPSILON, pytracik.SolveType.Speed
    )
    # Of URDFs with a safety_controller it reads limits from 0 to 0.
    lower, upper = sampled_limits(chain)
    pytracik.set_joint_limits(solver, lower.tolist(), upper.tolist())
    start = (lower + upper) / 2.0
    rows: list[tuple[list[float] | None, float]] = []
    for posture in postures(chain, count, seed):
        x, y, z, qw, qx, qy, qz = chain.place(posture).pose.tolist()
        begun = time.process_time()
        found = pytracik.ik(solver, start, x, y, z, qx, qy, qz, qw)
        spent = (time.process_time() - begun) * 1e3
        rows.append((np.asarray(found[1:]).tolist() if found[0] >= 0 else None, spent))
    print(f"\n{json.dumps(rows)}")  # the library writes lines of its own before


if __name__ == "__main__":
    main()
