"""An insertion is judged by the position of the first resistance, whatever the assumed position of the socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.scene.snapshot import WRENCHES, Snapshot, Table
from hetwin_evidence.mating import STRAINS, Mating
from hetwin_suite.model import (
    JUDGED,
    POSE,
    AttributeSpec,
    Entity,
    EntityKind,
    Event,
    EventKind,
    Floats,
    Layout,
    Tick,
)

STEP_S = 0.02
TOUCH_S, RELEASE_S, END_S = 1.0, 2.5, 3.0
FACE_M = 0.04
"""Height of the socket's face above the assumed bottom of the socket [m]."""
GRAVITY_N = -9.0
"""Weight of the hand, which the sensor carries [N]."""
ENTITIES = (
    Entity("robot", EntityKind.ROBOT, joints=("shoulder", "elbow", "finger")),
    Entity("upper", EntityKind.LINK, owner="robot", joint="shoulder"),
    Entity("palm", EntityKind.LINK, owner="robot", parent="upper", joint="elbow"),
    Entity("hand", EntityKind.HAND, owner="robot", parent="palm", joints=("finger",)),
    Entity("plug", EntityKind.OBJECT),
    Entity("socket", EntityKind.STATIC),
)
HAND = {
    "name": "hand",
    "robot": "robot",
    "link": "palm",
    "joints": ["finger"],
    "finger_links": [],
    "opened": [0.0],
    "closed": [1.0],
}


class Arm:
    """An arm that lowers a plug into a socket, whose face stands elsewhere than believed.

    Args:
        higher: by how much the face stands higher than believed [m].
        sinks: how deep the plug goes from there [m].
        wrench, efforts, strain: which signals it has.
        pushes: how hard the face pushes back [N].
        stretch: factor of all times.
        start_s: of the run.
        offset: of the force sensor [N].
        frame: of the wrenches.
        saturated: whether the sensor is at its limit.
        lost_s: when the twin believes that the hand has lost the plug.
    """

    def __init__(
        self,
        higher: float,
        sinks: float,
        *,
        wrench: bool = False,
        efforts: bool = False,
        strain: bool = False,
        pushes: float = 12.0,
        stretch: float = 1.0,
        start_s: float = 0.0,
        offset: tuple[float, float, float] = (3.0, -2.0, 4.0),
        frame: str = "palm",
        saturated: bool = False,
        lost_s: float = RELEASE_S,
    ) -> None:
        self.higher, self.sinks, self.pushes, self.offset = higher, sinks, pushes, offset
        self.has_wrench, self.has_efforts, self.has_strain = wrench, efforts, strain
        self.lost_s = lost_s
        self.stretch, self.start_s, self.frame, self.saturated = stretch, start_s, frame, saturated
        attributes = [("robot", AttributeSpec("joint_positions", 3))]
        attributes.append(("robot", AttributeSpec("joint_efforts", 3)))
        poses = [(name, POSE) for name in ("palm", "hand", "plug", "socket")]
        self.layout = Layout.build(ENTITIES, [*attributes, *poses])
        self.random = np.random.default_rng(2)

    def tip(self, time_s: float) -> float:
        """Height of the plug's tip above the socket's believed bottom [m]."""
        face = FACE_M + self.higher
        return float(
            np.interp(
                time_s / self.stretch,
                (0.5, TOUCH_S, 1.4, RELEASE_S - 0.5),
                (face + 0.05, face, face, face - self.sinks),
            )
        )

    def push(self, time_s: float) -> float:
        """Return the contact force [N]."""
        times = (TOUCH_S, TOUCH_S + 0.05, 1.4, 1.45)
        return float(np.interp(time_s / self.stretch, times, (0.0, 1.0, 1.0, 0.2))) * self.pushes

    def scene(self, time_s: float) -> Snapshot:
        """The scene at a time."""
        layout, values = self.layout, np.zeros(self.layout.size)
        for name, height in (("palm", 0.2), ("hand", 0.1), ("plug", 0.0), ("socket", None)):
            at = 0.0 if height is None else self.tip(time_s) + height
            values[layout.range_of(name, "pose")][:7] = (0.0, 0.0, at, 1.0, 0.0, 0.0, 0.0)
        if self.has_efforts:
            efforts = np.array((20.0, 8.0, 0.3)) + 0.3 * self.push(time_s)
            values[layout.range_of("robot", "joint_efforts")] = efforts
        opens = np.interp(time_s / self.stretch, (RELEASE_S, RELEASE_S + 0.1), (0.6, 0.0))
        values[layout.range_of("robot", "joint_positions")] = (0.0, 0.0, opens)
        parents = np.full(len(layout.slots), -1, np.int32)
        if time_s / self.stretch < self.lost_s:
            parents[layout.slot_id("plug", "pose")] = layout.entity_id("hand")
        tables: Mapping[str, Table] = {WRENCHES: Table(self._rows(time_s))}
        time_ns = round((self.start_s + time_s) * 1e9)
        owners = np.zeros(len(layout.slots), np.int32)
        return Snapshot(layout, ("physics",), time_ns, values, owners, parents, tables)

    def _rows(self, time_s: float) -> Floats:
        if not self.has_wrench:
            return np.zeros((0, 8))
        names = [entity.name for entity in self.layout.entities]
        frame = names.index(self.frame) if self.frame in names else -1
        force = np.array((0.0, 0.0, GRAVITY_N + self.push(time_s))) + self.offset
        force = np.full(3, 100.0) if self.saturated else force + self.random.normal(0.0, 0.05, 3)
        now_ns = round((self.start_s + time_s) * 1e9)
        return np.array([[now_ns, frame, *force, 0.0, 0.0, 0.0]])

    def said(self, time_s: float) -> tuple[Event, ...]:
        """Return the events of the robot."""
        if not self.has_strain:
            return ()
        errors = {"shoulder": 0.003 + 0.002 * self.push(time_s), "elbow": -0.001}
        time_ns = round((self.start_s + time_s) * 1e9)
        return (Event(STRAINS, time_ns, EventKind.ACTION, "/arm", arguments={"errors": errors}),)

    def judged(self, **parameters: Any) -> dict[str, Any]:
        """Run the model; returns the one claim that it makes."""
        model = Mating()
        given = {"hand": HAND, "probe": "plug", "socket": "socket", **parameters}
        model.contribute(given, 0)
        model.start(self.scene(0.0))
        events: list[Event] = []
        for step in range(1, round(END_S * self.stretch / STEP_S)):
            now = step * STEP_S
            scene = self.scene(now)
            tick = Tick(scene.time_ns, round(STEP_S * 1e9), scene, self.said(now))
            events += model.step(tick).events
        (one,) = events
        assert (one.name, one.arguments["claim"], one.arguments["hand"]) == (
            JUDGED,
            "connected",
            "hand",
        )
        return dict(one.arguments)


