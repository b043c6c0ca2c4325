"""Replay a trace to find out what its lines do not contain: which arcs were taken, and why machines failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from hetwin_machines.network import Network
from hetwin_machines.observation.watch import ObservedCycle, Watch
from hetwin_machines.running import Line

KEYS = ("cycle", "step", "machines", "signals")


class TraceError(ValueError):
    """A trace that cannot be used; the message has the line, what was found and what was expected."""


def read_trace(lines: Iterable[str]) -> list[Line]:
    """Return the cycles of a trace printed by ``hetwin machines run --trace --json``.

    Raises:
        TraceError: if a line is not a cycle.
    """
    cycles: list[Line] = []
    for number, text in enumerate(lines, 1):
        if text.strip():
            line = _cycle(text, number)
            cycles += [line] if line else []
    if not cycles:
        raise TraceError("there is no cycle; expected a line of JSON for each")
    return cycles


def _cycle(text: str, number: int) -> Line | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"line {number}: not JSON: {error}") from None
    if isinstance(data, Mapping) and set(data) == {"profile"}:
        return None
    if not isinstance(data, Mapping) or not all(key in data for key in KEYS):
        raise TraceError(f"line {number}: not a cycle; expected an object with {', '.join(KEYS)}")
    if not isinstance(data["signals"], Mapping):
        raise TraceError(f"line {number}, signals: not an object")
    return {key: data[key] for key in KEYS}


def replay(network: Network, trace: Iterable[Line]) -> Iterator[ObservedCycle]:
    """Run the network with the inputs of a trace; yield what was observed in each cycle.

    Raises:
        TraceError: if the network behaves differently.
    """
    watch = Watch(network)
    expected = 1
    for _, group in groupby(trace, key=lambda line: json.dumps(line["step"])):
        lines = list(group)
        for observed, line in _pair_lines(watch, _outside(network, lines[0]["signals"]), lines):
            _compare(observed.line if observed else None, line, expected)
            expected += 1
            if observed:
                yield observed


def _outside(network: Network, signals: Mapping[str, Any]) -> dict[str, Any]:
    names = (*network.inputs, *network.events)
    return {name: signals[name] for name in names if signals.get(name) is not None}


def _pair_lines(
    watch: Watch, outside: Mapping[str, Any], lines: list[Line]
) -> Iterator[tuple[ObservedCycle | None, Line | None]]:
    steps = watch.step(outside)
    for line in lines:
        yield next(steps, None), line
    for seen in steps:
        yield seen, None


def _compare(expected: Line | None, recorded: Line | None, cycle: int) -> None:
    if recorded is None:
        raise TraceError(f"cycle {cycle} is missing; expected every cycle, as --trace prints them")
    if recorded["cycle"] != cycle:
        text = f"found cycle {recorded['cycle']!r}; expected cycle {cycle}"
        raise TraceError(f"{text}: a trace begins with the first and has every one (--trace)")
    if expected is None:
        raise TraceError(f"cycle {cycle}: the network's step is over before it")
    for key in ("machines", "signals"):
        if expected[key] != recorded[key]:
            name = _first_difference(expected[key], recorded[key])
            raise TraceError(
                f"cycle {cycle}, {key}.{name}: not a trace of the network;"
                f" found {_get(recorded[key], name)!r}; expected {_get(expected[key], name)!r}"
            )


def _first_difference(expected: Mapping[str, Any], recorded: Any) -> str:
    recorded_values: Mapping[str, Any] = recorded if isinstance(recorded, Mapping) else {}
    names: list[str] = [*expected, *recorded_values]
    return next(
        n
        for n in names
        if n not in expected or n not in recorded_values or expected[n] != recorded_values[n]
    )


def _get(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else None
