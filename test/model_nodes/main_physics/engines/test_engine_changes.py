"""What stands is moved, and bodies become heavier, rougher and bouncing, while a world runs."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import at, box, floor, frame, loaded, rest

from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.values import pose_value
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine


def stand(engine: Engine, name: str, *pose: float) -> None:
    try:
        engine.place_static(name, np.array(pose))
    except Unsupported as error:
        if isinstance(engine, MujocoEngine):
            raise
        pytest.skip(str(error))


def changeable(engine: Engine) -> None:
    if not isinstance(engine, MujocoEngine):
        with pytest.raises(Unsupported, match="cannot change box"):
            engine.change_body("box", mass=2.0)
        pytest.skip("it cannot change bodies")


def test_a_box_falls_off_what_was_moved_away(engine: Engine) -> None:
    loaded(engine, floor(), box("table", at(0, 0, 0.5), static=True), box("box", at(0, 0, 0.6)))
    rest(engine, 100)
    assert frame(engine, "box")[2] == pytest.approx(0.6, abs=2e-3)
    stand(engine, "table", 1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    assert frame(engine, "table")[:3].tolist() == [1.0, 0.0, 0.5]
    rest(engine, 400)
    assert frame(engine, "box")[2] == pytest.approx(0.05, abs=5e-3)


def test_a_box_lands_on_what_was_put_below_it(engine: Engine) -> None:
    loaded(engine, floor(), box("table", at(1, 0, 0.3), static=True), box("box", at(0, 0, 0.8)))
    rest(engine, 4)
    stand(engine, "table", 0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
    rest(engine, 400)
    assert frame(engine, "box")[2] == pytest.approx(0.4, abs=2e-3)
    near = engine.proximity()
    table = engine.frames.index("table")
    assert table in near[:, :2]
    assert abs(near[table == near[:, 1], 2]).min() < 1e-3


def test_what_moves_freely_or_is_not_there_does_not_stand(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 1)))
    for name in ("box", "nothing"):
        with pytest.raises(Unsupported, match=name):
            engine.place_static(name, np.array(at(0, 0, 0)))


def test_a_heavier_box_weighs_more_and_is_as_heavy_when_loaded_so(engine: Engine) -> None:
    changeable_world = floor(), box("box", at(0, 0, 0.05))
    loaded(engine, *changeable_world)
    changeable(engine)
    rest(engine, 200)
    before = engine.contacts()[:, 9].sum()
    engine.change_body("box", mass=3.0)
    rest(engine, 200)
    assert engine.contacts()[:, 9].sum() == pytest.approx(3.0 * before, rel=0.01)


def test_a_rough_box_holds_where_a_smooth_one_slides(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.05), mu=0.6))
    changeable(engine)
    rest(engine, 50)
    engine.change_body("box", coefficient=0.005)
    engine.push("box", np.array([0.5, 0, 0, 0, 0, 0]))
    rest(engine, 100)
    fast = frame(engine, "box")[7]
    assert fast > 0.05
    engine.change_body("box", friction=200.0)
    rest(engine, 200)
    assert abs(frame(engine, "box")[7]) < 0.1 * fast


def test_a_box_bounces_when_it_is_told_to(engine: Engine) -> None:
    heights = []
    for bounce in (None, 0.8):
        loaded(engine, floor(), box("box", at(0, 0, 0.5)))
        changeable(engine)
        engine.change_body("box", bounce=bounce)
        rest(engine, 160)
        heights.append(max(height for _ in range(120) if (height := _after_a_step(engine))))
    assert heights[1] > heights[0] + 0.05


def test_what_was_changed_is_saved_and_restored(engine: Engine) -> None:
    world = (
        floor(),
        box("table", at(1, 0, 0.3), static=True),
        box("box", at(0, 0, 0.8)),
        box("other", at(0, 1, 0.8)),
    )
    loaded(engine, *world)
    changeable(engine)
    rest(engine, 4)
    stand(engine, "table", 0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
    engine.change_body("box", mass=3.0, friction=0.5, bounce=0.5)
    saved = rebuild(record(engine.save()))
    rest(engine, 200)
    end = [frame(engine, name).tobytes() for name in ("box", "table", "other")]
    again = MujocoEngine()
    loaded(again, *world)
    again.restore(saved)
    rest(again, 200)
    assert [frame(again, name).tobytes() for name in ("box", "table", "other")] == end
    assert again.proximity().tobytes() == engine.proximity().tobytes()
    engine.restore(saved)
    engine.remove("other")
    assert frame(engine, "table")[:3].tolist() == [0.0, 0.0, 0.3]


def _after_a_step(engine: Engine) -> float:
    rest(engine, 1)
    return float(frame(engine, "box")[2])


def test_a_change_after_a_state_was_saved_is_gone_when_it_is_restored(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.3)))
    changeable(engine)
    engine.follow("box", pose_value((0.0, 0.0, 0.3)))
    rest(engine, 4)
    saved = engine.save()

    def dropped() -> bytes:
        """The box spins as it falls from the hand, onto an edge."""
        engine.hand_back("box", pose_value((0.0, 0.0, 0.3), (0.9, 0.3, 0.2, 0.1)))
        rest(engine, 200)
        return frame(engine, "box").tobytes()

    end = dropped()
    engine.restore(saved)
    engine.change_body("box", mass=3.0)
    assert dropped() != end
    engine.restore(saved)
    assert dropped() == end
