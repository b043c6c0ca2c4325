"""Reading boxes of a world file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_tables.blocks import find_block, read_blocks

WORLD = Path(__file__).resolve().parents[3] / "worlds" / "tabletop.sdf"


def write(folder: Path, model: str) -> Path:
    file = folder / "world.sdf"
    file.write_text(f'<sdf version="1.9"><world name="w">{model}</world></sdf>')
    return file


def box(extra: str, pose: str = "0 0 0 0 0 0") -> str:
    shape = "<geometry><box><size>1 1 1</size></box></geometry>"
    return (
        f'<model name="thing">{extra}<pose>{pose}</pose>'
        f'<link name="l"><collision name="c"><pose>0 0 0.5 0 0 0</pose>{shape}</collision>'
        "</link></model>"
    )


def test_tabletop_has_the_heights_that_the_episode_is_about() -> None:
    blocks = read_blocks(WORLD)
    thing = find_block(blocks, "box")
    assert find_block(blocks, "table").top == pytest.approx(0.75)
    assert find_block(blocks, "tray").top == pytest.approx(0.83)
    assert thing.center[2] - thing.size[2] / 2 == pytest.approx(0.75), "it stands on the table"
    assert thing.mass == 0.3
    np.testing.assert_allclose(thing.size, [0.05, 0.05, 0.1])


def test_poses_of_model_and_collision_add_up(tmp_path: Path) -> None:
    (found,) = read_blocks(write(tmp_path, box("<static>true</static>", "1 2 3 0 0 0")))
    np.testing.assert_allclose(found.center, [1, 2, 3.5])
    assert found.top == 4.0
    assert found.friction == 1.0


def test_moving_box_without_a_mass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"model thing.*no mass"):
        read_blocks(write(tmp_path, box("")))


def test_turned_box_is_refused(tmp_path: Path) -> None:
    turned = box("<static>true</static>", "0 0 0 0 0 1")
    with pytest.raises(BadInput, match="only upright boxes"):
        read_blocks(write(tmp_path, turned))


def test_unknown_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"'cup'.*one of \['thing'\]"):
        find_block(read_blocks(write(tmp_path, box("<static>true</static>"))), "cup")
