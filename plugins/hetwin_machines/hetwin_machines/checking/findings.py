"""Static checks of each machine in a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hetwin_machines.checking.cases import Case, Cases
from hetwin_machines.checking.domains import Domain, domains
from hetwin_machines.expressions.evaluation import evaluate
from hetwin_machines.expressions.operations import Failed
from hetwin_machines.network import TOP, Arc, Machine, Network
from hetwin_machines.observation.evaluations import value_text
from hetwin_suite.expressions import names_of


class Kind(StrEnum):
    """Kinds of findings."""

    INCOMPLETE = "never_together"
    """The arcs of a state do not cover a case together, or one of them never fires."""
    OVERLAP = "overlap"
    """Two arcs of a state fire at once."""
    UNREACHABLE = "unreachable"
    """A state cannot be reached."""
    NEVER_SET = "never_set"
    """A signal is read, or is an output, but nothing sets it."""
    CONFLICT = "conflict"
    """Two machines set a signal to different values at once."""
    UNDEFINED = "undefined"
    """A machine reads a signal before it is set."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A potential fault of a network.

    Attributes:
        kind: kind of the finding.
        machine: name of the machine; None for an output that nothing sets.
        state: name of the state; None if the finding concerns no state.
        arcs: indices of the arcs concerned, from 0.
        text: description, with a case in which the fault occurs.
    """

    kind: Kind
    machine: str | None
    state: str | None
    arcs: tuple[int, ...]
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON."""
        return {
            "kind": str(self.kind),
            "machine": self.machine,
            "state": self.state,
            "arcs": list(self.arcs),
            "text": self.text,
        }


@dataclass
class _GuardResults:
    """Results of evaluating the guards of a state in all cases.

    Attributes:
        is_exhaustive: whether the cases are exhaustive.
        fired_arcs: indices of the arcs that fire in some case.
        uncovered: a case in which no arc fires.
        pairs: two arcs that fire at once -> a case.
    """

    is_exhaustive: bool
    fired_arcs: set[int] = field(default_factory=set)
    uncovered: Case | None = None
    pairs: dict[tuple[int, int], Case] = field(default_factory=dict)


def findings(network: Network) -> list[Finding]:
    """Return the findings in a network, in the order of the file."""
    possible_values = domains(network)
    found: list[Finding] = []
    for machine in network.machines:
        dead_arcs: set[tuple[str, int]] = set()
        for state, arcs in machine.states.items():
            found += _never_set(machine.name, state, arcs, possible_values)
            if arcs and not any(possible_values[name].is_empty for name in _guard_signals(arcs)):
                results = _evaluate_guards(arcs, possible_values)
                dead_arcs |= {
                    (state, i)
                    for i in range(len(arcs))
                    if results.is_exhaustive and i not in results.fired_arcs
                }
                found += _guard_findings(machine.name, state, arcs, results)
        found += _unreachable(machine, dead_arcs)
    return [*found, *_outputs(network, possible_values)]


def _guard_signals(arcs: tuple[Arc, ...]) -> Iterator[str]:
    for arc in arcs:
        yield from names_of(arc.guard.node)


def _evaluate_guards(arcs: tuple[Arc, ...], possible_values: Mapping[str, Domain]) -> _GuardResults:
    cases = Cases([arc.guard.node for arc in arcs], possible_values)
    results = _GuardResults(cases.is_exhaustive)
    for case in cases:
        try:
            holds = [i for i, arc in enumerate(arcs) if evaluate(arc.guard.text, case, truth=True)]
        except Failed:
            continue
        results.fired_arcs.update(holds)
        if not holds and results.uncovered is None:
            results.uncovered = case
        for i, first in enumerate(holds):
            for second in holds[i + 1 :]:
                results.pairs.setdefault((first, second), case)
    return results


def _guard_findings(
    machine: str, state: str, arcs: tuple[Arc, ...], results: _GuardResults
) -> Iterator[Finding]:
    for index, arc in enumerate(arcs):
        if results.is_exhaustive and index not in results.fired_arcs:
            text = f"arc {index} ({_guard(arc)}) of {state} can never fire"
            yield Finding(Kind.INCOMPLETE, machine, state, (index,), text)
    if results.uncovered is not None:
        text = f"no arc of {state} fires{_case_text(results.uncovered)}"
        yield Finding(Kind.INCOMPLETE, machine, state, tuple(range(len(arcs))), text)
    for (first, second), case in sorted(results.pairs.items()):
        both = f"arcs {first} ({_guard(arcs[first])}) and {second} ({_guard(arcs[second])})"
        text = f"{both} of {state} fire at once{_case_text(case)}"
        yield Finding(Kind.OVERLAP, machine, state, (first, second), text)


def _guard(arc: Arc) -> str:
    return " ".join(arc.guard.text.split())


def _case_text(case: Case) -> str:
    values = ", ".join(f"{name} = {value_text(value)}" for name, value in case.items())
    return f" if {values}" if values else ", whatever the signals are"


def _never_set(
    machine: str, state: str, arcs: tuple[Arc, ...], possible_values: Mapping[str, Domain]
) -> Iterator[Finding]:
    readers: dict[str, list[int]] = {}
    for index, arc in enumerate(arcs):
        for expression in (arc.guard, *arc.assignments.values()):
            for name in names_of(expression.node):
                readers.setdefault(name, []).append(index)
    for name, indices in readers.items():
        if possible_values[name].is_empty:
            text = f"{name} is read in {state}, and nothing ever sets it"
            yield Finding(Kind.NEVER_SET, machine, state, tuple(dict.fromkeys(indices)), text)


def _unreachable(machine: Machine, dead_arcs: set[tuple[str, int]]) -> Iterator[Finding]:
    reached: set[str] = set()
    pushed: set[str] = set()
    goes_to_top = False
    pending = [machine.initial]
    while pending:
        state = pending.pop()
        if state in reached:
            continue
        reached.add(state)
        for index, arc in enumerate(machine.states[state]):
            if (state, index) in dead_arcs:
                continue
            pushed |= set(arc.push)
            goes_to_top = goes_to_top or arc.to == TOP
            pending += [arc.to] if arc.to != TOP else []
        if goes_to_top:
            pending += pushed
    for state in machine.states:
        if state not in reached:
            text = f"{state} cannot be reached from {machine.initial}"
            yield Finding(Kind.UNREACHABLE, machine.name, state, (), text)


def _outputs(network: Network, possible_values: Mapping[str, Domain]) -> Iterator[Finding]:
    for name in network.outputs:
        if possible_values[name].is_empty:
            text = f"{name} is an output, and nothing ever sets it"
            yield Finding(Kind.NEVER_SET, None, None, (), text)
