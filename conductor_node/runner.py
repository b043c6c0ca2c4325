"""Carries out one goal of the conductor's node: a whole run with models in nodes of their own."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.executors import Executor

from conductor_node.node import ConductorNode, DeferredResponses
from conductor_node.processes import ModelNodes
from conductor_node.publisher import Publisher
from conductor_node.reached_node import NodeConnection
from conductor_node.startup_goal import StartupGoal
from conductor_node.status import StatusPublisher
from hetwin.action import Simulate
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.concerns import NewConcerns, is_concern
from hetwin_core.ensemble.conductor.reporting.listener import (
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.conductor.start.lifecycle import with_robot_deadlines
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_live
from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.remote.port import RemotePort
from hetwin_core.ensemble.words import event_line, failure_row_words, shown_line
from hetwin_core.episodes.failed_run import finish_failed_run
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.run_folder import run_folder
from hetwin_core.wire import messages

FEEDBACK_PERIOD_S = 0.1
_SERVE_INTERVAL_STEPS = 10


class StoppedBeforeStart(HetwinError):
    """The process was asked to end while the models were being prepared."""

    def __init__(self) -> None:
        super().__init__("stopped before the run began; nothing was saved")


def run_goal(
    node: ConductorNode, executor: Executor, goal: ServerGoalHandle | StartupGoal
) -> Simulate.Result:
    """Run the scenario of a goal; every error is returned in the result.

    A run that is stopped before it starts has a result with neither summary nor error.

    The models' nodes end with the run, so their registrations are forgotten.
    """
    try:
        summary = _run(node, executor, goal)
        if summary.error is not None:
            node.get_logger().error(_failure_text(node, summary.error))
    except StoppedBeforeStart as end:
        node.get_logger().info(str(end))
        return Simulate.Result(ended="stopped")
    except HetwinError as error:
        node.get_logger().error(str(error))
        return Simulate.Result(ended="failed", error=json_codec.error_to_text(error))
    finally:
        node.former_registrations |= node.registrations
        node.registrations.clear()
    result = Simulate.Result(
        ended=summary.ended,
        digest=summary.digest,
        deterministic=summary.deterministic,
        summary=json.dumps(asdict(summary)),
    )
    if summary.error is not None:
        result.error = json.dumps({"kind": "run", **summary.error})
    return result


def _failure_text(node: ConductorNode, error: Mapping[str, Json]) -> str:
    """Describe why a run failed, with the model's node and its host, for the node's log."""
    model, words = str(error["model"]), f"the run failed: {failure_row_words(error)}"
    found = node.registrations.get(model)
    if found is not None:
        return f"{words} (node {found.node} on host {found.host}, process {found.pid})"
    return f"{words} (seen by {node.get_fully_qualified_name()} on host {socket.gethostname()})"


def _run(
    node: ConductorNode, executor: Executor, goal: ServerGoalHandle | StartupGoal
) -> RunSummary:
    scenario = _scenario(node, goal.request.scenario)
    with _folder(node, scenario, goal.request) as out:
        return _run_into(out, scenario, node, executor, goal)


def _run_into(
    out: Path,
    scenario: Scenario,
    node: ConductorNode,
    executor: Executor,
    goal: ServerGoalHandle | StartupGoal,
) -> RunSummary:
    request = goal.request
    nodes = ModelNodes(node.get_namespace(), node.run)
    check_quit = _QuitCheck(node)
    options = RunOptions(
        source=request.source or None,
        scene=_json_object("goal.scene", request.scene) | node.spawned,
        seed=request.seed or None,
        duration=request.duration or None,
        transport="ros",
        engine=str(node.get_parameter("engine").value) or None,
        packages=_json_object("packages", str(node.get_parameter("packages").value)),
        variant=_variant(node),
    )
    scenario = with_robot_deadlines(scenario, options)
    local_models = scenario.chosen(str(node.get_parameter("in_process").value))
    _restart_ended_nodes(node, scenario, local_models, nodes)
    ports = [
        LocalPort(plan)
        if (plan.name in local_models or plan.in_conductor) and not plan.seat
        else RemotePort(
            plan,
            NodeConnection(plan, node, node.run, executor, node.registrations, nodes, check_quit),
            round(plan.every / scenario.clock.rate * 1e9),
        )
        for plan in scenario.models
    ]
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    state_rate = float(node.get_parameter("state_rate").value)
    localized = bool(node.get_parameter("localized").value)
    publisher = Publisher(
        node, state_rate, run=node.run, live=is_live(scenario, options), localized=localized
    )
    status = StatusPublisher(node, node.run)
    feedback = _Feedback(goal)
    spinner = _Spinner(executor, node.deferred)

    def idle(seconds: float) -> None:
        publisher.keep_alive()
        status.keep_alive()
        feedback.keep_alive()
        spinner.serve(seconds)

    listeners = [log, RunJudge(log), publisher, status, feedback, spinner]
    conductor = session(scenario, options=options, listeners=listeners, idle=idle, ports=ports)
    spinner.conductor = node.conductor = status.conductor = conductor
    if node.quitting:  # a signal may have come before there was a run to stop
        conductor.stop()
    try:
        _apply_pause_and_pace(node, conductor)
        conductor.prepare()
        _let_join(node, conductor)
        return conductor.run()
    except RunFailed as error:  # the run had not started
        if node.quitting:
            raise StoppedBeforeStart from error
        return finish_failed_run(out, scenario.name, error, "ros")
    finally:
        nodes.end()


def _let_join(node: ConductorNode, conductor: Conductor) -> None:
    """Let models join that registered before the run without being awaited; refused ones are logged and forgotten."""
    for name, request in list(node.registrations.items()):
        if conductor.awaits(name):
            continue
        del node.registrations[name]
        try:
            node.let_join(conductor, request)
        except Refused as refusal:
            node.get_logger().warning(f"{request.node}: {refusal}")


def _apply_pause_and_pace(node: ConductorNode, conductor: Conductor) -> None:
    """Pause a run before its first step, and limit its pace, according to the node's parameters.

    Raises:
        BadInput: if this run can be neither paused nor slowed down.
    """
    pace = float(node.get_parameter("pace").value)
    try:
        where, expected = "pace", "0, or a positive number with a recording"
        if pace:
            conductor.limit_pace(pace)
        where, expected = "start_paused", "false"
        if node.start_paused:
            conductor.pause()
    except Refused as refusal:
        raise BadInput(str(refusal), where=where, expected=expected) from None


class _QuitCheck:
    """Checks, while the conductor waits for models' nodes before the run, that the process was not asked to end."""

    def __init__(self, node: ConductorNode) -> None:
        self._node = node
        self._has_raised = False

    def __call__(self) -> None:
        """Check whether the process was asked to end.

        Raises:
            StoppedBeforeStart: only the first time, so that the models can be stopped afterwards.
        """
        conductor = self._node.conductor
        is_running = conductor is not None and conductor.is_running
        if self._node.quitting and not is_running and not self._has_raised:
            self._has_raised = True
            raise StoppedBeforeStart


