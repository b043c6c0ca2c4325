"""A run over ROS 2: starts its nodes, and requests the simulation from the conductor's action."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor_node.processes import START_S
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import named_source
from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.ensemble.topics import RUN
from hetwin_core.episodes.failed_run import finish_failed_run
from hetwin_core.episodes.run_folder import read_summary
from hetwin_core.wire.names import SIMULATE, of_run
from hetwin_core.wire.run_identity import Claim, new_token, taken_by_another
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import BAD_INPUT, FinishedRun, RunRequest, exit_code
from hetwin_suite.running.ros_nodes import OTHER_PARTICIPANTS, Nodes, restrict_discovery

if TYPE_CHECKING:
    from hetwin_suite.view.ros.run import RosRun

RESPONSE_TIMEOUT_S = 3.0
"""Time after which the response to the goal counts as lost [s]; the result is requested nevertheless."""
READY_TIMEOUT_S = 120.0
"""Maximum time until the conductor is ready [s]. Many nodes that start on a busy machine take long; a node that exits
is detected immediately."""
SILENCE_TIMEOUT_S = 60.0
"""Maximum silence of the conductor [s]; twice the longest deadline is added, so that the conductor itself can report a
missed deadline."""
MEMORY_PERIOD_S = 1.0
"""Interval at which shared memory of the nodes is recorded [s]."""
REPORT_TIMEOUT_S = 3.0
"""Time in which the conductor itself reports the death of a node that it knows [s]."""


class Client:
    """Action client that requests the simulation from the conductor and shows its feedback."""

    def __init__(
        self, namespace: str, run: str, context: Any, nodes: Nodes, interrupts: Interrupts
    ) -> None:
        from rclpy.action import ActionClient
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        from conductor_node.status import identities_qos
        from hetwin.action import Simulate
        from hetwin.msg import RunIdentity

        self._goal_type: Any = Simulate.Goal
        self._response_type: Any = Simulate.Impl.SendGoalService.Response
        self._nodes = nodes
        self._run = run
        self._identities: dict[str, Any] = {}
        name = f"hetwin_command_{run}"
        self._node = Node(name, namespace=namespace.strip("/"), context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._client = ActionClient(self._node, Simulate, of_run(SIMULATE, run))
        self._node.create_subscription(RunIdentity, RUN.name, self._on_identity, identities_qos())
        self._interrupts = interrupts
        self._feedback: _Feedback | None = None

    def close(self) -> None:
        """Release ROS resources; rclpy prints errors if this is left to the exit of the process."""
        self._executor.shutdown()
        self._node.destroy_node()

    def simulate(
        self, scenario: Scenario, options: RunOptions, out: Path, display: Display
    ) -> Mapping[str, Any]:
        """Run, and return the summary; raises as `run_over_ros`."""
        self._wait_for_conductor(display)
        result = self._request(scenario, options, out, display)
        self._check_has_summary(result)
        summary: dict[str, Any] = json.loads(result.summary)
        return summary

    def failure(self, error: RunFailed | Interrupted) -> RunFailed:
        """Return the failure with the run's last known simulated time."""
        if isinstance(error, RunFailed):
            return RunFailed(error.model, error.call, self._time_ns, error.reason)
        return RunFailed("conductor", "run", self._time_ns, "it was interrupted, and ended at once")

    @property
    def _time_ns(self) -> int:
        return 0 if self._feedback is None else self._feedback.time_ns

    def _check_has_summary(self, result: Any) -> None:
        """Raise the error of a run that ended before it began; a run that failed or was stopped later has a summary."""
        if result.summary:
            return
        self._interrupts.raise_if_any()
        if not result.error:
            raise HetwinError("the conductor was ended before the run began")
        raise json_codec.error_from_text(result.error, "conductor", "start", 0)

    def _on_identity(self, identity: Any) -> None:
        self._identities[identity.run] = identity

    @property
    def _other_conductors(self) -> str:
        """Description of the conductors of other runs that were discovered in this namespace."""
        from conductor_node.status import identity_text

        return ", ".join(
            identity_text(i) for run, i in self._identities.items() if run != self._run
        )

    def _wait_for_conductor(self, display: Display) -> None:
        """Wait until the conductor of this run is ready; it may search for other runs' conductors first."""
        end = time.monotonic() + READY_TIMEOUT_S
        while not (self._is_ready() and self._client.server_is_ready()):
            self._check_not_refused()
            self._nodes.check()
            self._interrupts.raise_if_any()
            if time.monotonic() > end:
                seen = "it was discovered" if self._run in self._identities else "it was not found"
                others = f"; others: {self._other_conductors}" if self._other_conductors else ""
                raise HetwinError(
                    f"the conductor of run {self._run} is not ready within {READY_TIMEOUT_S:g} s: its process runs,"
                    f" {seen}{others}"
                )
            display.wait("waiting for the conductor's node")
            self._executor.spin_once(0.02)

    def _is_ready(self) -> bool:
        own = self._identities.get(self._run)
        return own is not None and not own.looks

    def _check_not_refused(self) -> None:
        """Check that the conductor did not exit because a run on another machine uses the namespace.

        Raises:
            BadInput: if it did.
        """
        if self._nodes.conductor_ended_with(BAD_INPUT):
            domain = self._node.context.get_domain_id()
            other = (
                self._other_conductors or "which the conductor has named"
            )  # only the conductor has discovered it so far
            raise taken_by_another(self._node.get_namespace(), domain, other)

    def _request(self, scenario: Scenario, options: RunOptions, out: Path, display: Display) -> Any:
        from action_msgs.msg import GoalStatus

        goal = self._goal_type(
            scenario=str(scenario.path),
            source=_with_absolute_path(options.source) if options.source else "",
            scene=json.dumps(dict(options.scene)) if options.scene else "",
            out=str(out.resolve()),
            seed=options.seed or 0,
            duration=options.duration or 0.0,
            run=self._run,
        )
        feedback = self._feedback = _Feedback(display)
        handle = self._send(goal, feedback)
        if not handle.accepted:
            others = (
                f"; other conductors here: {self._other_conductors}"
                if self._other_conductors
                else ""
            )
            raise HetwinError(f"the goal of run {self._run} was refused{others}")
        patience = SILENCE_TIMEOUT_S + 2 * max(
            START_S, *(max(plan.patience, plan.deadline) for plan in scenario.models)
        )
        accept_deadline = time.monotonic() + READY_TIMEOUT_S
        response = self._result(handle, feedback, patience)
        while response.status == GoalStatus.STATUS_UNKNOWN:  # the goal has not arrived yet
            if time.monotonic() > accept_deadline:
                raise HetwinError(
                    f"the conductor of run {self._run} did not take the goal within {READY_TIMEOUT_S:g} s"
                )
            self._interrupts.raise_if_any()
            self._executor.spin_once(0.1)
            response = self._result(handle, feedback, patience)
        return response.result

    def _result(self, handle: Any, feedback: _Feedback, patience: float) -> Any:
        """Wait for the result of a goal; its status is STATUS_UNKNOWN if the conductor does not know the goal."""
        result = handle.get_result_async()
        cancelled = False
        while not result.done():
            self._executor.spin_once(0.1)
            self._nodes.check_conductor()
            if feedback.is_running:
                feedback.show()
            else:
                self._nodes.check(REPORT_TIMEOUT_S)
                feedback.wait("waiting for the models' nodes, which prepare the run")
            self._nodes.note_shared_memory(MEMORY_PERIOD_S)
            if time.monotonic() - feedback.last > patience:
                reason = f"the conductor sent no feedback for {patience:g} s"
                raise RunFailed("conductor", "run", 0, reason)
            if self._interrupts.count and not cancelled:
                cancelled = True
                handle.cancel_goal_async()
            if not feedback.is_running:
                self._interrupts.raise_if_any()
        return result.result()

    def _send(self, goal: Any, feedback: _Feedback) -> Any:
        """Send the goal and return its handle.

        The conductor's response is lost if the conductor has not discovered this client in time (rmw_fastrtps waits
        100 ms). Feedback or a result then shows that the goal was accepted.
        """
        from rclpy.action.client import ClientGoalHandle
        from unique_identifier_msgs.msg import UUID

        name = UUID(uuid=list(uuid.uuid4().bytes))
        response_future = self._client.send_goal_async(
            goal, feedback_callback=feedback, goal_uuid=name
        )
        lost_at = time.monotonic() + RESPONSE_TIMEOUT_S
        while not response_future.done():
            feedback.wait("waiting for the conductor's response")
            if feedback.arrived or time.monotonic() > lost_at:
                accepted = self._response_type(accepted=True)
                return ClientGoalHandle(self._client, name, accepted)
            self._nodes.check()
            self._interrupts.raise_if_any()
            self._executor.spin_once(0.1)
        return response_future.result()


