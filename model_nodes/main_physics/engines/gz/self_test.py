"""Checks that Gazebo finds its physics engine.

Gazebo only writes a message to its error output if it does not, and continues without physics.
"""

from __future__ import annotations

import os
from functools import cache

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import POSE_SIZE
from model_nodes.main_physics.engines.gz.options import GazeboOptions, Physics
from model_nodes.main_physics.engines.gz.parts import parts_of
from model_nodes.main_physics.engines.gz.proxies.collision_masks import ProxyKind
from model_nodes.main_physics.engines.gz.simulation import Simulation
from model_nodes.main_physics.world.description import IDENTITY, Body, Inertial, Link, World

_STEPS = 5
_STEP_NS = 1_000_000


def check_physics(physics: Physics) -> None:
    """Raise an error if a body does not fall.

    Args:
        physics: name of Gazebo's physics engine, see `GazeboOptions`.

    Raises:
        BadInput: if it does not fall.
    """
    if not _falls(physics):
        raise BadInput(
            "Gazebo does not find this physics engine (its message is above)",
            where="options.physics",
            found=physics,
            expected=f"one that is installed with it, or GZ_SIM_PHYSICS_ENGINE_PATH with the folder of"
            f" the library gz-physics-{physics}-plugin",
        )


@cache
def _falls(physics: Physics) -> bool:
    inertial = Inertial(1.0, IDENTITY, (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    world = World("self_test", (Body("self_test", (Link("self_test", inertial=inertial),)),))
    start = np.zeros(POSE_SIZE)
    start[3] = 1.0
    simulation = Simulation(
        world,
        parts_of(world, lambda _frame: inertial, {}, ()),
        {"self_test": start},
        {("self_test", ProxyKind.PLAIN)},
        frozenset(),
        (),
        _STEP_NS,
        GazeboOptions.model_construct(physics=physics, visible=False),
        f"hetwin_{os.getpid()}_self_test",
    )
    try:
        for _ in range(_STEPS):
            ecm = simulation.step(lambda _ecm: None)
        return bool(simulation.proxies["self_test", ProxyKind.PLAIN].read(ecm)[2] < 0.0)
    finally:
        simulation.close()
