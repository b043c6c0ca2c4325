"""The entry point of the engine that drives Gazebo."""

from __future__ import annotations

from hetwin_gazebo.bindings import gazebo, installed
from hetwin_suite.engine import Engine, EngineKind


def _make() -> Engine:
    gazebo()  # fails early if not installed; the engine itself takes longer to import
    from hetwin_gazebo.engine import GazeboEngine

    return GazeboEngine()


def _release() -> str:
    found = installed()
    return "" if found is None else f"Gazebo {found.name}"


GAZEBO = EngineKind(_make, _release)
"""Gazebo Sim: ``engine: gz``."""
