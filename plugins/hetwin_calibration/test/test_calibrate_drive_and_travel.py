"""`hetwin calibrate drive` and `travel`: what they print and write, also of the real robot, and what they refuse."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.plugins import needs

from hetwin_calibration.drives.logs import read_recording
from hetwin_core.ensemble.resources import data_folder, resource
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base

LOGS = resource("scenarios", "calibration")
SHEET = '{"wheel_radius": 0.05, "base": 0.3}'
REAL = data_folder() / "two_wheel_robot"


def changed(folder: Path, line: int, column: int, cell: str | None, name: str = "drive") -> Path:
    """The shipped log with another cell in a line (from 1); None: without it."""
    lines = (LOGS / f"{name}.csv").read_text().splitlines()
    cells = lines[line - 1].split(",")
    cells[column : column + 1] = [] if cell is None else [cell]
    lines[line - 1] = ",".join(cells)
    file = folder / f"{name}.csv"
    file.write_text("\n".join(lines))
    return file


def test_a_drive_and_the_scenario_that_is_offered(tmp_path: Path) -> None:
    out = tmp_path / "better.yaml"
    said = hetwin(
        *("calibrate", "drive", LOGS / "drive.csv", "--believed", SHEET, "--json"),
        *("--scenario", "lab_robot", "--out", out),
    )
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["verdict"] == "updated"
    assert set(found["parameters"]) == {"left_radius", "right_radius", "base", "lag", "yaw_bias"}
    assert set(found["sd"]) == set(found["parameters"])
    assert found["chosen"] == ["left_radius", "right_radius", "base", "lag"]
    assert (found["swapped"], found["warnings"]) == (False, [])
    assert found["parameters"]["base"] == pytest.approx(0.291, rel=0.004)
    assert found["parameters"]["lag"] == pytest.approx(0.08, abs=0.02)
    load_scenario(out)
    wheels = load_with_base(out).data["robot"]["wheels"]
    assert wheels["separation"] == pytest.approx(found["parameters"]["base"], abs=1e-6)
    assert wheels["radius"] == pytest.approx(0.0505, rel=0.004)


def test_travel_times_are_learned_and_predicted() -> None:
    said = hetwin(
        *("calibrate", "travel", LOGS / "travel.csv", "--predict", LOGS / "commands.csv", "--json")
    )
    assert said.code == 0, said.err
    found = json.loads(said.out)
    names = {"turn_speed", "turn_acceleration", "speed", "acceleration", "lag"}
    assert set(found["parameters"]) == set(found["sd"]) == names
    assert found["chosen"] == "trapezoid"
    assert found["parameters"]["speed"] == pytest.approx(0.486, rel=0.02)
    assert len(found["predictions"]) == 8


@needs("hetwin_twin_lab")
def test_speeds_are_offered_as_a_new_scenario(tmp_path: Path) -> None:
    out = tmp_path / "faster.yaml"
    learn = ("calibrate", "travel", LOGS / "travel.csv", "--scenario", "twin_lab", "--out", out)
    said = hetwin(*learn, "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["scenario"] == str(out.resolve())
    load_scenario(out)
    old, new = (
        load_with_base(file).data["models"]["reactive"]["parameters"]["inputs"]
        for file in (find_scenario("twin_lab"), out)
    )
    learned = {"speed", "acceleration", "turn_speed", "turn_acceleration", "lag"}
    assert {name for name in old if old[name] != new[name]} == learned
    shown = json.loads(said.out)["parameters"]
    assert {name: round(value, 4) for name, value in shown.items()} == {n: new[n] for n in learned}
    refused(tmp_path, *learn, says=("faster.yaml: --out", "there already"))
    unfit = (*learn[:4], "lab_robot", "--out", tmp_path / "none.yaml")
    refused(tmp_path, *unfit, says=("lab_robot.yaml: models", "speeds of a robot"))


@needs("hetwin_machines")
def test_the_log_of_the_link_teaches_travel_times(tmp_path: Path) -> None:
    rows = list(csv.DictReader((LOGS / "travel.csv").read_text().splitlines()))
    messages = ["time,from,id,message"]
    for id_, row in enumerate(rows):
        begin = float(row["T"])
        messages.append(f"{begin:.2f},l1,{id_},1 {row['rotation']} {row['displacement']}")
        messages += [
            f"{begin + float(row[f'lap_{side}']):.2f},{side},{id_},done"
            for side in ("real", "virtual")
            if row[f"lap_{side}"]
        ]
    table, log = tmp_path / "messages.csv", tmp_path / "log.csv"
    table.write_text("\n".join(messages))
    played = hetwin(
        *("machines", "link", table, "--period", "0.05", "--timeout", "20", "--log", log)
    )
    assert played.code == 0, played.err
    plain, linked = (
        json.loads(hetwin("calibrate", "travel", file, "--json").out)["parameters"]
        for file in (LOGS / "travel.csv", log)
    )
    assert linked == pytest.approx(plain, rel=0.1, abs=0.05)


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the recordings of the two-wheeled robot")
def test_a_bag_and_a_table_of_one_run_are_the_same() -> None:
    bag = read_recording(REAL / "square_a_01_mcap", None, None)
    named = read_recording(REAL / "square_a_01_mcap", ["left_wheel", "right_wheel"], "/truth")
    table = read_recording(REAL / "square_a_01.csv", None, None)
    for other in (named, table):
        np.testing.assert_allclose(bag.wheels, other.wheels, atol=1e-9)
        np.testing.assert_allclose(bag.places, other.places, atol=1e-9)
    assert bag.headings is not None
    assert table.headings is not None
    np.testing.assert_allclose(bag.headings, table.headings, atol=1e-6)


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="needs the recordings of the two-wheeled robot")
@pytest.mark.parametrize(
    "sheet",
    [
        '{"wheel_radius": 0.042, "base": 0.2}',
        '{"left_radius": 0.0441, "right_radius": 0.04578, "base": 0.18, "lag": 0.25}',
        '{"wheel_radius": 0.038, "base": 0.23, "lag": -0.2}',
    ],
)
def test_the_real_robot_is_the_same_from_any_sheet(sheet: str) -> None:
    runs = [f"{kind}_a_0{i}.csv" for kind in ("square", "circle") for i in (1, 3, 5)]
    said = hetwin(
        *("calibrate", "drive", *(REAL / run for run in runs)), "--believed", sheet, "--json"
    )
    found = json.loads(said.out)["parameters"]
    assert found["left_radius"] == pytest.approx(0.04190, rel=0.002)
    assert found["right_radius"] == pytest.approx(0.04187, rel=0.002)
    assert found["base"] == pytest.approx(0.20190, rel=0.002)
    assert found["lag"] == pytest.approx(0.015, abs=0.015)


BAD_LOGS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "no file": (lambda f: f / "nowhere.csv", ("nowhere.csv", "cannot be read", "t, left, right")),
    "no column": (
        lambda f: changed(f, 1, 4, "z"),
        ("drive.csv: line 1", "column is missing", "y as well"),
    ),
    "a column short": (
        lambda f: changed(f, 7, 5, None),
        ("drive.csv: line 7", "'5 cells'", "6 cells: t,"),
    ),
    "nan": (lambda f: changed(f, 9, 3, "nan"), ("line 9, column x", "'nan'")),
    "a word": (lambda f: changed(f, 9, 1, "fast"), ("line 9, column left", "'fast'")),
    "time goes back": (lambda f: changed(f, 9, 0, "0.1"), ("line 9, column t", "found 0.1")),
    "time jumps": (lambda f: changed(f, 1801, 0, "900"), ("line 1801, column t", "time jumps")),
    "a wheel jumps": (lambda f: changed(f, 40, 2, "900"), ("line 40, column right", "jumps")),
    "yaw in some rows": (lambda f: changed(f, 40, 5, ""), ("line 40, column yaw", "some rows")),
    "no recording": (lambda f: f, ("found", "expected")),
}


@pytest.mark.parametrize("kind", BAD_LOGS)
def test_bad_logs(kind: str, tmp_path: Path) -> None:
    make, says = BAD_LOGS[kind]
    refused(tmp_path, "calibrate", "drive", make(tmp_path), "--believed", SHEET, says=says)


def test_too_few_turns(tmp_path: Path) -> None:
    file = tmp_path / "straight.csv"
    rows = [f"{i / 10},{i / 2},{i / 2},{i / 40},0,0" for i in range(600)]
    file.write_text("\n".join(["t,left,right,x,y,yaw", *rows]))
    says = ("straight.csv", "turns by 0.0 rad", "at least 2 rad")
    refused(tmp_path, "calibrate", "drive", file, "--believed", SHEET, says=says)


BAD_SHEETS = {
    "no JSON": ("{", ("--believed", "not JSON")),
    "no file": ("sheet.json", ("sheet.json", "cannot be read")),
    "no base": ('{"wheel_radius": 0.05}', ("key base is missing",)),
    "unknown key": ('{"wheel_radius": 0.05, "bass": 0.3}', ("bass", "there is no such key")),
    "no length": ('{"wheel_radius": -1, "base": 0.3}', ("left_radius", "found -1")),
    "no number": ('{"wheel_radius": "x", "base": 0.3}', ("left_radius", "'x'")),
}


@pytest.mark.parametrize("kind", BAD_SHEETS)
def test_bad_sheets(kind: str, tmp_path: Path) -> None:
    text, says = BAD_SHEETS[kind]
    refused(tmp_path, "calibrate", "drive", LOGS / "drive.csv", "--believed", text, says=says)


def test_a_scenario_is_never_written_over(tmp_path: Path) -> None:
    out = tmp_path / "there.yaml"
    out.write_text("mine")
    refused(
        *(tmp_path, "calibrate", "drive", LOGS / "drive.csv", "--believed", SHEET),
        *("--scenario", "lab_robot", "--out", out),
        says=("there.yaml: --out", "there already"),
    )
    assert out.read_text() == "mine"


BAD_LAPS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "a negative lap": (
        lambda f: changed(f, 5, 3, "-1", "travel"),
        ("travel.csv: line 5, column lap_real", "found -1.0"),
    ),
    "time goes back": (
        lambda f: changed(f, 5, 0, "0.1", "travel"),
        ("travel.csv: line 5, column T", "time goes back"),
    ),
    "nan": (lambda f: changed(f, 6, 1, "nan", "travel"), ("line 6, column rotation", "'nan'")),
    "no column": (
        lambda f: changed(f, 1, 3, "lap", "travel"),
        ("column is missing", "lap_real as well"),
    ),
}


@pytest.mark.parametrize("kind", BAD_LAPS)
def test_bad_laps(kind: str, tmp_path: Path) -> None:
    make, says = BAD_LAPS[kind]
    refused(tmp_path, "calibrate", "travel", make(tmp_path), says=says)


def test_too_few_laps(tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text("\n".join((LOGS / "travel.csv").read_text().splitlines()[:5]))
    says = ("few.csv", "found 4 laps", "expected at least 6")
    refused(tmp_path, "calibrate", "travel", file, says=says)
