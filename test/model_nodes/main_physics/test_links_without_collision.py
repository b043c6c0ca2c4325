"""Links that touch nothing pass through what stands in their way."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import box, home, lived

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.view.film.scene_of import drawn_shapes

PUSH = [(0.3, 0.0, 0.93), (0.9, 0.12, 0.93)]


def scenario(folder: Path, links: str) -> Path:
    file = home(folder, [box("cup", "0.1 0 0.03")], "", PUSH)
    robot = f"robot: {{urdf: poker.urdf, no_collision: {links}}}"
    file.write_text(file.read_text().replace("robot: poker.urdf", robot))
    return file


@pytest.mark.parametrize(("links", "pushed"), [("[]", True), ("['ti*']", False)])
def test_a_finger_goes_through(tmp_path: Path, links: str, pushed: bool) -> None:
    outcome = lived(scenario(tmp_path, links))
    assert outcome.summary.error is None, outcome.summary.error
    assert bool(outcome.record.scenes[-1].pose("cup")[0] > 0.12) is pushed
    entities = outcome.record.starts[0].layout.entities
    (tip,) = (entity for entity in entities if entity.name.endswith("tip"))
    assert (
        bool(drawn_shapes(tip)) is pushed
    )  # what is there for collisions alone is not drawn without


def test_a_link_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"robot\.no_collision\.0.*no such link.*'top'"):
        lived(scenario(tmp_path, "[top]"))
