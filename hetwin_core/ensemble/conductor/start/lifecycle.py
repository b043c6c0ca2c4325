"""The life cycle of models, at the start of a run and at a restart: register, parameters, initialize, start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from pydantic import ValidationError

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.parameters import KnownScene, ParameterResolver
from hetwin_core.ensemble.conductor.start.sources import LIVE, source_specs
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.model import Contribution, MainContribution
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.parameters import ParameterRequest
from hetwin_core.ensemble.scenario.against_scene import check_against_scene
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.source import LiveSpec
from hetwin_core.ensemble.scene.layout import Entity, Layout, Slot
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.scene.values import AttributeSpec, Value
from hetwin_core.ensemble.transport.port import ModelPort

_WAITS_PER_ROBOT = 2
"""Consecutive waits for a live robot: for its joints, then for its base."""


def with_robot_deadlines(scenario: Scenario, options: RunOptions) -> Scenario:
    """Return the scenario with deadlines that leave the main model time to wait for live robots.

    A robot may be silent for the source's `timeout` within a step, and for `wait` seconds before the first step;
    the main model must not count as hanging in either case.

    Args:
        scenario: as loaded.
        options: options of the run, which may name another source.

    Raises:
        BadInput: if the start names one source for several robots.
    """
    live = [
        _live_options(spec) for spec in source_specs(scenario, options).values() if LIVE in spec
    ]
    if not live:
        return scenario
    main = scenario.main
    patient_main = replace(
        main,
        deadline=main.deadline + max(spec.timeout for spec in live),
        patience=main.patience + _WAITS_PER_ROBOT * sum(spec.wait for spec in live),
    )
    models = tuple(patient_main if plan is main else plan for plan in scenario.models)
    return replace(scenario, models=models)


def _live_options(spec: dict[str, Any]) -> LiveSpec:
    """The options of a live source; the defaults if they are invalid, which the main model reports."""
    try:
        return LiveSpec.model_validate(spec)
    except ValidationError:
        return LiveSpec(live="")


Parameters: TypeAlias = Mapping[str, Any]
"""Values of a model's parameters, by name."""
Resolve: TypeAlias = Callable[[Sequence[ParameterRequest]], Parameters]
"""Returns the values of the parameters that a model requests."""
Placed: TypeAlias = Callable[[ModelPlan, BadInput], BadInput]
"""Adds the location in the scenario to a model's error."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """An initialized ensemble.

    Attributes:
        scene: values and responsibilities at the start.
        records: the registered models, in the scenario's order.
        main_slots: slots that the main model's block covers, in its order.
        duration_ns: end of the source, if known.
        robot_descriptions: URDF of each robot by name; that of an only robot by the empty name.
        warnings: input that models could not use, each with the model's name.
        engine: the main model's engine, in words; may be empty.
        reproducible: whether all models are.
        parameters: parameters of each model's initialization, by index.
        seed: seed of the run; each model's seed is this plus its index.
        handovers: (slot, model) that the scenario requires before the first step.
        placed: adds to a model's error about one of its parameters the location of that parameter in the scenario.
        seats: index of a model that may join -> slots that it gets when it joins.
        shown: addresses at which other programs show the main model's world, by name; may be empty.
    """

    scene: Scene
    records: tuple[ModelRecord, ...]
    main_slots: tuple[int, ...]
    duration_ns: int | None
    robot_descriptions: Mapping[str, str]
    warnings: tuple[str, ...]
    engine: str
    reproducible: bool
    parameters: Mapping[int, Parameters]
    seed: int
    handovers: tuple[tuple[int, int], ...]
    placed: Placed
    seats: Mapping[int, Sequence[int]]
    shown: Mapping[str, str] = field(default_factory=dict)


class _SceneBuilder:
    """Entities and attributes that the models have contributed so far."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.entities: dict[str, Entity] = {}
        self.values: dict[tuple[str, str], Value] = {}
        self.slots: list[tuple[str, AttributeSpec]] = []
        self.owners: list[int] = []
        self.warnings: list[str] = []
        self.reproducible = True

    def add(self, plan: ModelPlan, contribution: Contribution) -> None:
        self.warnings.extend(f"{plan.name}: {text}" for text in contribution.warnings)
        self.reproducible &= contribution.reproducible
        for entity in contribution.entities:
            if entity.name in self.entities:
                raise self._error(plan, f"the entity {entity.name!r} exists already")
            self.entities[entity.name] = entity
        for start in contribution.attributes:
            key = (start.entity, start.attribute.name)
            if start.entity not in self.entities:
                suggestion = perhaps(start.entity, self.entities)
                expected = (
                    f"an entity of the scene, or one that the model brings itself{suggestion}"
                )
                raise self._error(plan, f"the entity {start.entity!r} does not exist", expected)
            if key in self.values:
                raise self._error(plan, f"{start.entity}.{start.attribute.name} exists already")
            data = start.value.data
            if data.shape != (start.attribute.size,) or not np.isfinite(data).all():
                raise RunFailed(
                    plan.name,
                    "initialize",
                    0,
                    f"{start.entity}.{start.attribute.name} must be {start.attribute.size} finite"
                    f" numbers, not {data.tolist()}",
                )
            self.values[key] = start.value
            self.slots.append((start.entity, start.attribute))
            self.owners.append(plan.index)

    def _error(
        self, plan: ModelPlan, problem: str, expected: str = "names that are unique in the scene"
    ) -> BadInput:
        return self._scenario.placed(
            BadInput(
                f"{plan.name}: {problem}",
                where=f"models.{plan.name}",
                expected=expected,
            )
        )


