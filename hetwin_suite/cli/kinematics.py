"""`hetwin urdf forward` and `inverse`: where a robot's links are, and which joint positions bring them there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands.options import Base, Robot, Seed, Tip, option
from hetwin_suite._commands.result import Result
from hetwin_suite._commands.tables import table

if TYPE_CHECKING:
    from hetwin_core.ensemble.scene.values import Floats
    from hetwin_core.kinematics.chains.chain import Chain
    from hetwin_suite.digital_robot.robot_file import RobotFile
    from hetwin_suite.digital_robot.solving import Solved


def forward(
    urdf: Robot,
    joints: Annotated[
        Path, typer.Option("--joints", help="CSV with the joints' names as header [rad, m]")
    ],
    base: Base = None,
    tip: Tip = None,
) -> Result:
    """Compute where a link is, in the frame of another one, for given positions of the joints.

    Poses are x y z [m], qw qx qy qz.

    Example: hetwin urdf forward urdf/tabletop_arm.urdf --tip gripper_base --joints examples/arm/joints.csv
    """
    from hetwin_suite.digital_robot.robot_file import read_robot, robot_file
    from hetwin_suite.digital_robot.solving import place_postures
    from hetwin_suite.digital_robot.tables import POSE

    robot = read_robot(robot_file(urdf))
    chain = robot.chain(base, tip)
    poses = place_postures(chain, _positions(robot, chain, joints))
    rows = [tuple(f"{number:.6f}" for number in pose) for pose in poses.tolist()]
    return Result({"poses": poses.tolist()}, table(POSE, rows))


def inverse(
    urdf: Robot,
    poses: Annotated[
        Path, typer.Option("--poses", help="CSV x,y,z,qw,qx,qy,qz of the tip in the base link")
    ],
    base: Base = None,
    tip: Tip = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", help="CSV: where the joints are; one row, or one for each pose"),
    ] = None,
    one_by_one: Annotated[
        bool, typer.Option("--one-by-one", help="solve each pose by itself, not all together")
    ] = False,
    least_motion: Annotated[
        bool, typer.Option("--least-motion", help="choose the solution that moves the joints least")
    ] = False,
    budget: Annotated[float | None, option("--budget", "of each pose")] = None,
    seed: Seed = 0,
) -> Result:
    """Find positions of the joints, within their limits, that bring a link to given poses.

    Solved: each of the six errors is at most 1e-5 m and rad. What cannot be reached has no solution but the error that
    is left, and the command ends with 0.

    Example: hetwin urdf inverse urdf/tabletop_arm.urdf --tip gripper_base --poses examples/arm/poses.csv
    """
    from hetwin_suite.digital_robot.robot_file import read_robot, robot_file
    from hetwin_suite.digital_robot.solving import Wish, solve_poses
    from hetwin_suite.digital_robot.tables import read_poses
    from hetwin_suite.running.patience import never_silent

    robot = read_robot(robot_file(urdf))
    chain = robot.chain(base, tip, limited=True)
    wanted = read_poses(poses)
    before = None if start is None else _from(robot, chain, start, len(wanted))
    wish = Wish(one_by_one, least_motion, budget, seed)
    done = [0]
    with never_silent(lambda: f"solving: {done[0]} of {len(wanted)} poses"):
        found = solve_poses(chain, wanted, before, wish, lambda count: done.__setitem__(0, count))
    return Result(found, _lines(found))


def _positions(robot: RobotFile, chain: Chain, file: Path) -> Floats:
    """(m, n) of the chain's joints; what else the file has is named."""
    from hetwin_suite.digital_robot.tables import read_joints

    others = [name for name in robot.joints if name not in chain.joints]
    positions, passed_over = read_joints(file, chain.joints, others)
    if passed_over:
        print(f"not of this chain: {', '.join(passed_over)}", file=sys.stderr)
    return positions


def _from(robot: RobotFile, chain: Chain, file: Path, count: int) -> Floats:
    import numpy as np

    positions = _positions(robot, chain, file)
    if len(positions) not in (1, count):
        raise BadInput(
            "there are not as many rows as poses",
            file=file,
            where="--start",
            found=f"{len(positions)} rows",
            expected=f"1 or {count}",
        )
    return np.broadcast_to(positions, (count, positions.shape[1]))


def _lines(found: Solved) -> Iterator[str]:
    printed = found.to_json()
    rows = []
    for i, solution in enumerate(printed["solutions"]):
        off = f"{printed['error_m'][i]:.2g} m, {printed['error_rad'][i]:.2g} rad"
        values = ["-" if solution is None else f"{value:.5f}" for value in solution or found.joints]
        rows.append((*values, off if solution else f"not reached: {off} off"))
    yield from table((*found.joints, "error"), rows)
    ms = printed["cpu_ms"]
    yield f"{printed['solved']} of {printed['of']} solved, {ms['mean']:.3f} ms each (processor time)"
