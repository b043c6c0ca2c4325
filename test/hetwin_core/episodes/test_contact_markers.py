"""Contacts and owners in a log, as Foxglove and RViz show them."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_run import GRASP, RELEASE, STEP_NS, SmallRun

from hetwin_core.ensemble.topics import CONTACTS, MARKERS
from hetwin_core.episodes.following.content import LogContent
from hetwin_core.episodes.messages import nanoseconds, typestore
from hetwin_core.episodes.periodic_messages import ContactMessages, contact_lines

NEAR = np.array(
    [
        [3, 5, 0.0, 1.0, 2.0, 3.0, 0, 0, 1, 0.0, 0.0, 2.0],
        [3, 5, 0.01, 1.0, 2.0, 3.0, 0, 0, 1, 0.0, 0.0, 0.0],
        [4, 5, 0.0, 0.0, 0.0, 0.0, 0, 0, 1, 400.0, 0.0, 0.0],
    ]
)


def test_a_force_is_a_line_from_where_it_acts_and_never_longer_than_the_room() -> None:
    lines = contact_lines(NEAR)
    np.testing.assert_allclose(lines, [[1, 2, 3], [1, 2, 3.02], [0, 0, 0], [0.3, 0, 0]])


def test_contacts_are_one_list_and_are_taken_away_once() -> None:
    markers = ContactMessages()
    nothing = NEAR[:0]
    assert markers.fill(0, nothing) is None
    there = markers.fill(2_000_000_005, NEAR)
    assert there is not None
    (marker,) = typestore().deserialize_cdr(bytes(there), CONTACTS.type).markers
    assert (marker.type, marker.action, marker.header.frame_id) == (5, 0, "world")
    assert nanoseconds(marker.header.stamp) == 2_000_000_005
    assert [(p.x, p.y, p.z) for p in marker.points] == [
        tuple(row) for row in contact_lines(NEAR).tolist()
    ]
    gone = markers.fill(3, nothing)
    assert gone is not None
    (marker,) = typestore().deserialize_cdr(bytes(gone), CONTACTS.type).markers
    assert (marker.action, len(marker.points)) == (2, 0)
    assert markers.fill(4, nothing) is None
    assert markers.fill(5, nothing, always=True) == gone_at(5)


def gone_at(time_ns: int) -> bytes:
    """The message that takes contacts away."""
    markers = ContactMessages()
    markers.fill(0, NEAR)
    gone = markers.fill(time_ns, NEAR[:0])
    assert gone is not None
    return bytes(gone)


def test_a_log_labels_what_is_not_the_main_models(small_run: SmallRun) -> None:
    content = LogContent(small_run.out, MARKERS, CONTACTS)
    labels = [array.markers[0] for array in content.of(MARKERS)[1:]]
    assert [(m.text, m.action, m.header.frame_id) for m in labels] == [
        ("box: in_hand", 0, "box"),
        ("", 2, "box"),
    ]
    assert [nanoseconds(m.header.stamp) for m in labels] == [GRASP * STEP_NS, RELEASE * STEP_NS]
    contacts = content.of(CONTACTS)
    assert len(contacts) == pytest.approx(3.0 * 30, abs=3)
