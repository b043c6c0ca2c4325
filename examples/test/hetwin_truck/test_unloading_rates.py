"""The long benchmark of unloading rates is resumed where it was, also after it was killed while it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import unloading_rates as rates


def test_what_is_done_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rates.jsonl"
    monkeypatch.setattr(rates, "MODES", {"HiFi": None, "AdFi-1": 1.0})
    given = [
        "--rows",
        str(rows),
        "--scenarios",
        "C",
        "--runs",
        "1",
        "--seconds",
        "1",
        "--packets",
        "12",
    ]
    rates.main(given)
    told = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["mode"], row["runs"], row["diverged"]) for row in told] == [
        ("HiFi", 1, 0),
        ("AdFi-1", 1, 0),
    ]
    assert told[0]["error"] == 0.0
    whole = rows.read_text()
    hifi, adfi = whole.splitlines(keepends=True)
    rows.write_text(hifi + adfi[:40])
    assert [run.mode for run in rates.read_rows(rows)] == ["HiFi"]
    rates.main(given)
    again = rates.read_rows(rows)
    assert rows.read_text().startswith(hifi)
    assert [run.mode for run in again] == ["HiFi", "AdFi-1"]
    assert list(again[1].unloaded) == json.loads(adfi)["unloaded"]
    rates.main([*given, "--wall", "0"])
    assert rates.read_rows(rows) == again


def test_the_runs_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run = rates.Run("A", "HiFi", 0, 60.0, 12, (20.0, 40.0), (3, 5), 10.0, "time")
    rates.draw([run], tmp_path / "rates.png")
    assert (tmp_path / "rates.png").stat().st_size > 1000


def test_rates_errors_and_diverged_runs_are_counted_by_load() -> None:
    def run(mode: str, number: int, count: int, ended: str = "time") -> rates.Run:
        return rates.Run("A", mode, number, 60.0, 9, (30.0, 60.0), (0, count), 120.0, ended)

    runs = [run("HiFi", 0, 10), run("HiFi", 1, 20), run("AdFi-1", 0, 11), run("AdFi-1", 1, 22)]
    runs += [run("HiFi", 2, 10), run("AdFi-1", 2, 1, "diverged"), run("AdFi-2", 7, 10)]
    hifi, adfi = rates.table(runs, 60.0)
    assert (hifi["mode"], hifi["runs"], hifi["error"]) == ("HiFi", 3, 0.0)
    assert (adfi["mode"], adfi["runs"], adfi["diverged"]) == ("AdFi-1", 2, 1)
    assert adfi["packets_per_hour"] == pytest.approx(990.0)
    assert adfi["real_time_factor"] == pytest.approx(0.5)
    assert adfi["error"] == pytest.approx(0.1)
    assert rates.table(runs, 600.0) == []
