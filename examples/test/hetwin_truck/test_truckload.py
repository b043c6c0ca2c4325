"""The benchmark of whole truckloads: what is kept is gone on with, and what is said of it."""

from __future__ import annotations

import pickle
from itertools import islice
from pathlib import Path

import pytest
import truckloads
from truckload import Unloading, kept, unload


def small() -> Unloading:
    return Unloading("C", "AdFi-3", False, 0, 8)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of a load that is not finished."""
    folder = tmp_path_factory.mktemp("kept")
    next(unload(small(), folder))
    (file,) = folder.iterdir()
    return file


@pytest.mark.long
def test_a_load_that_was_interrupted_goes_on_as_if_it_had_not(begun: Path, tmp_path: Path) -> None:
    whole = small()
    assert len(list(islice(unload(whole, None), 2))) == 2
    (tmp_path / begun.name).write_bytes(begun.read_bytes())
    run = kept(tmp_path, small())
    assert run.unloaded == whole.unloaded[:1]
    next(unload(run, tmp_path))
    assert sum(run.unloaded)
    assert (run.unloaded, run.times) == (whole.unloaded, whole.times)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"made_with": "another engine"}, "another world, robot or engine"),
        ({"colour": "red"}, "TypeError"),
        ({"state": ()}, "ValueError"),
    ],
)
def test_what_another_version_has_kept_is_refused_in_one_line(
    begun: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, object],
    found: str,
) -> None:
    monkeypatch.setattr(truckloads, "QUICK_PACKETS", small().packets)
    file = tmp_path / begun.name
    file.write_bytes(pickle.dumps(pickle.loads(begun.read_bytes()) | change))
    asked = ("--scenario", "C", "--mode", "AdFi-3", "--keep", str(tmp_path))
    assert truckloads.main([*asked, "--quick"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert str(file) in said
    assert found in said


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
