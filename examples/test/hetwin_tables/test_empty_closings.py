"""The shipped recording by which a hand is calibrated."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugins import needs

from hetwin_tables import empty_closings

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "scenarios" / "calibration" / "empty_closings"


@pytest.fixture(scope="module", params=["shipped", "made"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "shipped":
        return SHIPPED
    made = tmp_path_factory.mktemp("closings") / "empty_closings"
    empty_closings.main(["--seed", "2", "--out", str(made)])
    return made


@needs("hetwin_evidence")
def test_it_shows_where_the_fingers_stop_and_what_hangs_on_the_wrist(recording: Path) -> None:
    from hetwin_evidence.command import hand

    said = hand(recording, "pick_and_place", None, None)
    found = said.document
    assert found["empty"] == [pytest.approx([0.0, 0.0], abs=1e-3)]
    assert (found["closings"], found["missing"]) == ([empty_closings.CLOSINGS], [])
    assert found["tool_mass"] == pytest.approx(0.7 + 2 * 0.09, rel=0.08)
    assert found["noise"] == pytest.approx(0.05, rel=0.3)
    assert not any("something was in the hand" in line for line in said.lines)


def test_the_shipped_recording_is_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 400_000
