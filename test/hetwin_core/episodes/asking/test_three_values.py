"""What nobody saw is not known: three values in questions and in SQL, as Kleene's logic has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.made_tables import MadeTables
from support.random_examples import examples

from hetwin_core.ensemble.concern_words import COVERAGE, ROBOT_HEALTH
from hetwin_core.episodes.asking.answer import NotKnown
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.asking.terms import ANY, Term, contact, event, held, on
from hetwin_core.episodes.asking.times import at, during, throughout
from hetwin_core.episodes.run_folder import LOG

WHY = "at 4.00 s the fingers stopped 5 cm apart with nothing of the scene between them"
END = 10
Kleene = bool | None


def said(made: MadeTables, time: float, claim: str, subject: str, checked: bool, *of: str) -> None:
    """The run says that a claim is checked from a time on, or not."""
    arguments = {"claim": claim, "subject": subject, "checked": checked, "from": ["contacts"]}
    more = {"of": [*of], "why": "" if checked else WHY, "matters": True}
    made.happened(COVERAGE, time, ROBOT_HEALTH, **arguments, **more)  # type: ignore[arg-type]


def stalled() -> MadeTables:
    """Fingers that hold the box from 1 to 2 s, and stop on nothing of the scene from 4 to 9 s."""
    made = MadeTables(end=END)
    made.held("held", "box", "right_hand", (1.0, 2.0))
    made.happened("grasped", 1.0, "handling", object="box", hand="right_hand")
    for time, checked in ((0.0, True), (4.0, False), (9.0, True)):
        said(made, time, "grip", "right_hand", checked)
    return made


EPISODE = AskedTables(stalled().made())


def test_it_is_true_false_or_not_known() -> None:
    hold = held("box", "right_hand")
    assert [EPISODE.holds(hold, at(t)).truth for t in (1, 3, 4, 8.99, 9)] == [
        *(True, False, None, None, False),
    ]
    answer = EPISODE.holds(held(ANY, "right_hand"), at(5))
    assert (answer.truth, answer.why) == (None, (WHY,))
    with pytest.raises(NotKnown, match="the fingers stopped 5 cm apart"):
        bool(answer)


def test_never_is_not_known_over_what_was_not_seen() -> None:
    hold = held(ANY, "right_hand")
    assert EPISODE.holds(~hold, throughout(2, 3.9)).truth is True
    assert EPISODE.holds(~hold, throughout(2, 10)).truth is None
    assert EPISODE.holds(hold, during(2, 10)).truth is None
    assert EPISODE.holds(hold, during(0, 10)).truth is True
    assert EPISODE.holds(hold, throughout(0, 10)).truth is False


def test_events_that_nobody_could_see() -> None:
    assert len(EPISODE.occurs(event("grasped", "box"))) == 1
    assert EPISODE.occurs(event("lost", ANY, "right_hand"), during(0, 3)) == ()
    with pytest.raises(NotKnown, match="5 cm apart"):
        EPISODE.occurs(event("lost", ANY, "right_hand"))
    with pytest.raises(NotKnown, match="5 cm apart"):
        EPISODE.count(event("grasped", "box"))
    with pytest.raises(NotKnown, match="5 cm apart"):
        EPISODE.count(held("box"))
    assert EPISODE.count(held("box"), during(0, 3)) == 1


def test_questions_in_cel() -> None:
    answer = EPISODE.ask('holds(held("box"), at(5))')
    assert (answer.value, answer.why) == (None, WHY)
    assert answer.as_json()["why"] == WHY
    assert EPISODE.ask('holds(held("box"), at(5)) && 1 > 2').value is False
    assert EPISODE.ask('holds(held("box"), at(5)) || 1 < 2').value is True
    assert EPISODE.ask('size(occurs(lost("box"))) == 0').value is None
    assert EPISODE.ask('holds(held("box"), at(3))').why == ""


def test_an_entity_that_was_not_seen_keeps_any_from_being_false() -> None:
    made = MadeTables(end=END)
    made.held("on", "box", "table", (0.0, 5.0))
    said(made, 0.0, "support", "box", True)
    said(made, 0.0, "support", "cup1", False)
    episode = AskedTables(made.made())
    assert episode.holds(on(ANY, "table"), at(1)).truth is True
    assert episode.holds(on(ANY, "table"), at(6)).truth is None
    assert episode.holds(on("box", "table"), at(6)).truth is False


def test_links_without_shapes_touch_what_is_not_known() -> None:
    made = MadeTables(end=END)
    said(made, 0.0, "touch", "arm", False, "palm")
    episode = AskedTables(made.made())
    assert episode.holds(contact("palm", "box"), at(1)).truth is False
    assert episode.holds(contact("fingertip", "box"), at(1)).truth is None
    assert episode.holds(contact("arm", "box"), at(1)).truth is None
    assert episode.holds(contact("box", "table"), at(1)).truth is False


# ------------------------------------------------------------------ Kleene's logic

_moment = st.integers(0, END)
_spans = st.lists(st.tuples(_moment, _moment).map(lambda p: (min(p), max(p))), max_size=3)
_ATOMS = ("box", "cup1")


def _neither(one: Kleene) -> Kleene:
    return None if one is None else not one


def _both(one: Kleene, two: Kleene) -> Kleene:
    if one is False or two is False:
        return False
    return None if one is None or two is None else True


def _either(one: Kleene, two: Kleene) -> Kleene:
    return _neither(_both(_neither(one), _neither(two)))


Naive = Callable[[Callable[[str], Kleene]], Kleene]
_atoms: st.SearchStrategy[tuple[Term, Naive]] = st.sampled_from(_ATOMS).map(
    lambda name: (held(name, "right_hand"), lambda value, name=name: value(name))
)
_terms = st.recursive(
    _atoms,
    lambda inner: (
        inner.map(lambda t: (~t[0], lambda value: _neither(t[1](value))))
        | st.tuples(inner, inner).map(
            lambda p: (p[0][0] & p[1][0], lambda value: _both(p[0][1](value), p[1][1](value)))
        )
        | st.tuples(inner, inner).map(
            lambda p: (p[0][0] | p[1][0], lambda value: _either(p[0][1](value), p[1][1](value)))
        )
    ),
    max_leaves=5,
)


@examples(60)
@given(st.lists(_spans, min_size=2, max_size=2), st.lists(st.booleans(), min_size=END), _terms)
def test_it_is_the_logic_of_three_values(
    holding: list[list[tuple[int, int]]], seen: list[bool], term: tuple[Term, Naive]
) -> None:
    made = MadeTables(end=END, rate=1)
    for name, spans in zip(_ATOMS, holding, strict=True):
        made.held("held", name, "right_hand", *((b, e) for b, e in spans if b < e))
    for second, is_seen in enumerate(seen[:END]):
        said(made, second, "grip", "right_hand", is_seen)
    asked, naive = term
    episode = AskedTables(made.made())

    def value(second: int) -> Callable[[str], Kleene]:
        def of(name: str) -> Kleene:
            spans = holding[_ATOMS.index(name)]
            if any(begin <= second < end for begin, end in spans):
                return True
            return False if seen[second] else None

        return of

    values = [naive(value(second)) for second in range(END)]
    assert [episode.holds(asked, at(s + 0.5)).truth for s in range(END)] == values
    some: Kleene = False
    for one in values:
        some = _either(some, one)
    assert episode.holds(asked, during(0, END - 0.1)).truth is some
    every: Kleene = True
    for one in values:
        every = _both(every, one)
    assert episode.holds(asked, throughout(0, END - 0.1)).truth is every


# ------------------------------------------------------------------ SQL


@pytest.fixture
def rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[tuple[object, ...]]]:
    """Asks the episode in SQL."""
    pytest.importorskip("duckdb", reason="the extra tables is not installed")
    database = pytest.importorskip("hetwin_sql.database", reason="hetwin_sql is not there")
    monkeypatch.setattr(database, "open_tables", lambda run: stalled().made())
    (tmp_path / "run" / LOG).mkdir(parents=True)
    return lambda sql: [*database.query(tmp_path / "run", sql).rows]


def test_sql_has_null_where_it_is_not_known(
    rows: Callable[[str], list[tuple[object, ...]]],
) -> None:
    found = rows(
        "SELECT b, holds, \"from\", \"to\", why FROM truths WHERE fluent = 'held' AND a = 'box'"
        ' ORDER BY "from"'
    )
    assert found == [
        (None, False, 0.0, 1.0, None),
        ("right_hand", True, 1.0, 2.0, None),
        (None, False, 2.0, 4.0, None),
        (None, None, 4.0, 9.0, WHY),
        (None, False, 9.0, 10.0, None),
    ]
    assert rows("SELECT count(*) FROM truths WHERE holds IS NULL AND NOT holds") == [(0,)]


def test_sql_says_what_was_checked(rows: Callable[[str], list[tuple[object, ...]]]) -> None:
    found = rows('SELECT claim, subject, checked, "from", "to", sources, why FROM coverage')
    assert found == [
        ("grip", "right_hand", True, 0.0, 4.0, ["contacts"], None),
        ("grip", "right_hand", False, 4.0, 9.0, ["contacts"], WHY),
        ("grip", "right_hand", True, 9.0, 10.0, ["contacts"], None),
    ]


def test_a_belief_in_what_nobody_saw_is_not_wrong() -> None:
    made = stalled()
    made.believed("held", "box", "right_hand", (4.0, 9.5, True))
    made.erred("held", "box", 9.0, 9.5, b="right_hand")
    episode = AskedTables(made.made())
    wrong = [episode.incorrect_belief(held("box", "right_hand"), at(t)).truth for t in (3, 5, 9.2)]
    assert wrong == [False, None, True]
