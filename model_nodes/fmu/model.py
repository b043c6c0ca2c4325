"""A Functional Mock-up Unit (FMI 2 or 3, co-simulation) as a model of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import ANY_ATTRIBUTE, Floats, Value
from model_nodes.fmu.archive import read_archive
from model_nodes.fmu.changes import OF_EVERY_UNIT, ChangeWatch, read_changes
from model_nodes.fmu.commands import COMMANDS, read_set, state_name
from model_nodes.fmu.folders import new_folder
from model_nodes.fmu.instance import CannotReset, Given, Instance, UnitFailed
from model_nodes.fmu.outputs import Output, Outputs, read_outputs
from model_nodes.fmu.pace import Pace
from model_nodes.fmu.settings import Settings
from model_nodes.fmu.sources import Feed, Source, constants, read_sources
from model_nodes.fmu.variables import Variable

_NAME = "fmu"
_NOTHING = Given((), np.zeros(0))


class Fmu(Model):
    """Runs a unit that another tool has exported, with its variables as attributes of entities.

    Inputs are set before each step and hold during it; outputs are read after it. The unit's own time is that of the
    run. It computes what it is responsible for: the attributes that it brings into the scene, from the start on, and
    those that it takes over, from a handover on, whenever it has taken one beginning again from its start values. A
    unit that ends itself keeps its last values.
    """

    settings_class = Settings

    def __init__(self) -> None:
        self._instance: Instance | None = None
        self._folder: TemporaryDirectory[str] | None = None

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(
            kind=ModelKind.SIMULATION,
            summary="A Functional Mock-up Unit: a model that another tool has exported (FMI 2 and 3).",
            rate=100.0,
            provides=(ANY_ATTRIBUTE,),
            raises=OF_EVERY_UNIT,
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Load the unit, and contribute the attributes that it computes.

        Raises:
            BadInput: if the unit cannot be run here, or a parameter does not fit it.
            RunFailed: if the unit fails at its start.
        """
        settings = self._settings = Settings.read(parameters)
        archive = self._archive = read_archive(settings.file)
        variables = archive.variables
        texts = _texts(settings, variables)
        numbers = {n: v for n, v in settings.start.items() if n not in texts}
        self._texts = {variables[n].reference: text for n, text in texts.items()}
        self._inputs = read_sources(settings.inputs, variables, "inputs")
        self._starts = read_sources(numbers, variables, "start")
        self._outputs = read_outputs(settings, variables, archive.units)
        self._changes = read_changes(settings.events, variables)
        self._check_use()
        self._open()
        self._begin(0.0, constants(self._starts), constants(self._inputs), 0)
        read = self._read(0)
        return Contribution(
            entities=tuple(Entity(name, EntityKind.CONCEPT) for name in settings.concepts),
            attributes=tuple(self._started(output, read) for output in self._outputs.own),
            reads=self._reads(),
            warnings=self._warnings(),
            reproducible=settings.reproducible and not archive.needs_tool,
        )

    def _check_use(self) -> None:
        """Check that something is taken from the unit, and that it can begin where it takes over.

        Raises:
            BadInput: if not.
        """
        if not self._outputs.each and not self._changes:
            names = [v.name for v in self._archive.variables.values() if v.causality == "output"]
            raise BadInput(
                "nothing is taken from the unit",
                where="outputs",
                expected=f"ENTITY.ATTRIBUTE: VARIABLE, with one of its outputs: {', '.join(names) or 'none'}",
            )
        for output in self._outputs.each.values():
            if not output.is_own and not self._can_begin_from(output):
                name = f"{output.entity}.{output.attribute}"
                raise BadInput(
                    f"the unit cannot take over {name} without a variable that starts from it",
                    where="start",
                    expected=f"VARIABLE: {name}[...] for the variables that hold its state",
                )

    def _can_begin_from(self, output: Output) -> bool:
        """Whether a start value is read from an attribute, so that the unit can take it."""
        return any(s.reference is not None and s.reference.key == output.key for s in self._starts)

    def _open(self) -> None:
        self._folder = new_folder()
        self._archive.extract(self._folder.name)
        try:
            self._make_instance(self._folder.name)
        except UnitFailed as failure:
            raise self._fault("initialize", 0, failure) from None

    def _make_instance(self, folder: str) -> None:
        """Make an instance from the unit's files, in place of the one that there may be."""
        former, self._instance = self._instance, None
        if former is not None:
            former.close()
        settings = self._settings
        self._instance = Instance(
            self._archive, folder, tolerance=settings.tolerance, verbose=settings.verbose
        )
        self._states: dict[str, tuple[object, int]] = {}
        self._read_access = self._instance.access(self._outputs.variables)
        self._watched = self._instance.access([c.variable for c in self._changes])
        self._input_access = self._instance.access([s.variable for s in self._inputs])

    def _begin(self, time: float, start: Given, inputs: Given, time_ns: int) -> None:
        """Let the unit begin, or begin again, at a time [s]."""
        try:
            try:
                self._running.initialize(time, start, inputs, self._texts)
            except CannotReset:
                assert self._folder is not None
                self._make_instance(self._folder.name)
                self._running.initialize(time, start, inputs, self._texts)
        except UnitFailed as failure:
            raise self._fault("initialize", time_ns, failure) from None
        self._at_ns, self._shift_ns = time_ns, 0
        self._is_over = False

    def _started(self, output: Output, numbers: Floats) -> AttributeStart:
        assert output.spec is not None
        data = output.assemble(numbers, np.zeros(output.spec.size))
        return AttributeStart(output.entity, output.spec, Value(data, 0))

    def _reads(self) -> tuple[Selection, ...]:
        sources: tuple[Source, ...] = (*self._inputs, *self._starts)
        references = [s.reference.selection for s in sources if s.reference is not None]
        outputs = [Selection(*key) for key in self._outputs.each]
        return tuple(dict.fromkeys([*references, *outputs]))

    def _warnings(self) -> tuple[str, ...]:
        logged = [f"{m.level}: {m.text}" for m in self._running.messages.take()]
        tool = ["the unit needs the tool that it was exported from"] * self._archive.needs_tool
        return (*self._archive.warnings, *tool, *logged)

    def start(self, scene: Snapshot) -> None:
        """Connect inputs and outputs to the scene; the unit begins at the scene's time.

        Raises:
            BadInput: if the scene has no such attribute, or one of another size or unit.
        """
        units, layout = self._archive.units, scene.layout
        self._feed = Feed(self._inputs, layout, units)
        self._beginning = Feed(self._starts, layout, units)
        for output in self._outputs.each.values():
            output.connect(layout, units)
        self._taken = {output.key for output in self._outputs.own}
        self._pace = Pace(self._archive, self._settings.step)
        self._has_stepped = False
        self._notes = [*self._feed.unchecked, *self._beginning.unchecked]
        if scene.time_ns or self._feed.refers or self._beginning.refers:
            self._begin_in(scene.values, scene.time_ns)
        self._watch = ChangeWatch(self._changes, self._changing(scene.time_ns))

    def _begin_in(self, numbers: Floats, time_ns: int) -> None:
        """Let the unit begin from the scene's numbers."""
        start, inputs = self._beginning.values(numbers), self._feed.values(numbers)
        self._begin(time_ns / 1e9, start, inputs, time_ns)

    def step(self, tick: StepInput) -> StepOutput:
        """Set the inputs, let the unit step to the time asked for, and read its outputs."""
        output = StepOutput(time_ns=tick.time_ns)
        if self._is_at_work:
            self._advance(tick, output)
            self._write_values(tick, output)
            if not self._has_stepped:
                self._has_stepped = True
                self._notes += filter(None, [self._pace.note()])
        self._at_ns = tick.time_ns
        self._report_messages(output)
        return output

    @property
    def _is_at_work(self) -> bool:
        """Whether anything is to be computed: what was handed to other models needs no steps."""
        return not self._is_over and (bool(self._taken) or not self._outputs.each)

    @property
    def _running(self) -> Instance:
        if self._instance is None:
            raise RunFailed(_NAME, "step", 0, "the unit is not loaded")
        return self._instance

    def _advance(self, tick: StepInput, output: StepOutput) -> None:
        """Step the unit to the time of the tick."""
        unit = self._running
        begin, end = self._at_ns - self._shift_ns, tick.time_ns - self._shift_ns
        try:
            unit.write(self._input_access, self._feed.values(tick.scene.values).values)
            for before, after in pairwise(self._pace.times(begin, end)):
                ended = unit.step(before, after)
                if ended is not None:
                    self._end(ended, output)
                    break
        except UnitFailed as failure:
            raise self._fault("step", tick.time_ns, failure) from None
        output.events += self._watch.update(self._changing(tick.time_ns), tick.time_ns)

    def _changing(self, time_ns: int) -> Floats:
        """The numbers of the variables that raise events."""
        try:
            return self._running.read(self._watched)
        except UnitFailed as failure:
            raise self._fault("step", time_ns, failure) from None

    def _end(self, time: float, output: StepOutput) -> None:
        """The unit has ended itself; its own time may be another than the run's, after a state was restored."""
        self._is_over = True
        arguments: dict[str, Json] = {"unit": self._archive.name, "time": time}
        ended_ns = min(max(round(time * 1e9) + self._shift_ns, self._at_ns), output.time_ns)
        output.events.append(Event("ended", ended_ns, arguments=arguments))

    def _write_values(self, tick: StepInput, output: StepOutput) -> None:
        numbers = self._read(tick.time_ns)
        for key in self._taken:
            data = self._outputs.each[key].assemble(numbers, tick.scene.get(*key))
            output.values[key] = Value(data, tick.time_ns)

    def _read(self, time_ns: int) -> Floats:
        """The numbers of all outputs.

        Raises:
            RunFailed: if one is not finite, or the unit does not give them.
        """
        try:
            numbers = self._running.read(self._read_access)
        except UnitFailed as failure:
            raise self._fault("step", time_ns, failure) from None
        if not np.isfinite(numbers).all():
            place = int(np.flatnonzero(~np.isfinite(numbers))[0])
            name = _at(self._outputs, place).name
            reason = f"{self._archive.name}: its variable {name} is not finite: {numbers[place]}"
            raise RunFailed(_NAME, "step", time_ns, reason)
        return numbers

    def _report_messages(self, output: StepOutput) -> None:
        for text in self._notes:
            arguments: dict[str, Json] = {"level": "info", "category": "hetwin", "text": text}
            output.events.append(Event("message", output.time_ns, arguments=arguments))
        self._notes = []
        for message in self._running.messages.take():
            said: dict[str, Json] = {
                "level": message.level,
                "category": message.category,
                "text": message.text,
            }
            output.events.append(Event("message", output.time_ns, arguments=said))

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Compute an attribute from now on; the unit begins again, from this value where it starts from it.

        Raises:
            Refused: if the unit does not compute it, or has no variable that starts from it.
        """
        key = entity, attribute
        self._check_handover(key)
        numbers = scene.values.copy()
        numbers[scene.layout.range_of(*key)] = value.data
        self._begin_in(numbers, scene.time_ns)
        self._taken.add(key)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Compute an attribute no longer.

        Raises:
            Refused: if the unit is not responsible for it, or could not take it back.
        """
        key = entity, attribute
        self._check_handover(key)
        if key not in self._taken:
            raise Refused(f"{self._archive.name} is not responsible for {entity}.{attribute}")
        self._taken.remove(key)
        return Value(scene.get(*key).copy(), scene.time_ns)

    def _check_handover(self, key: tuple[str, str]) -> None:
        name = f"{key[0]}.{key[1]}"
        output = self._outputs.each.get(key)
        if output is None:
            raise Refused(f"{self._archive.name} does not compute {name}")
        if not self._can_begin_from(output):
            raise Refused(
                f"{self._archive.name} keeps {name}: no variable in start begins from its value"
            )

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Execute ``set``, ``save`` or ``restore``.

        Raises:
            Refused: if there is no such command, or the unit cannot carry it out.
        """
        try:
            match name:
                case "set":
                    self._running.set(read_set(arguments, self._archive.variables))
                case "save":
                    self._save(state_name(arguments))
                case "restore":
                    self._restore(state_name(arguments))
                case _:
                    raise Refused(f"a unit has no command {name!r}; its commands are {COMMANDS}")
        except UnitFailed as failure:
            raise Refused(f"{self._archive.name}: {failure}") from None

    def _save(self, name: str) -> None:
        if not self._archive.can_save:
            raise Refused(f"{self._archive.name} can neither save nor restore its state")
        if name in self._states:
            self._running.forget(self._states.pop(name)[0])
        self._states[name] = self._running.save(), self._at_ns - self._shift_ns

    def _restore(self, name: str) -> None:
        if name not in self._states:
            names = ", ".join(repr(n) for n in self._states) or "none"
            raise Refused(f"{self._archive.name} has no saved state {name!r}; it has {names}")
        state, then_ns = self._states[name]
        self._running.restore(state)
        self._shift_ns = self._at_ns - then_ns
        self._is_over = False

    def stop(self) -> None:
        """End the unit, and remove its files."""
        instance, self._instance = self._instance, None
        folder, self._folder = self._folder, None
        try:
            if instance is not None:
                instance.close([state for state, _ in self._states.values()])
        except UnitFailed as failure:
            raise self._fault("stop", self._at_ns, failure) from None
        finally:
            if folder is not None:
                folder.cleanup()

    def _fault(self, call: str, time_ns: int, failure: UnitFailed) -> RunFailed:
        return RunFailed(_NAME, call, time_ns, f"{self._archive.name}: {failure}")


def _texts(settings: Settings, variables: Mapping[str, Variable]) -> dict[str, str]:
    """Start values of the variables that hold text."""
    return {
        name: given
        for name, given in settings.start.items()
        if isinstance(given, str) and name in variables and variables[name].type == "String"
    }


def _at(outputs: Outputs, place: int) -> Variable:
    """The variable whose number is at a place of those that are read."""
    ends = np.cumsum([v.size for v in outputs.variables])
    return outputs.variables[int(np.searchsorted(ends, place, side="right"))]
