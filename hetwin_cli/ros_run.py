"""A run as ROS 2 nodes: starts the conductor and one process per model, and asks for the simulation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hetwin_suite.ensemble.conductor.options import RunOptions
from hetwin_suite.ensemble.conductor.parameters import named_source
from hetwin_suite.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_suite.ensemble.resources import resource
from hetwin_suite.ensemble.scenario.scenario import Scenario
from hetwin_suite.ensemble.transport import wire
from hetwin_suite.ensemble.transport.ros_names import SIMULATE
from hetwin_suite.hetwin_cli.progress import Progress

READY_TIMEOUT_S = 30.0
END_TIMEOUT_S = 5.0


def run_over_ros(
    scenario: Scenario,
    options: RunOptions,
    out: Path,
    progress: Progress,
    namespace: str,
    in_process: str = "",
) -> tuple[Mapping[str, Any], int]:
    """Run, and answer summary and exit code; SIGINT ends the run at its next barrier.

    Raises:
        BadInput: if ROS 2 is not there, or the scenario's files or the source cannot be used.
        HetwinError: if a node ends before the run does.
    """
    _quick_discovery()
    try:
        import rclpy
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="--transport ros",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    nodes = _Nodes(scenario, namespace, in_process, options.engine or "")
    rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
    try:
        return _Client(namespace, nodes).simulate(scenario, options, out, progress)
    finally:
        rclpy.try_shutdown()
        nodes.end()


def _quick_discovery() -> None:
    """Stay on this machine and find each other at once, unless the user has said otherwise."""
    if not {"ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"} & os.environ.keys():
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    variable = (
        "FASTDDS_DEFAULT_PROFILES_FILE" if _has_fast_dds_3() else "FASTRTPS_DEFAULT_PROFILES_FILE"
    )
    os.environ.setdefault(variable, str(resource("launch", "fastdds_quick_discovery.xml")))


def _has_fast_dds_3() -> bool:
    """Fast DDS 3, which came with rclpy 9 (Kilted), reads another variable than 2 did."""
    try:
        return int(version("rclpy").partition(".")[0]) >= 9
    except PackageNotFoundError:
        return True


class _Nodes:
    """The processes of conductor and models."""

    def __init__(self, scenario: Scenario, namespace: str, here: str, engine: str) -> None:
        own = scenario.chosen(here)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._start(
                "conductor",
                "hetwin_suite.conductor_node.main",
                namespace,
                {
                    "scenario": str(scenario.path),
                    "runs": 1,
                    **({"in_process": here} if here else {}),
                    **({"engine": engine} if engine else {}),
                },
            )
            for plan in scenario.models:
                if plan.name in own:
                    continue
                self._start(
                    plan.name,
                    "hetwin_suite.model_nodes.ros_node",
                    namespace,
                    {"type": plan.type, "stepping": plan.stepping.value},
                )
        except BaseException:
            self.end()
            raise

    def _start(
        self, name: str, module: str, namespace: str, parameters: Mapping[str, object]
    ) -> None:
        command = [sys.executable, "-m", module, "--ros-args", "-r", f"__node:={name}"]
        if namespace:
            command += ["-r", f"__ns:=/{namespace.strip('/')}"]
        for key, value in parameters.items():
            command += ["-p", f"{key}:={value}"]
        # a session of its own: a Ctrl-C at the terminal reaches the command alone, which ends the run in order
        self._processes[name] = subprocess.Popen(
            command, stdout=sys.stderr, stdin=subprocess.DEVNULL, start_new_session=True
        )

    def check(self) -> None:
        """See that all are alive.

        Raises:
            HetwinError: naming the first that has ended.
        """
        for name, process in self._processes.items():
            code = process.poll()
            if code is not None and code != 0:
                raise RunFailed(name, "process", 0, f"its process ended with code {code}")

    def conductor_is_alive(self) -> bool:
        """Whether the conductor's process runs."""
        return self._processes["conductor"].poll() is None

    def end(self) -> None:
        """End all processes: asked first, then made to."""
        end = time.monotonic() + END_TIMEOUT_S
        for process in self._processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self._processes.values():
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class _Client:
    """Asks the conductor for the simulation and follows its feedback."""

    def __init__(self, namespace: str, nodes: _Nodes) -> None:
        from rclpy.action import ActionClient
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        from hetwin.action import Simulate

        self._goal_type: Any = Simulate.Goal
        self._response_type: Any = Simulate.Impl.SendGoalService.Response
        self._nodes = nodes
        self._node = Node(f"hetwin_command_{os.getpid()}", namespace=namespace.strip("/"))
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._client = ActionClient(self._node, Simulate, SIMULATE)
        self._interrupted = False

    def simulate(
        self, scenario: Scenario, options: RunOptions, out: Path, progress: Progress
    ) -> tuple[Mapping[str, Any], int]:
        """See `run_over_ros`."""
        before = {s: signal.signal(s, self._interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._wait_for_conductor()
            result = self._ask(scenario, options, out, progress)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if result.error:
            self._raise_unless_a_run(result)
        summary: dict[str, Any] = json.loads(result.summary)
        code = 130 if self._interrupted else 1 if result.ended == "failed" else 0
        return summary, code

    def _raise_unless_a_run(self, result: Any) -> None:
        """Raise what ended it before there was a run; a failed run has a summary."""
        if not result.summary:
            raise wire.error_from_text(result.error, "conductor", "start", 0)

    def _interrupt(self, number: int, frame: object) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _wait_for_conductor(self) -> None:
        end = time.monotonic() + READY_TIMEOUT_S
        while not self._client.server_is_ready():
            self._nodes.check()
            if self._interrupted:
                raise KeyboardInterrupt
            if time.monotonic() > end:
                raise HetwinError(f"the conductor is not ready after {READY_TIMEOUT_S:g} s")
            self._executor.spin_once(0.02)

    def _ask(self, scenario: Scenario, options: RunOptions, out: Path, progress: Progress) -> Any:
        goal = self._goal_type(
            scenario=str(scenario.path),
            source=_resolved(options.source) if options.source else "",
            scene=json.dumps(dict(options.scene)) if options.scene else "",
            out=str(out.resolve()),
            seed=options.seed or 0,
            duration=options.duration or 0.0,
        )
        heard = _Feedback(progress)
        handle = self._send(goal, heard)
        if not handle.accepted:
            raise HetwinError("the conductor refused the goal; is another simulation running?")
        answer = handle.get_result_async()
        cancelled = False
        while not answer.done():
            self._executor.spin_once(0.1)
            if not self._nodes.conductor_is_alive():
                raise RunFailed("conductor", "process", 0, "the conductor's process ended")
            if self._interrupted and not cancelled:
                cancelled = True
                handle.cancel_goal_async()
        return answer.result().result

    def _send(self, goal: Any, heard: _Feedback) -> Any:
        """Send the goal and answer its handle.

        The conductor drops its answer when it has not discovered this client in time (rmw_fastrtps waits 100 ms);
        feedback tells as well that the goal was accepted.
        """
        from rclpy.action.client import ClientGoalHandle
        from unique_identifier_msgs.msg import UUID

        name = UUID(uuid=list(uuid.uuid4().bytes))
        sent = self._client.send_goal_async(goal, feedback_callback=heard, goal_uuid=name)
        end = time.monotonic() + READY_TIMEOUT_S
        while not sent.done():
            if heard.anything:
                accepted = self._response_type(accepted=True)
                return ClientGoalHandle(self._client, name, accepted)
            if time.monotonic() > end:
                raise HetwinError(f"the conductor does not answer for {READY_TIMEOUT_S:g} s")
            self._nodes.check()
            self._executor.spin_once(0.1)
        return sent.result()


def _resolved(source: str) -> str:
    """A recording by its absolute path, since the conductor may be elsewhere; anything else as it is."""
    spec = named_source(source)
    if list(spec) == ["recording"]:
        return str(Path(source).resolve())
    return source


class _Feedback:
    """Shows the action's feedback."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._begun = False
        self.anything = False

    def __call__(self, message: Any) -> None:
        self.anything = True
        feedback = message.feedback
        simulated = feedback.time.sec + feedback.time.nanosec / 1e9
        if not self._begun and feedback.progress > 0:
            self._begun = True
            self._progress.begin(simulated / feedback.progress)
        if feedback.message:
            self._progress.line(f"{simulated:8.3f} s  {feedback.message}")
        self._progress.show(simulated, feedback.real_time_factor)