def _with_absolute_path(source: str) -> str:
    """Make the path of a file absolute, as the conductor may have another working directory; keep other sources."""
    spec = named_source(source)
    if spec in ({"recording": source}, {"trajectory": source}):
        return str(Path(source).resolve())
    return source


class _Feedback:
    """Shows the action's feedback.

    Attributes:
        arrived: whether any feedback has arrived.
        is_running: whether the run has begun.
        last: `time.monotonic` of the last feedback [s].
        time_ns: last simulated time [ns].
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._shown = False
        self.arrived = False
        self.is_running = False
        self.last = time.monotonic()
        self.time_ns = 0
        self._factor = 0.0

    def wait(self, doing: str) -> None:
        """Show the condition that the run waits for."""
        self._display.wait(doing)

    def show(self) -> None:
        """Show the run's progress; called repeatedly, as a step may take long."""
        self._display.show(self.time_ns / 1e9, self._factor)

    def __call__(self, message: Any) -> None:
        self.arrived = True
        self.last = time.monotonic()
        feedback = message.feedback
        self.time_ns = feedback.time.sec * 1_000_000_000 + feedback.time.nanosec
        self.is_running = self.is_running or self.time_ns > 0
        self._factor = feedback.real_time_factor
        simulated = self.time_ns / 1e9
        if not self._shown and feedback.progress > 0:
            self._shown = True
            self._display.begin(simulated / feedback.progress)
        if feedback.message:
            self._display.line(feedback.message, simulated)
        self.show()


