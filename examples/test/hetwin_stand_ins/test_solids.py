"""Reading what collides in a world file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_stand_ins.solids import read_solids


def write(folder: Path, collision: str) -> Path:
    file = folder / "world.sdf"
    file.write_text(
        '<sdf version="1.9"><world name="w"><model name="thing"><pose>1 2 3 0 0 1.5707963267949</pose>'
        f'<link name="l"><inertial><mass>2</mass></inertial>'
        f'<collision name="c">{collision}</collision></link></model></world></sdf>'
    )
    return file


def test_poses_and_turns_add_up(tmp_path: Path) -> None:
    form = "<pose>1 0 0 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>0.3</length></cylinder></geometry>"
    (solid,) = read_solids(write(tmp_path, form))
    np.testing.assert_allclose(solid.position, [1, 3, 3], atol=1e-9)
    np.testing.assert_allclose(solid.quaternion, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-9)
    assert (solid.kind, solid.size.tolist()) == ("cylinder", [0.1, 0.3])
    assert solid.moves
    assert solid.mass == 2.0


@pytest.mark.parametrize(
    ("collision", "why"),
    [
        ("<geometry><box/></geometry>", "no supported shape"),
        ("<geometry><box><size>1 2</size></box></geometry>", "no supported shape"),
        ("<geometry><mesh/></geometry>", "no supported shape"),
        ("<pose>1 2</pose><geometry><sphere><radius>1</radius></sphere></geometry>", "six numbers"),
    ],
)
def test_form_that_cannot_be_read_is_refused(tmp_path: Path, collision: str, why: str) -> None:
    with pytest.raises(BadInput, match=f"{why}.*|model thing.*{why}"):
        read_solids(write(tmp_path, collision))
