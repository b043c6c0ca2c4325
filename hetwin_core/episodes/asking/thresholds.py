"""Conditions that compare one number of one body with a limit, looked at in all states at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.expressions.nodes import Binary, Call, Literal, number_of
from hetwin_core.ensemble.expressions.parser import WrongSyntax, parse
from hetwin_core.ensemble.scene.values import Floats

_SERIES: Mapping[str, Callable[[Floats], Floats]] = {
    "height": lambda rows: rows[:, 2],
    "speed": lambda rows: np.linalg.norm(rows[:, 7:10], axis=1),
}
"""What the evaluators of these names return, of (n, 13) poses and twists."""
_COMPARE: Mapping[str, Callable[[Any, float], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """Whether the height or the speed of a body is beyond a limit.

    Attributes:
        quantity: ``height`` or ``speed``, see the evaluators of these names.
        entity: whose.
        relation: the comparison, ``<``, ``<=``, ``>`` or ``>=``.
        limit: in m or m/s.
    """

    quantity: str
    entity: str
    relation: str
    limit: float

    def holds(self, rows: Floats) -> NDArray[np.bool_]:
        """Return (n,) whether it holds, of (n, 13) poses and twists in the world."""
        found: NDArray[np.bool_] = _COMPARE[self.relation](_SERIES[self.quantity](rows), self.limit)
        return found


def threshold(text: str) -> Threshold | None:
    """Return the threshold that a condition is; None if it is any other condition."""
    try:
        node = parse(text)
    except WrongSyntax:
        return None
    match node:
        case Binary(relation, Call(quantity, (Literal(str() as entity),)), other):
            limit = number_of(other)
            if relation in _COMPARE and quantity in _SERIES and limit is not None:
                return Threshold(quantity, entity, relation, float(limit))
    return None