def prepare(scenario: Scenario, ports: Sequence[ModelPort], options: RunOptions) -> PreparedRun:
    """Register all models, then resolve their parameters and initialize them, the main model first.

    Raises:
        BadInput: if a parameter cannot be resolved or used; model and parameter are named.
        RunFailed: if a model fails.
    """
    records = tuple(register(port, scenario) for port in ports)
    resolver = ParameterResolver(scenario, options)
    builder = _SceneBuilder(scenario)
    ids = {record.name: record.id for record in records}
    seed = scenario.file.seed if options.seed is None else options.seed
    parameters_by_model: dict[int, Parameters] = {}
    contributions: dict[int, Contribution] = {}
    for port in sorted(ports, key=lambda p: (not p.plan.main, p.plan.seat is not None)):
        main_contribution = contributions.get(scenario.main.index)
        known = KnownScene(builder.entities, builder.values, ids)
        if isinstance(main_contribution, MainContribution):
            known = replace(
                known,
                watch=main_contribution.watch,
                robot_description=main_contribution.robot_description,
            )
        resolve = partial(resolver.resolve, port.plan, known=known)
        if port.plan.seat is not None:
            parameters_by_model[port.plan.index] = resolve(port.plan.cls.requests())
            continue
        parameters, contribution = initialize(port, resolve, seed, resolver.placed)
        parameters_by_model[port.plan.index] = parameters
        builder.add(port.plan, contribution)
        contributions[port.plan.index] = contribution
    main = contributions[scenario.main.index]
    assert isinstance(main, MainContribution)  # a main model always returns one
    scene = _scene(scenario, builder, records, len(main.attributes))
    return PreparedRun(
        scene,
        records,
        tuple(range(len(main.attributes))),
        main.duration_ns,
        _descriptions(main),
        tuple(builder.warnings),
        main.engine,
        builder.reproducible,
        parameters_by_model,
        seed,
        tuple(_handovers(scenario, scene.layout)),
        resolver.placed,
        {
            plan.index: _slots_on_joining(scenario, plan, scene.layout)
            for plan in scenario.models
            if plan.seat
        },
        main.shown,
    )


def join(port: ModelPort, prepared: PreparedRun) -> tuple[str, int]:
    """Initialize and start a model in a running ensemble; return its host and process id.

    Raises:
        BadInput: if it does not accept its parameters, or adds to the scene, whose layout is fixed.
        RunFailed: if it fails.
    """
    port.restart_process()
    registered = port.register()
    resolved = prepared.parameters[port.plan.index]
    _, contribution = initialize(port, lambda _: resolved, prepared.seed, prepared.placed)
    added = [entity.name for entity in contribution.entities]
    added += [f"{new.entity}.{new.attribute.name}" for new in contribution.attributes]
    if added:
        raise BadInput(
            "a model that joins a run cannot add to its scene",
            where=f"admit.{port.plan.name}",
            found=added[0],
            expected="no own entities or attributes; `owns` assigns it existing ones",
        )
    start(port, prepared)
    return registered


def restart(port: ModelPort, scenario: Scenario, prepared: PreparedRun) -> None:
    """Replace a model that was given up by a new instance, started with the parameters of the former one.

    Raises:
        BadInput: if it no longer accepts these parameters.
        RunFailed: if it fails.
    """
    port.restart_process()
    register(port, scenario)
    initialize(port, lambda _: prepared.parameters[port.plan.index], prepared.seed, prepared.placed)
    start(port, prepared)


