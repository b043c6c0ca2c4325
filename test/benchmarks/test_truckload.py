"""The benchmark of whole truckloads: what is kept is gone on with, and what is said of it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import truckloads
from truckload import Unloading, kept, unload


def small() -> Unloading:
    return Unloading("C", "AdFi-3", False, 0, 8)


def test_a_load_that_was_interrupted_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    whole = small()
    assert len(list(islice(unload(whole, None), 2))) == 2
    next(unload(small(), tmp_path))
    begun = kept(tmp_path, small())
    assert begun.unloaded == whole.unloaded[:1]
    next(unload(begun, tmp_path))
    assert sum(begun.unloaded)
    assert (begun.unloaded, begun.times) == (whole.unloaded, whole.times)


def test_a_row_tells_the_rate_of_the_first_ten_minutes_and_of_all() -> None:
    run = Unloading("C", "HiFi", False, 0, 100, [300.0, 600.0, 900.0], [30, 20, 1])
    row = truckloads.row_of(run)
    assert row.packets_per_hour == pytest.approx(3600 * 51 / 900)
    assert row.packets_per_hour_at_first == pytest.approx(3600 * 50 / 600)
    assert row.fraction_unloaded == pytest.approx(0.51)
    assert row.ended == ""


def test_what_cannot_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        truckloads.main(["--stored"])
    assert stopped.value.code == 2
    assert "--keep" in capsys.readouterr().err
