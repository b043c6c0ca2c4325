"""Judges the episode of a run: its outcomes, utility and flaws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, Protocol

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.ensemble.sentences.catalogue import group, say
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.words import event_words, failure_row_words
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.tables.open import RunTables
from hetwin_core.episodes.tables.rows import Happening, Interval
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.run_result import RunEvent, RunResult, failed


class RunObserver(Protocol):
    """Observes one run."""

    def observe(self, between: BetweenSteps) -> None:
        """Observe the run after a step."""

    def observations(self) -> Any:
        """Return the observations as JSON."""


@dataclass(frozen=True)
class ObservedScenario:
    """Provides the scenario of a study's runs; subclasses also provide an observer for each run. Must be picklable.

    Attributes:
        path: path of the scenario.
        variant: variant of the scenario; None: none.
    """

    path: Path
    variant: str | None

    def scenario(self) -> Scenario:
        """Return the scenario of the runs."""
        return load_scenario(self.path, self.variant)

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> RunObserver | None:
        """Return the observer of one run; None: the run's episode is judged when it is over."""
        return None


MOVED_M = 0.005
"""Minimum extent of an object's path for the object to count as moved [m]."""
POINTS = 60
"""Maximum number of points of a path."""


def events_since(tables: Tables, time_ns: int) -> tuple[RunEvent, ...]:
    """Return the events after a time, without messages of the robot's program, which are the run's input."""
    names = _report_names(tables.layout)
    found = (_run_event(event, names) for event in tables.events if _is_result(event, time_ns))
    return tuple(sorted(found, key=lambda seen: seen.time_ns))


def actions_after(
    tables: Tables, time_ns: int, replaced: bool
) -> tuple[tuple[str, Mapping[str, Json]], ...]:
    """Return operation and arguments of the program's actions that were not finished at a time.

    Args:
        tables: tables of the whole run.
        time_ns: the time [ns].
        replaced: whether another program took over at that time and cancelled the actions in progress.
    """
    return tuple(
        (task.operation, dict(task.variables))
        for task in tables.tasks
        if (task.span.from_ns >= time_ns if replaced else task.span.to_ns > time_ns)
    )


def _is_result(event: Happening, time_ns: int) -> bool:
    # messages of topics are input
    return event.time_ns > time_ns and not event.source.startswith("/")


def _report_names(layout: Layout) -> dict[str, str]:
    """Return entity -> its name in reports; a link has the name of its robot or model."""
    return {
        entity.name: entity.owner if entity.kind is EntityKind.LINK else entity.name
        for entity in layout.entities
    }


def _run_event(event: Happening, names: Mapping[str, str]) -> RunEvent:
    entity_names = {
        key: names[value]
        for key, value in event.arguments.items()
        if isinstance(value, str) and value in names
    }
    entities = tuple(dict.fromkeys(entity_names.values()))
    name, entity = f"{event.name}({', '.join(entities)})", entities[0] if entities else ""
    return RunEvent(name, event.name, entity, _description(event, entity_names), event.time_ns)


def _description(happening: Happening, entity_names: Mapping[str, str]) -> str:
    entry = group("future").get(happening.name)
    if entry is not None and entity_names.keys() >= {*entry.fields}:
        return say(f"future.{happening.name}", **entity_names)
    arguments = {**happening.arguments, **entity_names}
    name, time_ns, source = happening.name, happening.time_ns, happening.source
    return event_words(Event(name, time_ns, source=source, arguments=arguments))


def paths_since(tables: Tables, time_ns: int) -> dict[str, Floats]:
    """Return moved object -> (n, 4) times [s] and world positions [m] after a time; n <= `POINTS`."""
    span = Interval(time_ns, tables.known_until_ns + 1)
    names = [e.name for e in tables.layout.of_kind(EntityKind.OBJECT)]
    columns = {
        name: tables.layout.range_of(name, POSE.name)
        for name in names
        if tables.layout.has(name, POSE.name)
    }
    times: list[Floats] = []
    parts: dict[str, list[Floats]] = {name: [] for name in columns}
    for stamps, values in tables.poses.states(span):
        times.append(stamps / 1e9)
        for name, column in columns.items():
            parts[name].append(values[:, column][:, :3].copy())
    if not times:
        return {}
    stamps_s = np.concatenate(times)
    rows = np.unique(np.linspace(0, len(stamps_s) - 1, POINTS).round().astype(int))
    found: dict[str, Floats] = {}
    for name, pieces in parts.items():
        at = np.concatenate(pieces)
        if np.ptp(at, axis=0).max() > MOVED_M:
            found[name] = np.column_stack((stamps_s, at))[rows]
    return found


