"""What `hetwin --version` prints; no engine is imported for it."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import typer


def show_version(wanted: bool) -> None:
    """Print the versions and end, if they are wanted."""
    if wanted:
        print(version_line())
        raise typer.Exit


def version_line() -> str:
    """The versions of hetwin, of the physics engines and of Python in one line."""
    from model_nodes.main_physics.engines.gz.bindings import installed

    release = installed()
    gazebo = f"Gazebo {release.name}" if release else "without Gazebo"
    parts = (f"MuJoCo {_version('mujoco-core')}", gazebo, f"Python {platform.python_version()}")
    return f"hetwin {_version('hetwin-suite')} ({', '.join(parts)})"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of unknown version"
