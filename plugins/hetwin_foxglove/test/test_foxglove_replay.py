"""A finished run, played to a client of Foxglove's protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from support.small_run import SmallRun

pytest.importorskip("foxglove", reason="the extra foxglove is not installed")

from foxglove_client import FoxgloveClient, as_json, frames_in, shown_in
from websockets.exceptions import InvalidStatus

from hetwin_core.episodes.following.log_file import LogFile
from hetwin_foxglove.channels import VALUES
from hetwin_foxglove.file import write_foxglove_file
from hetwin_foxglove.replay import Replay
from hetwin_suite.command import BadInput
from hetwin_suite.episode import open_episode
from hetwin_suite.viewer import typestore

BODIES = {"base", "upper", "box", "ball", "table"}
SCENE, FRAMES, CONTACTS = "/hetwin/markers", "/tf", "/hetwin/contacts"
MARKERS = "visualization_msgs/msg/MarkerArray"


@pytest.fixture
def replay(small_run: SmallRun) -> Iterator[Replay]:
    replay = Replay(small_run.out, 0)
    yield replay
    replay.close()


def test_a_client_sees_every_body_and_what_happens_and_changes_the_pace(replay: Replay) -> None:
    with FoxgloveClient(replay.address) as client:
        client.until(lambda: client.rows(SCENE), "scene")
        assert shown_in(client.rows(SCENE)[0]) == BODIES
        assert client.schemas[SCENE] == client.schemas[CONTACTS] == MARKERS
        client.until(lambda: client.rows(FRAMES) and client.rows("/tf_static"), "frames")
        moving, fixed = (frames_in(client.rows(t)[0]) for t in (FRAMES, "/tf_static"))
        assert moving | fixed == BODIES | {"gripper", "world"}
        assert client.schemas["/hetwin/events"] == "hetwin/msg/Event"
        assert client.call("/hetwin/control", command="pace", pace=4.0)["accepted"]
        client.until(lambda: len(client.rows("/hetwin/handovers")) == 2, "two handovers")
        first = client.rows("/hetwin/handovers")[0]
        assert (first["entity"], first["from_model"], first["to_model"]) == (
            "box",
            "physics",
            "in_hand",
        )
        owners = client.rows("/hetwin/responsibilities")
        assert {"entity": "box", "attribute": "pose", "model": "in_hand"} in [
            row for table in owners for row in table["responsibilities"]
        ]
        client.until(
            lambda: [shown_in(row) for row in client.rows(SCENE)].count({"box"}) == 2,
            "box in the colour of each new owner",
        )
        box = [m for row in client.rows(SCENE) for m in row["markers"] if m["ns"] == "box"]
        # The whole scene may come twice: to who subscribes, and as the first that is published.
        grey, other, again = (colour for colour, _ in groupby(marker["color"] for marker in box))
        assert grey == again != other
        refused = client.call("/hetwin/hand_over", entity="box", attribute="pose", model="physics")
        assert not refused["accepted"]
        assert "over" in refused["reason"]
        assert client.rows(VALUES)[0]["box"]["pose"][2] > 0
    with FoxgloveClient(replay.address) as late:
        late.until(lambda: late.rows(SCENE) and late.rows("/hetwin/registry"), "all again")
        assert shown_in(late.rows(SCENE)[0]) == BODIES


def test_a_foreign_page_is_sent_away(replay: Replay) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        FoxgloveClient(replay.address, Origin="http://evil.example")


def test_a_file_has_frames_and_contacts_for_each_state_and_the_scene(
    small_run: SmallRun, tmp_path: Path
) -> None:
    file = tmp_path / "run.mcap"
    written = write_foxglove_file(small_run.out, file).document
    states = written["states"][str(file)]
    log, counts, seen = LogFile(file), Counter[str](), set[str]()
    for chunk in log.poll():
        for channel, messages in chunk.messages.items():
            topic = log.channels[channel].topic
            counts[topic] += len(messages)
            if topic == SCENE:
                for message in messages:
                    raw = bytes(chunk.data[message.begin : message.end])
                    seen |= shown_in(as_json(typestore().deserialize_cdr(raw, MARKERS)))
    assert log.complete
    assert states == len(open_episode(small_run.out).times)
    assert counts[FRAMES] == counts[CONTACTS] == states
    assert (counts[SCENE], counts["/hetwin/handovers"]) == (3, 2)
    assert counts["/hetwin/events"] == len(small_run.events)
    assert seen == BODIES


def test_a_file_that_is_there_is_not_overwritten(small_run: SmallRun, tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_text("mine")
    with pytest.raises(BadInput, match="cannot be written"):
        write_foxglove_file(small_run.out, tmp_path / "run.mcap")
    assert (tmp_path / "run.mcap").read_text() == "mine"


def test_a_port_that_is_taken_is_named(replay: Replay, small_run: SmallRun) -> None:
    port = int(replay.address.rpartition(":")[2])
    with pytest.raises(BadInput, match=str(port)):
        Replay(small_run.out, port)