KEY = "outcomes"


def result_of(
    draw: Draw,
    summary: RunSummary,
    tables: RunTables,
    outcomes: Mapping[str, str],
    at_ns: int = 0,
    utility: str | None = None,
    *,
    with_flaws: bool = False,
) -> RunResult:
    """Return the result of a finished run.

    Args:
        draw: draw of the run.
        summary: summary of the run.
        tables: tables of the whole run, from its start.
        outcomes: name -> question.
        at_ns: moment at which the future began; 0 for a whole run.
        utility: question whose answer is the run's value; None: 1 if all outcomes were achieved, otherwise 0.
        with_flaws: whether to search for flaws.
    """
    if summary.error is not None:
        return failed(draw, failure_row_words(summary.error), summary.digest)
    found = tables.tables()
    judged = judged_tables(found, outcomes)
    flaws = dict.fromkeys(flaw.kind for flaw in flaws_in(found)) if with_flaws else ()
    return RunResult(
        index=draw.index,
        end_ns=found.known_until_ns,
        digest=summary.digest,
        state={name: bool(value) for name, value in summary.state.items()},
        outcomes=judged,
        flaws=tuple(flaws),
        value=valued_tables(found, judged, utility),
        events=events_since(found, at_ns),
        actions=actions_after(found, at_ns, replaced=draw.replaces_source),
        inputs=draw.inputs,
        paths=paths_since(found, at_ns),
        reproducible=summary.deterministic,
    )


def judged_tables(tables: Tables, outcomes: Mapping[str, str]) -> dict[str, bool | None]:
    """Return which outcomes were achieved in an episode; None if unknown.

    Args:
        tables: tables of a finished episode.
        outcomes: name -> question.
    """
    asked = AskedTables(tables)
    return {name: _truth(asked, question) for name, question in outcomes.items()}


def valued_tables(
    tables: Tables, judged: Mapping[str, bool | None], utility: str | None
) -> float | None:
    """Return the utility of an episode; None if unknown.

    Args:
        tables: tables of a finished episode.
        judged: its outcomes.
        utility: a question whose answer is a number; None: 1 if all outcomes were achieved, otherwise 0.
    """
    if utility is None:
        return float(all(value is True for value in judged.values()))
    try:
        value = AskedTables(tables).ask(utility).value
    except BadInput:
        return None
    return float(value) if isinstance(value, bool | int | float) else None


def _truth(tables: AskedTables, question: str) -> bool | None:
    """Return the answer to a checked question; None if unknown, as for an event that has never happened."""
    try:
        value = tables.ask(question).value
    except BadInput:
        return None
    return value if isinstance(value, bool) else None


def check_outcomes(scenario: Scenario, tables: Tables) -> None:
    """Check the outcomes of a scenario on a run that has just started.

    Raises:
        BadInput: if an outcome is not a valid question, names something unknown, or is neither true nor false; with
            file, line and key.
    """
    for name, question in scenario.file.outcomes.items():
        try:
            _check(scenario, tables, question, f"{KEY}.{name}", _TRUTH)
        except BadInput as error:
            raise scenario.placed(error) from None


def check_utility(scenario: Scenario, tables: Tables, question: str, where: str) -> None:
    """Check a question about utility on an unfinished episode.

    Raises:
        BadInput: if the question is invalid, names something unknown, or its answer is not a number.
    """
    _check(scenario, tables, question, where, _NUMBER)


class _AnswerType(NamedTuple):
    """Required type of an answer, and the error if it has another one."""

    types: type | UnionType
    problem: str
    expected: str


_TRUTH = _AnswerType(
    bool | None,
    "an outcome is true or false",
    'a question such as holds(on("box", "tray"), at(end))',
)
_NUMBER = _AnswerType(
    bool | int | float | None,
    "a utility is a number",
    'a question such as count(in_container("ball", any))',
)


def _check(
    scenario: Scenario, tables: Tables, question: str, where: str, kind: _AnswerType
) -> None:
    """Check a question on an unfinished episode.

    Raises:
        BadInput: if the question is invalid, names something unknown, or its answer has another type.
    """
    raised = {name for plan in scenario.models for name in plan.cls.raises}
    try:
        value = AskedTables(tables).ask(question).value
    except BadInput as error:
        if Expression(question).functions & raised:
            return  # a model of the scenario may raise this event later
        found = error.found or question
        raise BadInput(error.problem, where=where, found=found, expected=error.expected) from None
    if not isinstance(value, kind.types):
        raise BadInput(kind.problem, where=where, found=value, expected=kind.expected)
