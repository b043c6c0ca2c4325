"""The engines that the contract of physics engines is tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import World

_PARTS = "parts overlapping bodies the faster the deeper they overlap"
CANNOT = {
    "gz": {
        "test_a_belt_carries_what_lies_on_it": "moves no surfaces",
        "test_a_velocity_drive_reports_its_effort": "does not report it",
        "test_the_contacts_of_a_grip_say_how_it_presses": "reports late what presses from two sides",
        "test_with_sleep_what_rests_still_wakes_when_it_is_touched": "has no such option",
    },
    "gz with bullet": {
        "test_a_ball_joint_swings_as_a_pendulum": "does not report ball joints",
        "test_a_ball_joint_turns_on_when_the_world_changes_and_from_a_saved_state": "does not report ball joints",
        "test_a_box_inside_the_floor_is_pushed_out_slowly": _PARTS,
        "test_a_tilted_box_inside_the_floor_is_not_shot_out": _PARTS,
        "test_a_box_inside_another_free_one_is_not_shot_out": _PARTS,
        "test_both_fall_and_land_as_one": "lets what lands flat tip over",
        "test_a_saved_state_comes_back_with_its_levels": "goes on with other contacts",
        "test_a_restored_state_brings_the_same_touches": "goes on with other contacts",
        "test_a_driven_base_takes_its_links_past_things": "moves no base",
        "test_what_is_smooth_slides_on_everything": "lets nothing slide that lies flat",
        "test_fingers_hold_a_box_by_friction_and_lift_it": "lets what is held by friction creep",
        "test_engine_bases": "moves no base",
        "test_engine_limited": "limits no effort",
    },
}
"""Engine -> test or module -> why the engine is not asked for this; it refuses it in words, or does not claim it."""


def _with_bullet() -> Engine:
    from hetwin_gazebo.engine import GazeboEngine

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
    tests = {request.node.originalname, request.module.__name__.rpartition(".")[2]}
    try:
        made = MAKERS[request.param]()
    except (BadInput, ImportError) as error:
        pytest.skip(f"engine {request.param} cannot be used here: {error}")
    for name in {made.name, request.param}:
        for test in tests & CANNOT.get(name, {}).keys():
            pytest.skip(f"engine {request.param} {CANNOT[name][test]}")
    yield made
    made.close()
