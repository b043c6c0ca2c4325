"""Chooses the physics engine."""

from __future__ import annotations

from hetwin_suite.ensemble.errors import BadInput
from hetwin_suite.model_nodes.main_physics.engines.engine import Engine

AUTO = "auto"
ENGINES = ("mujoco",)
"""Names of the engines, the preferred one first."""


def make_engine(name: str = AUTO) -> Engine:
    """An engine by its name; ``auto`` takes the first that can be used.

    Raises:
        BadInput: if there is no such engine.
    """
    if name in (AUTO, "mujoco"):
        from hetwin_suite.model_nodes.main_physics.engines.mujoco.engine import MujocoEngine

        return MujocoEngine()
    raise BadInput(
        "there is no such physics engine",
        where="engine",
        found=name,
        expected=", ".join([AUTO, *ENGINES]),
    )
