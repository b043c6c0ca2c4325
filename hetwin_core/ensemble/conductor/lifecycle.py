"""From models that nobody knows to an ensemble that is ready: register, parameters, initialize."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.listener import ModelRecord
from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.conductor.parameters import Known, ParameterResolver
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.model import Contribution
from hetwin_core.ensemble.scenario.against_scene import check_against_scene
from hetwin_core.ensemble.scenario.scenario import ModelPlan, Scenario
from hetwin_core.ensemble.scene.layout import Entity, Layout, Slot
from hetwin_core.ensemble.scene.responsibilities import ResponsibilityTable
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import AttributeSpec, Value
from hetwin_core.ensemble.transport.port import ModelPort


@dataclass(frozen=True, slots=True)
class Ready:
    """An ensemble that is initialized.

    Attributes:
        scene: values and responsibilities at the start.
        records: the registered models, in the scenario's order.
        main_slots: slots that the main model's block covers, in its order.
        duration_ns: when the source ends, if it says so.
        robot_description: URDF of the robot, empty if there is none.
        warnings: what models could not carry over, with the model's name.
        engine: what the main model computes with, in words; may be empty.
        reproducible: whether all models are.
        parameters: what each model was initialized with, by index.
        seed: of the run; each model's is its index more.
        placed: gives a model's error about one of its parameters the place of that parameter in the scenario.
    """

    scene: Scene
    records: tuple[ModelRecord, ...]
    main_slots: tuple[int, ...]
    duration_ns: int | None
    robot_description: str
    warnings: tuple[str, ...]
    engine: str
    reproducible: bool
    parameters: Mapping[int, Mapping[str, Any]]
    seed: int
    placed: Callable[[ModelPlan, BadInput], BadInput]


class _Gathering:
    """Entities and attributes as the models bring them in."""

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
                raise self._error(plan, f"the entity {start.entity!r} does not exist")
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

    def _error(self, plan: ModelPlan, problem: str) -> BadInput:
        return self._scenario.placed(
            BadInput(
                f"{plan.name}: {problem}",
                where=f"models.{plan.name}",
                expected="names that are unique in the scene",
            )
        )


def prepare(scenario: Scenario, ports: Sequence[ModelPort], options: RunOptions) -> Ready:
    """Register, ask for parameters, resolve them, initialize; the main model first.

    Raises:
        BadInput: if a parameter cannot be resolved or used; model and parameter are named.
        RunFailed: if a model fails.
    """
    records = tuple(_register(scenario, index, port) for index, port in enumerate(ports))
    resolver = ParameterResolver(scenario, options)
    gathering = _Gathering(scenario)
    ids = {record.name: record.id for record in records}
    seed = scenario.file.seed if options.seed is None else options.seed
    duration_ns, description, engine, main_count = None, "", "", 0
    given: dict[int, Mapping[str, Any]] = {}
    for port in sorted(ports, key=lambda p: not p.plan.main):
        known = Known(gathering.entities, gathering.values, ids)
        parameters = resolver.resolve(port.plan, port.parameters(), known)
        given[port.plan.index] = parameters
        try:
            contribution = port.initialize(parameters, seed + port.plan.index)
        except BadInput as error:
            raise resolver.placed(port.plan, error) from error
        gathering.add(port.plan, contribution)
        if port.plan.main:
            duration_ns = contribution.duration_ns
            description, engine = contribution.robot_description, contribution.engine
            main_count = len(contribution.attributes)
    layout = Layout.build(gathering.entities.values(), gathering.slots)
    check_against_scene(scenario, layout)
    names = tuple(record.name for record in records)
    table = ResponsibilityTable(layout, names, np.array(gathering.owners, np.int32))
    main_slots = tuple(range(main_count))
    scene = Scene(layout, table, scenario.main.index, main_slots)
    for slot, value in enumerate(gathering.values.values()):
        scene.put(slot, value)
    scene.resolve(0)
    return Ready(
        scene,
        records,
        main_slots,
        duration_ns,
        description,
        tuple(gathering.warnings),
        engine,
        gathering.reproducible,
        given,
        seed,
        resolver.placed,
    )


def _register(scenario: Scenario, index: int, port: ModelPort) -> ModelRecord:
    plan = port.plan
    host, pid = port.register()
    return ModelRecord(
        id=f"{index + 1}:{plan.name}",
        name=plan.name,
        type=plan.type,
        kind=plan.description.kind.value,
        stepping=plan.stepping.value,
        coupling="beside" if plan.beside else "after",
        rate=scenario.clock.rate / plan.every,
        main=plan.main,
        host=host,
        pid=pid,
    )


def initial_moves(scenario: Scenario, layout: Layout) -> list[tuple[int, int]]:
    """(slot, model) as the scenario's responsibilities say; a wildcard covers what its model declares.

    Raises:
        BadInput: if an entry covers nothing.
    """
    moves: list[tuple[int, int]] = []
    for index, entry in enumerate(scenario.file.responsibilities):
        plan = scenario.plan(entry.model)
        assert plan is not None  # checked when the scenario was read
        slots = _covered(layout.slots, entry.entity, entry.attribute)
        if not slots:
            problem = BadInput(
                "this covers no attribute of the scene",
                where=f"responsibilities.{index}",
                found=f"{entry.entity}.{entry.attribute}",
                expected="an entity and an attribute of the scene",
            )
            raise scenario.placed(problem)
        moves.extend((slot, plan.index) for slot in slots)
    return moves


def _covered(slots: Sequence[Slot], entity: str, attribute: str) -> list[int]:
    return [
        i
        for i, slot in enumerate(slots)
        if slot.attribute.name == attribute and fnmatchcase(slot.entity, entity)
    ]
