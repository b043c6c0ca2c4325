"""Shipped scenarios go on from a checkpoint to the digest of the run without one."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.cli_runs import hetwin
from support.plugins import needs
from support.recorded_episodes import an_insertion, two_drops
from support.saved_runs import gone_on, of_episode, plain_run, saved_at

from hetwin_core.ensemble.conductor.checkpoint import write_checkpoint

ALL = [
    "pick_and_place",
    *(
        pytest.param(n, marks=needs("hetwin_in_hand"))
        for n in ("uncertain_environment", "insertion")
    ),
    pytest.param("pouring", marks=needs("hetwin_tables")),
]
STEPS = 20


def options(name: str, factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run of a scenario needs beyond it."""
    if name == "uncertain_environment":
        return of_episode(two_drops(factory) / "drop_0001")
    if name == "insertion":
        return of_episode(an_insertion(factory))
    return {}


@pytest.mark.parametrize(
    ("name", "at_s", "end_s"),
    [
        pytest.param("uncertain_environment", 4.4, 5.0, marks=needs("hetwin_in_hand")),
        pytest.param("pouring", 0.3, 0.5, marks=needs("hetwin_tables")),
    ],
)
def test_goes_on_to_the_same_digest(name, at_s, end_s, tmp_path_factory):
    given = {**options(name, tmp_path_factory), "duration": end_s}
    summary, (checkpoint,) = saved_at(name, [at_s], **given)
    again = gone_on(name, checkpoint, **given)
    assert again.digest == summary.digest
    assert again.events == summary.events
    assert again.state == summary.state


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_fresh_processes_go_on_from_any_step_to_the_same_digest(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp(name)
    given = options(name, tmp_path_factory)
    whole = plain_run(name, **given)
    draws = random.Random(7)
    times = [draws.uniform(0.0, whole.simulated_time - 0.01) for _ in range(STEPS)]
    summary, checkpoints = saved_at(name, times, **given)
    assert summary.digest == whole.digest
    assert len(checkpoints) == STEPS
    for number, checkpoint in enumerate(checkpoints):
        file = folder / f"{number}.json.gz"
        write_checkpoint(checkpoint, file)
        out = folder / f"run_{number}"
        again = hetwin("run", "--from", file, "--no-page", "--json", "--out", out).json
        assert again["digest"] == whole.digest, f"from {checkpoint.time_ns / 1e9} s"
        assert again["deterministic"]
