"""A world of Gazebo's in MuJoCo, for decisions about it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco as mj

from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.sdf.reader import read_world


def mirror_of(sdf: str) -> mj.MjModel:
    """Return a world that is written as SDFormat; bodies and joints of models are named ``model::name``.

    Raises:
        BadInput: if it cannot be read.
    """
    notes = Notes()
    with TemporaryDirectory() as folder:
        file = Path(folder, "world.sdf")
        file.write_text(sdf, "utf-8")
        world = read_world(file, notes)
    return Builder(world, EngineSettings(0.001), notes).compile()
