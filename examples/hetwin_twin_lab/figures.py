"""The figures of a twin lab: statistics of the link between real and virtual robot, and of the model update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from hetwin_suite.command import RunFigures
from hetwin_twin_lab.event_names import ALARM, LINKED, LOGGED, MODEL_UPDATED, ROUTINE

Rows = Sequence[Mapping[str, Any]]
_STATES = {"AHEAD": "ahead", "BEHIND": "behind", "SYNC": "sync"}


def lab_figures(rows: Rows) -> RunFigures:
    """Return the figures from the events of a run with a link."""
    link = next(row for row in rows if row["name"] == LINKED)
    linked, link_rows = link["arguments"], [row for row in rows if row["source"] == link["source"]]
    logged = [row for row in link_rows if row["name"] == LOGGED]
    alarms = Counter(
        (row["arguments"]["alarm"], row["arguments"]["side"])
        for row in link_rows
        if row["name"] == ALARM
    )
    states = Counter(row["arguments"]["state"] for row in logged)
    waits = [row["arguments"]["D"] for row in logged]
    values = {
        "commands": sum(row["name"] == linked["command"] for row in link_rows),
        "replies": {side: _replies(rows, linked, side) for side in ("real", "virtual")},
        **{name: states[state] for state, name in _STATES.items()},
        "timeouts": {side: alarms["timeout", side] for side in ("real", "virtual")},
        "inconsistent": sum(n for (kind, _), n in alarms.items() if kind == "inconsistent"),
        "out_of_context": sum(n for (kind, _), n in alarms.items() if kind == "out_of_context"),
        "malformed": sum(n for (kind, _), n in alarms.items() if kind == "malformed"),
        "D": {"median": median(waits) if waits else None, "most": max(waits, default=None)},
        "travel": _travel(rows, logged),
    }
    return RunFigures("lab", values, list(_lines(values)), ROUTINE)


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures as text."""
    replies, timeouts = figures["replies"], figures["timeouts"]
    yield (
        f"{figures['commands']} commands; {replies['real']} answers of the real robot,"
        f" {replies['virtual']} of the virtual one: {figures['ahead']} times that one was ahead, {figures['behind']}"
        f" behind, {figures['sync']} in sync"
    )
    yield (
        f"{timeouts['real']} and {timeouts['virtual']} timeouts, {figures['inconsistent']} inconsistent answers,"
        f" {figures['out_of_context']} out of context"
        f"{f', {bad} malformed' if (bad := figures['malformed']) else ''}"
    )
    before, after = figures["travel"]["before"], figures["travel"]["after"]
    if before is not None and after is not None:
        yield f"travel times were {before:.2f} s off in the first part, and {after:.2f} s in the second"


def _replies(rows: Rows, linked: Mapping[str, Any], side: str) -> int:
    """Return the number of received answers of a robot."""
    return sum(row["name"] == linked["reply"] and row["source"] == linked[side] for row in rows)


def _travel(rows: Rows, logged: Rows) -> dict[str, float | None]:
    """Return the median lap differences before and after the update, or without one of both halves of the moves [s]."""
    moves = [row for row in logged if _lap_difference(row) is not None]
    updated = next((row["time"] for row in rows if row["name"] == MODEL_UPDATED), None)
    if updated is None:
        half = len(moves) // 2
        parts = moves[:half], moves[half:]
    else:  # a command in progress counts for neither
        parts = (
            [row for row in moves if row["time"] <= updated],
            [row for row in moves if row["arguments"]["T"] >= updated],
        )
    before, after = (
        [difference for row in part if (difference := _lap_difference(row)) is not None]
        for part in parts
    )
    return {
        "before": median(before) if before else None,
        "after": median(after) if after else None,
    }


def _lap_difference(row: Mapping[str, Any]) -> float | None:
    """Return the difference of both robots' laps of a move [s]; None for other rows."""
    arguments = row["arguments"]
    if (
        arguments["rotation"] is None
        or arguments["alarms"]
        or None in (arguments["lap_real"], arguments["lap_virtual"])
    ):
        return None
    return round(abs(float(arguments["lap_real"]) - float(arguments["lap_virtual"])), 9)
