"""What is seen first."""

from __future__ import annotations

import re
from typing import Any

from support.made_episode import concern, made_episode, observed, poses, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.content import TIMELINE
from hetwin_suite.view.document import html_of
from hetwin_suite.view.report.page import first_screen
from hetwin_suite.view.report.story.headline import headline

ENTITIES = [
    Entity("arm", EntityKind.ROBOT, joints=("shoulder",)),
    Entity("box", EntityKind.OBJECT),
    Entity("bowl", EntityKind.OBJECT),
]
TOUCHES = concern("link_touches", "warning", 2.0, 3.5, text="<b>arm</b> touches table", count=3)
NOTE = concern("gap", "note", 1.0, 1.0, text="nothing is recorded")


def episode(**more: Any) -> Episode:
    values = {
        ("box", POSE): poses((0.0, 0.0, 0.0)),
        ("bowl", POSE): poses((1.0, 0.0, 0.0)),
        ("arm", AttributeSpec("joint_positions", 1, "rad")): seconds(),
    }
    return made_episode(ENTITIES, values, **more)


def screen(episode: Episode) -> str:
    return html_of(first_screen(episode, headline(episode), None))


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_headline_and_concerns_link_to_their_times() -> None:
    html = screen(episode(verdict="doubtful", concerns=[TOUCHES, NOTE]))
    assert '<section class="card first warned blind">' in html
    assert '<span class="mark warned">doubtful</span>' in html
    assert "&lt;b&gt;arm&lt;/b&gt; touches table" in html
    assert "2.00 s to 3.50 s , 3 times" in plain(html)
    assert "nothing is recorded at 1.00 s" in plain(html)
    links = re.findall(rf'href="#{TIMELINE}" data-time="([\d.]+)"', html)
    assert links[:3] == ["2", "3.5", "1"]


def test_each_thing_and_the_robot_have_a_sentence_and_the_end_is_told() -> None:
    handled = observed("grasped", 4.0, object="box", hand="gripper")
    html = screen(episode(events=[handled], state={"on(box, tray)": True}))
    assert "<b>box</b> was grasped by gripper at <a" in html
    assert "<b>arm</b> moved for " in html
    assert "Did not move: bowl." in html
    assert "<li>box is on tray</li>" in html


def test_nothing_happened_only_if_nothing_did() -> None:
    assert "Nothing happened." not in screen(episode())
    assert "Nothing happened." in screen(made_episode([], {}))


def test_many_things_and_concerns_are_folded() -> None:
    events = [observed("grasped", 0.1 * i, object=f"box_{i}", hand="h") for i in range(20)]
    rows = [concern("jump", "warning", 1.0, 1.0, text=f"joint_{i} jumps") for i in range(9)]
    html = screen(episode(events=events, concerns=rows, verdict="doubtful"))
    assert "<summary>14 more objects</summary>" in html
    assert "<summary>4 more</summary>" in html
    assert "box_19" in html
    assert "joint_8 jumps" in html
