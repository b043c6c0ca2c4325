"""`hetwin urdf`: descriptions of robots and worlds, forward and inverse kinematics, and trajectories."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_calibration.commands.options import Base, Robot, Tip
from hetwin_calibration.methods import Profile
from hetwin_suite.command import BadInput, Result, Seed, option, table

if TYPE_CHECKING:
    from hetwin_calibration.robot.describing import Description
    from hetwin_calibration.robot.motions import Motion
    from hetwin_calibration.robot.solving import SolvedPoses
    from hetwin_suite.model import Floats
    from hetwin_suite.robot import Chain, FoundHand, RobotFile


def forward(
    urdf: Robot,
    joints: Annotated[
        Path, typer.Option("--joints", help="CSV with the joints' names as header [rad, m]")
    ],
    base: Base = None,
    tip: Tip = None,
) -> Result:
    """Compute the pose of a link in the frame of another one, for given positions of the joints.

    Poses are x y z [m], qw qx qy qz.

    Example: hetwin urdf forward urdf/tabletop_arm.urdf --tip gripper_base --joints examples/arm/joints.csv
    """
    from hetwin_calibration.robot.solving import place_postures
    from hetwin_calibration.robot.tables import POSE
    from hetwin_suite.robot import find_robot, read_robot

    robot = read_robot(find_robot(urdf))
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
        typer.Option("--start", help="CSV: positions of the joints; one row, or one for each pose"),
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

    A pose is solved if each of the six errors is at most 1e-5 m or rad. For a pose out of reach the remaining error is
    printed in place of a solution, and the exit code is 0.

    Example: hetwin urdf inverse urdf/tabletop_arm.urdf --tip gripper_base --poses examples/arm/poses.csv
    """
    from hetwin_calibration.robot.solving import SolveOptions, solve_poses
    from hetwin_calibration.robot.tables import read_poses
    from hetwin_suite.command import never_silent
    from hetwin_suite.robot import find_robot, read_robot

    robot = read_robot(find_robot(urdf))
    chain = robot.chain(base, tip, limited=True)
    wanted = read_poses(poses)
    before = None if start is None else _from(robot, chain, start, len(wanted))
    options = SolveOptions(one_by_one, least_motion, budget, seed)
    done = [0]
    with never_silent(lambda: f"solving: {done[0]} of {len(wanted)} poses"):
        found = solve_poses(
            chain, wanted, before, options, lambda count: done.__setitem__(0, count)
        )
    return Result(found, _lines(found))


def _positions(robot: RobotFile, chain: Chain, file: Path) -> Floats:
    """Read positions (m, n) of the chain's joints from a file; print the columns of other joints."""
    from hetwin_calibration.robot.tables import read_joints

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
            "the number of rows differs from that of the poses",
            file=file,
            where="--start",
            found=f"{len(positions)} rows",
            expected=f"1 or {count}",
        )
    return np.broadcast_to(positions, (count, positions.shape[1]))


def _lines(found: SolvedPoses) -> Iterator[str]:
    printed = found.to_json()
    rows = []
    for i, solution in enumerate(printed["solutions"]):
        off = f"{printed['error_m'][i]:.2g} m, {printed['error_rad'][i]:.2g} rad"
        values = ["-" if solution is None else f"{value:.5f}" for value in solution or found.joints]
        rows.append((*values, off if solution else f"not reached: {off} off"))
    yield from table((*found.joints, "error"), rows)
    ms = printed["cpu_ms"]
    yield f"{printed['solved']} of {printed['of']} solved, {ms['mean']:.3f} ms each (processor time)"


_SHOWN = 20


def trajectory(
    urdf: Robot,
    waypoints: Annotated[
        Path, typer.Option("--waypoints", help="CSV with the joints' names as header [rad, m]")
    ],
    profile: Annotated[
        Profile, typer.Option(help="quintic polynomials, or as fast as bounded jerk allows")
    ] = Profile.QUINTIC,
    speed: Annotated[float, typer.Option(help="times the URDF's velocity limits")] = 1.0,
    acceleration: Annotated[float, typer.Option(help="[rad/s^2, m/s^2]")] = 5.0,
    jerk: Annotated[float, typer.Option(help="[rad/s^3, m/s^3]")] = 100.0,
    rate: Annotated[float, typer.Option(help="samples per second")] = 100.0,
) -> Result:
    """Plan a motion through waypoints, at rest at each, within the limits of position, velocity, acceleration and jerk.

    The motion starts at the first row. It is sampled at the given rate, and at each waypoint.

    Example: hetwin urdf trajectory urdf/tabletop_arm.urdf --waypoints examples/arm/waypoints.csv --profile time_optimal
    """
    from hetwin_calibration.robot.motions import Pace, plan_motion
    from hetwin_suite.robot import find_robot, read_robot

    numbers = {"speed": speed, "acceleration": acceleration, "jerk": jerk, "rate": rate}
    for name, number in numbers.items():
        if not 0.0 < number < float("inf"):
            raise BadInput(
                "this is not above 0", where=f"--{name}", found=number, expected="a number above 0"
            )
    found = plan_motion(read_robot(find_robot(urdf)), waypoints, profile, Pace(**numbers))
    return Result(found, _motion_lines(found))


