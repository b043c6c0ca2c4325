"""A probe that snaps into a socket."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.scene_of import scene_of

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import Changes, RequestKind, Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value, pose_value
from model_nodes.connector import COLLISION, CONNECTED, Connector

PARAMETERS = {
    "probe": "dip",
    "socket": "spu",
    "connected_pose": [0.0, 0.0, 0.02, 1.0, 0.0, 0.0, 0.0],
    "axis": [0.0, 0.0, -1.0],
    "near_radius": 0.03,
    "near_length": 0.06,
    "lock_radius": 0.016,
    "lock_length": 0.007,
    "lock_angle": 15.0,
}
SOCKET = pose_value((0.6, 0.2, 0.9), (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)).data
ENTITIES = [
    Entity("dip", EntityKind.OBJECT),
    Entity("spu", EntityKind.STATIC),
    Entity("hand", EntityKind.HAND),
]
CARRIER = 2
"""Index of the hand."""


def scene(
    offset: tuple[float, float, float],
    tilt_deg: float = 0.0,
    step: int = 0,
    *,
    carried: bool = True,
) -> Snapshot:
    """The probe at an offset from its ideal place, in the socket's frame."""
    half = math.radians(tilt_deg) / 2
    place = (offset[0], offset[1], offset[2] + 0.02)
    relative = pose_value(place, (math.cos(half), math.sin(half), 0.0, 0.0)).data
    poses = {"dip": compose(SOCKET, relative), "spu": SOCKET}
    return placed(poses, step, carried=carried)


def placed(poses: dict[str, Floats], step: int = 0, *, carried: bool = True) -> Snapshot:
    """The scene; a carried probe's pose is given in the hand."""
    attributes = [("dip", COLLISION), ("dip", CONNECTED)]
    seen = scene_of(ENTITIES, poses, time_ns=20_000_000 * step, attributes=attributes)
    if carried:
        seen.parents[seen.layout.slot_id("dip", "pose")] = CARRIER
    return seen


def ready() -> Connector:
    model = Connector()
    model.contribute(PARAMETERS, 0)
    model.start(scene((0, 0, 0.2)))
    return model


def look(model: Connector, seen: Snapshot) -> Changes:
    return model.step(Tick(seen.time_ns, 20_000_000, seen))


def asked(output: Changes) -> list[tuple[str, str]]:
    return [(r.kind.value, r.attribute) for r in output.requests]


def grant(model: Connector, seen: Snapshot, output: Changes) -> None:
    """What the conductor does with the requests."""
    for request in output.requests:
        if request.kind is RequestKind.TAKE:
            value = Value(seen.get("dip", request.attribute), seen.time_ns)
            model.take(request.entity, request.attribute, value, seen)
        else:
            model.release(request.entity, request.attribute, seen)


def test_far_away_nothing_is_asked_for() -> None:
    assert asked(look(ready(), scene((0.0, 0.0, 0.1)))) == []
    assert asked(look(ready(), scene((0.04, 0.0, 0.01)))) == []


def test_on_the_way_in_it_takes_the_collisions_first_and_the_pose_at_the_end() -> None:
    model = ready()
    story = []
    for step, height in enumerate(np.linspace(0.1, 0.0, 51)):
        seen = scene((0.004, -0.003, float(height)), step=step)
        output = look(model, seen)
        story += [(e.name, round(float(height), 3)) for e in output.events]
        story += [(what, round(float(height), 3)) for what in asked(output)]
        grant(model, seen, output)
    assert story == [
        (("take", "collision"), 0.06),
        ("connected", 0.006),
        (("take", "pose"), 0.006),
    ]
    output = look(model, scene((0.0, 0.0, 0.0), step=60))
    assert output.values["dip", "connected"].data[0] == 1.0  # the socket's index
    assert output.values["dip", "collision"].data[0] == 0.0
    pose = output.values["dip", "pose"]
    assert pose.parent == "spu"
    np.testing.assert_array_equal(pose.data[:7], PARAMETERS["connected_pose"])