def speaking(claim: Mapping[str, Any]) -> dict[str, float]:
    return {
        one["source"]: one["quantity"] for one in claim["voices"] if one["quantity"] is not None
    }


@pytest.mark.parametrize("higher", [-0.014, 0.0, 0.014])
@pytest.mark.parametrize(
    ("signal", "source"),
    [
        ("wrench", "depth_by_wrench"),
        ("efforts", "depth_by_efforts"),
        ("strain", "depth_by_commands"),
        (None, "depth_by_rest"),
    ],
)
def test_a_probe_that_sinks_is_connected_wherever_the_socket_is(
    signal: str | None, source: str, higher: float
) -> None:
    signals = {} if signal is None else {signal: True}
    claim = Arm(higher, 0.035, **signals).judged()
    assert claim["known"] is True
    assert speaking(claim) == {source: pytest.approx(0.035, abs=0.003)}
    claim = Arm(higher, 0.001 if signal else 0.0, **signals).judged()
    assert claim["probability"] < (0.2 if signal else 0.3)


def test_the_best_signal_speaks_and_the_others_say_why_not() -> None:
    claim = Arm(0.01, 0.03, wrench=True, efforts=True, strain=True).judged()
    assert list(speaking(claim)) == ["depth_by_wrench"]
    reasons = [one["reason"] for one in claim["voices"]]
    assert reasons == ["", *["depth_by_wrench knows better"] * 3]


def test_the_real_hand_pushes_on_where_the_twin_has_lost_the_plug() -> None:
    claim = Arm(0.0, 0.03, wrench=True, lost_s=TOUCH_S + 0.2).judged()
    assert speaking(claim) == {"depth_by_wrench": pytest.approx(0.03, abs=0.003)}


def test_an_arm_that_springs_back_when_the_hand_opens_has_not_sunk() -> None:
    arm = Arm(0.0, 0.001, wrench=True)
    tip = arm.tip
    arm.tip = lambda time_s: tip(time_s) - (0.02 if time_s > RELEASE_S + 0.01 else 0.0)  # type: ignore[method-assign]
    assert arm.judged()["known"] is False


def test_what_is_missing_is_said() -> None:
    claim = Arm(0.0, 0.03).judged()
    reasons = " ".join(one["reason"] for one in claim["voices"])
    for words in ("no wrench is received", "efforts of the arm's joints are not known"):
        assert words in reasons
    assert "no controller says" in reasons


def test_a_depth_about_that_from_which_it_slides_in_is_not_known() -> None:
    claim = Arm(0.0, 0.009, wrench=True).judged()
    assert claim["known"] is None
    assert "lies between" in claim["reason"]
    assert Arm(0.0, 0.009, wrench=True).judged(goes_in=0.002)["known"] is True


@pytest.mark.parametrize(
    "changes",
    [{"stretch": 1.3}, {"start_s": 1000.0}, {"offset": (-7.0, 9.0, -11.0)}],
    ids=["time stretched", "later", "another offset"],
)
@pytest.mark.parametrize("sinks", [0.002, 0.03])
def test_what_separates_batches_changes_no_verdict(sinks: float, changes: dict[str, Any]) -> None:
    plain = Arm(0.01, sinks, wrench=True).judged()
    other = Arm(0.01, sinks, wrench=True, **changes).judged()
    assert other["known"] is plain["known"]
    assert other["probability"] == pytest.approx(plain["probability"], abs=0.05)


@pytest.mark.parametrize(
    "changes",
    [{"frame": "tool9"}, {"offset": (np.nan, 0.0, 0.0)}, {"saturated": True}],
    ids=["frame", "not a number", "saturated"],
)
def test_a_wrench_that_cannot_be_used_leaves_it_to_the_efforts(changes: dict[str, Any]) -> None:
    claim = Arm(0.0, 0.03, wrench=True, efforts=True, **changes).judged()
    assert list(speaking(claim)) == ["depth_by_efforts"]


def test_efforts_and_commands_of_other_joints_are_not_the_arms() -> None:
    arm = Arm(0.0, 0.03, strain=True)
    said: Callable[[float], tuple[Event, ...]] = arm.said
    arm.said = lambda time_s: tuple(  # type: ignore[method-assign]
        Event(one.name, one.time_ns, one.kind, one.source, arguments={"errors": {"other": 1.0}})
        for one in said(time_s)
    )
    assert list(speaking(arm.judged())) == ["depth_by_rest"]
