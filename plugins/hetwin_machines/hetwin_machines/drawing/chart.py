"""Makes of a machine what is placed and drawn: states, decisions, arcs with what they do, and what came of a trace."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from hetwin_machines.cycle import ALL_OF_IT
from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.back_ways import back_ways
from hetwin_machines.drawing.decisions import Decision, Fan, Leaf, Tree, decide
from hetwin_machines.drawing.graph import Graph, Line, Node, Shape, Went
from hetwin_machines.network import ALL, TOP, Arc, Machine
from hetwin_machines.seeing.looking import in_words
from hetwin_suite.expressions import text_of

WIDEST = 40
"""Letters in a line beside an arc; longer ones are broken."""
WIDEST_CONDITION = 26
"""Letters in a line of a decision."""


def chart_of(machine: Machine, went: Went | None = None) -> Graph:
    """Return a machine as nodes and edges, without places yet.

    Args:
        machine: what is drawn.
        went: what it did in a trace; None if there is none.
    """
    return _Chart(machine, went).graph


class _Chart:
    def __init__(self, machine: Machine, went: Went | None) -> None:
        self.graph = Graph()
        self._machine = machine
        self._went = went
        self._back = back_ways(machine)
        self._states = {name: self.graph.add(self._state(name)) for name in machine.states}
        self._start()
        for name, arcs in machine.states.items():
            if arcs:
                origin = self._states[name]
                self._branch(name, origin, decide([arc.guard.node for arc in arcs]), "")
        for state, fault, cycle, reason in went.faults if went else ():
            node = self.graph.add(_fault(fault, cycle, reason))
            self.graph.join(self._states[state], node, arrow=True, count=1, is_fault=True)
        self._widen()

    def _widen(self) -> None:
        """Let states be as wide as the lines that end at one of their sides need."""
        ends: Counter[tuple[int, bool]] = Counter()
        for edge in self.graph.edges:
            ends.update([(edge.tail, edge.upward), (edge.tip, not edge.upward)])
        for (index, _), count in ends.items():
            node = self.graph.nodes[index]
            if node.shape is Shape.STATE:
                node.left = node.right = max(node.right, (count * sizes.PORT + 12) / 2)

    def _state(self, name: str) -> Node:
        half = sizes.state_width(name) / 2
        stay = self._went.stays[name] if self._went else None
        node = Node(Shape.STATE, half, half, sizes.STATE_HEIGHT, (Line("name", name),))
        node.is_sink = not self._machine.states[name]
        if stay is not None and self._went is not None:
            node.count = stay.visits
            node.is_last = self._went.last == name
            node.title = f"{name}: {stay.visits} visits, {stay.cycles} cycles"
        return node

    def _start(self) -> None:
        lines = tuple(
            Line("do", f"{name} = {in_words(value)}") for name, value in self._machine.init.items()
        )
        right = sizes.BESIDE + sizes.text_width(lines) if lines else 6.0
        height = max(14.0, sizes.LINE * len(lines))
        count = 1 if self._went else None
        start = self.graph.add(Node(Shape.START, 7, right, height, lines, count=count))
        self.graph.join(start, self._states[self._machine.initial], arrow=True, count=count)

    def _branch(self, state: str, origin: int, tree: Tree, word: str) -> int | None:
        """Add what follows an origin; return how often that way was gone."""
        match tree:
            case Leaf(index, guard):
                return self._arc(state, origin, index, guard, word)
            case Fan(leaves):
                if self.graph.nodes[origin].shape is Shape.DECISION:
                    return self._fan(state, origin, leaves, word)
                return _sum([self._arc(state, origin, e.arc, e.guard, "") for e in leaves])
            case Decision(condition, yes, no):
                return self._decision(state, origin, (condition, yes, no), word)

    def _decision(
        self, state: str, origin: int, parts: tuple[str, Tree, Tree], word: str
    ) -> int | None:
        condition, yes, no = parts
        lines = tuple(Line("guard", text) for text in _broken(condition, WIDEST_CONDITION))
        width, height = sizes.decision_size(lines)
        half = max(width / 2 + sizes.CORNER, sizes.ASIDE) + 2
        tail = self._word(origin, word) if word else origin
        node = self.graph.add(Node(Shape.DECISION, half, half, height, lines))
        edge = len(self.graph.edges)
        self.graph.join(tail, node)
        count = _sum([self._branch(state, node, yes, "yes"), self._branch(state, node, no, "no")])
        self._count(edge, count, tail if word else None)
        self.graph.nodes[node].count = count
        return count

    def _fan(self, state: str, origin: int, leaves: tuple[Leaf, ...], word: str) -> int | None:
        tail = self._word(origin, word)
        point = self.graph.add(Node(Shape.FAN, sizes.ASIDE, sizes.ASIDE, 4))
        edge = len(self.graph.edges)
        self.graph.join(tail, point)
        count = _sum([self._arc(state, point, leaf.arc, leaf.guard, "") for leaf in leaves])
        self._count(edge, count, tail)
        self.graph.nodes[point].count = count
        return count

    def _count(self, edge: int, count: int | None, word: int | None) -> None:
        self.graph.edges[edge].count = count
        if word is not None:
            self.graph.nodes[word].count = count
            self.graph.edges[edge - 1].count = count

    def _word(self, origin: int, word: str) -> int:
        """Add yes or no on the way from a decision to the next."""
        right = sizes.BESIDE + len(word) * sizes.LETTER
        node = self.graph.add(Node(Shape.BRANCH, 6, right, sizes.LINE, (Line("word", word),)))
        self.graph.join(origin, node)
        return node

    def _arc(self, state: str, origin: int, index: int, guard: str, word: str) -> int | None:
        arc = self._machine.states[state][index]
        count = self._went.stays[state].arcs[index] if self._went else None
        upward = (state, index) in self._back
        if upward and arc.to == state and origin == self._states[state]:
            origin = self._turn(origin, count)
        node = self.graph.add(_arc_node(arc, index, tuple(_lines(arc, guard, word)), count))
        self.graph.nodes[node].upward = upward
        self.graph.nodes[node].title = f"{state}, arc {index}: {arc.guard.text}"
        self.graph.join(origin, node, upward=upward, count=count)
        for pushed in dict.fromkeys(arc.push):
            if (state, pushed) not in self._back:
                self.graph.above.append((node, self._states[pushed]))
        if arc.to == TOP:
            size = sizes.HEXAGON
            to = self.graph.add(Node(Shape.HEXAGON, size, size, 2 * size - 4, count=count))
            self.graph.nodes[to].title = "to the state at the top of the stack, which is taken off"
        else:
            to = self._states[arc.to]
        self.graph.join(node, to, upward=upward, arrow=True, count=count)
        return count

    def _turn(self, origin: int, count: int | None) -> int:
        """Add the point below a state where a loop turns."""
        point = self.graph.add(Node(Shape.TURN, sizes.ASIDE, sizes.ASIDE, 2, count=count))
        self.graph.join(origin, point, count=count)
        return point


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
        said = f"{name}⁺ = {text_of(expression.node)}"
        yield from (Line("do", text) for text in _broken(said, WIDEST))


def _broken(text: str, widest: int) -> list[str]:
    return textwrap.wrap(text, widest, break_long_words=False, break_on_hyphens=False)


def _fault(fault: str, cycle: int, reason: str) -> Node:
    texts = [fault, f"in cycle {cycle}:", *_broken(reason, WIDEST)]
    lines = tuple(Line("name" if i == 0 else "guard", text) for i, text in enumerate(texts))
    half = sizes.text_width(lines) / 2 + 14
    return Node(Shape.FAULT, half, half, sizes.LINE * len(lines) + 14, lines, title=reason)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
