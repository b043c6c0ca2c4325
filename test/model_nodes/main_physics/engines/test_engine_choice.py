"""Which physics engine is taken, and who says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gazebo_servers import GAZEBO_IS_HERE

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.factory import engine_names, make_engine
from model_nodes.main_physics.model import MainPhysics

WORLDS = Path(__file__).parents[4] / "worlds"


def test_auto_takes_gazebo_where_it_can_be_used_and_else_mujoco() -> None:
    try:
        expected = make_engine("gz").name
    except (BadInput, ImportError):
        expected = "mujoco"
    assert make_engine("auto").name == expected


def test_an_engine_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(BadInput, match="auto, gz, mujoco"):
        make_engine("bullet")


def test_an_engine_that_is_not_installed_is_refused_in_words() -> None:
    if GAZEBO_IS_HERE:
        pytest.skip("Gazebo is installed here")
    with pytest.raises(BadInput, match=r"bindings are not installed|hetwin-suite\[gazebo\]"):
        MainPhysics().contribute({"world": WORLDS / "empty.sdf", "engine": "gz"}, 0)


@pytest.mark.parametrize("name", engine_names())
def test_the_main_model_says_with_what_it_computes(name: str) -> None:
    try:
        engine = make_engine(name)
    except (BadInput, ImportError) as error:
        pytest.skip(f"engine {name} cannot be used here: {error}")
    model = MainPhysics()
    contribution = model.contribute({"world": WORLDS / "empty.sdf", "engine": name}, 0)
    model.stop()
    assert contribution.engine.startswith(f"{name} (")
    assert contribution.reproducible is engine.deterministic
