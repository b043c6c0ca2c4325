"""Checkpoints that are well-formed and make no sense: bad input that says what is wrong, and no run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.saved_runs import gone_on, saved_at

from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    """One of a shipped scenario, after 0.05 s."""
    return saved_at("pick_and_place", [0.05], duration=0.06)[1][0]


def with_part(name: str, state: object) -> Callable[[Checkpoint], Checkpoint]:
    """A checkpoint with another state of a part of the conductor."""
    return lambda one: replace(one, conductor={**one.conductor, name: state})  # type: ignore[dict-item]


WRONG: dict[str, tuple[Callable[[Checkpoint], Checkpoint], str]] = {
    "a time that there is not": (
        lambda one: replace(one, time_ns=10**25),
        r"time is not a step of its run; found 'step 20 at 10{25} ns'",
    ),
    "a time before the start": (
        lambda one: replace(one, step=-1, time_ns=-2_500_000),
        "time is not a step of its run",
    ),
    "a step that is not at its time": (
        lambda one: replace(one, step=19),
        "a step of 2500000 ns each",
    ),
    "a time and a step of another scene": (
        lambda one: replace(one, step=40, time_ns=100_000_000),
        "its scene is at 50000000 ns, not at 100000000 ns",
    ),
    "no scene": (with_part("scene", {}), "invalid state of scene: KeyError: 'values'"),
    "a scene that is a list": (with_part("scene", [1]), "invalid state of scene: TypeError"),
    "triggers that are a list": (with_part("triggers", [1]), "invalid state of triggers"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_it_is_refused(checkpoint: Checkpoint, kind: str) -> None:
    change, words = WRONG[kind]
    with pytest.raises(BadInput, match=words):
        gone_on("pick_and_place", change(checkpoint), duration=0.06)


@pytest.mark.parametrize("duration", [1e300, 1e25, 9.1e9, float("inf"), float("nan"), -1.0])
def test_a_run_does_not_go_on_for_ever(duration: float) -> None:
    with pytest.raises(BadInput, match=r"duration: a run cannot last this long"):
        RunOptions(duration=duration)
