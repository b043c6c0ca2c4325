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
from hetwin_machines.seeing.looking import in_words
from hetwin_suite.expressions import names_of


class Kind(StrEnum):
    """Kinds of findings."""

    NEVER_TOGETHER = "never_together"
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
class _Fired:
    """Results of evaluating the guards of a state in all cases.

    Attributes:
        is_exhaustive: whether the cases are exhaustive.
        ever: indices of the arcs that fire in some case.
        uncovered: a case in which no arc fires.
        pairs: two arcs that fire at once -> a case.
    """

    is_exhaustive: bool
    ever: set[int] = field(default_factory=set)
    uncovered: Case | None = None
    pairs: dict[tuple[int, int], Case] = field(default_factory=dict)


def findings(network: Network) -> list[Finding]:
    """Return the findings in a network, in the order of the file."""
    known = domains(network)
    found: list[Finding] = []
    for machine in network.machines:
        never: set[tuple[str, int]] = set()
        for state, arcs in machine.states.items():
            found += _never_set(machine.name, state, arcs, known)
            if arcs and not any(known[name].is_empty for name in _named(arcs)):
                fired = _fired(arcs, known)
                never |= {
                    (state, i)
                    for i in range(len(arcs))
                    if fired.is_exhaustive and i not in fired.ever
                }
                found += _in_state(machine.name, state, arcs, fired)
        found += _unreachable(machine, never)
    return [*found, *_outputs(network, known)]


def _named(arcs: tuple[Arc, ...]) -> Iterator[str]:
    for arc in arcs:
        yield from names_of(arc.guard.node)


def _fired(arcs: tuple[Arc, ...], known: Mapping[str, Domain]) -> _Fired:
    cases = Cases([arc.guard.node for arc in arcs], known)
    fired = _Fired(cases.are_all)
    for case in cases:
        try:
            holds = [i for i, arc in enumerate(arcs) if evaluate(arc.guard.text, case, truth=True)]
        except Failed:
            continue
        fired.ever.update(holds)
        if not holds and fired.uncovered is None:
            fired.uncovered = case
        for i, first in enumerate(holds):
            for second in holds[i + 1 :]:
                fired.pairs.setdefault((first, second), case)
    return fired


def _in_state(machine: str, state: str, arcs: tuple[Arc, ...], fired: _Fired) -> Iterator[Finding]:
    for index, arc in enumerate(arcs):
        if fired.is_exhaustive and index not in fired.ever:
            text = f"arc {index} ({_guard(arc)}) of {state} can never fire"
            yield Finding(Kind.NEVER_TOGETHER, machine, state, (index,), text)
    if fired.uncovered is not None:
        text = f"no arc of {state} fires{_if(fired.uncovered)}"
        yield Finding(Kind.NEVER_TOGETHER, machine, state, tuple(range(len(arcs))), text)
    for (first, second), case in sorted(fired.pairs.items()):
        both = f"arcs {first} ({_guard(arcs[first])}) and {second} ({_guard(arcs[second])})"
        text = f"{both} of {state} fire at once{_if(case)}"
        yield Finding(Kind.OVERLAP, machine, state, (first, second), text)


def _guard(arc: Arc) -> str:
    return " ".join(arc.guard.text.split())


def _if(case: Case) -> str:
    values = ", ".join(f"{name} = {in_words(value)}" for name, value in case.items())
    return f" if {values}" if values else ", whatever the signals are"


def _never_set(
    machine: str, state: str, arcs: tuple[Arc, ...], known: Mapping[str, Domain]
) -> Iterator[Finding]:
    places: dict[str, list[int]] = {}
    for index, arc in enumerate(arcs):
        for expression in (arc.guard, *arc.assignments.values()):
            for name in names_of(expression.node):
                places.setdefault(name, []).append(index)
    for name, indices in places.items():
        if known[name].is_empty:
            text = f"{name} is read in {state}, and nothing ever sets it"
            yield Finding(Kind.NEVER_SET, machine, state, tuple(dict.fromkeys(indices)), text)


def _unreachable(machine: Machine, never: set[tuple[str, int]]) -> Iterator[Finding]:
    reached: set[str] = set()
    pushed: set[str] = set()
    goes_to_top = False
    to_see = [machine.initial]
    while to_see:
        state = to_see.pop()
        if state in reached:
            continue
        reached.add(state)
        for index, arc in enumerate(machine.states[state]):
            if (state, index) in never:
                continue
            pushed |= set(arc.push)
            goes_to_top = goes_to_top or arc.to == TOP
            to_see += [arc.to] if arc.to != TOP else []
        if goes_to_top:
            to_see += pushed
    for state in machine.states:
        if state not in reached:
            text = f"{state} cannot be reached from {machine.initial}"
            yield Finding(Kind.UNREACHABLE, machine.name, state, (), text)


def _outputs(network: Network, known: Mapping[str, Domain]) -> Iterator[Finding]:
    for name in network.outputs:
        if known[name].is_empty:
            text = f"{name} is an output, and nothing ever sets it"
            yield Finding(Kind.NEVER_SET, None, None, (), text)
