"""The engines that the contract of physics engines is tested on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hetwin_suite.model_nodes.main_physics.engines.engine import Engine
from hetwin_suite.model_nodes.main_physics.engines.factory import ENGINES, make_engine

CANNOT = {
    "gz": {
        "test_an_attached_object_is_high_as_long_as_it_is_attached": "attaches nothing to what moves freely",
        "test_a_low_link_of_the_robot_passes_through_and_follows_as_before": "fixes a robot's collisions at load",
        "test_a_belt_carries_what_lies_on_it": "moves no surfaces",
        "test_a_saved_state_comes_back_with_its_levels": "does not come back to the bit",
        "test_with_sleep_what_rests_still_wakes_when_it_is_touched": "has no such option",
    }
}
"""Engine -> test -> why the engine is not asked for this; it refuses it in words, or does not claim it."""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Every engine that can be used here; those that cannot are skipped by name."""
    test = request.node.originalname
    if test in CANNOT.get(request.param, {}):
        pytest.skip(f"engine {request.param} {CANNOT[request.param][test]}")
    try:
        made = make_engine(request.param)
    except ImportError as error:
        pytest.skip(f"engine {request.param} cannot be used here: {error}")
    yield made
    made.close()
