"""Evaluates single expressions, to look at a network; its cycles use the functions that `generation` writes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from hetwin_machines.expressions import operations
from hetwin_machines.expressions.language import parse
from hetwin_machines.expressions.operations import Value
from hetwin_machines.expressions.python import Writer, local_name

_OPERATIONS: dict[str, Any] = {
    name: value for name, value in vars(operations).items() if not name.startswith("__")
}


def evaluate(text: str, signals: Mapping[str, Value], *, truth: bool = False) -> Value:
    """Return the value of an expression that was read before.

    Args:
        text: of the expression.
        signals: the values of those that it names.
        truth: whether it must be true or false.

    Raises:
        Failed: if it has no value.
    """
    local = {local_name(name): value for name, value in signals.items()}
    value: Value = eval(_compiled(text, truth), {**_OPERATIONS, **local})
    return value


@lru_cache(maxsize=4096)
def _compiled(text: str, truth: bool) -> CodeType:
    writer, node = Writer({}), parse(text)
    return compile(writer.truth(node) if truth else writer.write(node), "<expression>", "eval")
