"""What every engine must do with objects that are attached to something that moves freely."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import (
    PERIOD,
    at,
    box,
    command,
    floor,
    frame,
    gripper,
    loaded,
    rest,
    still_at,
)

from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Inertial,
    Joint,
    JointKind,
    Link,
)

MASS = 0.5


def pair(engine: Engine, height: float) -> Engine:
    """A box with another, smaller one above it and to the side, which nothing but `attach` holds there."""
    return loaded(
        engine,
        floor(),
        box("below", at(0, 0, height), mass=MASS),
        box("load", at(0.03, 0, height + 0.1), (0.06, 0.06, 0.06), MASS),
    )


def between(engine: Engine) -> Floats:
    """Position of the load in the frame of what it is attached to."""
    return relative_to(frame(engine, "below"), frame(engine, "load"))[:3]


def test_both_fall_and_land_as_one(engine: Engine) -> None:
    pair(engine, 0.3)
    before = between(engine)
    engine.attach("load", "below")
    rest(engine, 40)
    assert frame(engine, "load")[9] == pytest.approx(-9.81 * 40 * PERIOD, rel=1e-3)
    rest(engine, 800)
    assert between(engine) == pytest.approx(before, abs=2e-3)
    assert frame(engine, "below")[2] == pytest.approx(0.05, abs=2e-3)
    assert engine.contacts()[:, 9].sum() == pytest.approx(2 * MASS * 9.81, rel=0.02)


def test_what_is_let_go_falls_by_itself(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.attach("load", "below")
    rest(engine, 100)
    hanging = frame(engine, "load")[2]
    assert hanging == pytest.approx(0.15, abs=2e-3)
    engine.detach("load")
    rest(engine, 200)
    assert frame(engine, "load")[2] == pytest.approx(0.13, abs=2e-3)


def test_what_is_put_elsewhere_is_let_go(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.attach("load", "below")
    rest(engine, 20)
    there = pose_value((1.0, 0.5, 0.03)).data
    engine.hand_back("load", still_at(there, round(20 * PERIOD * 1e9)))
    rest(engine, 200)
    assert frame(engine, "load")[:3] == pytest.approx(there[:3], abs=2e-3)
    assert frame(engine, "below")[:3] == pytest.approx((0, 0, 0.05), abs=2e-3)


def test_what_another_model_leads_takes_its_load_along(engine: Engine) -> None:
    pair(engine, 0.5)
    before = between(engine)
    engine.attach("load", "below")
    start = frame(engine, "below")
    for i in range(200):
        x, now = 0.3 * i * PERIOD, round(i * PERIOD * 1e9)
        engine.follow("below", pose_value((x, 0, start[2]), linear=(0.3, 0, 0), time_ns=now))
        engine.step()
    assert frame(engine, "below")[0] == pytest.approx(0.15, abs=1e-6)
    assert between(engine) == pytest.approx(before, abs=2e-3)
    assert frame(engine, "load")[7] == pytest.approx(0.3, abs=0.02)


def test_a_load_pushes_what_is_in_its_way(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.attach("load", "below")
    engine.add(box("aside", at(0.14, 0, 0.15), (0.06, 0.06, 0.06), 0.1))
    engine.add(box("table", at(0.2, 0, 0.115), (0.3, 0.3, 0.01), static=True))
    rest(engine, 40)
    for i in range(200):
        x, now = 0.3 * i * PERIOD, round((i + 40) * PERIOD * 1e9)
        engine.follow("below", pose_value((x, 0, 0.05), linear=(0.3, 0, 0), time_ns=now))
        engine.step()
    # Its front is 0.06 m ahead of what it is attached to.
    assert frame(engine, "aside")[0] >= 0.3 * 199 * PERIOD + 0.06 + 0.03 - 2e-3


def test_a_force_on_a_load_turns_both(engine: Engine) -> None:
    pair(engine, 5.0)
    engine.attach("load", "below")
    engine.push("load", np.array((0.0, 1.0, 0.0, 0.0, 0.0, 0.0)))
    rest(engine, 20)
    one, other = frame(engine, "below"), frame(engine, "load")
    impulse = 20 * PERIOD
    middle = (one[8] + other[8]) / 2  # both weigh the same
    assert middle == pytest.approx(impulse / (2 * MASS), rel=0.02)
    assert one[10] < -0.1  # the load is above and ahead
    assert one[10:] == pytest.approx(other[10:], abs=0.05)


def test_a_taken_load_is_the_other_models(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.attach("load", "below")
    rest(engine, 10)
    engine.follow("load", still_at(np.array((0.5, 0, 0.5, 1, 0, 0, 0)), round(10 * PERIOD * 1e9)))
    rest(engine, 10)
    assert frame(engine, "load")[:3].tolist() == [0.5, 0.0, 0.5]
    assert frame(engine, "below")[:3] == pytest.approx([0, 0, 0.05], abs=1e-3)


def test_it_hangs_on_when_a_body_comes_and_comes_back_with_a_saved_state(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.attach("load", "below")
    rest(engine, 20)
    engine.add(box("new", at(1, 1, 0.05)))
    before = between(engine)
    rest(engine, 100)
    assert between(engine) == pytest.approx(before, abs=2e-3)
    saved = engine.save()
    engine.detach("load")
    rest(engine, 100)
    engine.restore(saved)
    rest(engine, 100)
    assert between(engine) == pytest.approx(before, abs=2e-3)


def test_a_load_that_touches_nothing_sinks_in_while_the_other_stands(engine: Engine) -> None:
    pair(engine, 0.05)
    engine.add(box("falling", at(0.03, 0, 0.4), (0.05, 0.05, 0.05), 0.1))
    engine.attach("load", "below")
    engine.set_collision("load", False)
    rest(engine, 300)
    assert frame(engine, "load")[2] == pytest.approx(0.15, abs=2e-3)
    assert frame(engine, "falling")[2] == pytest.approx(0.125, abs=3e-3)


def hoist() -> Body:
    """A frame that stands, with a carriage of 1 kg that nothing holds up."""
    massive = Inertial(1.0, IDENTITY, (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    links = (Link("stand", IDENTITY, (), massive), Link("carriage", at(0, 0, 1), (), massive))
    slide = Joint("slide", JointKind.SLIDE, "stand", "carriage", damping=10.0)
    return Body("hoist", links, (slide,), IDENTITY, True)


def test_what_hangs_on_a_joint_that_nothing_drives_weighs_on_it(engine: Engine) -> None:
    loaded(engine, hoist(), box("load", at(0.1, 0, 1), mass=1.0))
    engine.attach("load", "hoist::carriage")
    rest(engine, 800)
    carriage = frame(engine, "hoist::carriage")
    assert carriage[9] == pytest.approx(-2.0 * 9.81 / 10.0, rel=0.02)  # what the damping leaves
    assert frame(engine, "load")[:3] - carriage[:3] == pytest.approx([0.1, 0, 0], abs=5e-3)


def test_gazebo_refuses_chains_in_words() -> None:
    try:
        engine = make_engine("gz")
    except ImportError as error:
        pytest.skip(f"engine gz cannot be used here: {error}")
    boxes = [box(name, at(0.2 * i, 0, 0.05)) for i, name in enumerate("abc")]
    loaded(engine, floor(), *boxes, gripper(at(2, 0, 1)))
    engine.attach("a", "b")
    with pytest.raises(Unsupported, match="something is attached to it"):
        engine.attach("b", "c")
    with pytest.raises(Unsupported, match="attach c to b"):
        engine.attach("c", "a")
    with pytest.raises(Unsupported, match="itself"):
        engine.attach("c", "c")
    command(engine, np.zeros(5))
    engine.step()
    engine.close()
