"""Checks that a model goes on from its saved state as it would have gone on itself."""

from __future__ import annotations

import json
from collections.abc import Callable

from hetwin_core.ensemble.conformance.bench import Bench
from hetwin_core.ensemble.conformance.handovers import take_any
from hetwin_core.ensemble.conformance.result import Broken
from hetwin_core.ensemble.errors import Refused

LATER = 40
"""Steps after the state was saved."""


def check_saving(started: Callable[[], Bench], count: int) -> str:
    """Check that another instance with the saved state of the first returns the same, to the bit.

    A model may refuse to be saved.

    Args:
        started: makes a bench with a started model.
        count: steps before the state is saved.

    Raises:
        Broken: if the instances differ, or the state is no plain data.
    """
    first, second = started(), started()
    taken = {_go(bench, count) for bench in (first, second)}
    try:
        size = second.renew()
    except Refused as refusal:
        return f"refuses to be saved: {refusal}"
    for bench in (first, second):
        _step(bench, LATER)
        bench.model.stop()
    for number, (one, other) in enumerate(zip(first.trace, second.trace, strict=True)):
        if one != other:
            raise Broken(
                f"goes on differently from step {number} on than if it had not been saved after step {count}"
                f" and restored: {_difference(one, other)}"
            )
    return (
        f"{size} numbers and texts, also while it has {', '.join(filter(None, taken)) or 'nothing'}"
    )


def _go(bench: Bench, count: int) -> str:
    """Take steps, make the model responsible for something if it can be, and take some more; returns for what."""
    _step(bench, count // 2)
    taken = take_any(bench)
    _step(bench, count - count // 2)
    return taken


def _step(bench: Bench, count: int) -> None:
    for _ in range(count):
        if bench.ended:
            return
        bench.step()


def _difference(one: str, other: str) -> str:
    """Where two outputs differ."""
    names = ("time", "numbers", "events", "requests", "ended")
    pairs = zip(names, json.loads(one), json.loads(other), strict=False)
    for name, left, right in pairs:
        if left == right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            parts = sorted(k for k in {*left, *right} if left.get(k) != right.get(k))
            return f"{name} of {', '.join(parts)}"
        return f"{name} {right}, not {left}"
    return "its contribution"
