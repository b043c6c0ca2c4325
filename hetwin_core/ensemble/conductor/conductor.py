"""The conductor: runs a scenario with its models."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hetwin_core.ensemble.conductor.between_steps import AtBarrier
from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.controls import (
    Controls,
    HandoverRequest,
    MembershipRequest,
    OnDone,
    Pace,
    Pause,
    PlacementRequest,
    RecordedAction,
)
from hetwin_core.ensemble.conductor.reporting.listener import (
    ListenerGroup,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.conductor.run import Run
from hetwin_core.ensemble.conductor.start.found import found_objects
from hetwin_core.ensemble.conductor.start.lifecycle import prepare
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_live, is_open_ended
from hetwin_core.ensemble.conductor.step.effects import slot_of
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local import local_ports
from hetwin_core.ensemble.transport.port import ModelPort


class Conductor:
    """Runs a scenario with its models.

    Call `prepare`, then `run`; all other methods may be called from other threads meanwhile.

    Args:
        scenario: the scenario to run.
        ports: the models, in the scenario's order.
        listeners: receive the run's events.
        options: options of the start.
        idle: waits at most the given number of seconds; called repeatedly while the run is paused.
    """

    def __init__(
        self,
        scenario: Scenario,
        ports: Sequence[ModelPort],
        listeners: Sequence[RunListener] = (),
        options: RunOptions | None = None,
        idle: Callable[[float], None] = time.sleep,
    ) -> None:
        self._scenario = scenario
        self._ports = tuple(ports)
        self._listeners = ListenerGroup(listeners)
        self._options = options or RunOptions()
        self._controls = Controls()
        self._at_barriers: list[AtBarrier] = []
        self._idle = idle
        self._run: Run | None = None

    @property
    def ports(self) -> tuple[ModelPort, ...]:
        """The models, in the scenario's order."""
        return self._ports

    @property
    def is_live(self) -> bool:
        """Whether the source is a live robot, whose stamps are not simulated time."""
        return is_live(self._scenario, self._options)

    def prepare(self) -> RunStart:
        """Initialize the models, so that they can start.

        Raises:
            BadInput: if the scenario, its files or the source cannot be used; the models are stopped.
            RunFailed: if a model fails; the models are stopped.
        """
        try:
            if self._options.found is None:
                found = found_objects(self._scenario, self._options)
                self._options = replace(self._options, found=found)
            prepared = prepare(self._scenario, self._ports, self._options)
            is_endless = prepared.duration_ns is None and self._options.duration is None
            if is_endless and not is_open_ended(self._scenario, self._options):
                raise BadInput(
                    "this run has no defined end",
                    file=self._scenario.path,
                    where="source",
                    expected=self._possible_ends(),
                )
            self._run = Run(
                self._scenario,
                self._ports,
                self._listeners,
                self._options,
                prepared,
                self._controls,
                self._at_barriers,
            )
        except BaseException:
            self.stop_models()
            raise
        return self._run.start

    def _possible_ends(self) -> str:
        """The conditions that end the run, in words."""
        expected = "a recording as source, or a duration"
        if not self._scenario.file.example:
            return expected
        return (
            f"{expected}; it runs with {', then '.join(f'`{c}`' for c in self._scenario.example)}"
        )

    def run(self) -> RunSummary:
        """Step until the source ends, a trigger or `stop` ends the run, or something fails.

        A failed run returns a summary too; its `ended` is ``failed``.

        Raises:
            BadInput: if a model cannot start with its input; nothing was recorded then.
        """
        if self._run is None:
            self.prepare()
        assert self._run is not None
        return self._run.run_to_end(self._idle)

    @property
    def is_running(self) -> bool:
        """Whether the models are prepared or running, so that `stop` takes effect at once."""
        return self._run is not None

    def stop(self) -> None:
        """End the run at the next barrier; its `ended` is then ``stopped``."""
        self._controls.stop.set()

    def notify(self, event: Event) -> None:
        """Pass in an event from outside, which is handled at the next barrier."""
        self._controls.arrivals.put(event)

    def at_barriers(self, callback: AtBarrier) -> None:
        """Register a function for every barrier after which the run continues, including the start at 0 s.

        It is called in the run's thread with the run between two steps, which can be inspected, saved, altered and
        forked.

        Args:
            callback: called at each barrier.
        """
        self._at_barriers.append(callback)

    def listen(self, listener: RunListener) -> None:
        """Add a listener of the whole run; to be called before `prepare`."""
        self._listeners.add(listener)

    def continue_from(self, checkpoint: Checkpoint) -> RunStart:
        """Restore a saved run, so that it can continue; called instead of `prepare`, or after it.

        Args:
            checkpoint: of a run of the same scenario, with the options of this one.

        Raises:
            BadInput: see `prepare`; or if the checkpoint belongs to another run; the models are then stopped.
            RunFailed: if a model fails; the models are stopped.
        """
        if self._run is None:
            self.prepare()
        assert self._run is not None
        try:
            self._run.continue_from(checkpoint)
        except BaseException:
            self.stop_models()
            raise
        return self._run.start

    @property
    def scene(self) -> Snapshot | None:
        """The current scene, not to be kept; None before the models are ready."""
        return None if self._run is None else self._run.scene

    @property
    def lag_s(self) -> float | None:
        """How far the twin is behind its live robot at the newest state [s]; None without a live robot."""
        return None if self._run is None else self._run.lag_s

    @property
    def pausing(self) -> Pause:
        """Whether the run is paused, and how it continues."""
        return self._controls.pause

    @property
    def pace(self) -> Pace:
        """Upper limit of the run's speed; `limit_pace` sets it."""
        return self._controls.pace

    def pause(self) -> None:
        """Pause the run before its next step, or before its first.

        Raises:
            Refused: if it follows a live robot, which does not wait.
        """
        self._check_not_live("paused")
        if not self.pausing.must_wait:
            self._record("held")
        self.pausing.hold()

    def resume(self) -> None:
        """Let a paused run continue."""
        if not self.pausing.is_off:
            self._record("went_on")
        self.pausing.resume()

    def step_paused(self, steps: int | None, *, further: bool = False) -> None:
        """Let a paused run take some steps.

        Args:
            steps: number of steps; None: up to the next one in which an event happens.
            further: whether the steps may be added to those of an earlier request that are still being taken.

        Raises:
            Refused: if it is not paused.
        """
        self._check_not_live("stepped")
        self.pausing.allow(steps, further=further)
        self._record("stepped", steps=steps)

    def limit_pace(self, factor: float | None) -> None:
        """Limit the run to a multiple of real time; None: no limit.

        Raises:
            Refused: if the factor is not a positive number, or the run follows a live robot, which sets the pace.
        """
        self._check_not_live("held to a pace")
        self.pace.set(factor)
        self._record("paced", factor=factor)

    def hand_over(
        self, entity: str, attribute: str, model: str, done: OnDone = lambda _: None
    ) -> None:
        """Make a model responsible for an attribute at the next barrier, also while the run is paused.

        As in a trigger's handover, the current owner releases the attribute and the model takes it. The run is
        then not deterministic.

        Args:
            entity: an entity of the scene.
            attribute: an attribute of this entity.
            model: name of the new owner.
            done: called once: with None on success, else with the reason of the refusal.

        Raises:
            Refused: if there is no run, or no such attribute or model, or the model cannot be responsible for it.
        """
        slot = self._slot(entity, attribute)
        plan = self._scenario.plan(model)
        if plan is None:
            names = one_of(model, [m.name for m in self._scenario.models])
            raise Refused(f"there is no model {model!r}; expected {names}")
        if not plan.provides(attribute):
            raise Refused(f"{model} cannot be responsible for {attribute}")
        self._controls.requests.append(HandoverRequest(slot, plan.index, done))

    def awaits(self, name: str) -> bool:
        """Whether a model is one of the scenario's own, which a new node may replace; others must `join`."""
        plan = self._scenario.plan(name)
        return plan is not None and plan.seat is None

    def join(self, name: str, done: OnDone = lambda _: None) -> str:
        """Let a model that the scenario admits join at the next barrier; the run is then not deterministic.

        Args:
            name: name of the model; if a pattern of the scenario covers it, it gets a free seat of that pattern.
            done: called once: with None when it has joined, else with the reason why not.

        Returns:
            The name that it has in the run.

        Raises:
            Refused: if there is no run, or the scenario does not admit the model.
        """
        if self._run is None:
            raise Refused("no simulation is running")
        run, requests = self._run, tuple(self._controls.requests)
        joining = {r.model for r in requests if isinstance(r, MembershipRequest) and r.joins}
        plan = self._scenario.seat_for(name, lambda i: i in joining or run.in_service(i))
        self._controls.requests.append(MembershipRequest(plan.index, True, done))
        return plan.name

    def leave(self, name: str, done: OnDone = lambda _: None) -> None:
        """Let a model that has joined leave at the next barrier; its responsibilities are handed back.

        Args:
            name: its name in the run.
            done: called once: with None when it has left, else with the reason why not.

        Raises:
            Refused: if there is no such model.
        """
        plan = self._scenario.plan(name)
        if plan is None:
            raise Refused(f"there is no model {name!r}")
        self._controls.requests.append(MembershipRequest(plan.index, False, done))

    def place(self, entity: str, attribute: str, data: Floats, done: OnDone) -> None:
        """Set an attribute to another value at the next barrier, also while the run is paused.

        Args:
            entity: an entity of the scene.
            attribute: an attribute of this entity.
            data: the new numbers; poses and twists in the world frame.
            done: called once: with None when it is set, else with the reason why not.

        Raises:
            Refused: if there is no run, or it has no such attribute of this size.
        """
        slot = self._slot(entity, attribute, len(data))
        self._controls.requests.append(PlacementRequest(slot, data, done))

    def _slot(self, entity: str, attribute: str, size: int | None = None) -> int:
        if self._run is None:
            raise Refused("no simulation is running")
        return slot_of(self._run.scene.layout, entity, attribute, size)

    def _check_not_live(self, done: str) -> None:
        if self.is_live:
            raise Refused(f"the twin of a live robot cannot be {done}: the robot does not wait")

    def _record(self, name: str, **arguments: Json) -> None:
        self._controls.requests.append(RecordedAction(name, arguments))

    def stop_models(self) -> None:
        """Stop the models of a run that is prepared and will not start."""
        for port in self._ports:
            port.stop()


