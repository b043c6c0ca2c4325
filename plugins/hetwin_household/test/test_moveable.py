"""Something moveable has moved when it is 2 cm or 10 degrees off its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import box, happened, home, lived

from hetwin_core.ensemble.errors import BadInput

CUP = "entities: {cup: {attributes: {moveable: {}}}}\n"


@pytest.mark.parametrize(("way", "moved"), [(0.10, True), (0.045, False)])
def test_what_a_finger_pushes_has_moved(tmp_path: Path, way: float, moved: bool) -> None:
    cup = box("cup", "0.1 0 0.03")
    points = [(0.3, 0.0, 0.93), (0.9, way + 0.02, 0.93), (1.2, way + 0.02, 0.93)]
    outcome = lived(home(tmp_path, [cup], CUP, points))
    assert outcome.summary.error is None
    away = outcome.record.scenes[-1].pose("cup")[0] - 0.1
    assert bool(away > 0.02) is moved
    assert outcome.summary.state["moved(cup)"] is moved
    assert happened(outcome) == ([("moved_away", "cup")] if moved else [])


def test_what_is_static_cannot_be_moveable(tmp_path: Path) -> None:
    file = home(tmp_path, [box("cup", "0.1 0 0.03", static=True)], CUP)
    with pytest.raises(BadInput) as caught:
        lived(file)
    assert caught.value.where is not None
    assert caught.value.where.endswith("entities.cup.attributes.moveable")
