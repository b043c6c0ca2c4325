"""`hetwin robot play` and `hetwin robot obey`: a recording, or a simulation, plays the part of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_suite._commands.options import (
    AsJson,
    Namespace,
    Pace,
    Packages,
    Scenario,
    checked_pace,
    numbers,
    option,
    package_folders,
)
from hetwin_suite._commands.result import Result, present, saying
from hetwin_suite._robots.stand_in import Obeying, StandIn
from hetwin_suite.running.patience import never_silent, to_stderr

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.scenario import Scenario as LoadedScenario
    from hetwin_core.kinematics.planar import PlanarPose


def play(
    episode: Annotated[
        Path,
        typer.Argument(metavar="EPISODE", help="recording (rosbag2), or an episode's folder"),
    ],
    namespace: Namespace = "",
    pace: Pace = 1.0,
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
    as_json: AsJson = False,
) -> Result:
    """Play the part of a robot: publish what a recording holds, at its pace, stamped with the present time.

    Its topics are those of the recording, in the namespace. For tests, tutorials, and for a twin without a robot:

    hetwin robot play pick_and_place --wait-for-twin

    hetwin robot play episodes/drops/drop_0001 --namespace left --gap 3:2

    With --announce it says beforehand what it will do, so that a twin can predict what comes of it:

    hetwin robot play pick_and_place --announce 1.5
    """
    speed = checked_pace(pace) or 1.0
    if announce is not None and speed != 1.0:
        raise BadInput(
            "what is announced is told in real time", where="--pace", found=speed, expected="1"
        )
    try:
        from hetwin_suite._robots.robot_player import Gap, RobotPlayer, find_recording
    except ImportError as error:
        raise no_ros(error) from None
    say = saying(as_json=as_json)
    gaps = [Gap.from_text(text) for text in gap or ()]
    with RobotPlayer(find_recording(episode), namespace, speed, gaps, announce) as player:
        for note in player.notes:
            to_stderr(f"warning: {note}")
        say(f"a robot stands still on {', '.join(player.topics)}")
        if wait_for_twin:
            with never_silent(lambda: "it waits for a twin"):
                player.stand_until_a_twin_follows()
        player.stand(stand)
        say(f"it moves, for {player.duration_s / speed:.1f} s")
        with never_silent(lambda: "it moves"):
            player.play()
        player.stand(stand)
        document = {"topics": list(player.topics), "duration": player.duration_s / speed}
    return Result(document, ["it is done"])


def obey(
    scenario: Scenario,
    namespace: Namespace = "",
    seed: Annotated[
        int | None,
        option(
            "--seed",
            "noise, friction and controllers that the twin does not know; default: the scenario's, or 0",
            0,
        ),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(help="KIND:AT, freeze, drift, lag or silence from this second of a motion on"),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,YAW",
            help="where its base truly is at first, in m and rad; default: as the scenario has it",
        ),
    ] = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the robot of a scenario, which takes commands until it is stopped; the scenario's source is not used.

    For example:

    hetwin robot obey pick_and_place --fault freeze:2

    hetwin robot obey home_lab --place 2.94,2.84,1.57

    Where a model moves the robot of the scenario, the model that stands in for the real one obeys.
    """
    from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
    from hetwin_core.ensemble.scenario.source import ModelSpec

    loaded = load_scenario(find_scenario(scenario))
    source = loaded.file.source
    try:
        if isinstance(source, ModelSpec):
            refuse({"--fault": fault, "--place": place})
            running = stand_in_of(loaded).obeying(loaded, source.model, namespace, seed)
        else:
            running = _obeying(scenario, namespace, seed or 0, fault, package, place)
    except ImportError as error:
        raise no_ros(error) from None
    with running as robot:
        for note in robot.notes:
            to_stderr(f"warning: {note}")
        with Interrupts() as interrupts:
            said = f"a robot obeys; it publishes {', '.join(robot.topics)}"
            present(Result({"topics": list(robot.topics)}, [said]), as_json=as_json, indent=None)
            robot.run(to_stderr, lambda: interrupts.first is not None)
    raise typer.Exit(interrupts.code)


def _obeying(
    scenario: str,
    namespace: str,
    seed: int,
    fault: str | None,
    packages: list[str] | None,
    place: str | None,
) -> AbstractContextManager[Obeying]:
    """Return a robot that obeys trajectories and velocities."""
    from hetwin_suite._robots.obeying.faults import Fault

    failing = None if fault is None else Fault.from_text(fault)
    start = None if place is None else read_place(place)
    from hetwin_suite._robots.obeying.running import obeying

    return obeying(scenario, namespace, seed, failing, package_folders(packages), start)


def stand_in_of(scenario: LoadedScenario) -> StandIn:
    """Return the class of the model that stands in for the robot of a scenario.

    Raises:
        BadInput: if there is none.
    """
    classes: list[object] = [plan.cls for plan in scenario.models]
    for found in classes:
        if isinstance(found, StandIn):
            return found
    raise BadInput(
        "a model moves the robot of this scenario, and none stands in for the real robot",
        file=scenario.path,
        where="models",
        found=", ".join(plan.name for plan in scenario.models),
        expected="a model whose class has the method `obeying`",
    )


def refuse(options: Mapping[str, str | None]) -> None:
    """Refuse options that a stand-in of a scenario's own does not have.

    Args:
        options: option -> its value; None: it is not given.

    Raises:
        BadInput: if one is given.
    """
    for option_, value in options.items():
        if value is not None:
            raise BadInput(
                "the model that stands in for the robot of this scenario has no such option",
                where=option_,
                found=value,
                expected=f"no {option_}",
            )


def read_place(text: str) -> PlanarPose:
    """Return what `--place X,Y,YAW` says [m and rad].

    Raises:
        BadInput: if the text says something else.
    """
    from hetwin_core.kinematics.planar import PlanarPose

    found = numbers(text, 3)
    if found is None:
        raise BadInput(
            "this is no place",
            where="--place",
            found=text,
            expected="X,Y,YAW in m and rad, e.g. 2.94,2.84,1.57",
        )
    return PlanarPose(*found)


def no_ros(error: ImportError, otherwise: str = "") -> BadInput:
    """Return the error that ROS 2 is not there."""
    return BadInput(
        f"ROS 2 cannot be imported: {error}",
        where="hetwin robot",
        expected=f"rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite{otherwise}",
    )
