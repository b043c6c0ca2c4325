"""What came of a run for the things that the robot handled."""

from __future__ import annotations

import pytest
from support.ball_episode import ENTITIES, RELEASED, TAKEN, ball_episode
from support.made_episode import made_episode, observed, poses, with_fields

from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.derived import Annotation
from hetwin_suite.view.report.story.events import intended_places
from hetwin_suite.view.report.story.headline import actions_sentence, outcomes

PUT = observed("put_down", 4.0, object="ball", hand="hand", support="stand")
LOST = observed("lost", 4.0, object="ball", hand="hand", support=None)
FALLEN = observed("dropped", 4.5, object="ball", hand="hand", height=0.5)


@pytest.mark.parametrize(
    ("end", "events", "target", "expected"),
    [
        ("tray", (TAKEN, RELEASED), "tray", "The ball lies in the tray, where it was to go."),
        (
            *("floor", (TAKEN, RELEASED), "tray"),
            "The ball was dropped: it lies on the floor, not in the tray.",
        ),
        ("floor", (TAKEN, RELEASED), "", "The ball was dropped: it lies on the floor."),
        ("floor", (TAKEN, LOST, FALLEN), "", "The ball was dropped: it lies on the floor."),
        ("stand", (TAKEN, PUT), "tray", "The ball lies on the stand, not in the tray."),
        (
            *("stand", (), "tray"),
            "The ball was never picked up: it lies on the stand, not in the tray.",
        ),
        ("hand", (TAKEN,), "tray", "The ball is held by the hand, not in the tray."),
        ("stand", (TAKEN, PUT), "", "The ball lies on the stand."),
    ],
)
def test_it_says_where_a_thing_is_and_where_not(
    end: str, events: tuple[object, ...], target: str, expected: str
) -> None:
    (found,) = outcomes(ball_episode(end, events, target))  # type: ignore[arg-type]
    assert found.text == expected
    assert found.achieved is (None if not target else end == target)


def test_a_place_that_is_poured_into_is_not_where_a_thing_is_to_go() -> None:
    episode = ball_episode("stand")
    (move,) = episode.annotations
    assert intended_places(episode)["ball"].place == "tray"
    pour = Annotation("pour", move.begin_ns, move.end_ns, dict(move.arguments), False)
    assert not intended_places(with_fields(episode, annotations=(move, pour)))


def test_things_of_which_only_actions_speak_are_counted() -> None:
    episode = made_episode(ENTITIES, {("ball", POSE): poses((0.0, 0.0, 0.0))})
    action = Annotation("suck", 0, 1, {"object": "ball"}, False)
    assert actions_sentence(episode) == ""
    assert actions_sentence(with_fields(episode, annotations=(action,))) == (
        "The robot acted on ball (suck); it moved by 0 mm."
    )