def _motion_lines(motion: Motion) -> Iterator[str]:
    samples = motion.samples
    step = max(1, -(-len(samples.times) // _SHOWN))
    shown = sorted({*range(0, len(samples.times), step), len(samples.times) - 1})
    rows = [
        tuple(f"{number:.4f}" for number in (samples.times[i], *samples.positions[i]))
        for i in shown
    ]
    yield from table(("time", *motion.joints), rows)
    yield f"{motion.duration:.3f} s, {len(samples.times)} samples; --json prints all of them"


def describe(
    named: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT|WORLD",
            help="URDF, xacro, MJCF or SDFormat file, or a name such as panda or tabletop",
        ),
    ],
    base: Base = None,
    tip: Tip = None,
    measured: Annotated[
        Path | None, typer.Option("--measured", help="CSV name,of,measure,value [m]")
    ] = None,
) -> Result:
    """Describe a robot or a world: links, joints by type, sensors, missing meshes, hands.

    For a chain, its Denavit-Hartenberg table is printed; for measurements, their differences from the model. The column
    of names a link, a glob of links, or a thing of the world; measure is height, length, width, diameter, top, x or y.

    Example: hetwin urdf describe urdf/tabletop_arm.urdf --tip gripper_base --measured examples/arm/measured.csv
    """
    from hetwin_calibration.robot.describing import describe_file
    from hetwin_suite.command import never_silent
    from hetwin_suite.engine import DescriptionKind as Kind
    from hetwin_suite.engine import find_description
    from hetwin_suite.robot import hands_of_file

    file = find_description(named, Kind.ROBOT, Kind.WORLD, where="ROBOT|WORLD")
    with never_silent(lambda: f"reading {file.name}"):
        found = describe_file(file, base, tip, measured)
        hands, no_hand = hands_of_file(file)
    of_hands = {"hands": [asdict(hand) for hand in hands], "no_hand": no_hand or None}
    return Result({**found.to_json(), **of_hands}, _description_lines(found, hands, no_hand))


def _description_lines(
    found: Description, hands: Sequence[FoundHand], no_hand: str
) -> Iterator[str]:
    from hetwin_suite.command import table

    printed = found.to_json()
    types = ", ".join(f"{count} {kind}" for kind, count in printed["joints_by_type"].items())
    yield f"{printed['robot']}: {printed['links']} links, {printed['joints']} joints ({types})"
    for sensor in printed["sensors"]:
        yield f"sensor {sensor['name']}: {sensor['type']} on {sensor['link'] or 'no link'}"
    for mesh in printed["missing_meshes"]:
        yield f"missing mesh: {mesh}"
    for hand in hands:
        joints = f", joints {', '.join(hand.joints)}" if hand.joints else ""
        yield f"hand {hand.name}: {hand.kind} on {hand.link}{joints}"
        if hand.unsure:
            yield f"  not judged: {hand.unsure}"
    if no_hand:
        yield f"no hand: {no_hand}"
    if found.table is not None:
        yield from table(
            ("joint", "alpha [rad]", "a [m]", "d [m]", "theta [rad]"),
            [
                (
                    row.joint,
                    *(f"{round(n, 9) + 0.0:.6g}" for n in (row.alpha, row.a, row.d, row.theta)),
                )
                for row in found.table.rows
            ],
        )
    if found.dimensions:
        yield from table(
            ("name", "model [m]", "measured [m]", "error [m]"),
            [
                (
                    dimension.name,
                    *(f"{n:.4f}" for n in (dimension.model, dimension.measured, dimension.error)),
                )
                for dimension in found.dimensions
            ],
        )
