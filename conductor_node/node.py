"""The conductor as a managed ROS 2 node: registration, events, annotations, start and stop of a simulation."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from conductor_node.by_hand import ManualControl
from conductor_node.startup_goal import StartupGoal
from conductor_node.status import NamespaceGuard, search_time_s
from hetwin.action import Simulate
from hetwin.msg import ActionAnnotation, Belief, Task
from hetwin.srv import AnnotateAction, NotifyEvent, RegisterModel, StopSimulation
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.ensemble.tasks import TaskMessages
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, TASKS
from hetwin_core.wire import messages, names
from hetwin_core.wire.names import declare
from hetwin_core.wire.run_identity import Claim, new_token, refuse_foreign


def offer_standard_services(node: Node) -> Any:
    """Offer the services of the standard ``simulation_interfaces``.

    Returns:
        Their server; None if ``simulation_interfaces`` is not installed, which the node's log reports.
    """
    if find_spec("simulation_interfaces") is None:
        node.get_logger().info(
            "simulation_interfaces is not installed: the standard's services are not offered"
        )
        return None
    from conductor_node.standard.services import StandardServices

    return StandardServices(node)


PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "scenario": ("", "path of a scenario, or name of one of hetwin's, for goals that name none"),
    "source": ("", "recording, live, or live:ROBOT_NAMESPACE; empty: the scenario's"),
    "scene": ("", "poses of objects, as JSON, for runs that no goal requests"),
    "duration": (0.0, "end after this many simulated seconds; 0: when the source ends"),
    "engine": ("", "physics engine of the main model; empty: the scenario's"),
    "variant": ("", "one of the scenario's variants; empty: the scenario as it stands"),
    "out": ("runs", "folder for the folders of runs"),
    "in_process": ("", "models that run in this process, separated by commas, or all"),
    "packages": ("", "JSON: name of a package:// -> its folder, in addition to the scenario's"),
    "state_rate": (100.0, "states published per simulated second"),
    "localized": (
        True,
        "publish the transform from the world to a mobile robot's odometry on tf; false if AMCL or SLAM does so",
    ),
    "run": ("", "token of the run, from the process that starts it; empty: a new one"),
    "start_at_once": (False, "run once without waiting for a goal"),
    "start_paused": (False, "hold each run before its first step"),
    "pace": (0.0, "run at this many times real time; 0: as fast as possible"),
    "runs": (0, "how many simulations to run before the process ends; 0: no end"),
}
"""Name -> default and description."""


class DeferredResponses:
    """Lets callbacks wait for conditions, which the thread that runs the ensemble checks."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], bool], Future]] = []

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds."""
        if not condition():
            future = Future()
            self._waiting.append((condition, future))
            await future

    def check(self) -> None:
        """Resume the callbacks whose condition holds now."""
        if self._waiting:
            ready = [future for condition, future in self._waiting if condition()]
            self._waiting = [pair for pair in self._waiting if pair[1] not in ready]
            for future in ready:
                future.set_result(None)


class ConductorNode(LifecycleNode):  # type: ignore[misc]
    """Accepts registrations and goals; `runner.run_goal` carries out the run itself, in the thread that spins.

    Its parameters are `PARAMETERS`.

    Attributes:
        run: token of the run, by which nodes and clients recognize each other.

    Raises:
        BadInput: if another run on this machine has the namespace.
    """

    def __init__(self, name: str = "conductor") -> None:
        super().__init__(name)
        declare(self, PARAMETERS)
        self._claim: Claim | None = None
        self.run = str(self.get_parameter("run").value) or new_token()
        namespace, domain = self.get_namespace(), self.context.get_domain_id()
        is_inherited = Claim.is_held(namespace, self.run, domain)
        if not is_inherited:
            self._claim = Claim(namespace, self.run, domain)
        self.namespace_guard = NamespaceGuard(self, self.run, search_time_s())
        self.registrations: dict[str, RegisterModel.Request] = {}
        self.former_registrations: dict[str, RegisterModel.Request] = {}
        self.goal: ServerGoalHandle | StartupGoal | None = None
        self.start_paused = bool(self.get_parameter("start_paused").value)
        self.quitting = False
        self.deferred = DeferredResponses()
        self.spawned: dict[str, dict[str, Any]] = {}
        self.last_result: Simulate.Result | None = None
        self.conductor: Conductor | None = None
        self._result: Future | None = None
        self._next_goal: StartupGoal | None = None
        self._is_active = False
        depth = QoSProfile(depth=names.SERVICE_DEPTH)
        for token in ("", self.run):
            name = names.of_run(names.REGISTER, token)
            self._offer(RegisterModel, name, self._on_register, depth)
        self._offer(NotifyEvent, names.NOTIFY, self._on_notify, depth)
        self._offer(AnnotateAction, names.ANNOTATE, self._on_annotate, depth)
        self._offer(StopSimulation, names.STOP, self._on_stop, depth)
        self._tasks = TaskMessages()
        self._subscribe(ActionAnnotation, ANNOTATIONS.name, messages.read_annotation, depth)
        self._subscribe(Task, TASKS.name, self._read_task, depth)
        self._subscribe(Belief, BELIEFS.name, messages.read_belief, depth)
        self._servers = [
            ActionServer(
                self,
                Simulate,
                names.of_run(names.SIMULATE, token),
                execute_callback=self._execute,
                goal_callback=self._on_goal,
                cancel_callback=self._on_cancel,
            )
            for token in ("", self.run)
        ]
        self._manual_control = ManualControl(self)
        self._standard = offer_standard_services(self)

    def begin_startup_goal(self) -> None:
        """Start a run from the node's parameters; if one is running, start after it has ended."""
        self._next_goal = StartupGoal(self)
        if self.goal is None:
            self.goal, self._next_goal = self._next_goal, None

    def finish(self, result: Simulate.Result) -> None:
        """Return the result of the current goal to its client."""
        self.conductor = None
        self.last_result = result
        if self._result is not None:
            self._result.set_result(result)
            self._result = None
        else:
            self.goal, self._next_goal = self._next_goal, None

    def destroy_node(self) -> None:
        """Release the namespace, so that another run may use it."""
        if self._claim is not None:
            self._claim.close()
        super().destroy_node()

    def check_run(self, run: str, what: str) -> None:
        """Make sure that a request is for this run.

        Raises:
            Refused: if it is for another run.
        """
        this_conductor = f"the conductor of {self.get_namespace()!r} (process {os.getpid()})"
        refuse_foreign(run, self.run, what, this_conductor)

    # ------------------------------------------------------------------ life cycle

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Accept goals from now on."""
        self._is_active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse goals from now on, and stop a running simulation."""
        self._is_active = False
        if self.conductor is not None:
            self.conductor.stop()
        return super().on_deactivate(state)

    # ------------------------------------------------------------------ services

    def _offer(
        self, kind: Any, name: str, handler: Callable[[Any], None], depth: QoSProfile
    ) -> None:
        """Offer a service that accepts a request, or refuses it with the text of the handler's `ValueError`."""

        def respond(request: Any, response: Any) -> Any:
            try:
                self.check_run(request.run, f"the call of {name!r}")
                handler(request)
                response.accepted = True
            except (ValueError, Refused) as refusal:
                response.accepted = False
                response.reason = str(refusal)
            if isinstance(request, RegisterModel.Request):
                response.id = f"{request.name}@{request.host}:{request.pid}"
                response.host, response.pid = socket.gethostname(), os.getpid()
                response.place, response.run = here(), self.run
            return response

        self.create_service(kind, name, respond, qos_profile=depth)

    def _on_register(self, request: RegisterModel.Request) -> None:
        known = self.registrations.get(request.name)
        if known is not None and (known.pid, known.host) != (request.pid, request.host):
            raise ValueError(
                f"the name {request.name!r} is taken by {known.node} (process {known.pid} on {known.host})"
            )
        if known is None and self.conductor is not None and self.conductor.is_running:
            self.let_join(self.conductor, request)
        else:
            self.registrations[request.name] = request

    def let_join(self, conductor: Conductor, request: RegisterModel.Request) -> None:
        """Let a model join the current run; a restarted model is only registered again.

        Raises:
            Refused: if the scenario does not admit the model.
        """
        if conductor.awaits(request.name):
            self.registrations[request.name] = request
            return
        name = conductor.join(request.name, partial(self._forget, request))
        self.registrations[name] = request

    def _forget(self, request: RegisterModel.Request, refusal: str | None) -> None:
        if refusal is not None:
            for name in [n for n, known in self.registrations.items() if known is request]:
                del self.registrations[name]

    def _on_notify(self, request: NotifyEvent.Request) -> None:
        self._running().notify(messages.read_event(request.event))

    def _on_annotate(self, request: AnnotateAction.Request) -> None:
        self._running().notify(messages.read_annotation(request.annotation))

    def _subscribe(
        self, kind: Any, topic: str, read: Callable[[Any], Event], depth: QoSProfile
    ) -> None:
        """Subscribe to messages of the robot's program about a run; a live source has subscriptions of its own."""

        def on_message(message: Any) -> None:
            if self.conductor is None or self.conductor.is_live:
                return
            try:
                self.conductor.notify(read(message))
            except ValueError as error:
                self.get_logger().warning(f"{topic}: {error}")

        self.create_subscription(kind, topic, on_message, depth)

    def _read_task(self, message: Task) -> Event:
        return self._tasks.event(message, messages.read_time(message.stamp), TASKS.name)

    def _on_stop(self, _: StopSimulation.Request) -> None:
        self._running().stop()

    def _running(self) -> Conductor:
        if self.conductor is None:
            raise ValueError("no simulation is running")
        return self.conductor

    # ------------------------------------------------------------------ the start of a simulation

    def _on_goal(self, goal: Simulate.Goal) -> GoalResponse:
        try:
            self.check_run(goal.run, "the goal")
        except Refused as refusal:
            self.get_logger().warning(f"goal refused: {refusal}")
            return GoalResponse.REJECT
        if not self._is_active or self.goal is not None or self.quitting:
            reason = "a simulation is running" if self._is_active else "the conductor is not active"
            self.get_logger().warning(f"goal refused: {reason}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_cancel(self, _: Any) -> CancelResponse:
        if self.conductor is not None:
            self.conductor.stop()
        return CancelResponse.ACCEPT

    async def _execute(self, goal: ServerGoalHandle) -> Simulate.Result:
        self._result = Future()
        self.goal = goal
        result = await self._result
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.ended == "failed":
            goal.abort()
        else:
            goal.succeed()
        self.goal = None
        return result
