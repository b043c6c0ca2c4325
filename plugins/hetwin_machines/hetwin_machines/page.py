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
_BAD = "#c62828"
_COLOURS = 6
"""How many of the page's series colours are used for states; none of these is red."""


class Stay(NamedTuple):
    """A state of a machine, and the time interval in which the machine was in it [ns]."""

    state: str
    from_ns: int
    to_ns: int


def stays(episode: Episode) -> dict[str, list[Stay]]:
    """Return MODEL.MACHINE -> its states over time; changes of the stack alone do not begin a new stay."""
    begun: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for event in episode.events:
        if event.name == MACHINE_STATE:
            name = f"{event.source}.{event.arguments.get('machine')}"
            state = str(event.arguments.get("state"))
            if not begun[name] or begun[name][-1][1] != state:
                begun[name].append((event.time_ns, state))
    return {
        name: [
            Stay(state, at, after)
            for (at, state), after in zip(
                entries, [*(at for at, _ in entries[1:]), episode.end_ns], strict=True
            )
        ]
        for name, entries in begun.items()
    }


def machine_states(episode: Episode) -> Section | None:
    """Return the section; None if the run has no machines, in which case the modules of the page are not imported."""
    found = stays(episode)
    if not found:
        return None
    from hetwin_suite.page import Rows, Section, over

    bars = [bar for name, own in found.items() for bar in _bars(name, own)]
    how = "The states of each machine over time; faults are red. Zoom in and point at a bar for details."
    return Section("State machines", how, Rows(list(found), bars, over(episode)))


def _bars(name: str, own: list[Stay]) -> Iterator[Bar]:
    from hetwin_suite.page import SERIES, Bar

    order = list(dict.fromkeys(stay.state for stay in own))
    for stay in own:
        fine = SERIES[order.index(stay.state) % _COLOURS]
        yield Bar(
            name,
            stay.from_ns / 1e9,
            stay.to_ns / 1e9,
            _BAD if stay.state.startswith(_FAULT) else fine,
            stay.state,
            f"{name} {stay.state}",
            f"{(stay.to_ns - stay.from_ns) / 1e9:.3f} s long",
        )
