"""The section of a run's page that shows the states of its machines over time."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from hetwin_machines.words import MACHINE_STATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hetwin_suite.episode import Episode
    from hetwin_suite.page import Bar, Section

_FAULT = "__"
"""Prefix of states that are faults."""
_FAULT_COLOUR = "#c62828"
_COLOUR_COUNT = 6
"""How many of the page's series colours are used for states; none of these is red."""


class StateInterval(NamedTuple):
    """A state of a machine, and the time interval in which the machine was in it [ns]."""

    state: str
    from_ns: int
    to_ns: int


def state_intervals(episode: Episode) -> dict[str, list[StateInterval]]:
    """Return MODEL.MACHINE -> its states over time; changes of the stack alone do not begin a new stay."""
    changes: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for event in episode.events:
        if event.name == MACHINE_STATE:
            name = f"{event.source}.{event.arguments.get('machine')}"
            state = str(event.arguments.get("state"))
            if not changes[name] or changes[name][-1][1] != state:
                changes[name].append((event.time_ns, state))
    return {
        name: [
            StateInterval(state, at, after)
            for (at, state), after in zip(
                entries, [*(at for at, _ in entries[1:]), episode.end_ns], strict=True
            )
        ]
        for name, entries in changes.items()
    }


def machine_states(episode: Episode) -> Section | None:
    """Return the section; None if the run has no machines, in which case the modules of the page are not imported."""
    intervals = state_intervals(episode)
    if not intervals:
        return None
    from hetwin_suite.page import Rows, Section, time_span

    bars = [
        bar
        for name, intervals_of_machine in intervals.items()
        for bar in _bars(name, intervals_of_machine)
    ]
    description = "The states of each machine over time; faults are red. Zoom in and point at a bar for details."
    return Section("State machines", description, Rows(list(intervals), bars, time_span(episode)))


def _bars(name: str, intervals: list[StateInterval]) -> Iterator[Bar]:
    from hetwin_suite.page import SERIES, Bar

    order = list(dict.fromkeys(interval.state for interval in intervals))
    for interval in intervals:
        colour = SERIES[order.index(interval.state) % _COLOUR_COUNT]
        yield Bar(
            name,
            interval.from_ns / 1e9,
            interval.to_ns / 1e9,
            _FAULT_COLOUR if interval.state.startswith(_FAULT) else colour,
            interval.state,
            f"{name} {interval.state}",
            f"{(interval.to_ns - interval.from_ns) / 1e9:.3f} s long",
        )
