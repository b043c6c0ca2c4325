"""Forces that other models let act on objects."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import PERIOD, at, box, floor, frame, loaded, rest

from model_nodes.main_physics.engines.engine import Engine, Unsupported

WEIGHT = 0.5 * 9.81


def push(engine: Engine, name: str, *wrench: float) -> None:
    try:
        engine.push(name, np.array(wrench))
    except Unsupported as error:
        pytest.skip(str(error))


def test_a_force_accelerates_and_stays_until_it_is_changed(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 10)), box("other", at(1, 0, 10)))
    push(engine, "box", 0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest(engine, 40)
    faster = frame(engine, "box")[7]
    assert faster > 0.01
    assert frame(engine, "other")[7] == pytest.approx(0.0, abs=1e-9)
    assert frame(engine, "box")[9] == pytest.approx(-9.81 * 40 * PERIOD, rel=1e-6)
    push(engine, "box", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest(engine, 40)
    assert frame(engine, "box")[7] == pytest.approx(faster, rel=1e-6)


def test_a_torque_turns_without_moving(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 10)))
    push(engine, "box", 0.0, 0.0, 0.0, 0.0, 0.0, 0.01)
    rest(engine, 20)
    pose = frame(engine, "box")
    assert pose[12] > 0.01
    assert np.abs(pose[[7, 8, 10, 11]]).max() < 1e-6


def test_a_load_weighs_on_what_is_below(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.05)))
    rest(engine, 200)
    empty = engine.contacts()[:, 9].sum()
    push(engine, "box", 0.0, 0.0, -2.0, 0.0, 0.0, 0.0)
    rest(engine, 200)
    assert engine.contacts()[:, 9].sum() == pytest.approx(empty + 2.0, rel=0.02)


def test_what_is_smooth_slides_on_everything(engine: Engine) -> None:
    """Pushed with a tenth of its weight; what else lies on the same floor stays."""
    smooth, rough = box("smooth", at(0, 0, 0.05), mu=0.0), box("rough", at(0, 1, 0.05), mu=0.6)
    loaded(engine, floor(), smooth, rough)
    for name in ("smooth", "rough"):
        push(engine, name, 0.1 * WEIGHT, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest(engine, 200)
    assert frame(engine, "smooth")[7] == pytest.approx(0.981 * 0.5, rel=0.03)
    assert abs(frame(engine, "rough")[0]) < 2e-3
