"""Which object is in which container."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind, pose_value
from model_nodes.containment import Containment, interior_of

WALL, HEIGHT, RADIUS = 0.006, 0.2, 0.1


def round_bin(name: str = "bin") -> Entity:
    """Sixteen walls around a bottom."""
    walls = []
    for number in range(16):
        turn = 2 * math.pi * number / 16
        quaternion = (math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2))
        pose = (RADIUS * math.cos(turn), RADIUS * math.sin(turn), HEIGHT / 2, *quaternion)
        walls.append(Shape(ShapeKind.BOX, (WALL, 0.04, HEIGHT), pose))
    bottom = Shape(ShapeKind.CYLINDER, (RADIUS, WALL), (0, 0, WALL / 2, 1, 0, 0, 0))
    return Entity(name, EntityKind.STATIC, shapes=(bottom, *walls))


BALL = Entity("ball", EntityKind.OBJECT, tags=("graspable",))
PARAMETERS = {"objects": ["ball"], "containers": ["bin"], "dwell": 0.1}
TILTED = pose_value((1.0, -2.0, 0.7), (math.cos(0.1), 0.0, math.sin(0.1), 0.0)).data


def ready(bin_pose: Floats = TILTED) -> Containment:
    model = Containment()
    model.contribute(PARAMETERS, 0)
    poses = {"ball": pose_value((0, 0, 0)).data, "bin": bin_pose}
    model.start(scene_of([BALL, round_bin()], poses))
    return model


def look(model: Containment, local: tuple[float, float, float], time_s: float) -> Changes:
    """A step with the ball at a place in the bin's frame."""
    ball = compose(TILTED, pose_value(local).data)
    scene = scene_of(
        [BALL, round_bin()], {"ball": ball, "bin": TILTED}, time_ns=round(time_s * 1e9)
    )
    return model.step(Tick(scene.time_ns, 20_000_000, scene))


@pytest.mark.parametrize(
    ("local", "inside"),
    [
        ((0.0, 0.0, 0.04), True),
        ((0.06, 0.06, 0.1), True),
        ((0.09, 0.09, 0.1), False),  # in the bin's bounding box, but outside its round wall
        ((0.0, 0.0, 0.25), False),  # above the rim
        ((0.0, 0.0, -0.05), False),  # under the bottom
        ((0.2, 0.0, 0.04), False),
    ],
)
def test_inside_is_within_the_outline_below_the_rim(
    local: tuple[float, float, float], inside: bool
) -> None:
    model = ready()
    for step in range(10):
        output = look(model, local, 0.02 * step)
    assert output.values["ball", "in_container"].data[0] == (1.0 if inside else -1.0)


def test_events_are_dated_when_it_began_and_a_ball_that_bounces_on_the_rim_makes_none() -> None:
    model = ready()
    events = []
    places = [(0.0, 0.0, 0.3)] * 5 + [(0.0, 0.0, 0.1), (0.0, 0.0, 0.3)] * 5
    places += [(0.0, 0.0, 0.05)] * 20 + [(0.3, 0.0, 0.05)] * 20
    for step, place in enumerate(places):
        events += look(model, place, 0.02 * step).events
    assert [(e.name, round(e.time_ns / 1e9, 3)) for e in events] == [
        ("entered", 0.3),
        ("left", 0.7),
    ]
    assert events[0].arguments == {"object": "ball", "container": "bin"}


@given(radius=st.floats(0.0, 0.3), turn=st.floats(0.0, 2 * math.pi), z=st.floats(-0.1, 0.4))
def test_the_outline_is_the_circle_of_the_walls(radius: float, turn: float, z: float) -> None:
    inside = interior_of(round_bin())
    point = (radius * math.cos(turn), radius * math.sin(turn), z)
    if radius < 0.99 * RADIUS and 0.001 < z < HEIGHT - 0.001:
        assert inside.holds(point)
    if radius > 1.08 * RADIUS or z < -0.001 or z > HEIGHT + 0.001:
        assert not inside.holds(point)


def test_no_container_is_bad_input() -> None:
    with pytest.raises(BadInput, match="containers"):
        Containment().contribute({"objects": ["ball"], "containers": [], "dwell": 0.1}, 0)


def test_a_container_without_shapes_is_bad_input() -> None:
    with pytest.raises(BadInput, match="no shape"):
        interior_of(Entity("ghost", EntityKind.STATIC))


def test_outline_is_counter_clockwise() -> None:
    outline = interior_of(round_bin()).outline
    following = np.roll(outline, -1, axis=0)
    area = (outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]).sum() / 2
    assert area == pytest.approx(math.pi * RADIUS**2, rel=0.1)
