"""The features of the standard that hetwin offers."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from simulation_interfaces.msg import SimulatorFeatures as Known

ALWAYS = (
    "SPAWNING",
    "DELETING",
    "SPAWNING_RESOURCE_STRING",
    "SPAWNING_ENTITIES",
    "ENTITY_TAGS",
    "ENTITY_BOUNDS",
    "ENTITY_BOUNDS_BOX",
    "ENTITY_CATEGORIES",
    "ENTITY_STATE_GETTING",
    "ENTITY_STATE_SETTING",
    "ENTITY_INFO_GETTING",
    "SIMULATION_STATE_GETTING",
    "SIMULATION_STATE_SETTING",
    "WORLD_INFO_GETTING",
)
UNLESS_LIVE = (
    "SIMULATION_RESET",
    "SIMULATION_STATE_PAUSE",
    "STEP_SIMULATION_SINGLE",
    "STEP_SIMULATION_MULTIPLE",
    "STEP_SIMULATION_ACTION",
)
"""A live robot can be neither paused nor reset."""
FORMATS = ("sdf", "urdf")
NOTES = (
    "Objects are spawned and deleted while the simulation is stopped, and are there when it plays."
    " Time and state are reset together, for runs that no client of the action hetwin/simulate has begun."
    " Accelerations read 0."
)


def fill_features(message: Any, *, live: bool) -> None:
    """Fill in ``SimulatorFeatures``, with those that the installed version of the standard knows."""
    names = ALWAYS if live else (*ALWAYS, *UNLESS_LIVE)
    message.features = sorted(getattr(Known, name) for name in names if hasattr(Known, name))
    message.spawn_formats = list(FORMATS)
    try:
        release = version("hetwin-suite")
    except PackageNotFoundError:
        release = "of this colcon workspace"
    message.custom_info = f"hetwin {release}. {NOTES}"
