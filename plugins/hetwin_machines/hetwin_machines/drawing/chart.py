"""Converts a machine to the nodes of a drawing: states, decisions and arcs, with counts and faults of a trace."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hetwin_machines.cycle import ALL_OF_IT
from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.decisions import Decision, Fan, Leaf, Tree, decide
from hetwin_machines.drawing.graph import Chart, Line, MachineTrace, Node, Shape
from hetwin_machines.network import ALL, TOP, Arc, Machine
from hetwin_machines.seeing.looking import in_words
from hetwin_machines.seeing.profile import Stay
from hetwin_suite.expressions import text_of

WIDEST = 40
"""Maximum number of characters in a line beside an arc."""
WIDEST_CONDITION = 26
"""Maximum number of characters in a line of a decision."""


def chart_of(machine: Machine, trace: MachineTrace | None = None) -> Chart:
    """Return a machine as nodes without positions.

    Args:
        machine: the machine.
        trace: summary of its trace; None if there is none.
    """
    names = sorted(machine.states, key=lambda name: name != machine.initial)
    states = {name: _state(machine, name, trace) for name in names}
    for state, fault, cycle, reason in trace.faults if trace else ():
        states[state].below.append(_fault(fault, cycle, reason))
    return Chart(_start(machine, trace), machine.initial, states)


def _start(machine: Machine, trace: MachineTrace | None) -> Node:
    lines = tuple(Line("do", f"{name} = {in_words(value)}") for name, value in machine.init.items())
    right = sizes.BESIDE + sizes.text_width(lines) if lines else 6.0
    height = max(14.0, sizes.LINE * len(lines))
    return Node(Shape.START, 7, right, height, lines, count=1 if trace else None)


def _state(machine: Machine, name: str, trace: MachineTrace | None) -> Node:
    half, arcs = sizes.state_width(name) / 2, machine.states[name]
    node = Node(Shape.STATE, half, half, sizes.STATE_HEIGHT, (Line("name", name),))
    node.is_sink = not arcs
    stay = trace.stays[name] if trace else None
    if trace is not None and stay is not None:
        node.count = stay.visits
        node.is_last = trace.last == name
        node.title = f"{name}: {stay.visits} visits, {stay.cycles} cycles"
    if arcs:
        tree = decide([arc.guard.node for arc in arcs])
        node.below.append(_Branches(name, arcs, stay).of(tree, ""))
    return node


class _Branches:
    """The decisions and arcs of a state.

    Args:
        state: name of the state.
        arcs: arcs that leave the state.
        stay: counts of the state in a trace; None if there is none.
    """

    def __init__(self, state: str, arcs: Sequence[Arc], stay: Stay | None) -> None:
        self._state, self._arcs, self._stay = state, arcs, stay

    def of(self, tree: Tree, word: str) -> Node:
        """Return the node of a decision tree.

        Args:
            tree: the tree.
            word: ``yes`` or ``no`` on the line to the node; empty for a line from the state.
        """
        match tree:
            case Leaf(index, guard):
                return self._arc(index, guard, word)
            case Fan(leaves):
                node = Node(Shape.FAN, 4, 4, 4, word=word)
                node.below = [self._arc(leaf.arc, leaf.guard, "") for leaf in leaves]
            case Decision(condition, yes, no):
                lines = tuple(Line("guard", text) for text in _broken(condition, WIDEST_CONDITION))
                width, height = sizes.decision_size(lines)
                half = width / 2 + sizes.CORNER
                node = Node(Shape.DECISION, half, half, height, lines, word)
                node.below = [self.of(yes, "yes"), self.of(no, "no")]
        node.right = max(node.right, sizes.BESIDE + len(word) * sizes.LETTER)
        counts = [child.count for child in node.below if child.count is not None]
        node.count = sum(counts) if counts else None
        return node

    def _arc(self, index: int, guard: str, word: str) -> Node:
        arc = self._arcs[index]
        count = self._stay.arcs[index] if self._stay else None
        node = _arc_node(arc, index, tuple(_lines(arc, guard, word)), count)
        node.title = f"{self._state}, arc {index}: {arc.guard.text}"
        if arc.to == TOP:
            size = sizes.HEXAGON
            top = Node(Shape.HEXAGON, size, size, 2 * size - 4, count=count)
            top.title = "to the state at the top of the stack, which is taken off"
            node.below.append(top)
        else:
            node.to = arc.to
        return node


def _arc_node(arc: Arc, index: int, lines: tuple[Line, ...], count: int | None) -> Node:
    pops = ALL_OF_IT if arc.pop == ALL else int(arc.pop)
    pills = [sizes.pill_width(name) / 2 for name in arc.push]
    height = sizes.pops_height(pops) + sizes.LINE * len(lines) + 4
    height += (sizes.PILL * len(pills) + 12) if pills else 0
    right = sizes.BESIDE + sizes.text_width(lines) if lines else 8.0
    if count:
        right += (len(sizes.count_text(count)) + 2) * sizes.LETTER
    return Node(
        Shape.ARC,
        left=max([*pills, 9.0]),
        right=max([*pills, right]),
        height=height,
        lines=lines,
        arc=index,
        pops=pops,
        pushes=arc.push,
        count=count,
    )


def _lines(arc: Arc, guard: str, word: str) -> Iterator[Line]:
    if word:
        yield Line("word", word)
    yield from (Line("guard", text) for text in _broken(guard, WIDEST))
    for name, expression in arc.assignments.items():
        assigned = f"{name}⁺ = {text_of(expression.node)}"
        yield from (Line("do", text) for text in _broken(assigned, WIDEST))


def _broken(text: str, widest: int) -> list[str]:
    return textwrap.wrap(text, widest, break_long_words=False, break_on_hyphens=False)


def _fault(fault: str, cycle: int, reason: str) -> Node:
    texts = [fault, f"in cycle {cycle}:", *_broken(reason, WIDEST)]
    lines = tuple(Line("name" if i == 0 else "guard", text) for i, text in enumerate(texts))
    half = sizes.text_width(lines) / 2 + 14
    return Node(Shape.FAULT, half, half, sizes.LINE * len(lines) + 14, lines, title=reason)
