"""Creates a physics engine by name."""

from __future__ import annotations

from collections.abc import Callable

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from model_nodes.main_physics.engines.engine import Engine

AUTO = "auto"


def _gazebo() -> Engine:
    from model_nodes.main_physics.engines.gz.bindings import gazebo

    gazebo()  # fails at once where it is not installed; the engine itself takes longer to import
    from model_nodes.main_physics.engines.gz.engine import GazeboEngine

    return GazeboEngine()


def _mujoco() -> Engine:
    from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine

    return MujocoEngine()


_MAKERS: dict[str, Callable[[], Engine]] = {"gz": _gazebo, "mujoco": _mujoco}
ENGINES = tuple(_MAKERS)
"""Names of the engines, the preferred one first."""


def make_engine(name: str = AUTO) -> Engine:
    """Create an engine by its name; ``auto`` selects the first that is installed.

    Raises:
        BadInput: if there is no such engine.
        ImportError: if it is not installed.
    """
    if name == AUTO:
        return _first()
    if name not in _MAKERS:
        raise BadInput(
            "there is no such physics engine",
            where="engine",
            found=name,
            expected=one_of(name, [AUTO, *ENGINES]),
        )
    return _MAKERS[name]()


def _first() -> Engine:
    *others, last = _MAKERS.values()
    for make in others:
        try:
            return make()
        except ImportError:
            continue
    return last()
