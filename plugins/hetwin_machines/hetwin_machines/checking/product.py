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
from hetwin_machines.observation.evaluations import value_text
from hetwin_machines.observation.watch import Watch
from hetwin_machines.running import NetworkRun
from hetwin_suite.expressions import names_of

MAX_STEPS = 20_000
"""Maximum total number of steps."""
MAX_ROWS = 128
"""Maximum number of combinations of inputs and events tried in a state; of more, this number is drawn at random."""
_MAX_EXPLAINED = 5
"""Maximum number of occurrences of a fault in a state that are explained; their reasons may differ."""
_KINDS = {CONFLICT: Kind.CONFLICT, UNDEFINED: Kind.UNDEFINED}

Row = dict[str, Value]


class _JointState(NamedTuple):
    """The joint state of a network between two steps; it does not contain inputs, which are set in each step."""

    machines: tuple[tuple[str, tuple[str, ...], bool], ...]
    signals: tuple[tuple[str, type, Value], ...]


@dataclass
class ExplorationResult:
    """Result of the exploration of a network.

    Attributes:
        findings: conflicts and signals read too early, without duplicates.
        states: number of visited joint states.
        is_complete: whether the exploration is complete.
        blocked: machine -> states in which it waits for a change from outside.
    """

    findings: list[Finding] = field(default_factory=list)
    states: int = 0
    is_complete: bool = True
    blocked: dict[str, list[str]] = field(default_factory=dict)

    def waiting_lines(self) -> list[str]:
        """Return a line for each machine with the states in which it waits."""
        return [
            f"  {name} waits in {', '.join(states)}"
            for name, states in self.blocked.items()
            if states
        ]

    def summary(self) -> str:
        """Describe the extent of the exploration."""
        if self.is_complete:
            return f"explored all {self.states} states that the tested values lead to"
        return (
            f"stopped after {self.states} states; more states are reachable, and were not checked"
        )


def explore(network: Network, max_steps: int = MAX_STEPS) -> ExplorationResult:
    """Explore the reachable joint states of a network by breadth-first search.

    Args:
        network: the network.
        max_steps: maximum number of steps; then the result is marked as incomplete.
    """
    return _Exploration(network).run(max_steps)


