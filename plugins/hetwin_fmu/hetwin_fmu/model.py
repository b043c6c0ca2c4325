"""A Functional Mock-up Unit (FMI 2 or 3, co-simulation) as a model of the ensemble."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import ClassVar

import numpy as np

from hetwin_fmu.archive import read_archive
from hetwin_fmu.changes import COMMON_EVENTS, ChangeWatch, read_changes
from hetwin_fmu.commands import COMMANDS, read_set, state_name
from hetwin_fmu.instance import UnitFailed
from hetwin_fmu.messages import Message
from hetwin_fmu.outputs import Output, read_outputs
from hetwin_fmu.running import RunningUnit, Wiring
from hetwin_fmu.settings import Settings
from hetwin_fmu.sources import Feed, Source, constants, read_sources
from hetwin_fmu.variables import Variable
from hetwin_suite.model import (
    ANY_ATTRIBUTE,
    BadInput,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    Floats,
    Json,
    Model,
    Refused,
    RunFailed,
    Selection,
    Snapshot,
    Tick,
    Value,
)

_NAME = "fmu"


class Fmu(Model[Settings]):
    """Runs an FMU, with its variables as attributes of entities.

    Inputs are set before each step and held during it; outputs are read after it. The FMU's time is that of the run.
    The FMU computes the attributes for which it is responsible: those that it adds to the scene, from the start on, and
    those that it takes over, from a handover on. At each handover to it, it is initialized again from its start values.
    If the FMU terminates the simulation, its attributes keep their last values.
    """

    summary = "A Functional Mock-up Unit: a model that another tool has exported (FMI 2 and 3)."
    rate = 100.0
    provides = (ANY_ATTRIBUTE,)
    raises: ClassVar[Mapping[str, str]] = COMMON_EVENTS

    def __init__(self) -> None:
        self._running: RunningUnit | None = None

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Load the FMU, and contribute the attributes that it computes.

        Raises:
            BadInput: if the FMU cannot run on this machine, or a parameter does not fit it.
            RunFailed: if the initialization fails.
        """
        archive = self._archive = read_archive(settings.file)
        variables = archive.variables
        texts = _texts(settings, variables)
        numbers = {name: given for name, given in settings.start.items() if name not in texts}
        self._inputs = read_sources(settings.inputs, variables, "inputs")
        self._starts = read_sources(numbers, variables, "start")
        self._outputs = read_outputs(settings, variables, archive.units)
        self._changes = read_changes(settings.events, variables)
        self._check_use()
        wiring = Wiring(
            [source.variable for source in self._inputs],
            self._outputs.variables,
            [change.variable for change in self._changes],
            {variables[name].reference: text for name, text in texts.items()},
        )
        with self._faults("initialize", 0):
            self._running = RunningUnit(archive, settings, wiring)
            self._running.begin_at(0, constants(self._starts), constants(self._inputs))
            read = self._running.outputs()
        scene.entities = tuple(Entity(name, EntityKind.CONCEPT) for name in settings.concepts)
        for output in self._outputs.own:
            assert output.spec is not None
            data = output.assemble(read, np.zeros(output.spec.size))
            scene.set(output.entity, output.spec, data)
        scene.needs(*self._reads())
        scene.warnings = self._warnings()
        scene.reproducible = settings.reproducible and not archive.needs_tool

    def _check_use(self) -> None:
        """Check that outputs or events are used, and that attributes to take over have start values.

        Raises:
            BadInput: if not.
        """
        if not self._outputs.each and not self._changes:
            names = [v.name for v in self._archive.variables.values() if v.causality == "output"]
            raise BadInput(
                "no output or event of the unit is used",
                where="outputs",
                expected=f"ENTITY.ATTRIBUTE: VARIABLE, with one of its outputs: {', '.join(names) or 'none'}",
            )
        for output in self._outputs.each.values():
            if not output.is_own and not self._can_begin_from(output):
                name = f"{output.entity}.{output.attribute}"
                raise BadInput(
                    f"the unit cannot take over {name}, since no start value is read from it",
                    where="start",
                    expected=f"VARIABLE: {name}[...] for the variables that hold its state",
                )

    def _can_begin_from(self, output: Output) -> bool:
        """Whether a start value is read from the attribute of an output, so that the FMU can take it over."""
        return any(s.reference is not None and s.reference.key == output.key for s in self._starts)

    def _reads(self) -> tuple[Selection, ...]:
        sources: tuple[Source, ...] = (*self._inputs, *self._starts)
        references = [s.reference.selection for s in sources if s.reference is not None]
        outputs = [Selection(*key) for key in self._outputs.each]
        return tuple(dict.fromkeys([*references, *outputs]))

    def _warnings(self) -> tuple[str, ...]:
        logged = [f"{m.level}: {m.text}" for m in self._unit.messages()]
        tool = ["the unit needs the tool that it was exported from"] * self._archive.needs_tool
        return (*self._archive.warnings, *tool, *logged)

    def start(self, scene: Snapshot) -> None:
        """Connect inputs and outputs to the scene, and initialize the FMU at the scene's time.

        Raises:
            BadInput: if the scene lacks an attribute, or it has another size or physical unit.
        """
        units, layout = self._archive.units, scene.layout
        self._feed = Feed(self._inputs, layout, units)
        self._beginning = Feed(self._starts, layout, units)
        for output in self._outputs.each.values():
            output.connect(layout, units)
        self._taken = {output.key for output in self._outputs.own}
        self._notes = [*self._feed.unchecked, *self._beginning.unchecked]
        self._has_stepped = False
        if scene.time_ns or self._feed.refers or self._beginning.refers:
            self._begin(scene.values, scene.time_ns, "start")
        with self._faults("start", scene.time_ns):
            self._watch = ChangeWatch(self._changes, self._unit.changes())

    def _begin(self, numbers: Floats, time_ns: int, call: str) -> None:
        """Initialize the FMU from the values of a scene."""
        with self._faults(call, time_ns):
            start, inputs = self._beginning.values(numbers), self._feed.values(numbers)
            self._unit.begin_at(time_ns, start, inputs)

    def step(self, tick: Tick) -> Changes:
        """Set the inputs, step the FMU to the time of the tick, and read its outputs."""
        changes = tick.changes()
        if self._must_step:
            with self._faults("step", tick.time_ns):
                self._advance(tick, changes)
        self._unit.pass_time(tick.time_ns)
        self._report_messages(changes)
        return changes

    @property
    def _must_step(self) -> bool:
        """Whether the FMU must step: it has not terminated, and owns an attribute or is used only for its events."""
        return not self._unit.is_over and (bool(self._taken) or not self._outputs.each)

    @property
    def _unit(self) -> RunningUnit:
        if self._running is None:
            raise RunFailed(_NAME, "step", 0, "the unit is not loaded")
        return self._running

    def _advance(self, tick: Tick, changes: Changes) -> None:
        """Step the FMU to the time of the tick, and report its outputs and events."""
        unit = self._unit
        ended_ns = unit.step(tick.time_ns, self._feed.values(tick.scene.values).values)
        if ended_ns is not None:
            changes.event("ended", ended_ns, unit=self._archive.name, time=ended_ns / 1e9)
        changes.events += self._watch.update(unit.changes(), tick.time_ns)
        numbers = unit.outputs()
        for key, computed in self._outputs.each.items():
            if key in self._taken:
                data = computed.assemble(numbers, tick.scene.get(*key))
                changes.set(*key, data)
        if not self._has_stepped:
            self._has_stepped = True
            self._notes += filter(None, [unit.note()])

    def _report_messages(self, changes: Changes) -> None:
        notes = [Message("info", "hetwin", text) for text in self._notes]
        self._notes = []
        for message in (*notes, *self._unit.messages()):
            changes.event("message", **asdict(message))

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take over an attribute: reinitialize the FMU, with start values that refer to it taken from `value`.

        Raises:
            Refused: if the FMU does not compute the attribute, or no start value refers to it.
        """
        key = entity, attribute
        self._check_handover(key)
        numbers = scene.values.copy()
        numbers[scene.layout.range_of(*key)] = value.data
        self._begin(numbers, scene.time_ns, "take")
        self._taken.add(key)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Hand over an attribute.

        Raises:
            Refused: if the FMU is not responsible for it, or could not take it back.
        """
        key = entity, attribute
        self._check_handover(key)
        if key not in self._taken:
            raise Refused(f"{self._archive.name} is not responsible for {entity}.{attribute}")
        self._taken.remove(key)
        return scene.value(*key)

    def _check_handover(self, key: tuple[str, str]) -> None:
        name = f"{key[0]}.{key[1]}"
        output = self._outputs.each.get(key)
        if output is None:
            raise Refused(f"{self._archive.name} does not compute {name}")
        if not self._can_begin_from(output):
            raise Refused(
                f"{self._archive.name} keeps {name}, since no start value is read from it"
            )

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Execute ``set``, ``save`` or ``restore``.

        Raises:
            Refused: if there is no such command, or the FMU cannot execute it.
        """
        try:
            match name:
                case "set":
                    self._unit.set(read_set(arguments, self._archive.variables))
                case "save":
                    self._unit.save(state_name(arguments))
                case "restore":
                    self._unit.restore(state_name(arguments))
                case _:
                    raise Refused(f"a unit has no command {name!r}; its commands are {COMMANDS}")
        except UnitFailed as failure:
            raise Refused(f"{self._archive.name}: {failure}") from None

    def stop(self) -> None:
        """Terminate the FMU, and remove its files."""
        running, self._running = self._running, None
        if running is not None:
            with self._faults("stop", running.time_ns):
                running.close()

    @contextmanager
    def _faults(self, call: str, time_ns: int) -> Iterator[None]:
        """Convert failures of the FMU to failures of the model."""
        try:
            yield
        except UnitFailed as failure:
            reason = f"{self._archive.name}: {failure}"
            raise RunFailed(_NAME, call, time_ns, reason) from None


def _texts(settings: Settings, variables: Mapping[str, Variable]) -> dict[str, str]:
    """Return the start values of string variables."""
    return {
        name: given
        for name, given in settings.start.items()
        if isinstance(given, str) and name in variables and variables[name].type == "String"
    }
