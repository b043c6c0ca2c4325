"""Which moments get a picture."""

from __future__ import annotations

from typing import Any

from support.made_episode import concern, handed_over, made_episode, observed, poses

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.followed import moments

GRASPED = observed("grasped", 2.0, object="box", hand="gripper")
DROPPED = observed("dropped", 6.0, object="box")


def episode(**more: Any) -> Episode:
    return made_episode(
        [Entity("box", EntityKind.OBJECT)], {("box", POSE): poses((0.0, 0.0, 0.0))}, **more
    )


def times(episode: Episode, most: int = 8) -> list[float]:
    return [moment.time_ns / 1e9 for moment in moments(episode, most)]


def test_few_moments_are_filled_up() -> None:
    assert times(episode()) == [0.0, 2.5, 5.0, 10.0]


def test_concerns_are_among_them_with_what_they_are_about() -> None:
    flung = concern("flung", "absurd", 4.0, 7.0, text="box is flung", object="box")
    found = moments(episode(events=[GRASPED, DROPPED], concerns=[flung]))
    said = {moment.time_ns / 1e9: (moment.what, moment.thing) for moment in found}
    assert said[4.0] == (("box is flung",), "box")
    assert said[7.0] == (("where box went",), "box")
    assert max(found, key=lambda moment: moment.weight).time_ns == 4_000_000_000


def test_what_is_odd_from_the_start_is_the_first_moment() -> None:
    inside = concern("starts_inside", "absurd", 0.02, 10.0, text="base is inside table")
    found = moments(episode(concerns=[inside]))
    assert [moment.time_ns for moment in found].count(0) == 1
    assert found[0].what == ("base is inside table",)
    assert max(found, key=lambda moment: moment.weight) == found[0]


def test_notes_get_no_picture() -> None:
    assert 4.0 not in times(episode(concerns=[concern("gap", "note", 4.0, 4.2)]))


def test_the_last_that_was_handled_says_most() -> None:
    found = moments(episode(events=[GRASPED, DROPPED, observed("warm", 9.0, thing="box")]))
    assert max(found, key=lambda moment: moment.weight).what == ("box dropped",)
    assert ("box warm",) in [moment.what for moment in found]


def test_a_handover_beside_what_was_seen_adds_no_words() -> None:
    handover = handed_over("box", 2.01, "physics", "grip")
    found = moments(episode(events=[GRASPED], handovers=[handover]))
    assert found[1].what == ("box grasped by gripper",)
    assert any("box pose: physics → grip" in m.what for m in moments(episode(handovers=[handover])))


def test_if_there_are_too_many_concerns_go_first_and_handovers_last() -> None:
    handovers = [handed_over("box", 1.0 + i, "physics", "grip") for i in range(4)]
    jump = concern("jump", "warning", 9.0, 9.0)
    found = times(episode(events=[GRASPED, DROPPED], handovers=handovers, concerns=[jump]), 5)
    assert found == [0.0, 2.0, 6.0, 9.0, 10.0]
