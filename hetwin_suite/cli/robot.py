"""`hetwin robot`: a recording, or a simulation that obeys, plays the part of a robot."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_suite.cli.options import Packages, package_folders

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.scenario import Scenario as LoadedScenario
    from hetwin_core.kinematics.planar import PlanarPose


def robot(
    episode: Annotated[
        Path,
        typer.Argument(
            metavar="EPISODE|SCENARIO",
            help="recording (rosbag2), or an episode's folder; with --obey a scenario",
        ),
    ],
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot's topics")] = "",
    speed: Annotated[
        float, typer.Option(min=0.01, max=100.0, help="times real time; stamps are now's anyway")
    ] = 1.0,
    stand: Annotated[
        float, typer.Option(min=0.0, help="seconds to stand still before and after")
    ] = 1.0,
    wait_for_twin: Annotated[
        bool, typer.Option("--wait-for-twin", help="stand still until a twin follows")
    ] = False,
    gap: Annotated[
        list[str] | None,
        typer.Option(help="AT:SECONDS: say nothing for so long, as if the network were gone"),
    ] = None,
    announce: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="say each action, and how the joints move in it, so long before it begins",
        ),
    ] = None,
    obey: Annotated[
        bool, typer.Option("--obey", help="simulate the robot of a scenario, which obeys commands")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="with --obey: of noise, friction and controllers that the twin does not know",
        ),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(
            help="with --obey: KIND:AT, freeze, drift, lag or silence from this second of a motion on"
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,YAW",
            help="with --obey: where its base truly is at first, in m and rad; default: as the scenario has it",
        ),
    ] = None,
    package: Packages = None,
) -> None:
    """Play the part of a robot: publish what a recording holds, at its pace, stamped with the present time.

    Its topics are those of the recording, in the namespace. For tests, tutorials, and for a twin without a robot:

    hetwin robot pick_and_place --wait-for-twin

    hetwin robot episodes/drops/drop_0001 --namespace left --gap 3:2

    With --announce it says beforehand what it will do, so that a twin can predict what comes of it:

    hetwin robot pick_and_place --announce 1.5

    With --obey it is a simulation that takes commands until it is stopped; the scenario's source is not used:

    hetwin robot pick_and_place --obey --fault freeze:2

    hetwin robot home_lab --obey --place 2.94,2.84,1.57

    The robot of a lab, which a link commands:

    hetwin robot twin_lab --obey --seed 3
    """
    played = {"--speed": speed != 1.0, "--wait-for-twin": wait_for_twin, "--gap": bool(gap)}
    played["--announce"] = announce is not None
    simulated = {"--seed": seed is not None, "--fault": fault is not None, "--package": package}
    simulated["--place"] = place is not None
    for option, given in (played if obey else simulated).items():
        if given:
            raise BadInput(
                f"this option means nothing {'with' if obey else 'without'} --obey", where=option
            )
    if announce is not None and speed != 1.0:
        raise BadInput(
            "what is announced is told in real time", where="--speed", found=speed, expected="1"
        )
    if obey:
        simulate(episode, namespace, seed, fault, package, place)
    else:
        play(episode, namespace, speed, stand, wait_for_twin, gap, announce)


def simulate(
    scenario: Path,
    namespace: str,
    seed: int | None,
    fault: str | None,
    packages: list[str] | None,
    place: str | None,
) -> NoReturn:
    """Simulate the robot of a scenario until SIGINT or SIGTERM."""
    from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
    from hetwin_core.ensemble.scenario.source import ModelSpec

    loaded = load_scenario(find_scenario(str(scenario)))
    if isinstance(loaded.file.source, ModelSpec):
        if place is not None:
            raise BadInput(
                "a robot of a lab begins where its scenario has it",
                where="--place",
                found=place,
                expected="no --place",
            )
        obey_in_the_lab(loaded, loaded.file.source.model, namespace, seed, fault)
    obey(str(scenario), namespace, seed or 0, fault, packages, place)


def obey_in_the_lab(
    scenario: LoadedScenario, controller: str, namespace: str, seed: int | None, fault: str | None
) -> NoReturn:
    """Simulate the real robot of a lab: it takes the commands of a link, and answers them."""
    if fault is not None:
        raise BadInput("a robot of a lab has no such fault", where="--fault", expected="--seed")
    try:
        from hetwin_suite.proving_ground.lab.running import lab_robot
    except ImportError as error:
        raise _no_ros(error) from None
    with lab_robot(scenario, controller, namespace, seed) as robot, Interrupts() as interrupts:
        answers, commands = robot.topics
        print(f"a robot obeys what it hears on {commands}; it answers on {answers}", flush=True)
        robot.run(
            lambda line: print(line, file=sys.stderr, flush=True),
            lambda: interrupts.first is not None,
        )
    raise typer.Exit(interrupts.code)


def obey(
    scenario: str,
    namespace: str,
    seed: int,
    fault: str | None,
    packages: list[str] | None,
    place: str | None,
) -> NoReturn:
    """Simulate a robot that obeys trajectories and velocities."""
    from hetwin_suite._robots.obeying.faults import Fault

    failing = None if fault is None else Fault.from_text(fault)
    start = None if place is None else read_place(place)
    try:
        from hetwin_suite._robots.obeying.running import obeying
    except ImportError as error:
        raise _no_ros(error) from None
    with obeying(scenario, namespace, seed, failing, package_folders(packages), start) as robot:
        for note in robot.notes:
            print(f"warning: {note}", file=sys.stderr)
        with Interrupts() as interrupts:
            print(f"a robot obeys; it publishes {', '.join(robot.topics)}", flush=True)
            robot.run(
                lambda line: print(line, file=sys.stderr, flush=True),
                lambda: interrupts.first is not None,
            )
    raise typer.Exit(interrupts.code)


def read_place(text: str) -> PlanarPose:
    """Return what `--place X,Y,YAW` says [m and rad].

    Raises:
        BadInput: if the text says something else.
    """
    from hetwin_core.kinematics.planar import PlanarPose

    try:
        x, y, yaw = map(float, text.split(","))
    except ValueError:
        x = y = yaw = math.nan
    if not math.isfinite(x + y + yaw):
        raise BadInput(
            "this is no place",
            where="--place",
            found=text,
            expected="X,Y,YAW in m and rad, e.g. 2.94,2.84,1.57",
        )
    return PlanarPose(x, y, yaw)


def play(
    episode: Path,
    namespace: str,
    speed: float,
    stand: float,
    wait_for_twin: bool,
    gap: list[str] | None,
    announce: float | None = None,
) -> None:
    """Play a recording, once."""
    try:
        from hetwin_suite._robots.robot_player import Gap, RobotPlayer, find_recording
    except ImportError as error:
        raise _no_ros(error) from None
    from hetwin_suite.running.patience import never_silent

    gaps = [Gap.from_text(text) for text in gap or ()]
    with RobotPlayer(find_recording(episode), namespace, speed, gaps, announce) as player:
        for note in player.notes:
            print(f"warning: {note}", file=sys.stderr)
        print(f"a robot stands still on {', '.join(player.topics)}", flush=True)
        if wait_for_twin:
            with never_silent(lambda: "it waits for a twin"):
                player.stand_until_a_twin_follows()
        player.stand(stand)
        print(f"it moves, for {player.duration_s / speed:.1f} s", flush=True)
        with never_silent(lambda: "it moves"):
            player.play()
        player.stand(stand)
        print("it is done", flush=True)


def _no_ros(error: ImportError) -> BadInput:
    return BadInput(
        f"ROS 2 cannot be imported: {error}",
        where="hetwin robot",
        expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
    )
