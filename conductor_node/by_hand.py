"""The services that control a run by hand: pausing, stepping, pace, and handovers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.qos import QoSProfile
from rclpy.task import Future

from hetwin.srv import ControlRun, HandOver
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import Refused
from hetwin_core.wire import names
from hetwin_core.wire.messages import fill_time

COMMANDS = ("pause", "go_on", "step", "next_event", "pace")


class ManualControl:
    """Offers ``hetwin/control`` and ``hetwin/hand_over``; each responds when its request has been carried out.

    Args:
        node: the conductor's node.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        depth = QoSProfile(depth=names.SERVICE_DEPTH)
        node.create_service(ControlRun, names.CONTROL, self._on_control, qos_profile=depth)
        node.create_service(HandOver, names.HAND_OVER, self._on_hand_over, qos_profile=depth)

    async def _on_control(self, request: Any, response: Any) -> Any:
        try:
            conductor = self._running_conductor(request)
            await self._control(conductor, request)
            response.accepted = True
        except Refused as refusal:
            response.reason = str(refusal)
        scene = None if self._node.conductor is None else self._node.conductor.scene
        if scene is not None:
            fill_time(response.time, scene.time_ns)
        return response

    async def _on_hand_over(self, request: Any, response: Any) -> Any:
        done: Future = Future()
        try:
            self._running_conductor(request).hand_over(
                request.entity, request.attribute, request.model, done.set_result
            )
            await self._node.deferred.until(done.done)
            response.reason = done.result() or ""
            response.accepted = not response.reason
        except Refused as refusal:
            response.reason = str(refusal)
        return response

    async def _control(self, conductor: Conductor, request: Any) -> None:
        """Carry out a command.

        Raises:
            Refused: if the run cannot carry it out, or if there is no such command.
        """
        pausing = conductor.pausing
        match request.command:
            case "pause":
                conductor.pause()
                await self._wait_until(conductor, lambda: pausing.waiting)
            case "go_on":
                conductor.resume()
            case "step" if request.steps == 0:
                raise Refused("steps is 0; expected a positive number")
            case "step":
                await self._step(conductor, request.steps)
            case "next_event":
                await self._step(conductor, None)
            case "pace":
                conductor.limit_pace(request.pace if request.pace != 0.0 else None)
            case command:
                raise Refused(f"the command is {command!r}; expected {', '.join(COMMANDS)}")

    async def _step(self, conductor: Conductor, steps: int | None) -> None:
        """Take a number of steps (None: up to the next event), and wait until they are done.

        Raises:
            Refused: if the run is not paused, or was resumed, paused again or ended before the last step.
        """
        pausing = conductor.pausing
        steps_before = pausing.steps_allowed
        conductor.step_paused(steps, further=True)
        await self._wait_until(
            conductor, lambda: pausing.is_off or (pausing.must_wait and pausing.waiting)
        )
        done = pausing.steps_allowed - steps_before
        if steps is not None and done < steps:
            has_ended = self._node.conductor is not conductor
            reason = "the simulation ended" if has_ended else "it was paused or resumed"
            raise Refused(f"{reason} after {done} of {steps} steps")

    def _running_conductor(self, request: Any) -> Conductor:
        self._node.check_run(request.run, "this")
        conductor: Conductor | None = self._node.conductor
        if conductor is None:
            raise Refused("no simulation is running")
        return conductor

    async def _wait_until(self, conductor: Conductor, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds or this run has ended."""
        await self._node.deferred.until(
            lambda: condition() or self._node.conductor is not conductor
        )
