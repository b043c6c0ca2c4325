"""The engines that the contract of physics engines is tested on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.factory import ENGINES, make_engine

CANNOT = {
    "gz": {
        "test_a_belt_carries_what_lies_on_it": "moves no surfaces",
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