class _Exploration:
    def __init__(self, network: Network) -> None:
        self._network = network
        self._run, self._watch = NetworkRun(network), Watch(network)
        known = domains(network)
        self._unset_signals = {name for name, domain in known.items() if domain.is_empty}
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
            (machine.name, state): _signals_read(arcs) & set(outside)
            for machine in network.machines
            for state, arcs in machine.states.items()
        }
        self._found: dict[tuple[str, str, str, str], Finding] = {}
        self._occurrences: Counter[tuple[str, str, str]] = Counter()
        self._explored = ExplorationResult()
        self._blocked: dict[str, dict[str, None]] = {m.name: {} for m in network.machines}
        self._rng = random.Random(0)

    def run(self, max_steps: int) -> ExplorationResult:
        """Visit joint states until none is left or the maximum of steps is reached."""
        initial = self._joint_state()
        visited = {initial}
        waiting = deque([initial])
        steps = 0
        while waiting:
            joint_state = waiting.popleft()
            for row in self._rows(joint_state):
                if steps >= max_steps:
                    return self._result(len(visited), is_complete=False)
                steps += 1
                next_state = self._step(joint_state, row)
                if next_state is not None and next_state not in visited:
                    visited.add(next_state)
                    waiting.append(next_state)
        return self._result(len(visited), is_complete=self._explored.is_complete)

    def _result(self, states: int, *, is_complete: bool) -> ExplorationResult:
        explored = self._explored
        explored.states, explored.is_complete = states, is_complete
        explored.findings = list(self._found.values())
        explored.blocked = {name: list(states) for name, states in self._blocked.items()}
        return explored

    def _joint_state(self) -> _JointState:
        cycles = self._run.cycles
        outside = {*cycles.inputs, *cycles.events}
        return _JointState(
            tuple((m.state, tuple(m.stack), m.stopped) for m in cycles.machines),
            tuple(
                (name, type(value), value)
                for name, value in sorted(cycles.signals.items())
                if name not in outside
            ),
        )

    def _restore(self, joint_state: _JointState, run: NetworkRun) -> None:
        cycles = run.cycles
        cycles.is_over = False
        cycles.signals = {name: value for name, _, value in joint_state.signals}
        for machine, (state, stack, stopped) in zip(
            cycles.machines, joint_state.machines, strict=True
        ):
            machine.state, machine.stack, machine.stopped = state, list(stack), stopped

    def _rows(self, joint_state: _JointState) -> Iterator[Row]:
        """Yield combinations of inputs and events; if a step has one cycle, only those that the states read matter."""
        names = [*self._network.inputs, *self._network.events]
        if self._run.cycles.cycle_limit == 1:
            states = zip(self._network.machines, joint_state.machines, strict=True)
            read = [self._reads.get((m.name, at[0]), set()) for m, at in states]
            names = [name for name in names if name in set().union(*read)]
        fixed = {name: values[0] for name, values in self._values.items()}
        choices = [self._values[name] for name in names]
        count = 1
        for values in choices:
            count *= len(values)
        if count <= MAX_ROWS:
            combinations: Iterable[tuple[Value, ...]] = product(*choices)
        else:
            self._explored.is_complete = False
            drawn = ([self._rng.choice(v) for v in choices] for _ in range(MAX_ROWS))
            combinations = chain(tuple(values) for values in drawn)
        for values_of_row in combinations:
            yield {**fixed, **dict(zip(names, values_of_row, strict=True))}

    def _step(self, joint_state: _JointState, row: Row) -> _JointState | None:
        """Take a step from a joint state; return the next one, None if the step ends the run."""
        self._restore(joint_state, self._run)
        self._run.advance(row)
        before = [state for state, _, _ in joint_state.machines]
        for machine, state in zip(self._run.cycles.machines, before, strict=True):
            if machine.state in _KINDS and machine.state != state:
                key = (machine.name, state, machine.state)
                self._occurrences[key] += 1
                if self._occurrences[key] <= _MAX_EXPLAINED:
                    self._explain(joint_state, row)
        self._record_blocked()
        return None if self._run.is_over else self._joint_state()

    def _record_blocked(self) -> None:
        for name, is_blocked in self._run.blocked().items():
            state = next(m.state for m in self._run.cycles.machines if m.name == name)
            if is_blocked and state not in FAULTS:
                self._blocked[name].setdefault(state)

    def _explain(self, joint_state: _JointState, row: Row) -> None:
        """Repeat a step to find the reasons of its faults, and keep them as findings."""
        self._restore(joint_state, self._watch.run)
        for cycle in self._watch.step(row):
            for name, reason in cycle.fault_reasons.items():
                fault = cycle.line["machines"][name]["state"]
                if fault in _KINDS:
                    self._add_finding(name, cycle.before[name], fault, reason, row)

    def _add_finding(self, name: str, state: str, fault: str, reason: str, row: Row) -> None:
        if fault == UNDEFINED and ("was never set" not in reason or self._is_reported(reason)):
            return
        read = self._reads.get((name, state), set())
        case = ", ".join(f"{k} = {value_text(v)}" for k, v in row.items() if k in read)
        text = f"in {state}: {reason}{f', when {case}' if case else ''}"
        key = (name, state, fault, reason.split(" (")[0])
        self._found.setdefault(key, Finding(_KINDS[fault], name, state, (), text))

    def _is_reported(self, reason: str) -> bool:
        """Whether the static checks already report that nothing sets the signal."""
        return any(f"{name} was never set" in reason for name in self._unset_signals)


def _arcs(machine: Machine) -> Iterator[Arc]:
    for arcs in machine.states.values():
        yield from arcs


def _signals_read(arcs: Iterable[Arc]) -> set[str]:
    expressions = [e for arc in arcs for e in (arc.guard, *arc.assignments.values())]
    return {name for e in expressions for name in names_of(e.node)}


def to_json(explored: ExplorationResult) -> Mapping[str, Any]:
    """Return the extent of the exploration as plain JSON."""
    return {
        "states": explored.states,
        "complete": explored.is_complete,
        "blocked": explored.blocked,
    }
