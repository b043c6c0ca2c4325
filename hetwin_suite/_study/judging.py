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
from hetwin_suite._study.run_result import RunResult, Seen, failed


class Watch(Protocol):
    """Looks at a run."""

    def look(self, between: BetweenSteps) -> None:
        """Look at the run after a step."""

    def seen(self) -> Any:
        """Return the observation as JSON."""


@dataclass(frozen=True)
class Watcher:
    """A scenario of which nothing is watched; others are derived from it. It can be pickled.

    Attributes:
        path: of the scenario.
        variant: of it.
    """

    path: Path
    variant: str | None

    def scenario(self) -> Scenario:
        """Return the scenario of the runs."""
        return load_scenario(self.path, self.variant)

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> Watch | None:
        """Return the observer of one run of it; None: its episode is judged when it is over."""
        return None


MOVED_M = 0.005
POINTS = 60
"""Most points of a path."""


def events_since(tables: Tables, time_ns: int) -> tuple[Seen, ...]:
    """Return the events after a time; without messages of the robot's program, which are given."""
    whole = _wholes(tables.layout)
    found = (_seen(one, whole) for one in tables.events if _is_news(one, time_ns))
    return tuple(sorted(found, key=lambda seen: seen.time_ns))


def actions_after(
    tables: Tables, time_ns: int, replaced: bool
) -> tuple[tuple[str, Mapping[str, Json]], ...]:
    """Return operation and arguments of the program's actions that were not done at a time.

    Args:
        tables: of the whole run.
        time_ns: when.
        replaced: whether another program took over then, so that its actions were given up.
    """
    return tuple(
        (one.operation, dict(one.variables))
        for one in tables.tasks
        if (one.span.from_ns >= time_ns if replaced else one.span.to_ns > time_ns)
    )


def _is_news(one: Happening, time_ns: int) -> bool:
    return one.time_ns > time_ns and not one.source.startswith("/")  # messages of topics are given


def _wholes(layout: Layout) -> dict[str, str]:
    """Return entity -> its name in reports: links as their robot or model."""
    return {
        entity.name: entity.owner if entity.kind is EntityKind.LINK else entity.name
        for entity in layout.entities
    }


def _seen(one: Happening, whole: Mapping[str, str]) -> Seen:
    named = {
        key: whole[value]
        for key, value in one.arguments.items()
        if isinstance(value, str) and value in whole
    }
    entities = tuple(dict.fromkeys(named.values()))
    name = f"{one.name}({', '.join(entities)})"
    return Seen(name, one.name, entities[0] if entities else "", _words(one, named), one.time_ns)


def _words(one: Happening, named: Mapping[str, str]) -> str:
    entry = group("future").get(one.name)
    if entry is not None and named.keys() >= {*entry.fields}:
        return say(f"future.{one.name}", **named)
    event = Event(one.name, one.time_ns, source=one.source, arguments={**one.arguments, **named})
    return event_words(event)


def paths_since(tables: Tables, time_ns: int) -> dict[str, Floats]:
    """Return object -> (n, 4) times [s] and positions [m] after a time, of the objects that have moved."""
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
        draw: its differences.
        summary: of it.
        tables: of the whole run, from its start.
        outcomes: name -> question.
        at_ns: the moment from which on it was a future; 0: its start.
        utility: question whose answer is its value; None: whether all outcomes came about.
        with_flaws: whether its flaws are looked for.
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
        tables: of the episode, which is over.
        outcomes: name -> question.
    """
    asked = AskedTables(tables)
    return {name: _truth(asked, question) for name, question in outcomes.items()}


def valued_tables(
    tables: Tables, judged: Mapping[str, bool | None], utility: str | None
) -> float | None:
    """Return the utility of an episode; None if unknown.

    Args:
        tables: of the episode, which is over.
        judged: its outcomes.
        utility: a question whose answer is a number; None: 1 if all outcomes came about, else 0.
    """
    if utility is None:
        return float(all(value is True for value in judged.values()))
    try:
        value = AskedTables(tables).ask(utility).value
    except BadInput:
        return None
    return float(value) if isinstance(value, bool | int | float) else None


def _truth(tables: AskedTables, question: str) -> bool | None:
    """Return the answer to a question that was checked; it may ask for an event that has never happened."""
    try:
        value = tables.ask(question).value
    except BadInput:
        return None
    return value if isinstance(value, bool) else None


def check_outcomes(scenario: Scenario, tables: Tables) -> None:
    """Check the outcomes of a scenario on a run that has just begun.

    Raises:
        BadInput: if one is no question, names something unknown, or is neither true nor false; with file, line and key.
    """
    for name, question in scenario.file.outcomes.items():
        try:
            _check(scenario, tables, question, f"{KEY}.{name}", _TRUTH)
        except BadInput as error:
            raise scenario.placed(error) from None


def check_utility(scenario: Scenario, tables: Tables, question: str, where: str) -> None:
    """Check a question about an episode's utility, on one that goes on.

    Raises:
        BadInput: if it is no question, names something unknown, or its answer is no number.
    """
    _check(scenario, tables, question, where, _NUMBER)


class _Kind(NamedTuple):
    """Required kind of an answer."""

    types: type | UnionType
    problem: str
    expected: str


_TRUTH = _Kind(
    bool | None,
    "an outcome is true or false",
    'a question such as holds(on("box", "tray"), at(end))',
)
_NUMBER = _Kind(
    bool | int | float | None,
    "a utility is a number",
    'a question such as count(in_container("ball", any))',
)


def _check(scenario: Scenario, tables: Tables, question: str, where: str, kind: _Kind) -> None:
    """Check a question on an episode that goes on.

    Raises:
        BadInput: if it is none, names something unknown, or has an answer of another kind.
    """
    told = {name for plan in scenario.models for name in plan.cls.raises}
    try:
        value = AskedTables(tables).ask(question).value
    except BadInput as error:
        if Expression(question).functions & told:
            return  # it asks for an event that a model will report
        found = error.found or question
        raise BadInput(error.problem, where=where, found=found, expected=error.expected) from None
    if not isinstance(value, kind.types):
        raise BadInput(kind.problem, where=where, found=value, expected=kind.expected)
