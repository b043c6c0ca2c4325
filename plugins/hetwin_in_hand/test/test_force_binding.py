"""The rule that binds what opposing forces squeeze."""

from __future__ import annotations

import numpy as np
import pytest
from support.scene_of import near_row, scene_of

from hetwin_core.ensemble.model import Changes, RequestKind, Tick
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value, pose_value
from hetwin_in_hand.force_binding import ForceBinding

HAND = HandDescription("hand", "robot", "palm", finger_links=("left", "right"))
ENTITIES = [
    Entity("palm", EntityKind.LINK, owner="robot"),
    Entity("left", EntityKind.LINK, owner="robot", parent="palm"),
    Entity("right", EntityKind.LINK, owner="robot", parent="palm"),
    Entity("hand", EntityKind.HAND, owner="robot", parent="palm"),
    Entity("ball", EntityKind.OBJECT, tags=("graspable",)),
]
PERIOD_S = 0.2
Forces = tuple[tuple[float, float, float], tuple[float, float, float]]
SQUEEZE: Forces = ((5.0, 0.0, 0.0), (-4.0, 0.0, 1.0))
ONE_SIDED: Forces = ((5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
UNEVEN: Forces = ((10.0, 0.0, 0.0), (-2.0, 0.0, 0.0))
SAME_SIDE: Forces = ((5.0, 0.0, 0.0), (0.0, 5.0, 0.0))


def scene(time_s: float, forces: Forces | None, opened: float = 0.0) -> Snapshot:
    """The ball between two fingers, which press it, or have moved apart."""
    poses: dict[str, Floats] = {
        "palm": pose_value((0, 0, 0)).data,
        "left": pose_value((-0.03 - opened, 0, 0)).data,
        "right": pose_value((0.03 + opened, 0, 0)).data,
        "hand": pose_value((0, 0, 0)).data,
        "ball": pose_value((0, 0, 0)).data,
    }
    seen = scene_of(ENTITIES, poses, time_ns=round(time_s * 1e9))
    if forces is None:
        return seen
    rows = [
        near_row(seen, "ball", link, 0.0, f)
        for link, f in zip(("left", "right"), forces, strict=True)
    ]
    return scene_of(ENTITIES, poses, time_ns=seen.time_ns, near=np.array(rows))


class Bench:
    """Steps the model and grants what it asks for."""

    def __init__(self) -> None:
        self.model = ForceBinding()
        parameters = {
            r.name: r.default for r in self.model.requests() if r.name not in ("hand", "objects")
        }
        self.model.contribute({**parameters, "hand": HAND, "objects": ["ball"]}, 0)
        self.model.start(scene(0.0, None))
        self.time = 0.0
        self.story: list[tuple[float, str]] = []

    def go(self, seconds: float, forces: Forces | None, opened: float = 0.0) -> None:
        for _ in range(round(seconds / 0.01)):
            self.time += 0.01
            seen = scene(self.time, forces, opened)
            output: Changes = self.model.step(Tick(seen.time_ns, 10_000_000, seen))
            for request in output.requests:
                self.story.append((round(self.time, 2), request.kind.value))
                if request.kind is RequestKind.TAKE:
                    self.model.take("ball", "pose", Value(seen.pose("ball"), seen.time_ns), seen)
                else:
                    self.model.release("ball", "pose", seen)


def test_six_periods_of_opposing_forces_bind() -> None:
    bench = Bench()
    bench.go(2.0, SQUEEZE)
    assert bench.story == [(1.2, "take")]


@pytest.mark.parametrize("forces", [ONE_SIDED, UNEVEN, SAME_SIDE, None])
def test_other_forces_do_not(forces: Forces | None) -> None:
    bench = Bench()
    bench.go(4.0, forces)
    assert bench.story == []


def test_it_lets_go_when_the_counter_is_down_and_a_finger_has_moved() -> None:
    bench = Bench()
    bench.go(3.0, SQUEEZE)  # the counter is at its most, 10
    bench.go(3.0, None)  # without force it falls, but nothing has moved: still fixed
    assert [kind for _, kind in bench.story] == ["take"]
    bench.go(0.4, None, opened=0.004)
    assert [kind for _, kind in bench.story] == ["take"]
    bench.go(0.4, None, opened=0.006)
    assert [kind for _, kind in bench.story] == ["take", "give_back"]


def test_a_finger_that_moves_while_the_counter_is_up_does_not_let_go() -> None:
    bench = Bench()
    bench.go(3.0, SQUEEZE)
    bench.go(4 * PERIOD_S, None, opened=0.02)
    assert [kind for _, kind in bench.story] == ["take"]
    bench.go(2 * PERIOD_S, None, opened=0.02)
    assert [kind for _, kind in bench.story] == ["take", "give_back"]
