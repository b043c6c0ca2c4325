"""The options of Gazebo that a scenario may set."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.errors import BadInput
from hetwin_gazebo.bindings import installed_release
from hetwin_gazebo.checks import check_physics
from hetwin_gazebo.options import GazeboOptions, read_options


def test_options_are_read() -> None:
    read = read_options({"physics": "bullet-featherstone", "max_step": 0.0005})
    assert read == GazeboOptions(physics="bullet-featherstone", max_step=0.0005)


@pytest.mark.parametrize(
    ("given_options", "words"),
    [
        ({"physics": "ode"}, r"options\.physics.*bullet-featherstone"),
        ({"max_step": 0}, r"options\.max_step"),
        ({"max_step": True}, r"options\.max_step"),
        ({"cones": 1}, r"options\.cones.*collision_detector"),
        ({"noslip_iterations": 0}, r"options\.noslip_iterations: sets MuJoCo's .*engine: mujoco"),
        ({"server": "hall", "physics": "dartsim"}, r"options\.physics: .*whose world sets"),
        ({"create": True}, r"options\.create: .*options\.server is not set"),
    ],
)
def test_what_is_no_option_is_refused(given_options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_options(given_options)


@given(
    st.sampled_from([1 / 400, 1 / 1000, 1 / 50, 1 / 60, 0.0025]),
    st.integers(1, 8),
    st.floats(1e-4, 1e-2),
)
def test_a_period_is_divided_into_whole_nanoseconds(
    period: float, substeps: int, longest: float
) -> None:
    steps = GazeboOptions(max_step=longest).steps(period, substeps)
    assert round(period * 1e9) % steps == 0
    assert steps >= substeps
    assert period / steps <= longest * (1 + 1e-5)


def test_a_period_is_one_step_unless_there_are_springs_or_max_step_says_so() -> None:
    assert GazeboOptions().steps(0.0025, 1) == 1
    assert GazeboOptions().steps(0.0025, 1, springs=True) == 2
    assert GazeboOptions(max_step=0.0005).steps(0.0025, 1, springs=True) == 5


def test_a_physics_engine_that_gazebo_lacks_is_refused() -> None:
    if installed_release() is None:
        pytest.skip("Gazebo's Python bindings are not installed")
    lacking: Any = "no-such-engine"
    with pytest.raises(BadInput, match=r"options\.physics.*no-such-engine.*installed"):
        check_physics(lacking)
    check_physics("dartsim")
