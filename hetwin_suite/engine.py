"""Physics without an ensemble: load a world, step it, read it.

For example, half a second of the world of a table::

    import numpy as np
    from hetwin_suite.engine import EngineSettings, Settings, load_world, make_engine
    from hetwin_suite.runs import resource

    settings = Settings.read({"world": str(resource("worlds", "tabletop.sdf"))})
    engine = make_engine("mujoco")
    engine.load(load_world(settings), EngineSettings(0.005))
    for _ in range(100):
        engine.step()
    frames = np.zeros((len(engine.frames), 13))
    engine.read_frames(frames)
    print(dict(zip(engine.frames, frames[:, 2])))
"""

from __future__ import annotations

from model_nodes.bounding_boxes import BoundingBoxes
from model_nodes.main_physics.engines.engine import Diverged, Engine, EngineSettings, Rangefinder
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import DEFAULT_FRICTION, Body, World
from model_nodes.main_physics.world.entities import entities_of
from model_nodes.main_physics.world.xml_file import Element as XmlElement
from model_nodes.main_physics.world.xml_file import parse_xml, read_xml

__all__ = [
    "DEFAULT_FRICTION",
    "Body",
    "BoundingBoxes",
    "Diverged",
    "Engine",
    "EngineSettings",
    "MainPhysics",
    "Rangefinder",
    "Settings",
    "World",
    "XmlElement",
    "entities_of",
    "load_world",
    "make_engine",
    "parse_xml",
    "read_xml",
]
