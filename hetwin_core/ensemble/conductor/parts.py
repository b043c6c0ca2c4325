"""The parts of a run and their connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.conductor.controls import Controls
from hetwin_core.ensemble.conductor.failures import FailureHandler, FailurePolicy
from hetwin_core.ensemble.conductor.handovers import Handovers
from hetwin_core.ensemble.conductor.joining import MembershipHandler
from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.conductor.scheduler import LagControl, Scheduler
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import topics_of_beliefs
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.ensemble_step import EnsembleStep
from hetwin_core.ensemble.conductor.step.incoming import BeliefIntake, EventQueue, OutsideInput
from hetwin_core.ensemble.conductor.step.outputs import OutputWriter, StatePublisher
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.triggers.runner import TriggerRunner


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a run, each with one job; see their classes."""

    digest: Digest
    beliefs: BeliefIntake
    events: EventQueue
    scheduler: Scheduler
    outputs: OutputWriter
    handovers: Handovers
    failures: FailureHandler
    effects: EffectRunner
    triggers: TriggerRunner
    policy: FailurePolicy
    outside: OutsideInput
    publisher: StatePublisher
    step: EnsembleStep


def assemble(
    scenario: Scenario,
    ports: Sequence[ModelPort],
    listeners: ListenerGroup,
    options: RunOptions,
    prepared: PreparedRun,
    controls: Controls,
) -> Parts:
    """Make the parts of a run and connect them."""

    def warn(source: str, text: str) -> None:
        listeners.note(scene.time_ns, "warning", source, text)

    scene, main_port = prepared.scene, ports[scenario.main.index]
    digest = _digest(scenario, scene)
    beliefs = BeliefIntake(scene, listeners, topics_of_beliefs(scenario, options))
    events = EventQueue(scene.table.models, digest, listeners, beliefs)
    scheduler = Scheduler(ports, scene.layout)
    outputs = OutputWriter(scene, prepared.main_slots, warn)
    handovers = Handovers(scene, ports, main_port.plan.index, digest, listeners)
    policy = FailurePolicy(scenario, scene.table)
    failures = FailureHandler(scenario, prepared, ports, policy, handovers, scheduler, listeners)
    effects = EffectRunner(
        scenario, scene, ports, handovers, failures, listeners, controls.requests.append
    )
    joining = MembershipHandler(
        scenario, prepared, ports, handovers, scheduler, failures, effects, events, listeners
    )
    triggers = TriggerRunner(
        scenario.triggers, scenario.functions, effects, scene.snapshot, events.handle
    )
    outside = OutsideInput(controls, scene, events, effects, failures, joining.join, joining.leave)
    end_ns = None if options.duration is None else round(options.duration * 1e9)
    step = EnsembleStep(
        main_port,
        scenario.clock,
        scene,
        scheduler,
        outputs,
        outside,
        events,
        effects,
        failures,
        triggers,
        end_ns,
    )
    publisher = StatePublisher(scene, digest, listeners, LagControl(scheduler, warn))
    return Parts(
        digest,
        beliefs,
        events,
        scheduler,
        outputs,
        handovers,
        failures,
        effects,
        triggers,
        policy,
        outside,
        publisher,
        step,
    )


def _digest(scenario: Scenario, scene: Scene) -> Digest:
    """Return the digest of a run. It excludes models that only watch the run for the user; those own the last slots."""
    observers = {plan.index for plan in scenario.models if plan.in_conductor}
    slots = sum(owner not in observers for owner in scene.table.owners.tolist())
    names = [scenario.models[index].name for index in observers]
    return Digest(scene.layout, slots, names)
