"""What is seen first: the verdict, what happened in words, and the scene beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from hetwin_core.ensemble.grip_words import grip_sentences
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.sentences.catalogue import Piece, say
from hetwin_core.ensemble.state_words import state_words
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.coverage_table import coverage_table
from hetwin_suite.view.report.document import folded
from hetwin_suite.view.report.story.concerns import StoredConcern, stored_concerns
from hetwin_suite.view.report.story.headline import Headline
from hetwin_suite.view.report.story.robots import robot_sentences
from hetwin_suite.view.report.story.sentence import Sentence
from hetwin_suite.view.report.story.things import resting_objects, thing_sentences
from hetwin_suite.view.report.time_link import time_link

_MOST_SENTENCES = 6
_MOST_CONCERNS = 5
_MOST_RESTING = 8
_MOST_STATES = 10
_INSTANT_NS = 5_000_000


def first_screen(episode: Episode, head: Headline, player: str) -> str:
    """Scenario, what came of it, story and where it plays.

    Args:
        episode: the run.
        head: its headline.
        player: HTML; empty for a page in which nothing plays.
    """
    marks = "".join(f'<span class="mark {m.tone}">{escape(m.word)}</span>' for m in head.marks)
    more = "".join(f'<p class="more">{_pieces(pieces)}</p>' for pieces in head.more)
    viewer = f'<div class="viewer">{player}</div>' if player else ""
    return (
        f"<header><h1>{escape(episode.scenario)}</h1></header>"
        f'<section class="card first {head.tone}{"" if player else " blind"}">'
        f'<div class="head">{marks}<p class="how">{escape(head.text)}</p>{more}</div>'
        f"{viewer}"
        f'<div class="told">{_concerns(stored_concerns(episode))}{_story(episode)}'
        f"{coverage_table(episode)}</div></section>"
    )


def _story(episode: Episode) -> str:
    robots, things = robot_sentences(episode), thing_sentences(episode)
    shown, rest = things[:_MOST_SENTENCES], things[_MOST_SENTENCES:]
    told = _sentences([*shown, *robots])
    if rest:
        told += folded(f"{len(rest)} more objects", _sentences(rest))
    resting = [name for name in resting_objects(episode) if name not in {s.about for s in things}]
    if resting:
        names = some(resting, _MOST_RESTING)
        told += f'<p class="note">{escape(say("thing.rest", names=names))}</p>'
    return (told or f'<p class="note">{say("thing.nothing")}</p>') + _end(episode)


def _end(episode: Episode) -> str:
    """What held at the end."""
    summary = episode.summary
    words = state_words(summary.get("state") or {}) + grip_sentences(summary.get("events") or ())
    if not words:
        return ""
    rest = words[_MOST_STATES:]
    more = folded(f"{len(rest)} more", _states(rest)) if rest else ""
    return f"<h2>At the end</h2>{_states(words[:_MOST_STATES])}{more}"


def _states(words: Iterable[str]) -> str:
    return '<ul class="state">' + "".join(f"<li>{escape(text)}</li>" for text in words) + "</ul>"


def _sentences(sentences: Iterable[Sentence]) -> str:
    items = "".join(f"<li>{_sentence(sentence)}</li>" for sentence in sentences)
    return f'<ul class="story">{items}</ul>' if items else ""


def _sentence(sentence: Sentence) -> str:
    return f"<b>{escape(sentence.about)}</b>{_pieces(sentence.pieces)}"


def _pieces(pieces: Iterable[Piece]) -> str:
    return "".join(escape(one) if isinstance(one, str) else time_link(one) for one in pieces)


def _concerns(concerns: Sequence[StoredConcern]) -> str:
    if not concerns:
        return ""
    shown, rest = concerns[:_MOST_CONCERNS], concerns[_MOST_CONCERNS:]
    more = folded(f"{len(rest)} more", _concern_list(rest)) if rest else ""
    return _concern_list(shown) + more


def _concern_list(concerns: Iterable[StoredConcern]) -> str:
    items = "".join(
        f'<li class="{concern.severity}"><span class="severity">{concern.severity}</span>'
        f'<span>{escape(concern.text)} <span class="when">{_when(concern)}</span></span></li>'
        for concern in concerns
    )
    return f'<ul class="concerns">{items}</ul>'


def _when(concern: StoredConcern) -> str:
    often = f", {concern.times} times" if concern.times > 1 else ""
    if concern.to_ns - concern.from_ns < _INSTANT_NS:
        return f"at {time_link(concern.from_ns)}{often}"
    return f"{time_link(concern.from_ns)} to {time_link(concern.to_ns)}{often}"
