"""A run between two of its steps, and the changes that are possible there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeAlias

from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.conductor.checkpoint import (
    SOURCE,
    Checkpoint,
    restore_checkpoint,
    take_checkpoint,
)
from hetwin_core.ensemble.conductor.parts import Parts
from hetwin_core.ensemble.conductor.reporting.listener import (
    ListenerGroup,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.step.effects import slot_of
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.ensemble.transport.port import ModelPort


class StepLoop(Protocol):
    """Takes the steps of a run."""

    @property
    def step(self) -> int:
        """Number of the last complete step."""

    def go_on(self) -> RunSummary:
        """Take all remaining steps, and return the summary of the run."""

    def return_to(self, step: int) -> None:
        """Return to the state after this step."""


class RewindPoint(NamedTuple):
    """A point of a run to which the process that runs it can return.

    Attributes:
        checkpoint: the state of the run at that point.
        sources: number of times that the source had been replaced.
        rewind_events: restores the events.
    """

    checkpoint: Checkpoint
    sources: int
    rewind_events: Callable[[], None]


class BetweenSteps:
    """A run after a step's state is published and before the next step begins; see `Conductor.at_barriers`.

    No model is in a step, except those in separate threads: models coupled beside the main model, clock-stepped and
    free ones. Valid only during the call, and in its thread. A process that is forked in the call continues the
    same run.

    Args:
        scenario: the scenario of the run.
        options: options of its start.
        ports: the models, in the scenario's order.
        listeners: receive its events.
        parts: parts of the conductor.
        scene: scene of the run.
        start: facts about the run before its first step.
        loop: takes its steps.

    Attributes:
        next_step: maps a complete step to the next one to take; None if no steps are skipped.
        wake_ns: time up to which all callbacks `rest` [ns]; None if one of them does not.
    """

    def __init__(
        self,
        scenario: Scenario,
        options: RunOptions,
        ports: Sequence[ModelPort],
        listeners: ListenerGroup,
        parts: Parts,
        scene: Scene,
        start: RunStart,
        loop: StepLoop,
    ) -> None:
        self._scenario, self._options, self._ports = scenario, options, tuple(ports)
        self._listeners, self._parts, self._scene, self._start = listeners, parts, scene, start
        self._loop, self._sources = loop, 0
        self.next_step: Callable[[int], int] | None = None
        self.wake_ns: int | None = None
        self._rests: list[int] = []
        self._seen_count = 0
        self._new_events: Sequence[Event] = ()

    def run_callbacks(self, callbacks: Sequence[AtBarrier]) -> None:
        """Call the callbacks of this barrier; `events` are those since the last call."""
        events = self._parts.events.events
        self._new_events, self._seen_count = events[self._seen_count :], len(events)
        self._rests.clear()
        for callback in tuple(callbacks):
            callback(self)
        self.wake_ns = min(self._rests) if len(self._rests) == len(callbacks) else None

    def rest(self, until_ns: int = FAR_FUTURE_NS) -> None:
        """Let the main model take several steps in one call, as without callbacks: this one has changed nothing.

        The callback is called again where the run stops for another reason, such as a model's step or an event.

        Args:
            until_ns: time at which it is called at the latest [ns].
        """
        self._rests.append(until_ns)

    def mark_seen(self) -> None:
        """Treat all events so far as seen, such as those of a restored run."""
        self._seen_count = len(self._parts.events.events)

    @property
    def step(self) -> int:
        """Number of the last complete step of the main model."""
        return self._loop.step

    def leap(self, next_step: Callable[[int], int]) -> None:
        """Let the main model skip steps from now on; only for a main model that can.

        Args:
            next_step: maps a complete step to the next one to be taken; the steps between them are skipped.
        """
        self.next_step = next_step

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""
        return self._scene.time_ns

    @property
    def events(self) -> Sequence[Event]:
        """The events handled since the previous barrier."""
        return self._new_events

    @property
    def scene(self) -> Snapshot:
        """The current scene; valid only during the call."""
        return self._scene.snapshot()

    @property
    def current_start(self) -> RunStart:
        """The facts about the run as they would be if it started with the current scene."""
        return replace(self._start, snapshot=self._scene.kept_snapshot())

    def checkpoint(self) -> Checkpoint:
        """Save the run, so that another process can continue it.

        All models must be in this process and step by service. The continued run ends with the digest of this one.

        Raises:
            Refused: if something in it cannot be saved; model and reason are named.
            RunFailed: if a model fails.
        """
        return self._take_checkpoint()

    def _take_checkpoint(self, *, same_process: bool = False) -> Checkpoint:
        given, parts, scene = self._start.given, self._parts, self._scene
        run = self._scenario, self._options, given, self._ports, parts, scene, self.step
        return take_checkpoint(*run, same_process=same_process)

    def go_on(self) -> RunSummary:
        """Run to the end within this call, and return the summary.

        The models are not stopped. Afterwards the process can only `rewind` the run or exit.
        """
        return self._loop.go_on()

    def mark(self) -> RewindPoint:
        """Return the state that `rewind` restores, in this process alone.

        Raises:
            Refused: if something in the run cannot be saved.
            RunFailed: if a model fails.
        """
        checkpoint = self._take_checkpoint(same_process=True)
        if (reason := checkpoint.unsaved_source_reason) is not None:
            raise Refused(reason)
        return RewindPoint(checkpoint, self._sources, self._parts.events.mark())

    def rewind(self, mark: RewindPoint) -> None:
        """Return to a marked point, with the source that the run had there and without the end set by `end_at`.

        Raises:
            Refused: if the source was replaced since.
            RunFailed: if a model fails.
        """
        if self._sources != mark.sources:
            raise Refused("the source has been replaced since")
        restore_checkpoint(
            mark.checkpoint, self._ports, self._parts, self._scene, same_process=True
        )
        mark.rewind_events()
        self.next_step = None
        self._loop.return_to(mark.checkpoint.step)
        self.mark_seen()

    def replace_listeners(self, listeners: Sequence[RunListener]) -> None:
        """Report to other listeners from now on.

        They get a start whose snapshot is the current scene. The former listeners receive nothing more.

        Raises:
            RunFailed: if one of them cannot begin.
        """
        self._listeners.replace(listeners)
        if listeners:
            self._listeners.started(self.current_start)

    def add_listener(self, listener: RunListener) -> None:
        """Report to one more listener from now on; it gets a start whose snapshot is the current scene.

        Raises:
            RunFailed: if it cannot begin.
        """
        self._listeners.add(listener, self.current_start)

    def alter(
        self, poses: Mapping[str, Floats], parameters: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Continue with other poses and parameters.

        Args:
            poses: entity -> (13,) pose and twist in the world.
            parameters: model -> parameter -> value.

        Raises:
            Refused: if there is no such model or pose, or a model does not accept a value.
            RunFailed: if a model fails.
        """
        for name, values in parameters.items():
            plan = self._scenario.plan(name)
            if plan is None:
                names = one_of(name, [model.name for model in self._scenario.models])
                raise Refused(f"there is no model {name!r}; expected {names}")
            self._ports[plan.index].change(values)
            if plan.main and SOURCE in values:
                self._sources += 1
                self._options = replace(self._options, source=_spec_text(values[SOURCE]))
        for entity, pose in poses.items():
            self._parts.effects.place(
                slot_of(self._scene.layout, entity, POSE.name, len(pose)), pose
            )

    def end_at(self, time_ns: int) -> None:
        """End the run with the first step that reaches this time [ns], unless its source ends earlier."""
        self._parts.step.end_at(time_ns)


def _spec_text(spec: Any) -> str | None:
    """A source in the form of `RunOptions.source`; None without one."""
    return spec if spec is None or isinstance(spec, str) else json.dumps(spec)


AtBarrier: TypeAlias = Callable[[BetweenSteps], None]
"""Callback that is called at each barrier."""
