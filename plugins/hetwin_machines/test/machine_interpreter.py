"""Another interpreter of networks, as simple as can be: dictionaries, copies, and CEL for each expression."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any

from hetwin_core.ensemble.expressions.language import cel

FAULTS = ("__INCOMPLETE__", "__NON-DETERMINISTIC__", "__UNDEFINED__", "__CONFLICT__")
NONE = object()


class Undefined(Exception):
    """An expression names what was never set, or fails."""


def text_of(data: object) -> str:
    return str(data).lower() if isinstance(data, bool) else str(data)


@cache
def compiled(text: str) -> tuple[Any, tuple[str, ...]]:
    program = cel.compile(text)
    return program, tuple(program.variables())


def evaluate(data: object, signals: Mapping[str, Any]) -> Any:
    program, names = compiled(text_of(data))
    if any(name not in signals for name in names):
        raise Undefined
    try:
        return program.execute({name: signals[name] for name in names})
    except Exception:
        raise Undefined from None


def plain(value: object) -> tuple[type, object]:
    """What tells whole numbers, real ones and truths apart."""
    return type(value), value


class Interpreter:
    def __init__(self, network: Mapping[str, Any]) -> None:
        self.network = network
        self.signals: dict[str, Any] = {}
        self.state: dict[str, str] = {}
        self.stack: dict[str, list[str]] = {}
        self.stopped: set[str] = set()
        self.over = False
        self.cycle = 0
        for name in network["machines"]:
            self.begin(name)

    def begin(self, name: str) -> None:
        machine = self.network["machines"][name]
        self.state[name], self.stack[name] = machine["initial"], []
        self.signals.update(machine.get("init") or {})

    def arcs(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            self.network["machines"][name]["states"].get(self.state[name]) or []
        )
        return found

    def plan(self, name: str) -> tuple[str, Any]:
        """("fault", which) or ("go", (assignments, stack, state)) or ("stay", None)."""
        if self.state[name] in FAULTS or not self.arcs(name) or name in self.stopped:
            return "stay", None
        try:
            holds = [evaluate(arc["if"], self.signals) for arc in self.arcs(name)]
        except Undefined:
            return "fault", "__UNDEFINED__"
        if any(type(value) is not bool for value in holds):
            return "fault", "__UNDEFINED__"
        firing = [arc for arc, value in zip(self.arcs(name), holds, strict=True) if value]
        if len(firing) != 1:
            return "fault", "__NON-DETERMINISTIC__" if firing else "__INCOMPLETE__"
        arc = firing[0]
        try:
            values = {k: evaluate(v, self.signals) for k, v in (arc.get("do") or {}).items()}
        except Undefined:
            return "fault", "__UNDEFINED__"
        stack = list(self.stack[name])
        pops = arc.get("pop", 0)
        for _ in range(len(stack) if pops == "all" else pops):
            if not stack:
                return "fault", "__INCOMPLETE__"
            stack.pop()
        stack += arc.get("push") or []
        to = arc["to"]
        if to == "TOP":
            if not stack:
                return "fault", "__INCOMPLETE__"
            to = stack.pop()
        return "go", (values, stack, to)

    def step(self, number: int, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        lines = []
        for name in self.network.get("inputs") or []:
            if name in row:
                self.signals[name] = row[name]
        for name in self.network.get("events") or []:
            self.signals[name] = row[name]
        settled = self.network.get("advance", "settled") == "settled"
        for _ in range(self.network.get("max_cycles", 100) if settled else 1):
            before = self.picture()
            self.take_cycle()
            lines.append(self.line(number))
            for name in self.network.get("events") or []:
                self.signals[name] = False
            changed = self.picture() != before
            if self.look_after() or not changed:
                break
        return lines

    def picture(self) -> object:
        outside = {*(self.network.get("inputs") or []), *(self.network.get("events") or [])}
        own = {k: plain(v) for k, v in self.signals.items() if k not in outside}
        return copy.deepcopy((self.state, self.stack, own))

    def take_cycle(self) -> None:
        self.cycle += 1
        plans = {name: self.plan(name) for name in self.network["machines"]}
        wanted: dict[str, list[Any]] = {}
        for kind, what in plans.values():
            if kind == "go":
                for signal, value in what[0].items():
                    wanted.setdefault(signal, []).append(value)
        disputed = {
            signal
            for signal, values in wanted.items()
            if any(v != values[0] or (type(v) is bool) != (type(values[0]) is bool) for v in values)
        }
        for name, (kind, what) in plans.items():
            if kind == "fault":
                self.state[name] = what
            elif kind == "go" and disputed & set(what[0]):
                self.state[name] = "__CONFLICT__"
            elif kind == "go":
                for signal in what[0]:
                    same = wanted[signal]
                    real = [v for v in same if type(v) is float]
                    self.signals[signal] = (real or same)[0]
                self.stack[name], self.state[name] = what[1], what[2]

    def look_after(self) -> bool:
        for name, machine in self.network["machines"].items():
            if self.state[name] not in FAULTS and self.arcs(name):
                continue
            match machine.get("on_inactive", "stay"):
                case "end":
                    self.over = True
                case "stop":
                    self.stopped.add(name)
                case "reset":
                    self.begin(name)
        return self.over

    def line(self, number: int) -> dict[str, Any]:
        return {
            "cycle": self.cycle,
            "step": number,
            "machines": {
                name: {"state": self.state[name], "stack": list(self.stack[name])}
                for name in self.network["machines"]
            },
            "signals": dict(self.signals),
        }
