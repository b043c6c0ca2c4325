"""Which physics engine is taken, and who says so."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from support.plugins import needs

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.engine import Engine, EngineKind
from model_nodes.main_physics.engines.factory import make_engine, releases
from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine
from model_nodes.main_physics.model import MainPhysics

WORLDS = Path(__file__).parents[4] / "worlds"


class OwnEngine(MujocoEngine):
    """An engine as a package brings it."""

    name = "own"

    @property
    def description(self) -> str:
        return "own (1.0)"


MISSING: list[str] = []
"""What the system lacks of what the engine needs."""


def _make() -> Engine:
    if MISSING:
        raise ImportError(MISSING[0])
    return OwnEngine()


OWN = EngineKind(_make, lambda: "" if MISSING else "Own 1.0")
BROKEN = "no_such_package_of_an_engine"


def _brings(
    monkeypatch: pytest.MonkeyPatch, name: str | None, value: str = f"{__name__}:OWN"
) -> None:
    """Let `name` be the only engine that a package brings."""
    group = "hetwin.engines"
    found = [] if name is None else [EntryPoint(name, value, group)]
    monkeypatch.setattr(installed, "_by_group", lambda _folders: {group: found})


def _lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.MISSING", ["there are no bindings"])


def test_auto_takes_mujoco_where_no_package_of_ours_brings_an_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (None, "own"):
        _brings(monkeypatch, name)
        assert make_engine("auto").name == "mujoco"


def test_auto_prefers_the_engine_that_ours_brings_where_it_can_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _brings(monkeypatch, "gz")
    assert make_engine("auto").name == "own"
    _lacks(monkeypatch)
    assert make_engine("auto").name == "mujoco"


def test_an_engine_of_a_package_is_taken_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    _brings(monkeypatch, "own")
    engine = make_engine("own")
    assert engine.name == "own"
    model = MainPhysics()
    contribution = model.contribute({"world": WORLDS / "empty.sdf", "engine": "own"}, 0)
    model.stop()
    assert contribution.engine == "own (1.0)"
    assert releases() == ["Own 1.0"]
    _lacks(monkeypatch)
    assert releases() == []


def test_an_engine_that_does_not_exist_is_refused_with_those_that_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _brings(monkeypatch, "own")
    with pytest.raises(BadInput, match="auto, gz, own, mujoco"):
        make_engine("bullet")


def test_an_engine_that_is_not_installed_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _brings(monkeypatch, None)
    with pytest.raises(BadInput, match=r'expected pip install "hetwin-suite\[gazebo\]"'):
        MainPhysics().contribute({"world": WORLDS / "empty.sdf", "engine": "gz"}, 0)


def test_a_package_that_cannot_be_imported_is_named_also_by_auto(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _brings(monkeypatch, "gz", f"{BROKEN}:OWN")
    for name in ("gz", "auto"):
        with pytest.raises(BadInput, match=f"{BROKEN}.*expected an EngineKind"):
            make_engine(name)


def test_what_an_engine_lacks_of_the_system_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    _brings(monkeypatch, "gz")
    _lacks(monkeypatch)
    with pytest.raises(BadInput, match=r"there are no bindings.*expected an engine that is"):
        MainPhysics().contribute({"world": WORLDS / "empty.sdf", "engine": "gz"}, 0)


@pytest.mark.parametrize("name", [pytest.param("gz", marks=needs("hetwin_gazebo")), "mujoco"])
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
