"""Gazebo's topic of contacts; where Gazebo is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hetwin_gazebo.bindings import Gazebo, gazebo, installed_release
from hetwin_gazebo.contacts import Contact, ContactTopic

MS = 1_000_000
TOPIC = "/hetwin/test/contacts"
if installed_release() is None:
    pytest.skip("Gazebo's Python bindings are not installed", allow_module_level=True)


@pytest.fixture
def gz() -> Gazebo:
    return gazebo()


@pytest.fixture
def publish(gz: Gazebo) -> Callable[..., None]:
    """Publish a step's contacts of one body with others, as the contact system does."""
    kind = gz.message("contacts_pb2", "Contacts")
    node: Any = gz.transport.Node()
    publisher = node.advertise(TOPIC, kind)

    def publish(step: int, one: int, *others: int) -> None:
        message = kind()
        message.header.stamp.nsec = step * MS
        for other in others:
            contact = message.contact.add()
            contact.collision1.id, contact.collision2.id = one, other
            contact.wrench.add().body_1_wrench.force.z = float(step)
        publisher.publish(message)

    return publish


def test_the_last_complete_step_counts_and_each_point_once(
    gz: Gazebo, publish: Callable[..., None]
) -> None:
    topic = ContactTopic(gz, TOPIC)
    assert topic.latest(0) == []
    for step in (1, 2, 3):
        publish(step, 7, 5)
        publish(step, 5, 7, 9)
    publish(4, 7, 5)  # the message of the other body has not arrived yet
    expected = [Contact((5, 9), (0.0, 0.0, 3.0)), Contact((5, 7), (0.0, 0.0, 3.0))]
    assert sorted(topic.latest(4 * MS), key=str) == sorted(expected, key=str)
    topic.close()


def test_what_arrived_long_ago_does_not_count(gz: Gazebo, publish: Callable[..., None]) -> None:
    topic = ContactTopic(gz, TOPIC)
    topic.latest(0)
    publish(1, 7, 5)
    publish(2, 7, 5)
    assert topic.latest(10 * MS) != []
    assert topic.latest(500 * MS) == []
    topic.close()


def test_nothing_is_received_before_the_first_and_long_after_the_last_request(
    gz: Gazebo, publish: Callable[..., None]
) -> None:
    topic = ContactTopic(gz, TOPIC)
    publish(1, 7, 5)
    assert topic.latest(2 * MS) == []
    publish(2, 7, 5)
    topic.unsubscribe_if_idle(400 * MS)
    assert topic.latest(400 * MS - 1) == [] != topic.latest(3 * MS)
    topic.unsubscribe_if_idle(700 * MS)
    publish(3, 7, 5)
    assert topic.latest(4 * MS) == []
    topic.close()
