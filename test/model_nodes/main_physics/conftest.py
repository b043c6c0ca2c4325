"""The engines that the contract of physics engines is tested on."""

from __future__ import annotations

import pytest

from hetwin_suite.model_nodes.main_physics.engines.engine import Engine
from hetwin_suite.model_nodes.main_physics.engines.factory import ENGINES, make_engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every engine that can be used here; those that cannot are skipped by name."""
    try:
        return make_engine(request.param)
    except ImportError as error:
        pytest.skip(f"engine {request.param} cannot be used here: {error}")
