"""What is seen first: the verdict, what happened in words, and the scene beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hetwin_core.ensemble.grip_words import grip_sentences
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.sentences.catalogue import Piece, say
from hetwin_core.ensemble.state_words import state_words
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.content import (
    Content,
    FirstScreen,
    Fold,
    Heading,
    Inline,
    Items,
    Paragraph,
    Player,
    Quiet,
    Strong,
    Time,
)
from hetwin_suite.view.report.coverage_table import coverage_table
from hetwin_suite.view.report.story.concerns import StoredConcern, stored_concerns
from hetwin_suite.view.report.story.headline import Headline
from hetwin_suite.view.report.story.robots import robot_sentences
from hetwin_suite.view.report.story.sentence import Sentence
from hetwin_suite.view.report.story.things import resting_objects, thing_sentences

_MOST_SENTENCES = 6
_MOST_CONCERNS = 5
_MOST_RESTING = 8
_MOST_STATES = 10
_INSTANT_NS = 5_000_000
T = TypeVar("T")


def first_screen(episode: Episode, head: Headline, player: Player | None) -> FirstScreen:
    """What came of a run, its story, and where it plays.

    Args:
        episode: the run.
        head: its headline.
        player: None for a page in which nothing plays.
    """
    concerns = _folded(_concerns, stored_concerns(episode), _MOST_CONCERNS, "{} more")
    return FirstScreen(
        head.tone,
        [Strong(mark.word, mark.tone) for mark in head.marks],
        head.text,
        [_pieces(pieces) for pieces in head.more],
        player,
        [concerns, _story(episode), _end(episode), coverage_table(episode)],
    )


def _folded(
    write: Callable[[Sequence[T]], Content], rows: Sequence[T], most: int, title: str
) -> list[Content]:
    """The first rows, and the rest below a title that opens."""
    rest = rows[most:]
    return [write(rows[:most]), *([Fold(title.format(len(rest)), write(rest))] if rest else [])]


def _story(episode: Episode) -> list[Content]:
    robots, things = robot_sentences(episode), thing_sentences(episode)
    shown, rest = things[:_MOST_SENTENCES], things[_MOST_SENTENCES:]
    told: list[Content] = []
    if shown or robots:
        told.append(_sentences([*shown, *robots]))
    if rest:
        told.append(Fold(f"{len(rest)} more objects", _sentences(rest)))
    resting = [name for name in resting_objects(episode) if name not in {s.about for s in things}]
    if resting:
        names = some(resting, _MOST_RESTING)
        told.append(Paragraph(say("thing.rest", names=names), "note"))
    return told or [Paragraph(say("thing.nothing"), "note")]


def _end(episode: Episode) -> Content:
    """What held at the end."""
    summary = episode.summary
    words = state_words(summary.get("state") or {}) + grip_sentences(summary.get("events") or ())
    if not words:
        return ()
    states = _folded(lambda rows: Items(rows, "state"), words, _MOST_STATES, "{} more")
    return Heading("At the end", states, level=2)


def _sentences(sentences: Iterable[Sentence]) -> Items:
    return Items([(Strong(one.about), _pieces(one.pieces)) for one in sentences], "story")


def _pieces(pieces: Iterable[Piece]) -> Inline:
    return tuple(one if isinstance(one, str) else Time(one) for one in pieces)


def _concerns(concerns: Sequence[StoredConcern]) -> Items:
    items: list[Inline] = [
        (
            Quiet(concern.severity, "severity"),
            Quiet((f"{concern.text} ", Quiet(_when(concern), "when")), ""),
        )
        for concern in concerns
    ]
    return Items(items, "concerns", [concern.severity for concern in concerns])


def _when(concern: StoredConcern) -> Inline:
    often = f", {concern.times} times" if concern.times > 1 else ""
    if concern.to_ns - concern.from_ns < _INSTANT_NS:
        return "at ", Time(concern.from_ns), often
    return Time(concern.from_ns), " to ", Time(concern.to_ns), often
