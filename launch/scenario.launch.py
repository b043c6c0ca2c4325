"""Starts the conductor and one node per model of a scenario, and requests the simulation.

ros2 launch hetwin scenario.launch.py scenario:=pick_and_place source:=/path/to/recording
ros2 launch hetwin scenario.launch.py scenario:=uncertain_environment source:=live rviz:=true
ros2 launch hetwin scenario.launch.py scenario:=pick_and_place show:=true start:=paused pace:=1.0

Several hosts: each starts some of the models, one of them the conductor.

ros2 launch hetwin scenario.launch.py scenario:=pick_and_place models:=physics,holding
ros2 launch hetwin scenario.launch.py scenario:=pick_and_place models:=grasp,handling conductor:=false
"""

# ruff: noqa: E402 (signals come before all that takes time to import)
from __future__ import annotations

import os
import signal
from contextlib import suppress

from launch.utilities.signal_management import AsyncSafeSignalManager


def _end_in_order() -> None:
    """Let SIGTERM end the launch as SIGINT does, and let neither interrupt what this file imports.

    Left alone, SIGTERM leaves the nodes running, and a KeyboardInterrupt makes imports fail. launch hears of signals
    that Python handles through its manager, which has no public way to be found; where it is not, nothing changes.
    """
    manager = getattr(AsyncSafeSignalManager, "_AsyncSafeSignalManager__current", None)
    if manager is None:
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)
    manager.handle(signal.SIGTERM, lambda _: os.kill(os.getpid(), signal.SIGINT))


_end_in_order()

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit, OnProcessStart, OnShutdown
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, Node

from conductor_node.processes import parameters_of
from conductor_node.shared_memory import fast_dds_variables
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.wire.run_identity import Claim, new_token
from launch import Event, LaunchContext, LaunchDescription

PLAYING = "playing"
INTERRUPTED = {128 + signal.SIGINT, 128 + signal.SIGTERM, -signal.SIGINT, -signal.SIGTERM}
"""Return codes of a process that was asked to end."""
TRUTHS = {"true": True, "false": False}


CLAIMS: list[Claim] = []
"""Of the runs that this process has started."""


