"""A run that goes on, seen and taken in hand by a client of Foxglove's protocol."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.shown_runs import ShownRun

pytest.importorskip("foxglove", reason="the extra foxglove is not installed")

from foxglove_client import FoxgloveClient, frames_in

from hetwin_foxglove.channels import VALUES
from hetwin_foxglove.live import FoxgloveLive
from hetwin_suite.viewer import Phase


@pytest.fixture
def running() -> ShownRun:
    return ShownRun()


@pytest.fixture
def client(running: ShownRun) -> Iterator[FoxgloveClient]:
    shown = FoxgloveLive(running.live, running.live, 0)
    with FoxgloveClient(shown.address) as client:
        yield client
    shown.close()
    running.end()


def test_it_is_seen_stepped_and_paused(running: ShownRun, client: FoxgloveClient) -> None:
    client.until(lambda: client.rows("/hetwin/responsibilities"), "responsibilities")
    client.until(lambda: client.rows("/tf"), "frames")
    assert frames_in(client.rows("/tf")[0]) == {"ball", "hand", "world"}
    client.until(lambda: client.rows("/hetwin/registry"), "the registry")
    assert client.rows("/hetwin/registry")[0]["scenario"] == "small"
    assert client.call("/hetwin/control", command="step", steps=2)["accepted"]
    client.until(lambda: running.now().time_ns == 20_000_000, "two steps")
    client.until(lambda: len(client.rows(VALUES)) > 1, "the state after them")
    assert client.call("/hetwin/control", command="pace", pace=2.0)["accepted"]
    assert client.call("/hetwin/control", command="pause")["accepted"]
    client.until(lambda: running.phase is Phase.PAUSED, "the pause")
    assert "expected pause, go_on" in client.call("/hetwin/control", command="dance")["reason"]
    assert "steps is 0" in client.call("/hetwin/control", command="step")["reason"]
    assert "a positive number" in client.call("/hetwin/control", command="pace", pace=-1)["reason"]


def test_it_is_handed_over(running: ShownRun, client: FoxgloveClient) -> None:
    client.until(lambda: client.rows("/hetwin/responsibilities"), "responsibilities")
    over = {"entity": "ball", "attribute": "pose", "model": "watcher"}
    assert client.call("/hetwin/hand_over", **over) == {"accepted": True, "reason": ""}
    client.until(
        lambda: any(
            over in row["responsibilities"] for row in client.rows("/hetwin/responsibilities")
        ),
        "the new owner",
    )
    client.until(lambda: client.rows("/hetwin/handovers"), "the handover")
    (handover,) = client.rows("/hetwin/handovers")
    assert (handover["to_model"], handover["cause"]) == ("watcher", "by hand")
    again = client.call("/hetwin/hand_over", **over)
    assert not again["accepted"]
    assert "already" in again["reason"]
    assert client.call("/hetwin/control", command="next_event")["accepted"]
    client.until(
        lambda: "handed_over" in [event["name"] for event in client.rows("/hetwin/events")],
        "the event of the handover",
    )
