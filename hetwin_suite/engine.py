"""Physics without an ensemble: load a world, step it, read it; and worlds of simple shapes.

For example, a ball that falls for half a second::

    from pathlib import Path
    from tempfile import mkdtemp

    import numpy as np
    from hetwin_suite.engine import EngineSettings, Part, Thing, load_world, make_engine
    from hetwin_suite.engine import Settings, world_sdf

    ball = Thing("ball", [Part("ball", "sphere", (0.05,))], (0, 0, 2), (1, 1, 0), mass=0.1)
    file = Path(mkdtemp()) / "world.sdf"
    file.write_text(world_sdf("falling", "A ball.", [ball]), encoding="utf-8")
    engine = make_engine("mujoco")
    engine.load(load_world(Settings.read({"world": str(file)})), EngineSettings(0.005))
    for _ in range(100):
        engine.step()
    frames = np.zeros((len(engine.frames), 13))
    engine.read_frames(frames)
    print(dict(zip(engine.frames, frames[:, 2])))
"""

from __future__ import annotations

from hetwin_suite._worlds.sdf_text import Part, Thing, world_sdf
from hetwin_suite._worlds.solids import Solid, read_solids
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.fidelity.rules import MARGIN, NearRobotRules, Thresholds
from model_nodes.fidelity.signaler import MODES, NearRobot, NearRobotSettings
from model_nodes.main_physics.engines.engine import Diverged, Engine, EngineSettings, Rangefinder
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import DEFAULT_FRICTION, Body, World
from model_nodes.main_physics.world.entities import entities_of

__all__ = [
    "DEFAULT_FRICTION",
    "MARGIN",
    "MODES",
    "Body",
    "BoundingBoxes",
    "Diverged",
    "Engine",
    "EngineSettings",
    "MainPhysics",
    "NearRobot",
    "NearRobotRules",
    "NearRobotSettings",
    "Part",
    "Rangefinder",
    "Settings",
    "Solid",
    "Thing",
    "Thresholds",
    "World",
    "entities_of",
    "load_world",
    "make_engine",
    "read_solids",
    "world_sdf",
]
