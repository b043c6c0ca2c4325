"""Converts a machine to the nodes of a drawing: states, decisions and arcs, with counts and faults of a trace."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hetwin_machines.cycle import POP_ALL
from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.decisions import Decision, Fan, Leaf, Tree, decide
from hetwin_machines.drawing.graph import Chart, Line, MachineTrace, Node, Shape
from hetwin_machines.network import ALL, TOP, Arc, Machine
from hetwin_machines.observation.evaluations import value_text
from hetwin_machines.observation.profile import StateStatistics
from hetwin_suite.expressions import text_of

MAX_LINE_LENGTH = 40
"""Maximum number of characters in a line beside an arc."""
MAX_CONDITION_LENGTH = 26
"""Maximum number of characters in a line of a decision."""


def chart_of(machine: Machine, trace: MachineTrace | None = None) -> Chart:
    """Return a machine as nodes without positions.

    Args:
        machine: the machine.
        trace: summary of its trace; None if there is none.
    """
    names = sorted(machine.states, key=lambda name: name != machine.initial)
    states = {name: _state_node(machine, name, trace) for name in names}
    for state, fault, cycle, reason in trace.faults if trace else ():
        states[state].children.append(_fault_node(fault, cycle, reason))
    return Chart(_start_node(machine, trace), machine.initial, states)


def _start_node(machine: Machine, trace: MachineTrace | None) -> Node:
    lines = tuple(
        Line("do", f"{name} = {value_text(value)}") for name, value in machine.init.items()
    )
    right = sizes.TEXT_OFFSET + sizes.text_width(lines) if lines else 6.0
    height = max(14.0, sizes.LINE * len(lines))
    return Node(Shape.START, 7, right, height, lines, count=1 if trace else None)


def _state_node(machine: Machine, name: str, trace: MachineTrace | None) -> Node:
    half, arcs = sizes.state_width(name) / 2, machine.states[name]
    node = Node(Shape.STATE, half, half, sizes.STATE_HEIGHT, (Line("name", name),))
    node.is_sink = not arcs
    statistics = trace.stays[name] if trace else None
    if trace is not None and statistics is not None:
        node.count = statistics.visits
        node.is_last = trace.last == name
        node.title = f"{name}: {statistics.visits} visits, {statistics.cycles} cycles"
    if arcs:
        tree = decide([arc.guard.node for arc in arcs])
        node.children.append(_Branches(name, arcs, statistics).of(tree, ""))
    return node


class _Branches:
    """The decisions and arcs of a state.

    Args:
        state: name of the state.
        arcs: arcs that leave the state.
        statistics: counts of the state in a trace; None if there is none.
    """

    def __init__(self, state: str, arcs: Sequence[Arc], statistics: StateStatistics | None) -> None:
        self._state, self._arcs, self._stay = state, arcs, statistics

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
                node.children = [self._arc(leaf.arc, leaf.guard, "") for leaf in leaves]
            case Decision(condition, yes, no):
                lines = tuple(
                    Line("guard", text) for text in _wrapped(condition, MAX_CONDITION_LENGTH)
                )
                width, height = sizes.decision_size(lines)
                half = width / 2 + sizes.CORNER
                node = Node(Shape.DECISION, half, half, height, lines, word)
                node.children = [self.of(yes, "yes"), self.of(no, "no")]
        node.right = max(node.right, sizes.TEXT_OFFSET + len(word) * sizes.LETTER)
        counts = [child.count for child in node.children if child.count is not None]
        node.count = sum(counts) if counts else None
        return node

    def _arc(self, index: int, guard: str, word: str) -> Node:
        arc = self._arcs[index]
        count = self._stay.arcs[index] if self._stay else None
        node = _arc_node(arc, index, tuple(_arc_lines(arc, guard, word)), count)
        node.title = f"{self._state}, arc {index}: {arc.guard.text}"
        if arc.to == TOP:
            size = sizes.HEXAGON
            top = Node(Shape.HEXAGON, size, size, 2 * size - 4, count=count)
            top.title = "to the state at the top of the stack, which is taken off"
            node.children.append(top)
        else:
            node.to = arc.to
        return node


def _arc_node(arc: Arc, index: int, lines: tuple[Line, ...], count: int | None) -> Node:
    pops = POP_ALL if arc.pop == ALL else int(arc.pop)
    pills = [sizes.pill_width(name) / 2 for name in arc.push]
    height = sizes.pops_height(pops) + sizes.LINE * len(lines) + 4
    height += (sizes.PILL * len(pills) + 12) if pills else 0
    right = sizes.TEXT_OFFSET + sizes.text_width(lines) if lines else 8.0
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


def _arc_lines(arc: Arc, guard: str, word: str) -> Iterator[Line]:
    if word:
        yield Line("word", word)
    yield from (Line("guard", text) for text in _wrapped(guard, MAX_LINE_LENGTH))
    for name, expression in arc.assignments.items():
        assigned = f"{name}⁺ = {text_of(expression.node)}"
        yield from (Line("do", text) for text in _wrapped(assigned, MAX_LINE_LENGTH))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _fault_node(fault: str, cycle: int, reason: str) -> Node:
    texts = [fault, f"in cycle {cycle}:", *_wrapped(reason, MAX_LINE_LENGTH)]
    lines = tuple(Line("name" if i == 0 else "guard", text) for i, text in enumerate(texts))
    half = sizes.text_width(lines) / 2 + 14
    return Node(Shape.FAULT, half, half, sizes.LINE * len(lines) + 14, lines, title=reason)