class RunFailed(Exception):
    """The simulation failed; makes `ros2 launch` end with exit code 1."""


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the nodes follow from the scenario."""
    return LaunchDescription(
        [
            _argument("scenario", "pick_and_place", "scenario file, or name of one of hetwin's"),
            _argument(
                "source",
                "",
                "recording (rosbag2), live, live:ROBOT_NAMESPACE, or JSON; empty: the scenario's",
            ),
            _argument("engine", "", "physics engine: auto, mujoco, gz; empty: the scenario's"),
            _argument("variant", "", "one of the scenario's variants; empty: as it stands"),
            _argument(
                "scene",
                "",
                "where objects are, as JSON: entity -> {pose: [7]}; model: FILE adds one",
            ),
            _argument("duration", "0.0", "end after so many simulated seconds; 0: with the source"),
            _argument("rviz", "false", "show the scene in RViz", tuple(TRUTHS)),
            _argument("show", "false", "serve a page that shows the run", tuple(TRUTHS)),
            _argument("show_port", "8770", "of that page; 0: a free one, and so if 8770 is taken"),
            _argument("pace", "0.0", "at most so many times real time; 0: as fast as it goes"),
            _argument("out", "runs", "folder in which runs are logged"),
            _argument("namespace", "", "of all nodes; twins in two namespaces run side by side"),
            _argument(
                "use_sim_time", "false", "follow a /clock that others publish", tuple(TRUTHS)
            ),
            _argument(
                "localized",
                "true",
                "say on tf where a mobile robot's odometry began; false where AMCL or a SLAM does so",
                tuple(TRUTHS),
            ),
            _argument("conductor", "true", "start the conductor on this host", tuple(TRUTHS)),
            _argument("models", "all", "models to start on this host: all, or names with commas"),
            _argument(
                "in_process",
                "",
                "models that run in the conductor's process: faster, less isolated; all, or names",
            ),
            _argument(
                "start",
                PLAYING,
                "paused: hold the run before its first step; stopped: wait for a request",
                (PLAYING, "paused", "stopped"),
            ),
            _argument(
                "run",
                "",
                "token of the run, the same on all its hosts; empty: a new one, or, without a conductor, the run of the"
                " namespace",
            ),
            _argument("params_file", "", "YAML file with further ROS parameters of the nodes"),
            _argument("log_level", "info", "of all nodes"),
            OpaqueFunction(function=_nodes),
        ]
    )


def _argument(
    name: str, default: str, description: str, choices: tuple[str, ...] | None = None
) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(
        name, default_value=default, description=description, choices=choices
    )


def _nodes(context: LaunchContext) -> list[object]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    try:
        scenario = load_scenario(find_scenario(value("scenario")), value("variant") or None)
        here = scenario.chosen(value("models"))
        inside = scenario.chosen(value("in_process"))
        conducts = TRUTHS[value("conductor")]
        run = _claimed(value("namespace"), value("run")) if conducts else value("run")
    except BadInput as error:
        raise RunFailed(str(error)) from None
    files = [value("params_file")] if value("params_file") else []
    arguments = ["--log-level", value("log_level")]
    if TRUTHS[value("use_sim_time")]:  # so that it reaches the node that listens to a robot too
        arguments += ["-p", "use_sim_time:=true"]

    def node(executable: str, name: str, parameters: dict[str, object]) -> LifecycleNode:
        return LifecycleNode(
            package="hetwin",
            executable=executable,
            name=name,
            namespace=value("namespace"),
            output="screen",
            parameters=[parameters, *files],
            ros_arguments=arguments,
        )

    def model(plan: ModelPlan) -> LifecycleNode:
        return node("model", plan.name, parameters_of(plan, run))

    models = [
        model(p) for p in scenario.relocatable_models if p.name in here and p.name not in inside
    ]
    middleware = [SetEnvironmentVariable(*pair) for pair in fast_dds_variables().items()]
    started: list[object] = [*middleware]
    for started_here in models:
        started += [*_interrupt_too(started_here), started_here]
    if conducts:
        parameters = {**_conductor_parameters(scenario, value), "run": run}
        conductor = node("conductor", "conductor", parameters)
        started += _waited_for(scenario, here | inside)
        started += [*_interrupt_too(conductor), conductor, _pass_on_the_end(conductor)]
    else:
        started += [_end_with_the_last(models)]
    if TRUTHS[value("rviz")]:
        started.append(_rviz(value("namespace"), TRUTHS[value("use_sim_time")]))
    if TRUTHS[value("show")]:
        page = _page(value("namespace"), int(value("show_port")))
        started += [*_interrupt_too(page), page]
    return started


def _waited_for(scenario: Scenario, here: frozenset[str]) -> list[LogInfo]:
    """Names the models that must be started elsewhere, for the run waits for them."""
    elsewhere = ", ".join(
        plan.name for plan in scenario.relocatable_models if plan.name not in here
    )
    return [LogInfo(msg=f"not started here, and waited for: {elsewhere}")] if elsewhere else []


def _claimed(namespace: str, token: str) -> str:
    """The token of a run that has claimed its namespace until this process ends; an empty one is drawn.

    Raises:
        BadInput: if another run has the namespace.
    """
    run = token or new_token()
    CLAIMS.append(Claim(namespace, run))
    return run


def _conductor_parameters(scenario: Scenario, value: object) -> dict[str, object]:
    assert callable(value)
    return {
        "scenario": str(scenario.path),
        **{
            name: value(name)
            for name in (
                "source",
                "out",
                "scene",
                "engine",
                "in_process",
                "variant",
            )
        },
        "duration": float(value("duration")),
        "pace": float(value("pace")),
        "runs": 0 if value("start") == "stopped" else 1,
        "start_at_once": value("start") != "stopped",
        "start_paused": value("start") == "paused",
        "localized": TRUTHS[value("localized")],
    }


def _pass_on_the_end(conductor: LifecycleNode) -> RegisterEventHandler:
    """End everything when the conductor ends; a failed run makes the launch fail, an interrupted one does not."""

    def end(event: ProcessExited, context: LaunchContext) -> list[object]:
        if event.returncode and event.returncode not in INTERRUPTED:
            raise RunFailed(
                f"the simulation failed: the conductor ended with code {event.returncode}"
            )
        return [LogInfo(msg="the simulation is over"), *_shutdown(context)]

    return RegisterEventHandler(OnProcessExit(target_action=conductor, on_exit=end))


def _shutdown(context: LaunchContext) -> list[EmitEvent]:
    """The event that ends the launch, unless it is ending already: a second one makes it fail."""
    return [] if context.is_shutdown else [EmitEvent(event=Shutdown())]


def _interrupt_too(node: Node) -> list[RegisterEventHandler]:
    """Interrupt a node when the launch ends.

    The terminal interrupts all processes, and launch relies on it: if launch alone was interrupted, or the node had not
    been started yet, it would go on for the seconds after which launch terminates all.
    """

    def interrupt(_event: Event, context: LaunchContext) -> None:
        pid = (node.process_details or {}).get("pid")
        if context.is_shutdown and pid is not None and node.return_code is None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)

    return [
        RegisterEventHandler(OnShutdown(on_shutdown=interrupt)),
        RegisterEventHandler(OnProcessStart(target_action=node, on_start=interrupt)),
    ]


def _end_with_the_last(models: list[LifecycleNode]) -> RegisterEventHandler:
    """Without a conductor here, end the launch with its models; it fails if one of them failed."""
    left = list(models)

    def end(event: ProcessExited, context: LaunchContext) -> list[object]:
        if event.action in left:
            left.remove(event.action)
        if event.returncode and not (context.is_shutdown or event.returncode in INTERRUPTED):
            raise RunFailed(f"{event.process_name} ended with code {event.returncode}")
        return [] if left else list(_shutdown(context))

    return RegisterEventHandler(OnProcessExit(on_exit=end))


def _page(namespace: str, port: int) -> Node:
    return Node(
        package="hetwin",
        executable="page",
        namespace=namespace,
        output="screen",
        parameters=[{"port": port}],
    )


def _rviz(namespace: str, use_sim_time: bool) -> Node:
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        arguments=["-d", str(resource("launch", "hetwin.rviz"))],
        parameters=[{"use_sim_time": use_sim_time}],
        remappings=[("/tf", "tf"), ("/tf_static", "tf_static")],  # so that it shows its own twin
        output="screen",
    )
