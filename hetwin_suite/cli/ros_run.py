"""A run as ROS 2 nodes: starts the conductor and one process per model, and asks for the simulation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from conductor_node.fast_dds import fast_dds_variables
from conductor_node.processes import CONDUCTOR_NODE, MODEL_NODE, end_processes, start_node
from conductor_node.shared_memory import SharedMemory
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.conductor.parameters import named_source
from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_core.projection.failed_run import finish_failed_run
from hetwin_core.projection.run_folder import read_summary
from hetwin_core.wire.names import SIMULATE
from hetwin_suite.cli.local_run import exit_code
from hetwin_suite.cli.placing import Placing
from hetwin_suite.cli.progress import Progress

READY_TIMEOUT_S = 120.0
"""Many nodes that start at once on a busy machine take a while; one that has ended is seen at once."""
PATIENCE_S = 60.0
"""A conductor may be silent this long, and twice the longest deadline more."""
CONDUCTOR_AND_COMMAND = 2
MOST_ON_LOCALHOST = 32
"""Participants that rmw_fastrtps looks for on one machine if it is told to stay there."""
MEMORY_PERIOD_S = 1.0
PATIENCE_OF_CONDUCTOR_S = 3.0
"""The conductor says itself within this time that a node has died, if it knows the node."""


def run_over_ros(
    scenario: Scenario,
    options: RunOptions,
    out: Path,
    progress: Progress,
    placing: Placing,
) -> tuple[Mapping[str, Any], int]:
    """Run, and answer summary and exit code; SIGINT ends the run at its next barrier.

    A run whose conductor dies or is silent for too long is finished here.

    Raises:
        BadInput: if ROS 2 is not there, or the scenario's files or the source cannot be used.
        HetwinError: if the conductor cannot be asked.
        KeyboardInterrupt: if it is interrupted before it begins.
    """
    quick_discovery(len(scenario.models) + CONDUCTOR_AND_COMMAND)
    try:
        import rclpy
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="--transport ros",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    begun = time.monotonic()
    with _Signals() as signals, ExitStack() as ending:
        nodes = _Nodes(scenario, placing, options.engine or "")
        ending.callback(nodes.end)
        rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        ending.callback(rclpy.try_shutdown)
        client = _Client(placing.namespace, nodes, signals)
        try:
            summary = client.simulate(scenario, options, out, progress)
        except (RunFailed, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt) and not out.exists():
                raise
            ending.close()  # nobody writes into the folder any more
            failure = client.failure(error)
            wall = time.monotonic() - begun
            summary = read_summary(out) or asdict(
                finish_failed_run(out, scenario.name, failure, "ros", wall)
            )
        return summary, exit_code(summary, bool(signals.count))


class _Signals:
    """Counts SIGINT and SIGTERM; the first ends the run in order, the second at once."""

    def __init__(self) -> None:
        self.count = 0
        self.since = 0.0

    def __enter__(self) -> Self:
        self._before = {s: signal.signal(s, self._heard) for s in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _heard(self, _number: int, _frame: object) -> None:
        self.count += 1
        self.since = self.since or time.monotonic()
        if self.count == 2:
            raise KeyboardInterrupt


def quick_discovery(processes: int) -> None:
    """Stay on this machine and find each other at once, unless the user has said otherwise.

    More processes than `MOST_ON_LOCALHOST` would not all find each other without multicast, which leaves the machine.
    """
    chosen = {"ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"} & os.environ.keys()
    if not chosen and processes <= MOST_ON_LOCALHOST:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.update(fast_dds_variables())


class _Nodes:
    """The processes of conductor and models."""

    def __init__(self, scenario: Scenario, placing: Placing, engine: str) -> None:
        self._namespace, here = placing.namespace, placing.in_process
        self._ended: dict[str, float] = {}
        self._shared_memory = SharedMemory()
        self._noted = 0.0
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        asked = {"in_process": here, "engine": engine}
        conductor = {"scenario": scenario.path, "runs": 1, **{k: v for k, v in asked.items() if v}}
        others = scenario.chosen(here) | scenario.chosen(placing.elsewhere)
        try:
            self._start(CONDUCTOR_NODE, "conductor", conductor)
            for plan in scenario.models:
                if plan.name in others:
                    continue
                parameters = {"type": plan.type, "stepping": plan.stepping.value}
                self._start(MODEL_NODE, plan.name, parameters)
        except BaseException:
            self.end()
            raise

    def _start(self, module: str, name: str, parameters: Mapping[str, object]) -> None:
        self._processes[name] = start_node(module, name, self._namespace, parameters)

    def check(self, patience_s: float = 0.0) -> None:
        """See that all are alive.

        Raises:
            RunFailed: naming the first that has ended that long ago.
        """
        for name, process in self._processes.items():
            code = process.poll()
            if code is None:
                continue
            since = self._ended.setdefault(name, time.monotonic())
            if code != 0 and time.monotonic() - since >= patience_s:
                raise RunFailed(name, "process", 0, f"its process {ending(code)}")

    def check_conductor(self) -> None:
        """See that the conductor's process runs.

        Raises:
            RunFailed: if not.
        """
        code = self._processes["conductor"].poll()
        if code is not None:
            raise RunFailed("conductor", "process", 0, f"its process {ending(code)}")

    def end(self) -> None:
        """End all processes, and free the shared memory that killed ones leave behind."""
        self.note_shared_memory()
        end_processes(self._processes.values())
        self._shared_memory.remove_unused()

    def note_shared_memory(self, period_s: float = 0.0) -> None:
        """Remember which shared memory the processes use, for the case that they are killed."""
        if time.monotonic() - self._noted < period_s:
            return
        self._noted = time.monotonic()
        # not poll(): how a dead one ended can be read only as long as nobody has waited for it
        self._shared_memory.note(p.pid for p in self._processes.values())


class _Client:
    """Asks the conductor for the simulation and follows its feedback."""

    def __init__(self, namespace: str, nodes: _Nodes, signals: _Signals) -> None:
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
        self._signals = signals
        self._heard: _Feedback | None = None

    def simulate(
        self, scenario: Scenario, options: RunOptions, out: Path, progress: Progress
    ) -> Mapping[str, Any]:
        """The summary of the run; see `run_over_ros`."""
        self._wait_for_conductor()
        result = self._ask(scenario, options, out, progress)
        if result.error:
            self._raise_unless_a_run(result)
        summary: dict[str, Any] = json.loads(result.summary)
        return summary

    def failure(self, error: RunFailed | KeyboardInterrupt) -> RunFailed:
        """The failure, at the time that the run has come to."""
        if isinstance(error, RunFailed):
            return RunFailed(error.model, error.call, self._time_ns, error.reason)
        return RunFailed("conductor", "run", self._time_ns, "it was interrupted twice")

    @property
    def _time_ns(self) -> int:
        return 0 if self._heard is None else self._heard.time_ns

    def _raise_unless_a_run(self, result: Any) -> None:
        """Raise what ended it before there was a run; a failed run has a summary."""
        if not result.summary:
            raise json_codec.error_from_text(result.error, "conductor", "start", 0)

    def _wait_for_conductor(self) -> None:
        end = time.monotonic() + READY_TIMEOUT_S
        while not self._client.server_is_ready():
            self._nodes.check()
            if self._signals.count:
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
        heard = self._heard = _Feedback(progress)
        handle = self._send(goal, heard)
        if not handle.accepted:
            raise HetwinError("the conductor refused the goal; is another simulation running?")
        answer = handle.get_result_async()
        patience = PATIENCE_S + 2 * max(plan.patience for plan in scenario.models)
        cancelled = False
        while not answer.done():
            self._executor.spin_once(0.1)
            self._nodes.check_conductor()
            if not heard.begun:
                self._nodes.check(PATIENCE_OF_CONDUCTOR_S)
            self._nodes.note_shared_memory(MEMORY_PERIOD_S)
            if time.monotonic() - heard.last > patience:
                reason = f"the conductor says nothing for {patience:g} s"
                raise RunFailed("conductor", "run", 0, reason)
            if self._signals.count and not cancelled:
                cancelled = True
                handle.cancel_goal_async()
            if cancelled and not heard.begun:
                raise KeyboardInterrupt
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
        self._shown = False
        self.anything = False
        self.begun = False
        self.last = time.monotonic()
        self.time_ns = 0

    def __call__(self, message: Any) -> None:
        self.anything = True
        self.last = time.monotonic()
        feedback = message.feedback
        self.time_ns = feedback.time.sec * 1_000_000_000 + feedback.time.nanosec
        self.begun = self.begun or self.time_ns > 0
        simulated = feedback.time.sec + feedback.time.nanosec / 1e9
        if not self._shown and feedback.progress > 0:
            self._shown = True
            self._progress.begin(simulated / feedback.progress)
        if feedback.message:
            self._progress.line(f"{simulated:8.3f} s  {feedback.message}")
        self._progress.show(simulated, feedback.real_time_factor)
