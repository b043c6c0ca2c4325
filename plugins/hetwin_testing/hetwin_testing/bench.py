"""The bench on which a model under test runs: the conductor's components, with one model and the fixture."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from hetwin_suite.harness import (
    MainClock,
    OutputWriter,
    ResponsibilityTable,
    Scene,
    proximity_tables,
    restore,
    save,
)
from hetwin_suite.model import (
    ANY_ATTRIBUTE,
    POSE,
    WORLD,
    AttributeSpec,
    Changes,
    Contribution,
    Entity,
    Layout,
    MainChanges,
    MainTick,
    Model,
    Refused,
    Snapshot,
    Stepping,
    Value,
)
from hetwin_suite.runs import ModelPlan
from hetwin_testing.declaration import check_spec
from hetwin_testing.fixture import ENTITIES, MODEL, ContractViolation, Fixture

Result = TypeVar("Result")

NAME = "model"
SEED = 11
MAIN_RATE = 400.0
DEFAULT_RATE = 100.0


class Bench:
    """One instance of a model in a scene.

    A model that can be the main model contributes the whole scene; any other model is added to the fixture's scene.

    Args:
        cls: class of the model.
        parameters: resolved parameters, as `initialize` receives them.
        heartbeat: called before each call of the model.
    """

    def __init__(
        self,
        cls: type[Model],
        parameters: Mapping[str, Any],
        heartbeat: Callable[[], None],
    ) -> None:
        self.model = cls()
        self._heartbeat = heartbeat
        self.is_main = cls.can_be_main
        self.index, self.other = (0, 1) if self.is_main else (1, 0)
        self._parameters = dict(parameters)
        self._fixture = Fixture()
        self._clock = MainClock(MAIN_RATE if self.is_main else cls.rate or DEFAULT_RATE)
        self._steps = 0
        self._violations: list[str] = []
        self._last_values: list[tuple[str, Value, bytes]] = []
        self.trace: list[str] = []
        """Outputs of the model as text, exact to the bit."""
        self.longest_calls: dict[str, float] = {}
        """Call -> wall time of its longest execution [s]."""
        self.events = 0
        self.ended = False
        self.plan = ModelPlan(
            self.index,
            NAME,
            cls.__name__,
            cls,
            self.is_main,
            Stepping.SERVICE,
            1,
            False,
            10.0,
            self._parameters,
        )

    def initialize(self) -> Contribution:
        """Initialize the model and assemble the scene.

        Raises:
            ContractViolation: if its contribution cannot be used.
        """
        contribution = self._timed("initialize", self.model.contribute, self._parameters, SEED)
        fixture_entities: tuple[Entity, ...] = () if self.is_main else ENTITIES
        entities = (*fixture_entities, *contribution.entities)
        fixed = () if self.is_main else self._fixture.attributes()
        starts = (*fixed, *contribution.attributes)
        check_contribution(
            contribution, fixture_entities, {(s.entity, s.attribute.name) for s in fixed}, self
        )
        layout = Layout.build(entities, ((s.entity, s.attribute) for s in starts))
        owners = np.array([0] * len(fixed) + [self.index] * len(contribution.attributes), np.int32)
        names = (NAME, MODEL) if self.is_main else (MODEL, NAME)
        self.table = ResponsibilityTable(layout, names, owners)
        main_slots = range(len(starts) if self.is_main else len(fixed))
        self.scene = Scene(layout, self.table, 0, main_slots)
        for slot, start in enumerate(starts):
            self.scene.put(slot, start.value)
        if not self.is_main:
            self.scene.put_tables(proximity_tables(self._fixture.proximity(0)))
        self.scene.resolve(0)
        self._outputs = OutputWriter(
            self.scene, main_slots, lambda _, text: self._violations.append(text)
        )
        self.trace = [_contribution_text(contribution)]
        return contribution

    def start(self) -> None:
        """Start the model."""
        self._initial_snapshot = self.scene.kept_snapshot()
        self._timed("start", self.model.start, self.scene.snapshot())

    def restart_process(self) -> int:
        """Replace the instance by a new one with its saved state, and return the size of that state.

        Raises:
            Refused: if the model cannot be saved.
            ContractViolation: if its state is not plain data.
        """
        saved = self._timed("save", save, self.model)
        size = _size(saved, "its state")
        model = type(self.model)()
        model.contribute(self._parameters, SEED)
        model.start(self._initial_snapshot)
        try:
            self._timed("restore", restore, model, saved, self.scene.snapshot())
        except Refused as refusal:
            raise ContractViolation(f"refuses its own saved state: {refusal}") from refusal
        self.model.stop()
        self.model = model
        return size

    def step(self) -> Changes:
        """Make one step, and check the output more strictly than the conductor does.

        Raises:
            RunFailed, Broken: if the output breaks the contract.
        """
        start_ns = self._clock.time_of(self._steps)
        self._steps += 1
        end_ns = self._clock.time_of(self._steps)
        if not self.is_main:
            self._move_fixture(end_ns)
        tick = MainTick(
            end_ns, end_ns - start_ns, self.scene.snapshot(), (), self._foreign_values()
        )
        output = self._timed("step", self.model.step, tick)
        if output is None and not self.is_main:
            output = tick.changes()
        if not isinstance(output, Changes):
            kind = "MainChanges" if self.is_main else "Changes, or nothing"
            raise ContractViolation(f"returns {type(output).__name__}; expected {kind}")
        self._check_not_mutated()
        write = self._outputs.write_main if self.is_main else self._outputs.write
        write(self.plan, output, end_ns)
        if self._violations:
            raise ContractViolation(f"at {end_ns / 1e9:.4f} s {self._violations[0]}")
        self._check_events(output, end_ns)
        self.scene.resolve(end_ns)
        self.ended = self.ended or (isinstance(output, MainChanges) and output.ended)
        self._record_output(output)
        return output

    def pass_time(self, steps: int) -> None:
        """Advance the scene without the model, to simulate a run that started earlier."""
        self._steps += steps
        end_ns = self._clock.time_of(self._steps)
        if self.is_main:
            self.scene.resolve(end_ns)
        else:
            self._move_fixture(end_ns)

    def snapshot(self) -> Snapshot:
        """Return the scene at the current time."""
        return self.scene.snapshot()

    def _timed(self, name: str, call: Callable[..., Result], *arguments: Any) -> Result:
        self._heartbeat()
        start = time.perf_counter()
        try:
            return call(*arguments)
        finally:
            duration = time.perf_counter() - start
            self.longest_calls[name] = max(duration, self.longest_calls.get(name, 0.0))

    def _move_fixture(self, time_ns: int) -> None:
        block = self._fixture.block(time_ns)
        self.scene.put_block(slice(0, len(block)), block)
        self.scene.put_tables(proximity_tables(self._fixture.proximity(time_ns)))
        self.scene.resolve(time_ns)

    def _foreign_values(self) -> dict[tuple[str, str], Value]:
        if not self.is_main:
            return {}
        slots = self.scene.layout.slots
        return {
            (slots[s].entity, slots[s].attribute.name): v for s, v in self.scene.foreign.items()
        }

    def _check_events(self, output: Changes, end_ns: int) -> None:
        if isinstance(output, MainChanges) and not isinstance(output.ended, bool):
            raise ContractViolation(f"ended is {output.ended!r}; expected true or false")
        for event in output.events:
            if event.time_ns > end_ns:
                raise ContractViolation(
                    f"the event {event.name} has the time {event.time_ns / 1e9:.4f} s, after the end"
                    f" of the step to {end_ns / 1e9:.4f} s"
                )
            try:
                json.dumps(dict(event.arguments), allow_nan=False)
            except (TypeError, ValueError) as error:
                raise ContractViolation(
                    f"the arguments of the event {event.name} are not JSON: {error}"
                ) from None
            self.events += 1

    def _check_not_mutated(self) -> None:
        for name, value, original in self._last_values:
            if value.data.tobytes() != original:
                raise ContractViolation(
                    f"changes the array of {name} after returning it; expected a new array in each step"
                )

    def _record_output(self, output: Changes) -> None:
        """Store the exact output for comparison with another instance."""
        self._last_values = [
            (f"{e}.{a}", v, v.data.tobytes()) for (e, a), v in output.values.items()
        ]
        numbers = {n: original.hex() for n, _, original in self._last_values}
        ended = False
        if isinstance(output, MainChanges):
            ended = output.ended
            if output.block is not None:
                numbers["block"] = output.block.tobytes().hex()
            numbers |= {n: t.rows().tobytes().hex() for n, t in output.tables.items()}
        events = [(e.name, e.time_ns, dict(e.arguments)) for e in output.events]
        requests = [(r.kind.value, r.entity, r.attribute) for r in output.requests]
        self.trace.append(json.dumps([output.time_ns, numbers, events, requests, ended]))


def _size(saved: object, name: str) -> int:
    """Return the number of numbers and texts in a saved state.

    Raises:
        ContractViolation: if it holds anything else.
    """
    if isinstance(saved, np.ndarray) and not saved.dtype.hasobject:
        return saved.size
    if isinstance(saved, Mapping) and all(type(key) is str for key in saved):
        return sum(_size(item, f"{name}.{key}") for key, item in saved.items())
    if isinstance(saved, list):
        return sum(_size(item, f"{name}[{i}]") for i, item in enumerate(saved))
    if saved is None or type(saved) in (bool, int, float, str):
        return 1
    raise ContractViolation(
        f"saves {name} as {type(saved).__name__}; expected what JSON can express, and numpy arrays"
    )


def check_contribution(
    contribution: Contribution,
    fixture_entities: tuple[Entity, ...],
    taken: set[tuple[str, str]],
    bench: Bench,
) -> None:
    """Check that entities are new, and that attributes are declared, of the right size and finite.

    Raises:
        ContractViolation: if they are not.
    """
    names = {entity.name for entity in fixture_entities}
    for entity in contribution.entities:
        if not entity.name or entity.name in names or entity.name == WORLD:
            raise ContractViolation(f"contributes the entity {entity.name!r}, which exists already")
        names.add(entity.name)
    declared = {spec.name: spec for spec in bench.plan.cls.provides}
    for start in contribution.attributes:
        label = f"{start.entity}.{start.attribute.name}"
        if start.entity not in names:
            raise ContractViolation(f"contributes {label}, but there is no entity {start.entity!r}")
        if (start.entity, start.attribute.name) in taken:
            raise ContractViolation(f"contributes {label}, which exists already")
        taken.add((start.entity, start.attribute.name))
        _check_declared(label, start.attribute, declared)
        check_spec(start.attribute)
        data = start.value.data
        is_valid = isinstance(data, np.ndarray) and data.shape == (start.attribute.size,)
        if not is_valid or data.dtype != np.float64 or not np.isfinite(data).all():
            raise ContractViolation(
                f"{label} starts with {data!r}; expected {start.attribute.size} finite float64 numbers"
            )
        if start.attribute.name != POSE.name and start.value.parent != WORLD:
            raise ContractViolation(
                f"{label} has the frame {start.value.parent!r}; only poses have one"
            )


def _check_declared(
    label: str, attribute: AttributeSpec, declared: Mapping[str, AttributeSpec]
) -> None:
    if attribute.name not in declared and ANY_ATTRIBUTE.name not in declared:
        listed = ", ".join(declared) or "nothing"
        raise ContractViolation(f"contributes {label}, but provides only {listed}")


def _contribution_text(contribution: Contribution) -> str:
    starts = [
        (s.entity, s.attribute.name, s.value.data.tobytes().hex()) for s in contribution.attributes
    ]
    return json.dumps([[e.name for e in contribution.entities], starts])
