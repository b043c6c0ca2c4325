"""Worlds of thousands of objects: the engine's memory follows them, and what it cannot do it says in words."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco as mj
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Changes
from hetwin_core.ensemble.scene.values import ShapeKind
from hetwin_core.ensemble.transport.port import output_problem
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco import builder
from model_nodes.main_physics.world.description import Body, Geometry, Link, World
from model_nodes.main_physics.world.notes import Notes


def boxes(count: int, shapes: int) -> Iterator[Body]:
    """Static bodies in a row, each with some boxes, none of which touches another."""
    for i in range(count):
        parts = [
            Geometry(ShapeKind.BOX, (0.1, 0.1, 0.1), (0.0, 0.2 * k, 0.0, 1.0, 0.0, 0.0, 0.0))
            for k in range(shapes)
        ]
        pose = (0.2 * i, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        yield Body(f"box_{i}", (Link("link", geometries=tuple(parts)),), pose=pose, static=True)


def made(*bodies: Body) -> builder.Builder:
    return builder.Builder(World("large", bodies), EngineSettings(0.0025), Notes())


def test_thousands_of_shapes_have_memory_for_all_their_pairs() -> None:
    model = made(*boxes(4, 1000)).compile()
    data = mj.MjData(model)
    mj.mj_forward(model, data)
    assert not data.ncon


def test_small_worlds_have_the_memory_that_the_engine_guesses() -> None:
    one = made(*boxes(1, 400))
    assert one.compile().narena < builder._MEMORY
    assert one.spec.memory == -1


def test_too_many_shapes_are_refused_with_how_many_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(builder, "MAX_SHAPES", 20)
    with pytest.raises(BadInput, match="found '21 shapes that collide'; expected 20 at most"):
        made(*boxes(1, 21)).compile()


def test_each_of_thousands_of_objects_may_have_an_event_in_one_step() -> None:
    events = tuple(Event(f"e{i}", 0) for i in range(10_000))
    assert output_problem(Changes(0, events=events)) is None
