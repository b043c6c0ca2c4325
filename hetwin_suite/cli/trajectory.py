"""`hetwin urdf trajectory`: a motion of a robot's joints through waypoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands.options import Robot
from hetwin_suite._commands.result import Result
from hetwin_suite._commands.tables import table
from hetwin_suite.digital_robot.methods import Profile

if TYPE_CHECKING:
    from hetwin_suite.digital_robot.motions import Motion

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

    The first row is where it begins. It is sampled at the rate, at each waypoint, and at its end.

    Example: hetwin urdf trajectory urdf/tabletop_arm.urdf --waypoints examples/arm/waypoints.csv --profile time_optimal
    """
    from hetwin_suite.digital_robot.motions import Pace, plan_motion
    from hetwin_suite.digital_robot.robot_file import read_robot, robot_file

    numbers = {"speed": speed, "acceleration": acceleration, "jerk": jerk, "rate": rate}
    for name, number in numbers.items():
        if not 0.0 < number < float("inf"):
            raise BadInput(
                "this is not above 0", where=f"--{name}", found=number, expected="a number above 0"
            )
    found = plan_motion(read_robot(robot_file(urdf)), waypoints, profile, Pace(**numbers))
    return Result(found, _lines(found))


def _lines(motion: Motion) -> Iterator[str]:
    samples = motion.samples
    step = max(1, -(-len(samples.times) // _SHOWN))
    shown = sorted({*range(0, len(samples.times), step), len(samples.times) - 1})
    rows = [
        tuple(f"{number:.4f}" for number in (samples.times[i], *samples.positions[i]))
        for i in shown
    ]
    yield from table(("time", *motion.joints), rows)
    yield f"{motion.duration:.3f} s, {len(samples.times)} samples; --json prints all of them"
