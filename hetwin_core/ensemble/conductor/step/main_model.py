"""Steps the main model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.scheduling.scheduler import Scheduler
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.conductor.step.outputs import OutputWriter
from hetwin_core.ensemble.model import MainChanges, MainTick
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.step_batching import MAX_STEPS
from hetwin_core.ensemble.triggers.runner import TriggerRunner


class MainModel:
    """The model that times the others.

    Args:
        port: the model.
        clock: times of its steps.
        scene: receives its output.
        outputs: writes it.
        events: knows what it has not seen yet.
        effects: carries out its requests.
        scheduler: knows when others step next.
        triggers: know whether they wait for events only.
        end_ns: the run ends with the first step that reaches this time; None: when the source ends.
    """

    def __init__(
        self,
        port: ModelPort,
        clock: MainClock,
        scene: Scene,
        outputs: OutputWriter,
        events: EventQueue,
        effects: EffectRunner,
        scheduler: Scheduler,
        triggers: TriggerRunner,
        end_ns: int | None,
    ) -> None:
        self.port = port
        self._clock = clock
        self._scene = scene
        self._outputs = outputs
        self._events = events
        self._effects = effects
        self._scheduler = scheduler
        self._triggers = triggers
        self._end_ns = end_ns

    def begin(self, step: int) -> None:
        """Ask for a step; a model in another process is at work on it from now on."""
        port, scene = self.port, self._scene
        now, then = scene.time_ns, self._clock.time_of(step)
        seen = self._events.unseen_by(port.plan.index)
        tick = MainTick(then, then - now, scene.snapshot(), seen, scene.foreign_for_main)
        port.begin_step(tick, self._further(step))

    def finish(self, then: int) -> MainChanges:
        """Wait for the output of the step to `then` [ns], and do what it says; its events are left to the caller.

        Raises:
            RunFailed: if the model fails, or a handover that it asks for.
        """
        output = self._outputs.write_main(self.port.plan, self.port.end_step(), then)
        self._scene.resolve(then)
        if output.requests:
            self._effects.requests(self.port, output.requests)
        return output

    def end_at(self, time_ns: int) -> None:
        """Let the run end with the first step that reaches this time [ns]."""
        self._end_ns = time_ns

    def is_last(self, time_ns: int) -> bool:
        """Whether the run ends with the step to this time, whatever the source says."""
        return self._end_ns is not None and time_ns >= self._end_ns

    def _further(self, step: int) -> Sequence[int]:
        """Times of the steps after this one that the model may take at once, see `step_batching` [ns]."""
        port = self.port
        if not port.can_run_ahead or port.ahead or self._scheduler.unwaited:
            return ()
        if not self._triggers.waits_for_events:
            return ()
        last = min(step + MAX_STEPS, self._scheduler.next_due(step))
        times = [self._clock.time_of(s) for s in range(step, last + 1)]
        return [then for before, then in pairwise(times) if not self.is_last(before)]
