"""What the watch of hand-backs sees: a value that changed, and an object that is shot out."""

from __future__ import annotations

import numpy as np
import pytest
from support.scene_of import scene_of

from hetwin_bauer2022.evaluation.handover_watch import GRAVITY, HandoverWatch
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord, RunStart
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value

RELEASED_NS = 1_000_000_000


def pose(*, z: float = 1.0, speed: float = 0.0) -> Floats:
    value = np.zeros(13)
    value[2], value[3], value[9] = z, 1.0, -speed
    return value


def scene(time_ns: int, value: Floats) -> Snapshot:
    return scene_of([Entity("ball", EntityKind.OBJECT)], {"ball": value}, time_ns=time_ns)


def watch_from(released: Floats, to: str = "physics") -> HandoverWatch:
    watch = HandoverWatch()
    start = scene(0, released)
    models = tuple(
        ModelRecord("1", name, name, "service", "after", 400.0, name == "physics", "", 0)
        for name in ("physics", "in_hand")
    )
    watch.started(RunStart("s", "", "", 0, 400.0, None, start.layout, models, "", (), start))
    watch.handover(
        Handover(
            RELEASED_NS, "ball", "pose", "in_hand", to, "test", Value(released, RELEASED_NS, WORLD)
        )
    )
    return watch


def falling(after_ns: int, extra: float = 0.0) -> Floats:
    return pose(speed=GRAVITY * after_ns * 1e-9 + extra)


def test_a_free_fall_gains_nothing() -> None:
    watch = watch_from(pose())
    watch.stepped(400, scene(RELEASED_NS, pose()))
    for after in range(2_500_000, 400_000_000, 2_500_000):
        watch.stepped(0, scene(RELEASED_NS + after, falling(after)))
    (back,) = watch.hand_backs
    assert (back.equal, watch.unequal) == (True, 0)
    assert watch.greatest_gain == pytest.approx(0.0, abs=1e-12)


def test_the_last_bit_counts() -> None:
    watch = watch_from(pose(z=1.0))
    watch.stepped(400, scene(RELEASED_NS, pose(z=float(np.nextafter(1.0, 2.0)))))
    assert watch.unequal == 1


def test_being_shot_out_is_seen_within_half_a_second_only() -> None:
    watch = watch_from(pose())
    watch.stepped(400, scene(RELEASED_NS, pose()))
    watch.stepped(500, scene(RELEASED_NS + 250_000_000, falling(250_000_000, extra=2.0)))
    watch.stepped(700, scene(RELEASED_NS + 750_000_000, falling(750_000_000, extra=9.0)))
    assert watch.greatest_gain == pytest.approx(2.0)


def test_only_hand_backs_to_the_main_model_are_watched() -> None:
    assert watch_from(pose(), to="in_hand").hand_backs == []


def test_what_another_model_takes_is_no_longer_watched() -> None:
    watch = watch_from(pose())
    watch.stepped(400, scene(RELEASED_NS, pose()))
    taken = RELEASED_NS + 100_000_000
    watch.handover(
        Handover(taken, "ball", "pose", "physics", "in_hand", "t", Value(pose(), taken, WORLD))
    )
    watch.stepped(500, scene(RELEASED_NS + 250_000_000, pose(speed=50.0)))
    assert watch.greatest_gain == -np.inf
