"""Plays, pauses, steps, stops and resets the run, as ``simulation_interfaces`` defines it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from simulation_interfaces.msg import SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState

from conductor_node.standard.entities import (
    RequestRefused,
    operation_failed,
    unsupported,
    wrong_state,
)
from conductor_node.startup_goal import StartupGoal
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import Refused

STOPPED = SimulationState.STATE_STOPPED
PLAYING = SimulationState.STATE_PLAYING
PAUSED = SimulationState.STATE_PAUSED
QUITTING = SimulationState.STATE_QUITTING
LOADING = getattr(SimulationState, "STATE_LOADING_WORLD", 5)
"""The state while the models are initialized; versions before 1.2 of the standard do not define it."""
WORDS = {STOPPED: "stopped", PLAYING: "playing", PAUSED: "paused", QUITTING: "quitting"}

RESTART = ResetSimulation.Request.SCOPE_TIME | ResetSimulation.Request.SCOPE_STATE
SPAWNED = ResetSimulation.Request.SCOPE_SPAWNED


class RunControl:
    """Carries out requests of the standard's services that concern the run.

    Args:
        node: the conductor's node.
    """

    def __init__(self, node: Any) -> None:
        self._node = node

    @property
    def state(self) -> int:
        """The state, as in ``simulation_interfaces/SimulationState``."""
        node = self._node
        if node.quitting:
            return int(QUITTING)
        if node.goal is None:
            return int(STOPPED)
        if node.conductor is None or not node.conductor.is_running:
            return int(LOADING)
        return int(PAUSED if node.conductor.pausing.must_wait else PLAYING)

    def running(self) -> Conductor:
        """The conductor of the run that plays or is paused.

        Raises:
            RequestRefused: if there is no such run.
        """
        if self.state not in (PLAYING, PAUSED):
            raise wrong_state(
                "there is no scene yet: play the simulation, or pause it at its start"
            )
        conductor: Conductor = self._node.conductor
        return conductor

    async def set(self, wanted: int) -> None:
        """Change to another state, and return once it is reached.

        Raises:
            RequestRefused: if that state cannot be reached.
        """
        current = self.state
        if wanted == current:
            code = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
            raise RequestRefused(
                code, f"the simulation is {WORDS.get(current, 'loading its world')} already"
            )
        if wanted not in WORDS:
            code = SetSimulationState.Response.INCORRECT_TRANSITION
            raise RequestRefused(
                code, "only stopped, playing, paused and quitting can be requested"
            )
        if current == LOADING and wanted != QUITTING:
            raise wrong_state("the simulation is loading; try again when it plays")
        if wanted == QUITTING:
            self._quit()
        elif wanted == STOPPED:
            await self._stop()
        elif current == STOPPED:
            await self._start(paused=wanted == PAUSED)
        elif wanted == PAUSED:
            await self._pause()
        else:
            self._node.conductor.resume()

    async def step(self, steps: int) -> None:
        """Take a number of steps of the main model, and return when they are done.

        Raises:
            RequestRefused: if the simulation is not paused, or was resumed, paused again or ended before the last step.
        """
        if self.state != PAUSED:
            raise operation_failed("only a paused simulation can be stepped; pause it first")
        conductor: Conductor = self._node.conductor
        pausing = conductor.pausing
        steps_before = pausing.steps_allowed
        conductor.step_paused(steps)
        await self._wait_until(
            conductor, lambda: pausing.is_off or (pausing.must_wait and pausing.waiting)
        )
        done = pausing.steps_allowed - steps_before
        if done < steps:
            has_ended = self._node.conductor is not conductor
            reason = "the simulation ended" if has_ended else "it was paused or resumed"
            raise operation_failed(f"{reason} after {done} of {steps} steps")

    async def reset(self, scope: int) -> None:
        """Start the run again, playing or paused as before.

        Raises:
            RequestRefused: if this run cannot be started again.
        """
        scope = (scope or ResetSimulation.Request.SCOPE_ALL) & (RESTART | SPAWNED)
        if scope not in (RESTART, SPAWNED, RESTART | SPAWNED):
            raise unsupported("time and state can only be reset together")
        node, conductor = self._node, self._node.conductor
        if scope & RESTART and conductor is not None and conductor.is_live:
            raise unsupported("the twin of a live robot cannot be reset: the robot cannot")
        if scope & RESTART and node.goal is not None and not isinstance(node.goal, StartupGoal):
            raise operation_failed(
                "a client of the action hetwin/simulate started this run; only it can restart it"
            )
        if node.goal is not None and not scope & RESTART:
            raise wrong_state(
                "spawned objects can be reset alone only while the simulation is stopped"
            )
        if scope & SPAWNED:
            node.spawned.clear()
        if node.goal is None:
            return
        if conductor is None or not conductor.is_running:
            raise wrong_state("the simulation is loading; try again when it plays")
        node.start_paused = conductor.pausing.must_wait
        node.begin_startup_goal()
        conductor.stop()
        await node.deferred.until(lambda: node.conductor is not conductor and self._is_ready())
        self._check_started()

    async def _start(self, *, paused: bool) -> None:
        node = self._node
        node.start_paused = paused
        node.begin_startup_goal()
        await node.deferred.until(self._is_ready)
        self._check_started()

    async def _pause(self) -> None:
        conductor: Conductor = self._node.conductor
        try:
            conductor.pause()
        except Refused as refusal:
            raise unsupported(str(refusal)) from None
        pausing = conductor.pausing
        await self._wait_until(conductor, lambda: pausing.waiting)
        if self._node.conductor is not conductor:
            raise operation_failed("the simulation ended before it was paused")

    async def _stop(self) -> None:
        conductor = self._node.conductor
        if conductor is not None:
            conductor.stop()
        await self._node.deferred.until(lambda: self._node.conductor is not conductor)

    def _quit(self) -> None:
        self._node.quitting = True
        if self._node.conductor is not None:
            self._node.conductor.stop()

    def _is_ready(self) -> bool:
        """Whether the requested run is playing or paused, or has failed to start."""
        node = self._node
        if node.goal is None:
            return True
        conductor: Conductor | None = node.conductor
        if conductor is None or not conductor.is_running:
            return False
        return conductor.pausing.waiting or conductor.pausing.is_off

    def _check_started(self) -> None:
        if self._node.goal is None:
            code = SetSimulationState.Response.STATE_TRANSITION_ERROR
            raise RequestRefused(code, self._failure_reason())

    def _failure_reason(self) -> str:
        result = self._node.last_result
        if result is None or not result.error:
            return "the simulation has already ended"
        if result.summary:
            return f"it failed: {json.loads(result.error)['reason']}"
        return str(json_codec.error_from_text(result.error, "conductor", "start", 0))

    async def _wait_until(self, conductor: Conductor, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds or this run has ended."""
        await self._node.deferred.until(
            lambda: condition() or self._node.conductor is not conductor
        )