def run_over_ros(request: RunRequest, display: Display, live: RosRun | None = None) -> FinishedRun:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    If the conductor dies or is silent for too long, this process closes the log and writes the summary.

    Args:
        request: the run.
        display: where progress is shown.
        live: view of the run; None: none.

    Raises:
        BadInput: if ROS 2 is not installed, another run uses the namespace, or the scenario, its files or the source
            cannot be used.
        HetwinError: if the conductor does not accept the run.
        Interrupted: if the run is interrupted before it begins.
    """
    run = new_token()
    with (
        Interrupts(_raise_on_second) as interrupts,
        _environment_restored(),
        request.loaded() as (scenario, out),
        Claim(request.namespace, run) as claim,
    ):
        restrict_discovery(len(scenario.relocatable_models) + OTHER_PARTICIPANTS)
        rclpy = require_ros()
        interrupts.raise_if_any()
        started = time.monotonic()
        with ExitStack() as ending:
            if live is not None:
                live.listen(request.namespace, run=run, by_topics=False, buttons=scenario.buttons)
                ending.callback(live.close)
            nodes = Nodes(scenario, request, run, claim)
            ending.callback(nodes.end, lambda: display.wait("ending the nodes"))
            context = rclpy.Context()  # the caller may use the default context
            rclpy.init(args=[], context=context)
            ending.callback(context.try_shutdown)
            client = Client(request.namespace, run, context, nodes, interrupts)
            ending.callback(client.close)
            try:
                summary = client.simulate(scenario, request.options, out, display)
            except (RunFailed, Interrupted) as error:
                ending.close()  # ends all processes that write into the folder
                interrupted = isinstance(error, Interrupted)
                if interrupted and not out.exists():
                    interrupts.raise_if_any()
                failure = client.failure(error)
                wall = time.monotonic() - started
                summary = read_summary(out) or asdict(
                    finish_failed_run(
                        out, scenario.name, failure, "ros", wall, interrupted=interrupted
                    )
                )
        return FinishedRun(summary, exit_code(summary, interrupts.first), out, interrupts.first)


def require_ros() -> Any:
    """Import and return rclpy.

    Raises:
        BadInput: if it cannot be imported.
    """
    try:
        import rclpy
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="--transport ros",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    return rclpy


def _raise_on_second(count: int, number: int) -> None:
    """Raise on the second signal; the first one only ends the run at its next barrier."""
    if count == 2:
        raise Interrupted(number)


@contextmanager
def _environment_restored() -> Iterator[None]:
    """Remove environment variables that were added for ROS and for the nodes."""
    before = set(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before:
            del os.environ[name]
