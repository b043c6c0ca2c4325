"""`hetwin robot`: plays a recording or a simulation as a robot, and sends rehearsed motions to one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.command import (
    AsJson,
    BadInput,
    Engine,
    Interrupts,
    Namespace,
    Pace,
    Packages,
    Result,
    Scenario,
    SceneGiven,
    check_none,
    checked_pace,
    line_printer,
    never_silent,
    numbers,
    option,
    package_folders,
    present,
    start_options,
    to_stderr,
)

if TYPE_CHECKING:
    from hetwin_commanding.obeying.faults import Fault
    from hetwin_commanding.played import Gap
    from hetwin_commanding.send import Commander, Outcome
    from hetwin_suite.robot import CommandedRobot, PlanarPose, StandIn
    from hetwin_suite.runs import Scenario as LoadedScenario

NO_OPTION = "the model that stands in for the robot of this scenario has no such option"


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
        typer.Option(help="AT:SECONDS: publish nothing for this time, like a lost network"),
    ] = None,
    announce: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="announce each action, with the motion of the joints, this long before it begins",
        ),
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Play a recording as a robot: publish its messages at its pace, stamped with the present time.

    The topics are those of the recording, in the namespace. This serves tests, tutorials, and twins without a robot:

    hetwin robot play pick_and_place --wait-for-twin

    hetwin robot play episodes/drops/drop_0001 --namespace left --gap 3:2

    With --announce, actions are announced beforehand, so that a twin can predict their outcome:

    hetwin robot play pick_and_place --announce 1.5
    """
    speed = checked_pace(pace) or 1.0
    if announce is not None and speed != 1.0:
        raise BadInput(
            "actions can be announced only in real time", where="--pace", found=speed, expected="1"
        )
    try:
        from hetwin_commanding.played import RobotPlayer, find_recording
    except ImportError as error:
        raise no_ros(error) from None
    say = line_printer(as_json=as_json)
    gaps = [read_gap(text) for text in gap or ()]
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
            help="actual initial pose of its base, in m and rad; default: the scenario's",
        ),
    ] = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the robot of a scenario, which obeys commands until it is stopped; the scenario's source is not used.

    For example:

    hetwin robot obey pick_and_place --fault freeze:2

    hetwin robot obey home_lab --place 2.94,2.84,1.57

    If the robot of the scenario is moved by a model, the model that stands in for the real robot obeys.
    """
    from hetwin_suite.runs import find_scenario, load_scenario
    from hetwin_suite.source import ModelSpec

    loaded = load_scenario(find_scenario(scenario))
    source = loaded.file.source
    try:
        if isinstance(source, ModelSpec):
            given = {"--fault": fault, "--place": place}
            check_none(given, NO_OPTION, "none")
            running = stand_in_of(loaded).obeying(loaded, source.model, namespace, seed)
        else:
            running = _obeying(scenario, namespace, seed or 0, fault, package, place)
    except ImportError as error:
        raise no_ros(error) from None
    with running as robot:
        for note in robot.notes:
            to_stderr(f"warning: {note}")
        with Interrupts() as interrupts:
            status = f"a robot obeys; it publishes {', '.join(robot.topics)}"
            present(Result({"topics": list(robot.topics)}, [status]), as_json=as_json, indent=None)
            robot.run(to_stderr, lambda: interrupts.first is not None)
    raise typer.Exit(interrupts.code)


def _obeying(
    scenario: str,
    namespace: str,
    seed: int,
    fault: str | None,
    packages: list[str] | None,
    place: str | None,
) -> AbstractContextManager[CommandedRobot]:
    """Return a simulated robot that obeys trajectories and velocities."""
    failing = None if fault is None else read_fault(fault)
    start = None if place is None else read_place(place)
    from hetwin_commanding.obeying.running import obeying

    return obeying(scenario, namespace, seed, failing, package_folders(packages), start)


def stand_in_of(scenario: LoadedScenario) -> StandIn:
    """Return the class of the model that stands in for the robot of a scenario.

    Raises:
        BadInput: if there is no such model.
    """
    from hetwin_suite.robot import StandIn

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


def read_place(text: str) -> PlanarPose:
    """Parse the value of `--place X,Y,YAW` [m and rad].

    Raises:
        BadInput: if the text is malformed.
    """
    from hetwin_suite.robot import PlanarPose

    values = numbers(text, 3)
    if values is None:
        raise _no("place", text, "X,Y,YAW in m and rad, e.g. 2.94,2.84,1.57")
    return PlanarPose(*values)


def read_gap(text: str) -> Gap:
    """Parse the value of `--gap AT:SECONDS` [s].

    Raises:
        BadInput: if the text is malformed.
    """
    from hetwin_commanding.played import Gap

    values = numbers(text, 2, ":")
    if values is None or values[0] < 0.0 or values[1] <= 0.0:
        raise _no("gap", text, "AT:SECONDS, two numbers, e.g. 3:2")
    return Gap(*values)


def read_fault(text: str) -> Fault:
    """Parse the value of `--fault KIND:AT` [s].

    Raises:
        BadInput: if the text is malformed.
    """
    from hetwin_commanding.obeying.faults import Fault, FaultKind

    kind, _, at = text.partition(":")
    seconds = numbers(at, 1)
    if kind not in {*FaultKind} or seconds is None or not 0.0 <= seconds[0] < 1e6:
        expected = f"KIND:AT, one of {', '.join(FaultKind)} and seconds, e.g. freeze:1.5"
        raise _no("fault", text, expected)
    return Fault(FaultKind(kind), seconds[0])


def _no(what: str, text: str, expected: str) -> BadInput:
    return BadInput(f"this is no {what}", where=f"--{what}", found=text, expected=expected)


def no_ros(error: ImportError, otherwise: str = "") -> BadInput:
    """Return the error that ROS 2 cannot be imported."""
    return BadInput(
        f"ROS 2 cannot be imported: {error}",
        where="hetwin robot",
        expected=f"rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite{otherwise}",
    )


def send(
    scenario: Scenario,
    goal: Annotated[
        Path,
        typer.Argument(
            help="YAML file with joints, tip, base, trajectory, grasp or release, or a list"
        ),
    ],
    namespace: Namespace = "",
    rehearse_only: Annotated[
        bool, typer.Option("--rehearse-only", help="send nothing; no robot is needed")
    ] = False,
    scene: SceneGiven = None,
    engine: Engine = None,
    package: Packages = None,
) -> Result:
    """Rehearse a motion in the twin, and send it to the robot if it breaks no rule.

    The scenario must allow it under commands. While the robot moves, the service hetwin/stop_robot, SIGINT and SIGTERM
    stop it. For example:

    hetwin robot send pick_and_place scenarios/goals/over_the_table.yaml --rehearse-only
    """
    from hetwin_commanding.send import Commander
    from hetwin_suite.command import find_file as find

    options = start_options(None, scene, engine, package, None)
    commander = Commander.of(scenario, find(str(goal)) or goal, options)
    outcome = commander.rehearse_only() if rehearse_only else _sent(commander, namespace)
    return Result(outcome, _lines(scenario, outcome), int(not outcome.ok))


def _lines(scenario: str, outcome: Outcome) -> Iterator[str]:
    rehearsal = outcome.rehearsal
    yield f"{Path(scenario).stem}: {outcome.result.value}, a motion of {rehearsal.duration:.2f} s"
    for refusal in rehearsal.refused:
        print(f"  {refusal}", file=sys.stderr)


def _sent(commander: Commander, namespace: str) -> Outcome:
    try:
        from hetwin_commanding.link.sending import send as send_to
    except ImportError as error:
        raise no_ros(error, "; or --rehearse-only") from None
    return send_to(commander, namespace)