def _restart_ended_nodes(
    node: ConductorNode, scenario: Scenario, local_models: frozenset[str], nodes: ModelNodes
) -> None:
    """Restart the nodes of models on this machine that ended with an earlier run."""
    for plan in scenario.relocatable_models:
        former = node.former_registrations.get(plan.name)
        if plan.name in local_models or plan.name in node.registrations or former is None:
            continue
        if former.host == socket.gethostname():
            nodes.start(plan)


def _scenario(node: ConductorNode, requested: str) -> Scenario:
    name = requested or str(node.get_parameter("scenario").value)
    if not name:
        raise BadInput(
            "no scenario is named",
            where="scenario",
            expected="a path in the goal or in the parameter",
        )
    return load_scenario(find_scenario(name), _variant(node))


def _variant(node: ConductorNode) -> str | None:
    return str(node.get_parameter("variant").value) or None


def _folder(
    node: ConductorNode, scenario: Scenario, request: Simulate.Goal
) -> AbstractContextManager[Path]:
    """The folder of the run. A client that sends the run's token has reserved its folder itself."""
    requested = Path(request.out) if request.out else None
    if requested is not None and request.run:
        return nullcontext(requested)
    namespace_parts = [part for part in node.get_namespace().split("/") if part]
    base = Path(str(node.get_parameter("out").value))
    return run_folder(requested, base, "_".join((*namespace_parts, scenario.name)))


