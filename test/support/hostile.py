"""Names and texts that a page must show as they are, and a reader of what a page makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Meaning, Shape, ShapeKind
from hetwin_core.episodes.episode import Episode
from support.made_episode import (
    concern,
    handed_over,
    made_episode,
    observed,
    poses,
    seconds,
    with_fields,
)

IMAGE = "<img src=x onerror=\"window.hacked='yes'\">"
HOSTILE = (
    IMAGE,
    "</script><script>window.hacked='yes'</script>",
    "\"'><b onmouseover=\"window.hacked='yes'\">{{ 7 * 7 }}</b>&amp;",
    "\u202eא\u202c right to left שלום",
    "long" * 150,
)
MARK = " and ".join(HOSTILE)
"""All of it."""


class Read(HTMLParser):
    """The elements of a page and its text, without what its scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._in = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = tag

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in not in ("script", "style"):
            self.text += data


def assert_harmless(page: str, shown: Sequence[str] = HOSTILE) -> None:
    """Check that a page shows texts as they are, and that none of them has become markup.

    Args:
        page: HTML.
        shown: what must stand in its text.
    """
    read = Read(page)
    for text in shown:
        assert text in read.text, text
    kinds = [
        (given.get("type"), given.get("id")) for tag, given in read.elements if tag == "script"
    ]
    assert kinds.count((None, None)) == 1, kinds  # the page's own
    for tag, given in read.elements:
        assert not [name for name in given if name.startswith("on")], (tag, given)
        if tag == "img":
            assert str(given["src"]).startswith("data:image/png;base64,")
    assert "7 * 7" in page or "{{" not in "".join(shown)
    assert page.count("</html>") == 1


def hostile_episode() -> Episode:
    """An episode in which everything that has a name has a hostile one."""
    arm, hand, box, model = HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE[3]
    cube = Shape(ShapeKind.BOX, (0.1, 0.1, 0.1))
    entities = [
        Entity(arm, EntityKind.ROBOT, joints=HOSTILE[:2]),
        Entity(hand, EntityKind.HAND, owner=arm, joints=HOSTILE[:1]),
        Entity(box, EntityKind.OBJECT, shapes=(cube,)),
        Entity(HOSTILE[4], EntityKind.STATIC, shapes=(cube,)),
    ]
    path = np.stack([0.1 * seconds(), 0 * seconds(), 1.0 + 0 * seconds()], axis=1)
    values: dict[tuple[str, AttributeSpec], Any] = {
        (hand, POSE): poses(path),
        (box, POSE): poses(path),
        (HOSTILE[4], POSE): poses((0.0, 0.0, 0.0)),
        (arm, AttributeSpec("joint_positions", 2, "rad")): np.stack([seconds()] * 2, axis=1),
        (box, AttributeSpec("held", 1, "", Meaning.TRUTH)): (seconds() > 4.0).astype(float),
        (box, AttributeSpec(IMAGE, 1, IMAGE)): seconds(),
    }
    who = {"object": box, "hand": hand}
    events = [
        observed("grasped", 2.0, model, **who),
        observed(IMAGE, 3.0, model, **{HOSTILE[1]: HOSTILE[2]}),
        observed("machine_state", 4.0, model, machine=IMAGE, state=HOSTILE[1]),
    ]
    checked = {"claim": "motion", "subject": box, "of": [arm], "checked": False, "why": MARK}
    episode = made_episode(
        entities,
        values,
        owners={(box, IMAGE): model},
        events=events,
        handovers=[handed_over(box, 5.0, "physics", model)],
        concerns=[concern("flung", "absurd", 6.0, 6.5, text=MARK)],
        coverage=[{**checked, "holds": None, "spans": [[0.0, 1.0]], "from": [HOSTILE[2]]}],
        warnings=[MARK],
        counters={IMAGE: 3},
        state={f"on({box}, {arm})": True},
        verdict="doubtful",
        digest=MARK,
        transport=IMAGE,
    )
    known = {"source": MARK, "scenario_file": IMAGE, "seed": IMAGE, "rate": IMAGE}
    return with_fields(episode, scenario=MARK, description=known)
