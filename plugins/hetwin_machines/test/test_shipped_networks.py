"""The networks that come with hetwin are without findings and faults, and their written code goes the same way."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import hetwin_machines
from hetwin_machines.checking.findings import findings
from hetwin_machines.cycle import FAULTS
from hetwin_machines.network_files import load_network
from hetwin_machines.running import NetworkRun
from hetwin_machines.table import read_rows
from hetwin_machines.written_code import code_of

FOLDER = Path(hetwin_machines.__file__).with_name("scenarios") / "networks"
WITH_ROWS = (
    *("counter", "l0_l1_link", "lidar_sweep", "master_slave", "plan", "real_time"),
    "smart_logger",
)


def trace(name: str) -> list[dict[str, Any]]:
    network = load_network(FOLDER / f"{name}.yaml")
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(read_rows(lines, network.inputs, network.events))
    run = NetworkRun(network)
    return [line for row in rows for line in run.step(row)]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_it_is_without_findings_and_faults(name: str, tmp_path: Path) -> None:
    network = load_network(FOLDER / f"{name}.yaml")
    assert findings(network) == []
    lines = trace(name)
    assert not {m["state"] for line in lines for m in line["machines"].values()} & set(FAULTS)
    (tmp_path / "code.py").write_text(code_of(network, name), encoding="utf-8")
    command = [sys.executable, "-I", tmp_path / "code.py", FOLDER / f"{name}.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "".join(json.dumps(line) + "\n" for line in lines)


def test_the_counter_ends_p_cycles_after_the_one_that_follows_b() -> None:
    lines = trace("counter")
    began = [line["cycle"] for line in lines if line["signals"]["b"]]
    ended = [line["cycle"] for line in lines if line["signals"]["e"]]
    counted = [line["signals"]["P"] for line in lines if line["signals"]["b"]]
    assert [end - begin for begin, end in zip(began, ended, strict=True)] == counted == [3, 1]


def test_the_master_goes_on_when_the_slave_is_ready_or_leaves_early() -> None:
    lines = trace("master_slave")
    states = [
        (line["machines"]["master"]["state"], line["machines"]["slave"]["state"]) for line in lines
    ]
    assert states[4:7] == [("SUB", "END"), ("BEFORE", "END"), ("BEFORE", "IDLE")]
    left = [line for line in lines if line["signals"]["early"]]
    assert left[0]["machines"]["slave"]["state"] == "SECOND"
    assert [line["signals"]["ready"] for line in left[:4]] == [False, False, False, True]


def test_the_plan_is_followed_skipped_and_given_up() -> None:
    planned = [line["machines"]["planner"] for line in trace("plan")]
    assert planned[0] == {"state": "P1_1", "stack": ["GOAL", "P1_3", "P1_2"]}
    ways = [entry["state"] for entry in planned]
    assert ways == [
        *("P1_1", "P1_2", "P1_2", "P1_3", "GOAL", "DECIDE"),
        *("P1_1", "P1_3", "DECIDE", "DECIDE"),
    ]
    assert planned[8]["stack"] == []


def test_the_sweep_loses_no_ray() -> None:
    lines = trace("lidar_sweep")
    rays = [
        (line["signals"]["P"], line["signals"]["ray"])
        for before, line in pairwise(lines)
        if line["signals"]["sent"] and not before["signals"]["sent"]
    ]
    assert rays == [(-30.0, 1.5), (0.0, 0.8)]


def test_simulated_time_goes_on_with_the_real_one() -> None:
    lines = trace("real_time")
    assert [line["signals"]["I"] for line in lines[:13:4]] == [0, 1, 2, 0]
    assert lines[-1]["machines"]["simulator"]["state"] == "END"
    assert lines[-1]["signals"]["sT"] == pytest.approx(0.15)


def test_the_link_gives_the_real_answer_and_counts_how_late_the_virtual_one_is() -> None:
    lines = trace("l0_l1_link")
    answered = [line["signals"] for line in lines if line["signals"]["M"]]
    assert [(signals["z"], signals["m"], signals["D"]) for signals in answered] == [
        *((1, 7, 0), (2, 7, 1), (3, 7, 0))
    ]
    assert [line["cycle"] for line in lines if line["signals"]["inconsistent"]] == [10]
    assert lines[9]["signals"]["D"] == 3


def test_the_logger_has_an_entry_for_each_motion_and_alarms() -> None:
    lines = [line["signals"] for line in trace("smart_logger")]
    kept = [
        tuple(s[k] for k in ("T0", "turn", "way", "lap1", "lap2", "order"))
        for s in lines
        if s["entry"]
    ]
    assert kept == [
        (0.0, 90, 0, 1.5, 2.5, 1),
        (4.0, 0, 1000, 1.0, 1.0, 3),
        (7.5, 45, 500, 1.0, 3.0, 2),
    ]
    assert [(s["T"], s["alarm"]) for s in lines if s["alarm"]] == [(6.5, 1), (10.0, 1), (17.5, 2)]
