"""Every row of the table of faults, in both transports: in time, with the right words, and nothing left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fault_cases import Case, rows
from fault_runs import suffer
from support.ros_domains import new_domain

SLOWER = 4.0
"""A busy machine is; benchmarks/faults.py measures on an idle one how soon a run is over."""


def parameters() -> list[object]:
    """All rows; those that are not of every day carry a marker."""
    return [
        pytest.param(
            case,
            transport,
            id=f"{transport}: {case.name}",
            marks=() if is_daily(case, transport) else (pytest.mark.faults,),
        )
        for case, transport in rows()
    ]


def is_daily(case: Case, transport: str) -> bool:
    """Whether a row is tested every day.

    The port of a process of its own has quick tests besides. Over ROS 2 these are the hang, the killed conductor, and
    what cannot be in one process; other tests kill, interrupt and break runs there every day.
    """
    if transport == "ros":
        only_there = "local" not in case.transports or case.whom == "run"
        return case.often and (only_there or case.fault == "hangs in C")
    return case.often and (transport != "own" or case.whom == "run")


def can_mount() -> bool:
    """Whether a small disk can be made."""
    return subprocess.run(["unshare", "-rm", "true"], check=False).returncode == 0


@pytest.mark.parametrize(("case", "transport"), parameters())
def test_it_ends_in_time_with_the_right_words(case: Case, transport: str, tmp_path: Path) -> None:
    if case.small_disk and not can_mount():
        pytest.skip("no disk can be mounted here")
    ended = suffer(case, transport, tmp_path, new_domain(), slower=SLOWER)
    assert ended.ok, ended.says
