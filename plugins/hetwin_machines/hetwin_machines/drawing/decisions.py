"""Converts the guards of a state to a decision tree with one condition per diamond, as a designer would draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_suite.expressions import Binary, Literal, Node, Unary, conjuncts, text_of

_OPPOSITES = {">": "<=", "<=": ">", "<": ">=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Leaf:
    """An arc, with the conditions of its guard that no decision above it covers; empty if all are covered."""

    arc: int
    guard: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition, and the subtrees for true and false."""

    condition: str
    yes: Tree
    no: Tree


@dataclass(frozen=True, slots=True)
class Fan:
    """Arcs that no common decision separates; each has its own guard."""

    leaves: tuple[Leaf, ...]


Tree = Leaf | Decision | Fan
_Guarded = tuple[int, tuple[Node, ...]]
"""Index of an arc, and the conjuncts of its guard."""


def decide(guards: Sequence[Node]) -> Tree:
    """Return the decision tree of a state's arcs, given their guards."""
    if len(guards) == 2 and _key(opposite(guards[0])) == _key(guards[1]):
        return _two_way_decision(guards[0])
    return _tree([(i, tuple(_conjuncts(guard))) for i, guard in enumerate(guards)])


def _two_way_decision(guard: Node) -> Decision:
    if isinstance(guard, Unary) and guard.sign == "!":
        return Decision(text_of(guard.of), Leaf(1, ""), Leaf(0, ""))
    return Decision(text_of(guard), Leaf(0, ""), Leaf(1, ""))


def _tree(arcs: list[_Guarded]) -> Tree:
    if len(arcs) == 1:
        return _leaf(*arcs[0])
    for condition in arcs[0][1]:
        atom = _atom(condition)
        sides = [_required_value(atom, conditions) for _, conditions in arcs]
        if None not in sides and len(set(sides)) == 2:
            yes = [_without(atom, arc) for arc, side in zip(arcs, sides, strict=True) if side]
            no = [_without(atom, arc) for arc, side in zip(arcs, sides, strict=True) if not side]
            return Decision(text_of(atom), _tree(yes), _tree(no))
    return Fan(tuple(_leaf(*arc, default="true") for arc in arcs))


def _leaf(index: int, conditions: tuple[Node, ...], default: str = "") -> Leaf:
    if len(conditions) == 1:
        return Leaf(index, text_of(conditions[0]))
    return Leaf(index, " && ".join(_conjunct_text(node) for node in conditions) or default)


def _conjunct_text(node: Node) -> str:
    text = text_of(node)
    return f"({text})" if isinstance(node, Binary) and node.sign == "||" else text


def _conjuncts(node: Node) -> list[Node]:
    return [part for part in conjuncts(node) if _key(part) != _key(Literal(True))]


def _atom(node: Node) -> Node:
    return node.of if isinstance(node, Unary) and node.sign == "!" else node


def _required_value(atom: Node, conditions: tuple[Node, ...]) -> bool | None:
    """Whether conditions require an atom to be true or false; None if they require neither or both."""
    keys = {_key(condition) for condition in conditions}
    holds = _key(atom) in keys
    return None if holds is (_key(opposite(atom)) in keys) else holds


def _without(atom: Node, arc: _Guarded) -> _Guarded:
    known = {_key(atom), _key(opposite(atom))}
    return arc[0], tuple(node for node in arc[1] if _key(node) not in known)


def opposite(node: Node) -> Node:
    """Return the negation of a condition."""
    if isinstance(node, Unary) and node.sign == "!":
        return node.of
    if isinstance(node, Binary) and node.sign in _OPPOSITES:
        return Binary(_OPPOSITES[node.sign], node.left, node.right)
    return Unary("!", node)


def _key(node: Node) -> str:
    """Return a key that is equal only for identical expressions; it distinguishes true from 1."""
    return repr(node)
