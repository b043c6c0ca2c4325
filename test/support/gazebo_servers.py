"""Gazebo servers in processes of their own, as users start them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from model_nodes.main_physics.engines.factory import releases

GAZEBO_IS_HERE = any(release.startswith("Gazebo") for release in releases())
"""Whether hetwin's package for Gazebo and Gazebo's Python bindings are installed."""
needs_gazebo = pytest.mark.skipif(
    not GAZEBO_IS_HERE, reason="Gazebo's Python bindings are not installed"
)
SHOWN_WORLD = """<sdf version="1.9"><world name="WORLD">
<plugin filename="gz-sim-user-commands-system" name="gz::sim::systems::UserCommands"/>
<plugin filename="gz-sim-scene-broadcaster-system" name="gz::sim::systems::SceneBroadcaster">
<dynamic_pose_hertz>10000</dynamic_pose_hertz></plugin>
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
</world></sdf>"""
"""A world without anything in it, in which models can be created and are published."""


@contextmanager
def gazebo_server(
    folder: Path, partition: str | None, world: str = "shown", sdf: str = SHOWN_WORLD
) -> Iterator[subprocess.Popen[bytes]]:
    """A paused `gz sim` with a world; it is ended at the end.

    Args:
        folder: for the world's file.
        partition: GZ_PARTITION; None: not set, as most users have it.
        world: its name.
        sdf: the world's text, in which WORLD stands for its name.
    """
    command = shutil.which("gz")
    if command is None:
        pytest.skip("the command gz is not installed")
    file = folder / f"{world}.sdf"
    file.write_text(sdf.replace("WORLD", world), "utf-8")
    environment = {k: v for k, v in os.environ.items() if k != "GZ_PARTITION"}
    environment |= {} if partition is None else {"GZ_PARTITION": partition}
    server = subprocess.Popen(
        [command, "sim", "-s", "-v", "1", str(file)],
        env={**environment, "GZ_IP": "127.0.0.1"},
        start_new_session=True,
    )
    try:
        yield server
    finally:
        end(server)


def end(server: subprocess.Popen[bytes]) -> None:
    """Close a server as its user does, if it still runs."""
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
