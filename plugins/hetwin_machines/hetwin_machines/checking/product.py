"""Explores the joint states of all machines in a network: finds conflicts, and signals read before they are set."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any, NamedTuple

from hetwin_machines.checking.cases import Cases
from hetwin_machines.checking.domains import domains
from hetwin_machines.checking.findings import Finding, Kind
from hetwin_machines.cycle import CONFLICT, FAULTS, UNDEFINED
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Arc, Machine, Network
from hetwin_machines.running import NetworkRun
from hetwin_machines.seeing.looking import in_words
from hetwin_machines.seeing.watch import Watch
from hetwin_suite.expressions import names_of

MAX_STEPS = 20_000
"""Maximum total number of steps."""
MAX_ROWS = 128
"""Maximum number of combinations of inputs and events tried in a state; of more, this number is drawn at random."""
_MAX_EXPLAINED = 5
"""Maximum number of occurrences of a fault in a state that are explained; their reasons may differ."""
_KINDS = {CONFLICT: Kind.CONFLICT, UNDEFINED: Kind.UNDEFINED}

Row = dict[str, Value]


class _Joint(NamedTuple):
    """The joint state of a network between two steps; it does not contain inputs, which are set in each step."""

    machines: tuple[tuple[str, tuple[str, ...], bool], ...]
    signals: tuple[tuple[str, type, Value], ...]


@dataclass
class Explored:
    """Result of the exploration of a network.

    Attributes:
        findings: conflicts and signals read too early, without duplicates.
        states: number of visited joint states.
        is_all: whether the exploration is complete.
        blocked: machine -> states in which it waits for a change from outside.
    """

    findings: list[Finding] = field(default_factory=list)
    states: int = 0
    is_all: bool = True
    blocked: dict[str, list[str]] = field(default_factory=dict)

    def waits(self) -> list[str]:
        """Return a line for each machine with the states in which it waits."""
        return [
            f"  {name} waits in {', '.join(states)}"
            for name, states in self.blocked.items()
            if states
        ]

    def in_words(self) -> str:
        """Describe the extent of the exploration."""
        if self.is_all:
            return f"all {self.states} states that the tried values lead to were gone through"
        return f"stopped after {self.states} states, with more to go through: beyond these nothing is known"


def explore(network: Network, most_steps: int = MAX_STEPS) -> Explored:
    """Explore the reachable joint states of a network by breadth-first search.

    Args:
        network: the network.
        most_steps: maximum number of steps; then the result is marked as incomplete.
    """
    return _Exploration(network).run(most_steps)


class _Exploration:
    def __init__(self, network: Network) -> None:
        self._network = network
        self._run, self._watch = NetworkRun(network), Watch(network)
        known = domains(network)
        self._never = {name for name, domain in known.items() if domain.is_empty}
        outside = (*network.inputs, *network.events)
        guards = [arc.guard.node for machine in network.machines for arc in _arcs(machine)]
        assigned = [
            e.node
            for machine in network.machines
            for arc in _arcs(machine)
            for e in arc.assignments.values()
        ]
        cases = Cases([*guards, *assigned], known)
        self._values = {name: cases.values.get(name, [False, 0][:1]) for name in outside}
        self._reads = {
            (machine.name, state): _read(arcs) & set(outside)
            for machine in network.machines
            for state, arcs in machine.states.items()
        }
        self._found: dict[tuple[str, str, str, str], Finding] = {}
        self._occurrences: Counter[tuple[str, str, str]] = Counter()
        self._explored = Explored()
        self._blocked: dict[str, dict[str, None]] = {m.name: {} for m in network.machines}
        self._rng = random.Random(0)

    def run(self, most_steps: int) -> Explored:
        """Visit joint states until none is left or the maximum of steps is reached."""
        begin = self._here()
        visited = {begin}
        waiting = deque([begin])
        steps = 0
        while waiting:
            here = waiting.popleft()
            for row in self._rows(here):
                if steps >= most_steps:
                    return self._ended(len(visited), is_all=False)
                steps += 1
                after = self._step(here, row)
                if after is not None and after not in visited:
                    visited.add(after)
                    waiting.append(after)
        return self._ended(len(visited), is_all=self._explored.is_all)

    def _ended(self, states: int, *, is_all: bool) -> Explored:
        explored = self._explored
        explored.states, explored.is_all = states, is_all
        explored.findings = list(self._found.values())
        explored.blocked = {name: list(states) for name, states in self._blocked.items()}
        return explored

    def _here(self) -> _Joint:
        cycles = self._run.cycles
        outside = {*cycles.inputs, *cycles.events}
        return _Joint(
            tuple((m.state, tuple(m.stack), m.stopped) for m in cycles.machines),
            tuple(
                (name, type(value), value)
                for name, value in sorted(cycles.signals.items())
                if name not in outside
            ),
        )

    def _back_to(self, here: _Joint, run: NetworkRun) -> None:
        cycles = run.cycles
        cycles.is_over = False
        cycles.signals = {name: value for name, _, value in here.signals}
        for machine, (state, stack, stopped) in zip(cycles.machines, here.machines, strict=True):
            machine.state, machine.stack, machine.stopped = state, list(stack), stopped

    def _rows(self, here: _Joint) -> Iterator[Row]:
        """Yield combinations of inputs and events; if a step has one cycle, only those that the states read matter."""
        names = [*self._network.inputs, *self._network.events]
        if self._run.cycles.cycle_limit == 1:
            states = zip(self._network.machines, here.machines, strict=True)
            read = [self._reads.get((m.name, at[0]), set()) for m, at in states]
            names = [name for name in names if name in set().union(*read)]
        fixed = {name: values[0] for name, values in self._values.items()}
        choices = [self._values[name] for name in names]
        count = 1
        for values in choices:
            count *= len(values)
        if count <= MAX_ROWS:
            found: Iterable[tuple[Value, ...]] = product(*choices)
        else:
            self._explored.is_all = False
            drawn = ([self._rng.choice(v) for v in choices] for _ in range(MAX_ROWS))
            found = chain(tuple(values) for values in drawn)
        for each in found:
            yield {**fixed, **dict(zip(names, each, strict=True))}

    def _step(self, here: _Joint, row: Row) -> _Joint | None:
        """Take a step from a joint state; return the next one, None if the step ends the run."""
        self._back_to(here, self._run)
        self._run.advance(row)
        before = [state for state, _, _ in here.machines]
        for machine, state in zip(self._run.cycles.machines, before, strict=True):
            if machine.state in _KINDS and machine.state != state:
                key = (machine.name, state, machine.state)
                self._occurrences[key] += 1
                if self._occurrences[key] <= _MAX_EXPLAINED:
                    self._explain(here, row)
        self._note_blocked()
        return None if self._run.is_over else self._here()

    def _note_blocked(self) -> None:
        for name, is_blocked in self._run.blocked().items():
            state = next(m.state for m in self._run.cycles.machines if m.name == name)
            if is_blocked and state not in FAULTS:
                self._blocked[name].setdefault(state)

    def _explain(self, here: _Joint, row: Row) -> None:
        """Repeat a step to find the reasons of its faults, and keep them as findings."""
        self._back_to(here, self._watch.run)
        for seen in self._watch.step(row):
            for name, reason in seen.why.items():
                fault = seen.line["machines"][name]["state"]
                if fault in _KINDS:
                    self._keep(name, seen.before[name], fault, reason, row)

    def _keep(self, name: str, state: str, fault: str, reason: str, row: Row) -> None:
        if fault == UNDEFINED and ("was never set" not in reason or self._is_known(reason)):
            return
        read = self._reads.get((name, state), set())
        case = ", ".join(f"{k} = {in_words(v)}" for k, v in row.items() if k in read)
        text = f"in {state}: {reason}{f', when {case}' if case else ''}"
        key = (name, state, fault, reason.split(" (")[0])
        self._found.setdefault(key, Finding(_KINDS[fault], name, state, (), text))

    def _is_known(self, reason: str) -> bool:
        """Whether the static checks already report that nothing sets the signal."""
        return any(f"{name} was never set" in reason for name in self._never)


def _arcs(machine: Machine) -> Iterator[Arc]:
    for arcs in machine.states.values():
        yield from arcs


def _read(arcs: Iterable[Arc]) -> set[str]:
    expressions = [e for arc in arcs for e in (arc.guard, *arc.assignments.values())]
    return {name for e in expressions for name in names_of(e.node)}


def to_json(explored: Explored) -> Mapping[str, Any]:
    """Return the extent of the exploration as plain JSON."""
    return {
        "states": explored.states,
        "complete": explored.is_all,
        "blocked": explored.blocked,
    }