@pytest.mark.parametrize(
    ("offset", "tilt"), [((0.0, 0.0, 0.010), 0.0), ((0.02, 0.0, 0.0), 0.0), ((0.0, 0.0, 0.0), 20.0)]
)
def test_short_beside_or_askew_is_not_connected(
    offset: tuple[float, float, float], tilt: float
) -> None:
    output = look(ready(), scene(offset, tilt))
    assert output.events == []
    assert asked(output) == [("take", "collision")]


SIDEWAYS = [(float(turn), height) for turn in np.arange(10) * 36.0 for height in (-0.004, 0.003)]
"""Twenty directions of a sweep: its angle about the axis [deg], its height in the inner cylinder [m]."""


@pytest.mark.parametrize(("turn", "height"), SIDEWAYS)
@pytest.mark.parametrize("takes_over", [True, False])
def test_a_tip_that_is_swept_sideways_through_the_socket_is_never_connected(
    turn: float, height: float, takes_over: bool
) -> None:
    model = Connector()
    model.contribute({**PARAMETERS, "takes_over": takes_over}, 0)
    model.start(scene((0, 0, 0.2)))
    direction = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
    aside = 0.003 * np.array([-direction[1], direction[0]])
    for step, way in enumerate(np.linspace(-0.08, 0.08, 81)):
        x, y = (aside + way * direction).tolist()
        seen = scene((x, y, height), step=step)
        output = look(model, seen)
        assert output.events == []
        assert output.values["dip", "connected"].data[0] == -1.0
        assert ("take", "pose") not in asked(output)
        grant(model, seen, output)


def test_from_beneath_or_through_the_side_of_the_way_in_it_is_not_connected() -> None:
    ways = {
        "beneath": [(0.0, 0.0, z) for z in np.linspace(-0.05, 0.0, 26).tolist()],
        "aslant": [(0.5 * z, 0.0, 0.4 * z) for z in np.linspace(0.08, 0.0, 41).tolist()],
    }
    for way in ways.values():
        model = ready()
        for step, place in enumerate(way):
            seen = scene(place, step=step)
            output = look(model, seen)
            assert output.events == []
            grant(model, seen, output)


def test_after_a_sweep_it_connects_what_comes_along_the_axis() -> None:
    model = ready()
    around = [(-0.05, 0.0, 0.0), (0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.05, 0.0, 0.05)]
    along = [(0.002, 0.0, z) for z in np.linspace(0.05, 0.0, 26).tolist()]
    names = [
        [event.name for event in look(model, scene(place, step=step)).events]
        for step, place in enumerate(around + along)
    ]
    assert next(step for step, seen in enumerate(names) if seen) == len(around) + 22


def test_a_roll_about_the_axis_does_not_matter() -> None:
    model = ready()
    turned = pose_value((0, 0, 0.02), (math.cos(0.6), 0.0, 0.0, math.sin(0.6))).data
    poses = {"dip": compose(SOCKET, turned), "spu": SOCKET}
    seen = placed(poses)
    assert [e.name for e in look(model, seen).events] == ["connected"]


def test_a_probe_that_goes_away_unconnected_gets_its_collisions_back() -> None:
    model = ready()
    near = scene((0.0, 0.0, 0.05))
    grant(model, near, look(model, near))
    edge = scene((0.0, 0.0, 0.065))  # a little out is not out: no chatter at the edge
    assert asked(look(model, edge)) == []
    away = scene((0.0, 0.0, 0.08))
    output = look(model, away)
    assert asked(output) == [("give_back", "collision")]
    assert model.release("dip", "collision", away).data[0] == 1.0


def test_what_nobody_carries_does_not_snap_in() -> None:
    output = look(ready(), scene((0.0, 0.0, 0.0), carried=False))
    assert (asked(output), output.events) == ([], [])


def test_a_probe_that_is_let_go_unconnected_gets_its_collisions_back() -> None:
    model = ready()
    near = scene((0.0, 0.0, 0.04))
    grant(model, near, look(model, near))
    assert asked(look(model, scene((0.0, 0.0, 0.04), carried=False))) == [
        ("give_back", "collision")
    ]


