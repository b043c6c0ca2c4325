"""The table of events and handovers."""

from __future__ import annotations

import re

from support.made_episode import handed_over, made_episode, observed

from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.document import html_of
from hetwin_suite.view.report.sections import happenings_table


def table(episode: Episode) -> str:
    return html_of(happenings_table(episode))


def rows(html: str) -> list[str]:
    """The outermost rows without their markup."""
    inner = re.sub(r"<details>.*?</details>", lambda m: re.sub(r"</?tr>", " ", m[0]), html)
    found = re.findall(r"<tr>(.*?)</tr>", inner, re.DOTALL)[1:]
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in found]


def test_a_flood_of_one_event_is_one_row_that_opens() -> None:
    flood = [
        observed("overlap", 1.0 + 0.1 * i, "physics", object=f"packet_{i}", other="cup")
        for i in range(20)
    ]
    html = table(made_episode([], {}, events=flood))
    (row,) = rows(html)
    assert row.startswith(
        "1.000 s packet_0 and cup overlap, so they do not collide physics 20 times until 2.900 s"
    )
    assert "packet_19 and cup overlap" in html


def test_a_flood_of_handovers_is_one_row() -> None:
    flood = [handed_over(f"packet_{i}", 1.0, "physics", "suction") for i in range(20)]
    (row,) = rows(table(made_episode([], {}, handovers=flood)))
    assert "20 times until 1.000 s" in row


def test_what_was_handled_is_never_folded() -> None:
    events = [observed("grasped", 0.1 * i, object=f"box_{i}", hand="hand") for i in range(20)]
    assert len(rows(table(made_episode([], {}, events=events)))) == 20
