"""Which physics engine is taken, and who says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.factory import ENGINES, make_engine
from model_nodes.main_physics.engines.gz import bindings
from model_nodes.main_physics.engines.gz.bindings import installed
from model_nodes.main_physics.model import MainPhysics

WORLDS = Path(__file__).parents[4] / "worlds"


def test_auto_takes_gazebo_where_it_can_be_used_and_else_mujoco() -> None:
    try:
        bindings.gazebo()
        expected = "gz"
    except ImportError:
        expected = "mujoco"
    assert make_engine("auto").name == expected


def test_an_engine_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(BadInput, match="auto, gz, mujoco"):
        make_engine("bullet")


def test_an_engine_that_is_not_installed_is_refused_in_words() -> None:
    if installed() is not None:
        pytest.skip("Gazebo is installed here")
    with pytest.raises(BadInput, match="bindings are not installed"):
        MainPhysics().contribute({"world": WORLDS / "empty.sdf", "engine": "gz"}, 0)


def test_bindings_without_protobuf_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {name: f"some_gazebo.{name}" for name in ("sim", "math", "msgs", "transport")}
    for name in modules:
        (tmp_path / "some_gazebo" / name).mkdir(parents=True)
        (tmp_path / "some_gazebo" / name / "__init__.py").touch()
    messages = tmp_path / "some_gazebo" / "msgs" / "pose_pb2.py"
    messages.write_text("from google.protobuf_that_is_absent import builder\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bindings, "RELEASES", (bindings.Release("Some", **modules),))
    monkeypatch.setenv("GZ_IP", "")  # so that it is put back
    with pytest.raises(
        ImportError, match=r"Gazebo Some cannot be imported.* protobuf in a version"
    ):
        bindings.gazebo.__wrapped__()


@pytest.mark.parametrize("name", ENGINES)
def test_the_main_model_says_with_what_it_computes(name: str) -> None:
    try:
        engine = make_engine(name)
    except ImportError as error:
        pytest.skip(f"engine {name} cannot be used here: {error}")
    model = MainPhysics()
    contribution = model.contribute({"world": WORLDS / "empty.sdf", "engine": name}, 0)
    model.stop()
    assert contribution.engine.startswith(f"{name} (")
    assert contribution.reproducible is engine.deterministic