def session(
    scenario: Scenario | str | Path,
    *,
    options: RunOptions | None = None,
    listeners: Sequence[RunListener] = (),
    at_barrier: AtBarrier | None = None,
    deadline_s: float | None = None,
    own_processes: bool = False,
    heartbeat: Heartbeat | None = None,
    idle: Callable[[float], None] = time.sleep,
    ports: Sequence[ModelPort] | None = None,
) -> Conductor:
    """Return the conductor of a run that has not started; its `run` runs it.

    Args:
        scenario: the scenario's file, the name of an installed one, or one that `load_scenario` has returned.
        options: options of the start; their variant is used only if the scenario is loaded here.
        listeners: receive the run's events.
        at_barrier: called with the run at every barrier after which it continues, including the start at 0 s.
        deadline_s: wall time that a call of any model may take [s]; None: the scenario's.
        own_processes: whether models get processes of their own if the scenario declares them so. The digest is the
            same; a run that is to be saved or forked has all models in this process.
        heartbeat: receives the calls that are in progress in this process.
        idle: waits at most the given number of seconds; called repeatedly while the run is paused.
        ports: ports of the models, in their order; None: the models run in this process, or in processes of their
            own. The arguments about calls, processes and deadlines apply only then.

    Raises:
        BadInput: if there is no such scenario, or it cannot be used.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario, None if options is None else options.variant)
    if ports is None:
        adjusted = scenario
        if deadline_s is not None:
            plans = [replace(p, deadline=deadline_s, patience=deadline_s) for p in scenario.models]
            adjusted = replace(scenario, models=tuple(plans))
        ports = local_ports(adjusted, heartbeat, one_process=not own_processes)
    conductor = Conductor(scenario, ports, listeners, options, idle)
    if at_barrier is not None:
        conductor.at_barriers(at_barrier)
    return conductor