def _json_object(where: str, text: str) -> dict[str, Any]:
    if not text:
        return {}
    key = where.rpartition(".")[2]
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"the {key} is not JSON: {error}", where=where) from None
    if not isinstance(value, dict):
        raise BadInput(f"the {key} must be a JSON object", where=where, found=text[:80])
    return value


class _Spinner(RunListener):
    """Serves requests that arrive during the run, including while the conductor waits for models.

    The run is stopped when the parent process has ended.
    """

    needs_each_state = False

    def __init__(self, executor: Executor, deferred: DeferredResponses) -> None:
        self._executor = executor
        self._deferred = deferred
        self._parent = os.getppid()
        self._next_step = 0
        self.conductor: Conductor | None = None

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Serve requests every tenth step; waiting for models serves them too."""
        if step >= self._next_step:
            self._next_step = step + _SERVE_INTERVAL_STEPS
            self.serve(0.0)

    def serve(self, seconds: float) -> None:
        """Serve requests for at most `seconds`."""
        self._deferred.check()
        self._executor.spin_once(seconds)
        if os.getppid() != self._parent and self.conductor is not None:
            self.conductor.stop()


class _Feedback(RunListener):
    """Publishes the action's feedback: time, progress, real-time factor, and the newest event in words."""

    needs_each_state = False

    def __init__(self, goal: ServerGoalHandle | StartupGoal) -> None:
        self._goal = goal
        self._start_s = time.monotonic()
        self._next_publication_s = 0.0
        self._duration_ns: int | None = None
        self._message = ""
        self._time_ns = 0
        self._concerns = NewConcerns()

    def started(self, start: RunStart) -> None:
        """Store the duration, from which progress is computed; publish the address where the world can be seen."""
        self._duration_ns = start.duration_ns
        self._start_s = time.monotonic()
        if start.shown:
            self._message = shown_line(start.shown)
            self._publish(0, self._start_s)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish every `FEEDBACK_PERIOD_S`."""
        now = time.monotonic()
        if now >= self._next_publication_s:
            self._next_publication_s = now + FEEDBACK_PERIOD_S
            self._publish(scene.time_ns, now)

    def event(self, event: Event) -> None:
        """Publish an event at once; a concern only if it is new or has become worse."""
        if is_concern(event) and not self._concerns.is_new(event):
            return
        text = event_line(event)
        if text:
            self._message = text
            self._publish(event.time_ns, time.monotonic())

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Publish warnings and errors at once."""
        if level != "info":
            self._message = f"{level}: {source}: {text}"
            self._publish(time_ns, time.monotonic())

    def keep_alive(self) -> None:
        """Publish every `FEEDBACK_PERIOD_S` while the run is paused."""
        now = time.monotonic()
        if now >= self._next_publication_s:
            self._next_publication_s = now + FEEDBACK_PERIOD_S
            self._publish(self._time_ns, now)

    def _publish(self, time_ns: int, now: float) -> None:
        self._time_ns = time_ns
        feedback = Simulate.Feedback(message=self._message)
        messages.fill_time(feedback.time, time_ns)
        feedback.progress = time_ns / self._duration_ns if self._duration_ns else -1.0
        wall_s = now - self._start_s
        feedback.real_time_factor = time_ns / 1e9 / wall_s if wall_s > 0 else 0.0
        self._goal.publish_feedback(feedback)
        self._message = ""
