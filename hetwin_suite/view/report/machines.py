"""The states of state machines over time, as the events of a run tell them."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from hetwin_core.ensemble.machine_words import MACHINE_STATE
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.figure import bars, escaped, figure
from hetwin_suite.view.report.plot import Plot, over

_FAULT = "__"
"""States that begin with it are faults."""
_BAD = "#c62828"
_FINE = SERIES[:6]
"""Colours of states; none of them is red."""


class Stay(NamedTuple):
    """A machine was in a state, from a time to a time [ns]."""

    state: str
    from_ns: int
    to_ns: int


def stays(episode: Episode) -> dict[str, list[Stay]]:
    """Return where each machine, as MODEL.MACHINE, was over time; other stacks in the same state are one stay."""
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


def machines_plot(episode: Episode) -> Plot | None:
    """Return the plot; None if there are no machines."""
    found = stays(episode)
    if not found:
        return None
    rows: list[str] = []
    starts, lengths, texts, colours = [], [], [], []
    for name, own in found.items():
        order = list(dict.fromkeys(stay.state for stay in own))
        for stay in own:
            rows.append(escaped(name))
            starts.append(stay.from_ns / 1e9)
            lengths.append((stay.to_ns - stay.from_ns) / 1e9)
            texts.append(escaped(stay.state))
            is_fault = stay.state.startswith(_FAULT)
            colours.append(_BAD if is_fault else _FINE[order.index(stay.state) % len(_FINE)])
    trace = bars(
        rows,
        starts,
        lengths,
        text=texts,
        textposition="inside",
        insidetextanchor="start",
        textfont={"color": "#ffffff", "size": 11},
        marker={"color": colours, "line": {"width": 0}},
        hovertemplate="<b>%{y}</b> %{text}<br>from %{base:.3f} s, %{x:.3f} s long<extra></extra>",
        showlegend=False,
    )
    categories = {
        "categoryorder": "array",
        "categoryarray": [escaped(name) for name in found][::-1],
        "automargin": True,
        "showgrid": False,
        "fixedrange": True,
        "ticksuffix": " ",
    }
    layout = {"yaxis": categories, "hovermode": "closest", "bargap": 0.3, "barmode": "overlay"}
    layout["margin"] = {"l": 10, "r": 14, "t": 10, "b": 40}
    how = "Each machine's states over time; those in which it has a fault are red. Zoom in, and point at a bar."
    height = 60 + 28 * len(found)
    return Plot("State machines", how, figure([trace], height, **over(episode, layout)))
