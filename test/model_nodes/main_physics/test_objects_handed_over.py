"""Which objects an engine prepares for handovers."""

from __future__ import annotations

import pytest
from support.small_worlds import HAND, at, ball, box, floor, gripper

from model_nodes.main_physics.handed_over import objects_handed_over
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import World

BALLS = tuple(ball(f"ball_{i}", at(i, 0, 1)) for i in range(20))
FEW = World(
    "few", (floor(), box("box", at(0, 0, 1)), BALLS[0], gripper(at(0, 0, 2))), hands=(HAND,)
)
MANY = World("many", (box("box", at(0, 0, 1)), *BALLS))


@pytest.mark.parametrize(
    ("world", "given", "tags", "expected"),
    [
        (FEW, [("*", "pose")], {}, [("box", "pose"), ("ball_0", "pose")]),
        (FEW, [("*", "pose")], {"box": ["graspable"]}, [("box", "pose")]),
        (FEW, [("ball_0", "collision"), ("ball_*", "collision")], {}, [("ball_0", "collision")]),
        (FEW, [("floor", "pose"), ("no_object", "pose")], {}, []),
        (MANY, [("*", "pose")], {}, []),  # too many to prepare for all of them
        (MANY, [("*", "pose")], {"box": ["graspable"]}, [("box", "pose")]),
        (MANY, [("ball_7", "pose")], {"box": ["graspable"]}, [("ball_7", "pose")]),
    ],
)
def test_free_objects_that_are_meant(
    world: World,
    given: list[tuple[str, str]],
    tags: dict[str, list[str]],
    expected: list[tuple[str, str]],
) -> None:
    entities = {name: {"tags": words} for name, words in tags.items()}
    settings = Settings.model_validate({"handed_over": given, "entities": entities})
    assert list(objects_handed_over(settings, world)) == expected