def register(port: ModelPort, scenario: Scenario) -> ModelRecord:
    """Connect to a model; return its entry in the registry.

    Raises:
        RunFailed: if it fails, or does not appear before the deadline.
    """
    plan = port.plan
    host, pid = ("", 0) if plan.seat is not None else port.register()
    return ModelRecord(
        id=f"{plan.index + 1}:{plan.name}",
        name=plan.name,
        type=plan.type,
        stepping=plan.stepping.value,
        coupling="beside" if plan.beside else "after",
        rate=scenario.clock.rate / plan.every,
        main=plan.main,
        host=host,
        pid=pid,
    )


def initialize(
    port: ModelPort, resolve: Resolve, seed: int, placed: Placed
) -> tuple[Parameters, Contribution]:
    """Resolve the parameters that a model's class declares, and send them; return them with the model's contribution.

    Args:
        port: a registered model.
        resolve: returns the values of the parameters that the model requests.
        seed: seed of the run.
        placed: see `PreparedRun`.

    Raises:
        BadInput: if a parameter cannot be resolved or used.
        RunFailed: if the model fails.
    """
    parameters = resolve(port.plan.cls.requests())
    try:
        return parameters, port.initialize(parameters, seed + port.plan.index)
    except BadInput as error:
        raise placed(port.plan, error) from error


def start(port: ModelPort, prepared: PreparedRun) -> None:
    """Start an initialized model on the current scene.

    Raises:
        BadInput: if it cannot start with its input.
        RunFailed: if it fails.
    """
    try:
        port.start(prepared.scene.snapshot())
    except BadInput as error:
        raise prepared.placed(port.plan, error) from error


def start_all(
    ports: Iterable[ModelPort], prepared: PreparedRun, is_fatal: Callable[[RunFailed], bool]
) -> list[RunFailed]:
    """Start the models in order; return the failures, of which at most the last is fatal.

    They are handled later, after the log has started, so that the log contains their consequences.

    Raises:
        BadInput: if a model cannot start with its input.
    """
    failures: list[RunFailed] = []
    for port in (port for port in ports if port.plan.seat is None):
        try:
            start(port, prepared)
        except RunFailed as failure:
            failures.append(failure)
            if is_fatal(failure):
                break
    return failures


def _scene(
    scenario: Scenario, builder: _SceneBuilder, records: Sequence[ModelRecord], main_slots: int
) -> Scene:
    """The scene at the start, with everything that the models have contributed."""
    layout = Layout.build(builder.entities.values(), builder.slots)
    check_against_scene(scenario, layout)
    names = tuple(record.name for record in records)
    table = ResponsibilityTable(layout, names, np.array(builder.owners, np.int32))
    scene = Scene(layout, table, scenario.main.index, range(main_slots))
    for slot, value in enumerate(builder.values.values()):
        scene.put(slot, value)
    scene.resolve(0)
    return scene


def _descriptions(main: MainContribution) -> Mapping[str, str]:
    """URDF of each robot by name; that of an only robot by the empty name."""
    only = {"": main.robot_description} if main.robot_description else {}
    return {**only, **main.robot_descriptions}


def _handovers(scenario: Scenario, layout: Layout) -> list[tuple[int, int]]:
    """(slot, model) for each responsibility in the scenario; a wildcard covers its model's declared attributes.

    Raises:
        BadInput: if an entry covers nothing.
    """
    handovers: list[tuple[int, int]] = []
    for index, entry in enumerate(scenario.file.responsibilities):
        plan = scenario.plan(entry.model)
        assert plan is not None  # checked when the scenario was read
        slots = _matching_slots(layout.slots, entry.entity, entry.attribute)
        if not slots:
            where = f"responsibilities.{index}"
            raise scenario.placed(_no_match_error(where, entry.entity, entry.attribute))
        handovers.extend((slot, plan.index) for slot in slots)
    return handovers


def _slots_on_joining(scenario: Scenario, plan: ModelPlan, layout: Layout) -> list[int]:
    """The slots that a model gets when it joins.

    Raises:
        BadInput: if an entry covers nothing.
    """
    assert plan.seat is not None
    registered: list[int] = []
    for index, (entity, attribute) in enumerate(plan.seat.owns):
        slots = _matching_slots(layout.slots, entity, attribute)
        if not slots:
            where = f"admit.{plan.seat.key}.owns.{index}"
            raise scenario.placed(_no_match_error(where, entity, attribute))
        registered += slots
    return list(dict.fromkeys(registered))


def _no_match_error(where: str, entity: str, attribute: str) -> BadInput:
    return BadInput(
        "this matches no attribute of the scene",
        where=where,
        found=f"{entity}.{attribute}",
        expected="an entity and an attribute of the scene",
    )


def _matching_slots(slots: Sequence[Slot], entity: str, attribute: str) -> list[int]:
    return [
        i
        for i, slot in enumerate(slots)
        if slot.attribute.name == attribute and fnmatchcase(slot.entity, entity)
    ]
