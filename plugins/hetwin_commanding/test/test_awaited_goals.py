"""What becomes of motions whose sender waits for the end."""

from __future__ import annotations

from hetwin_commanding.source.ends import GoalEnd, Goals, Outcome


def test_a_goal_is_reached_when_its_motion_ends() -> None:
    goals = Goals()
    goals.begin_motion("arm", 1, 2.0)
    goals.look(1.9)
    assert goals.take(1) is None
    goals.look(2.0)
    assert goals.take(1) == Outcome(GoalEnd.REACHED)
    assert goals.take(1) is None


def test_another_motion_of_its_controller_replaces_it() -> None:
    goals = Goals()
    goals.begin_motion("arm", 1, 2.0)
    goals.begin_motion("hand", 2, 2.0)
    goals.begin_motion("arm", 0, 3.0)  # from a topic: nothing waits for it
    assert goals.take(1) == Outcome(GoalEnd.REPLACED, "arm got another motion")
    assert goals.take(2) is None


def test_only_what_is_on_its_way_can_be_canceled() -> None:
    goals = Goals()
    goals.begin_motion("arm", 1, 2.0)
    assert not goals.cancel("arm", 5)
    assert not goals.cancel("hand", 1)
    assert goals.cancel("arm", 1)
    assert goals.take(1) == Outcome(GoalEnd.CANCELED, "it was canceled")
    assert not goals.cancel("arm", 1)


def test_a_refused_goal_has_its_reason() -> None:
    goals = Goals()
    goals.refuse(3, "no such joint")
    goals.refuse(0, "of a topic")
    assert goals.take(3) == Outcome(GoalEnd.REFUSED, "no such joint")
    assert goals.take(0) is None
