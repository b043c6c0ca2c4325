"""The engines that the contract of physics engines is tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import World

_PARTS = "parts overlapping bodies the faster the deeper they overlap"
CANNOT = {
    "gz": {
        "test_a_belt_carries_what_lies_on_it": "moves no surfaces",
        "test_with_sleep_what_rests_still_wakes_when_it_is_touched": "has no such option",
    },
}
"""Engine -> test -> why the engine is not asked for this; it refuses it in words, or does not claim it."""


def _with_bullet() -> Engine:
    from model_nodes.main_physics.engines.gz.engine import GazeboEngine

    class Bullet(GazeboEngine):
        """Gazebo with bullet-featherstone."""

        def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
            options = {"physics": "bullet-featherstone", **settings.options}
            return super().load(world, replace(settings, options=options))

    return Bullet()


MAKERS: dict[str, Callable[[], Engine]] = {
    "gz": lambda: make_engine("gz"),
    "gz with bullet": _with_bullet,
    "mujoco": lambda: make_engine("mujoco"),
}


@pytest.fixture(params=MAKERS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Every engine that can be used here; those that cannot are skipped by name."""
    test = request.node.originalname
    try:
        made = MAKERS[request.param]()
    except ImportError as error:
        pytest.skip(f"engine {request.param} cannot be used here: {error}")
    for name in {made.name, request.param}:
        if test in CANNOT.get(name, {}):
            pytest.skip(f"engine {request.param} {CANNOT[name][test]}")
    yield made
    made.close()
