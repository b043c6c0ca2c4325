"""The times of responsibility of each model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.conductor.reporting.listener import Handover

Attribute: TypeAlias = tuple[str, str]
"""Entity and attribute."""


class Span(NamedTuple):
    """A model's time of responsibility, from `from_ns` to just before `to_ns`."""

    from_ns: int
    to_ns: int
    model: str


def spans(
    owners: Mapping[Attribute, str], handovers: Iterable[Handover], start_ns: int, end_ns: int
) -> dict[Attribute, tuple[Span, ...]]:
    """Cut the run into spans, for each attribute.

    The spans of an attribute follow each other without a gap from the start to the end. A handover at the very
    end leaves a last span of no length, so that the last span always names the last owner; no other is empty.

    Args:
        owners: who owned what at the start.
        handovers: in the order in which they happened.
        start_ns: when the run began.
        end_ns: when it ended.
    """
    changes: dict[Attribute, list[tuple[int, str]]] = {
        attribute: [(start_ns, model)] for attribute, model in owners.items()
    }
    for handover in handovers:
        attribute = handover.entity, handover.attribute
        time_ns = min(max(handover.time_ns, start_ns), end_ns)
        changes.setdefault(attribute, [(start_ns, handover.from_model)])
        changes[attribute].append((time_ns, handover.to_model))
    return {attribute: _cut(rows, end_ns) for attribute, rows in changes.items()}


def _cut(changes: list[tuple[int, str]], end_ns: int) -> tuple[Span, ...]:
    merged: list[tuple[int, str]] = []
    for time_ns, model in changes:
        if merged and merged[-1][0] == time_ns:
            merged.pop()
        if not merged or merged[-1][1] != model:
            merged.append((time_ns, model))
    ends = [time_ns for time_ns, _ in merged[1:]] + [end_ns]
    return tuple(
        Span(time_ns, end, model) for (time_ns, model), end in zip(merged, ends, strict=True)
    )
