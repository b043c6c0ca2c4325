"""Creates a physics engine by name: MuJoCo, or an engine of another package."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import ENGINES, Group
from hetwin_core.ensemble.nearest import one_of
from model_nodes.main_physics.engines.engine import Engine, EngineKind

AUTO = "auto"
MUJOCO = "mujoco"
_GROUP = Group("hetwin.engines", "physics engine", "an EngineKind of hetwin_suite.engine", ENGINES)


def engine_names() -> list[str]:
    """Names of the engines that are installed or that an extra would install, the preferred ones first."""
    return [*_GROUP.known(), MUJOCO]


def make_engine(name: str = AUTO) -> Engine:
    """Create an engine by its name; ``auto`` selects the first of hetwin's engines that can be used, MuJoCo last.

    Raises:
        BadInput: if there is no such engine, or its package is not installed or broken.
        ImportError: if its simulator is not installed.
    """
    if name == AUTO:
        return _preferred()
    if name == MUJOCO:
        return _mujoco()
    if name not in _GROUP.known():
        raise BadInput(
            "there is no such physics engine",
            where="engine",
            found=name,
            expected=one_of(name, [AUTO, *engine_names()]),
        )
    kind: EngineKind = _GROUP.load(name, "engine")
    return kind.make()


def releases() -> list[str]:
    """Names and releases of the simulators of installed engines, except MuJoCo."""
    found = [kind.release() for _, kind in _GROUP.each()]
    return [release for release in found if release]


def _preferred() -> Engine:
    for name in ENGINES:  # engines of third parties are only used when they are named
        if _GROUP.point(name) is not None:
            try:
                return make_engine(name)
            except ImportError:
                continue
    return _mujoco()


def _mujoco() -> Engine:
    from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine

    return MujocoEngine()
