"""The entry point of the engine that drives Gazebo."""

from __future__ import annotations

from hetwin_gazebo.bindings import gazebo, installed_release
from hetwin_suite.engine import Engine, EngineKind


def _create_engine() -> Engine:
    gazebo()  # fails early if not installed; the engine itself takes longer to import
    from hetwin_gazebo.engine import GazeboEngine

    return GazeboEngine()


def _release_name() -> str:
    found = installed_release()
    return "" if found is None else f"Gazebo {found.name}"


GAZEBO = EngineKind(_create_engine, _release_name)
"""Gazebo Sim: ``engine: gz``."""