def test_it_takes_nothing_else() -> None:
    seen = scene((0, 0, 0))
    with pytest.raises(Refused, match="for dip, not for spu"):
        ready().take("spu", "pose", Value(seen.pose("spu"), 0), seen)
    with pytest.raises(Refused, match="not responsible"):
        ready().release("dip", "pose", seen)


def test_a_bad_ideal_pose_is_bad_input() -> None:
    with pytest.raises(BadInput, match="connected_pose"):
        Connector().contribute({**PARAMETERS, "connected_pose": [0.0] * 7}, 0)


def test_without_taking_over_it_only_says_whether_the_probe_is_in_its_place() -> None:
    model = Connector()
    model.contribute({**PARAMETERS, "takes_over": False}, 0)
    model.start(scene((0, 0, 0.2)))
    story = []
    for step, height in enumerate((0.1, 0.03, 0.0, 0.0, 0.05)):
        output = look(model, scene((0.0, 0.0, height), step=step))
        assert asked(output) == []
        story.append((output.values["dip", "connected"].data[0], len(output.events)))
    assert story == [(-1, 0), (-1, 0), (1, 1), (1, 0), (-1, 0)]


def test_what_is_learned_is_what_is_compared() -> None:
    model = Connector()
    model.contribute(PARAMETERS, 0)
    here = scene((0.003, 0.004, 0.02), tilt_deg=10.0)
    model.start(here)
    found = model.compares(here)
    assert found is not None
    assert tuple(found) == Connector.thresholds
    assert found["lock_radius"] == pytest.approx(0.005)
    assert found["lock_length"] == pytest.approx(0.02)
    assert found["lock_angle"] == pytest.approx(10.0)
    assert model.compares(scene((0.0, 0.0, 0.0), carried=False)) is None


def judged(probability: float, hand: str = "hand", claim: str = "connected") -> Event:
    said: dict[str, Json] = {"claim": claim, "hand": hand, "probability": probability}
    return Event(JUDGED, 0, arguments=said)


def heard(model: Connector, seen: Snapshot, *events: Event) -> Changes:
    output = model.step(Tick(seen.time_ns, 20_000_000, seen, events))
    grant(model, seen, output)
    return output


def ready_to_hear() -> Connector:
    model = Connector()
    model.contribute({**PARAMETERS, "sure": 0.7}, 0)
    model.start(scene((0, 0, 0.2)))
    for height in np.linspace(0.1, 0.0, 20):
        heard(model, scene((0.0, 0.0, float(height))))
    return model


def test_where_evidence_decides_the_place_alone_does_not_connect() -> None:
    model = ready_to_hear()
    output = heard(model, scene((0.0, 0.0, 0.0), carried=False))
    assert output.values["dip", "connected"].data[0] == -1.0


def test_evidence_connects_a_probe_that_was_let_go_elsewhere_than_believed() -> None:
    model = ready_to_hear()
    let_go = scene((0.0, 0.0, 0.015), carried=False)
    output = heard(model, let_go, judged(0.69))
    assert ("take", "pose") not in asked(output)
    output = heard(model, let_go, judged(0.71))
    assert ("take", "pose") in asked(output)
    assert [event.name for event in output.events] == ["connected"]
    output = heard(model, let_go)
    assert output.values["dip", "connected"].data[0] == 1.0
    assert output.values["dip", "pose"].parent == "spu"


@pytest.mark.parametrize("other", [{"hand": "left"}, {"claim": "held"}])
def test_evidence_of_another_hand_or_claim_connects_nothing(other: dict[str, str]) -> None:
    model = ready_to_hear()
    output = heard(model, scene((0.0, 0.0, 0.015), carried=False), judged(0.99, **other))
    assert ("take", "pose") not in asked(output)


def test_a_pull_that_shows_that_it_is_loose_gives_the_probe_back() -> None:
    model, let_go = ready_to_hear(), scene((0.0, 0.0, 0.015), carried=False)
    heard(model, let_go, judged(0.9))
    output = heard(model, let_go, judged(0.1))
    assert ("give_back", "pose") in asked(output)
    output = heard(model, let_go)
    assert output.values["dip", "connected"].data[0] == -1.0
