"""Replay a trace to find out what its lines do not contain: which arcs were taken, and why machines failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from hetwin_machines.network import Network
from hetwin_machines.running import Line
from hetwin_machines.seeing.watch import Seen, Watch

KEYS = ("cycle", "step", "machines", "signals")


class TraceError(ValueError):
    """A trace that cannot be used; the message has the line, what was found and what was expected."""


def read_trace(lines: Iterable[str]) -> list[Line]:
    """Return the cycles of a trace printed by ``hetwin machines run --trace --json``.

    Raises:
        TraceError: if a line is not a cycle.
    """
    found: list[Line] = []
    for number, text in enumerate(lines, 1):
        if text.strip():
            line = _cycle(text, number)
            found += [line] if line else []
    if not found:
        raise TraceError("there is no cycle; expected a line of JSON for each")
    return found


def _cycle(text: str, number: int) -> Line | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"line {number}: this is not JSON: {error}") from None
    if isinstance(data, Mapping) and set(data) == {"profile"}:
        return None
    if not isinstance(data, Mapping) or not all(key in data for key in KEYS):
        raise TraceError(
            f"line {number}: this is no cycle; expected an object with {', '.join(KEYS)}"
        )
    if not isinstance(data["signals"], Mapping):
        raise TraceError(f"line {number}, signals: this is no object")
    return {key: data[key] for key in KEYS}


def replay(network: Network, trace: Iterable[Line]) -> Iterator[Seen]:
    """Run the network with the inputs of a trace; yield what was observed in each cycle.

    Raises:
        TraceError: if the network behaves differently.
    """
    watch = Watch(network)
    expected = 1
    for _, group in groupby(trace, key=lambda line: json.dumps(line["step"])):
        lines = list(group)
        for seen, line in _pair_lines(watch, _outside(network, lines[0]["signals"]), lines):
            _compare(seen.line if seen else None, line, expected)
            expected += 1
            if seen:
                yield seen


def _outside(network: Network, signals: Mapping[str, Any]) -> dict[str, Any]:
    names = (*network.inputs, *network.events)
    return {name: signals[name] for name in names if signals.get(name) is not None}


def _pair_lines(
    watch: Watch, outside: Mapping[str, Any], lines: list[Line]
) -> Iterator[tuple[Seen | None, Line | None]]:
    steps = watch.step(outside)
    for line in lines:
        yield next(steps, None), line
    for seen in steps:
        yield seen, None


def _compare(ours: Line | None, theirs: Line | None, cycle: int) -> None:
    if theirs is None:
        raise TraceError(f"cycle {cycle} is missing; expected every cycle, as --trace prints them")
    if theirs["cycle"] != cycle:
        text = f"found cycle {theirs['cycle']!r}; expected cycle {cycle}"
        raise TraceError(f"{text}: a trace begins with the first and has every one (--trace)")
    if ours is None:
        raise TraceError(f"cycle {cycle}: the network's step is over before it")
    for key in ("machines", "signals"):
        if ours[key] != theirs[key]:
            name = _first_difference(ours[key], theirs[key])
            raise TraceError(
                f"cycle {cycle}, {key}.{name}: this is no trace of the network;"
                f" found {_get(theirs[key], name)!r}; expected {_get(ours[key], name)!r}"
            )


def _first_difference(ours: Mapping[str, Any], theirs: Any) -> str:
    there: Mapping[str, Any] = theirs if isinstance(theirs, Mapping) else {}
    names: list[str] = [*ours, *there]
    return next(n for n in names if n not in ours or n not in there or ours[n] != there[n])


def _get(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else None
