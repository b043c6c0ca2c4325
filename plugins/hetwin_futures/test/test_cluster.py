"""The same batch on two nodes of dask.distributed as in one process here."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="distributed is not installed"
)
RUNS = 6


def project(out: Path, *arguments: str) -> dict[str, Any]:
    """The JSON of a batch of very short runs."""
    short = ("--duration", "0.02", "--no-page", "-n", str(RUNS))
    said = hetwin("predict", "pick_and_place", *short, "--out", out, "--json", *arguments)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


@pytest.mark.slow
@pytest.mark.long
def test_two_nodes_do_the_same_as_one_process_and_both_work(tmp_path: Path) -> None:
    from support.dask_nodes import two_nodes

    with two_nodes(tmp_path) as address:
        away = project(tmp_path / "away", "--cluster", address)
    here = project(tmp_path / "here", "--jobs", "1")
    for ours, theirs in zip(here["runs"], away["runs"], strict=True):
        assert {**ours, "folder": ""} == {**theirs, "folder": ""}
    assert away["outcomes"] == here["outcomes"]
    summaries = [Path(run["folder"]) / "summary.json" for run in away["runs"]]
    pids = {json.loads(path.read_text())["processes"][0]["pid"] for path in summaries}
    assert len(pids) == 2


def test_a_scheduler_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hetwin_futures.cluster.CONNECT_S", 0.2)
    address = ("--cluster", "tcp://127.0.0.1:1", "--out", tmp_path / "x", "--duration", "0.02")
    refused(tmp_path, "predict", "pick_and_place", *address, says=("--cluster", "no scheduler"))
