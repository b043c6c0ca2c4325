"""What the conductor calls in another process arrives there, and what is returned arrives here."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from support.small_ensemble import HEADER, scenario

from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.model import (
    MainChanges,
    MainContribution,
    MainModel,
    MainTick,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Parameters
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout, Selection
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot, Table, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, Value, pose_value
from hetwin_core.ensemble.transport.remote import memory
from hetwin_core.ensemble.transport.remote.memory import FlatMessage, MemoryChannel
from hetwin_core.ensemble.transport.remote.own_process import ModelServer
from hetwin_core.ensemble.transport.remote.port import STOP_DEADLINE_S, Peer, RemotePort

LAYOUT = Layout.build([Entity("ball", EntityKind.OBJECT)], [("ball", POSE)])
BALL = pose_value((1.0, 2.0, 3.0))
SCENE = Snapshot(
    LAYOUT,
    ("physics", "other"),
    10,
    BALL.data.copy(),
    np.array([1], np.int32),
    np.array([-1], np.int32),
    proximity_tables(np.full((2, 12), 0.5)),
)
TICK = Tick(20, 10, SCENE)


class NearSettings(Parameters):
    a: float = 0.0


class Near(MainModel[NearSettings]):
    """Computes proximity when it is read, and remembers what it is called with."""

    provides = (POSE,)
    thresholds = ("a",)
    watching: ClassVar[dict[str, Any]] = {}
    reads: tuple[Selection, ...] = ()

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.kept: dict[str, Value] = {}

    def initialize(self, settings: NearSettings, scene: MainContribution) -> None:
        self.calls.append((settings.model_dump(), self.seed))
        scene.reads = self.reads

    def start(self, scene: Snapshot) -> None:
        self.calls.append(scene)

    def step(self, tick: MainTick) -> MainChanges:
        self.calls.append(tick)
        near = Table(lambda: np.full((2, 12), float(tick.time_ns)))
        return MainChanges(tick.time_ns, block=np.zeros(1), tables={PROXIMITY: near})

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self.calls.append((entity, attribute, scene))
        value.data[0] += 1.0  # it is the model's own
        self.kept[entity] = value

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        self.calls.append((entity, attribute, scene))
        return replace(self.kept[entity], parent="ball")

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self.calls.append((entity, attribute, value.data.tolist(), scene))

    def change(self, parameters: Mapping[str, Any]) -> None:
        self.calls.append(parameters)

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        self.calls.append(scene)
        return None if scene.time_ns > 10 else {"a": 0.1}

    def save(self) -> Mapping[str, Any]:
        return {"numbers": np.arange(3.0), "nan": float("nan"), "names": ["a"]}

    def restore(self, saved: Mapping[str, Any], scene: Snapshot) -> None:
        self.calls.append((saved, scene))

    def command(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.calls.append((name, arguments))


class AtHand(Peer):
    """A server in this process, over memory."""

    def __init__(self, plan: Any, model: Model) -> None:
        super().__init__(plan)
        self.channel = MemoryChannel.make()
        self.server = ModelServer(lambda: model)
        self.waits: list[tuple[str, float]] = []
        self.is_deaf = self.has_ended = False

    def connect(self) -> tuple[str, int]:
        return "host", 7

    @property
    def is_reachable(self) -> bool:
        return not self.has_ended

    def send(self, call: FlatMessage) -> None:
        self.channel.request(call)

    def result(self, call: str, until: float) -> FlatMessage | None:
        self.waits.append((call, until - time.monotonic()))
        if self.is_deaf:
            return None
        while self.server.serve_next(self.channel, 0.0):
            pass
        return self.channel.reply_until(time.monotonic() + 5.0, lambda: True)

    def timeout_failure(self, call: str, deadline_s: float) -> RunFailed:
        return self.failure(call, f"late after {deadline_s:g} s")

    def end(self, failure: RunFailed | None) -> RunFailed | None:
        self.channel.close()
        self.has_ended = True
        return failure

    def restart_process(self) -> None:
        pass


def begun(model: Near) -> tuple[RemotePort, AtHand]:
    """A port to a model that has started."""
    plan = scenario(f'{HEADER}  near: {{type: "{__name__}:Near", deadline: 0.4}}\n').models[1]
    peer = AtHand(plan, model)
    port = RemotePort(plan, peer, 5)
    assert port.register() == ("host", 7)
    port.initialize({"a": 1.5}, 3)
    port.start(SCENE)
    return port, peer


@pytest.fixture
def near() -> Near:
    return Near()


@pytest.fixture
def port_and_peer(near: Near) -> Iterator[tuple[RemotePort, AtHand]]:
    port, peer = begun(near)
    near.calls.clear()
    yield port, peer
    port.stop()


def same_scene(one: Snapshot, other: Snapshot) -> bool:
    arrays = ("values", "owners", "parents", "proximity")
    return (one.time_ns, one.models, one.layout) == (
        other.time_ns,
        other.models,
        other.layout,
    ) and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)


def test_a_start_has_the_whole_scene(near: Near) -> None:
    _, peer = begun(near)
    given, scene = near.calls
    assert given == ({"a": 1.5}, 3)
    assert same_scene(scene, SCENE)
    assert peer.server.period_ns == 5


def test_an_output_has_the_rows_of_its_step(
    port_and_peer: tuple[RemotePort, AtHand], near: Near
) -> None:
    """A step of several periods is one call."""
    port, peer = port_and_peer
    port.begin_step(replace(TICK, time_ns=40, period_ns=30))
    output = port.end_step()
    port.begin_step(replace(TICK, time_ns=50))
    assert port.end_step().time_ns == 50
    assert [(tick.time_ns, tick.period_ns) for tick in near.calls] == [(40, 30), (50, 10)]
    assert [call for call, _ in peer.waits[-2:]] == ["step", "step"]
    assert isinstance(output, MainChanges)
    assert output.tables[PROXIMITY].rows().tolist() == [[40.0] * 12] * 2


@pytest.mark.parametrize("reads_proximity", [True, False])
def test_a_step_has_what_the_model_reads(near: Near, reads_proximity: bool) -> None:
    near.reads = (Selection("*", "*" if reads_proximity else "pose"),)
    port, _ = begun(near)
    assert (PROXIMITY in port.reads_tables) is reads_proximity
    port.begin_step(TICK)
    port.end_step()
    seen = near.calls[-1].scene
    assert len(seen.proximity) == (2 if reads_proximity else 0)
    assert same_scene(seen, SCENE) is reads_proximity
    assert near.calls[-1].period_ns == 10


def test_what_is_taken_and_released_belongs_to_whoever_has_it(
    port_and_peer: tuple[RemotePort, AtHand], near: Near
) -> None:
    port, _ = port_and_peer
    given = Value(BALL.data.copy(), 9, "ball")
    port.take("ball", "pose", given, SCENE)
    assert near.calls[-1][:2] == ("ball", "pose")
    assert same_scene(near.calls[-1][2], SCENE)
    assert given.data[0] == 1.0
    released = port.release("ball", "pose", SCENE)
    assert near.calls[-1][:2] == ("ball", "pose")
    assert same_scene(near.calls[-1][2], SCENE)
    assert (released.time_ns, released.parent) == (9, "ball")
    assert released.data.tolist() == [2.0, *BALL.data[1:].tolist()]
    released.data[0] = 0.0


def test_a_command_has_its_arguments(port_and_peer: tuple[RemotePort, AtHand], near: Near) -> None:
    port, _ = port_and_peer
    port.command("heat", {"to": 350.0})
    assert near.calls == [("heat", {"to": 350.0})]


def test_learning_and_prediction_reach_a_model_in_another_process(
    port_and_peer: tuple[RemotePort, AtHand], near: Near
) -> None:
    port, _ = port_and_peer
    port.place("ball", "pose", BALL, SCENE)
    assert near.calls[-1][:3] == ("ball", "pose", BALL.data.tolist())
    port.change({"a": 0.5})
    assert near.calls[-1] == {"a": 0.5}
    assert port.compares(SCENE) == {"a": 0.1}
    assert same_scene(near.calls[-1], SCENE)
    assert port.compares(replace(SCENE, time_ns=11)) is None
    saved = port.save()
    port.restore(saved, SCENE)
    found, scene = near.calls[-1]
    assert same_scene(scene, SCENE)
    assert found["numbers"].tolist() == [0.0, 1.0, 2.0]
    assert found["nan"] != found["nan"]
    assert found["names"] == ["a"]


def test_a_call_waits_for_the_step_before_it(
    port_and_peer: tuple[RemotePort, AtHand], near: Near
) -> None:
    port, _ = port_and_peer
    port.begin_step(TICK)
    port.command("heat", {})
    assert [type(call) for call in near.calls] == [MainTick, tuple]
    assert port.end_step().time_ns == 20
    with pytest.raises(RunFailed, match=r"step failed at 0\.000000 s: no step was requested"):
        port.end_step()


def test_each_call_has_its_deadline(port_and_peer: tuple[RemotePort, AtHand]) -> None:
    port, peer = port_and_peer
    peer.waits.clear()
    peer.is_deaf = True
    with pytest.raises(RunFailed, match=r"command failed .*: late after 0.4 s"):
        port.command("heat", {})
    (call, left_s), *_ = peer.waits
    assert call == "command"
    assert 0.2 < left_s <= 0.4
    peer.waits.clear()
    failure = port.stop()
    assert failure is not None
    assert [call for call, _ in peer.waits] == ["command"]
    assert peer.waits[0][1] <= STOP_DEADLINE_S


def test_what_does_not_fit_fails_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SIZE_BYTES", 4096)
    near = Near()
    port, _ = begun(near)
    with pytest.raises(RunFailed, match=r"command failed .*: its input is too large: it has"):
        port.command("heat", {"how": "x" * 4096})
    port.take("ball", "pose", BALL, SCENE)
    near.kept["ball"] = Value(np.zeros(4096), 0)
    with pytest.raises(RunFailed, match=r"release failed .*: TooLarge: it has"):
        port.release("ball", "pose", SCENE)


def test_a_model_that_is_inactive_takes_no_step(
    port_and_peer: tuple[RemotePort, AtHand],
) -> None:
    port, peer = port_and_peer
    peer.server.deactivate()
    port.begin_step(TICK)
    with pytest.raises(RunFailed, match="the model is not active; expected a start"):
        port.end_step()


def test_a_refusal_is_no_failure(port_and_peer: tuple[RemotePort, AtHand], near: Near) -> None:
    def refuse(name: str, arguments: Mapping[str, Any]) -> None:
        raise Refused("never")

    near.command = refuse  # type: ignore[method-assign]
    port, _ = port_and_peer
    with pytest.raises(Refused, match="never"):
        port.command("heat", {})
    assert port.stop() is None
