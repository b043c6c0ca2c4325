"""What is seen first: the verdict, what happened in words, and the scene beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from hetwin_core.ensemble.state_words import state_words
from hetwin_core.ensemble.words import seconds
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.flaws.flaw import Flaw
from hetwin_suite.view.report.document import folded
from hetwin_suite.view.report.pictures import Picture
from hetwin_suite.view.report.story.concerns import StoredConcern, stored_concerns
from hetwin_suite.view.report.story.headline import headline
from hetwin_suite.view.report.story.robots import robot_sentences
from hetwin_suite.view.report.story.sentence import Piece, Sentence
from hetwin_suite.view.report.story.things import resting_objects, thing_sentences
from hetwin_suite.view.report.time_link import time_link

_MOST_SENTENCES = 6
_MOST_CONCERNS = 5
_MOST_RESTING = 8
_MOST_STATES = 10
_FOUR, _FIVE = 4, 5
_INSTANT_NS = 5_000_000


def first_screen(episode: Episode, drawn: Sequence[Picture], flaws: Sequence[Flaw] = ()) -> str:
    """Scenario, what came of it, story and pictures."""
    head = headline(episode, flaws)
    marks = "".join(f'<span class="mark {m.tone}">{escape(m.word)}</span>' for m in head.marks)
    more = "".join(f'<p class="more">{_pieces(pieces)}</p>' for pieces in head.more)
    return (
        f"<header><h1>{escape(episode.scenario)}</h1></header>"
        f'<section class="card first {head.tone}{"" if drawn else " blind"}">'
        f'<div class="head">{marks}<p class="how">{escape(head.text)}</p>{more}</div>'
        f"{_viewer(drawn)}"
        f'<div class="told">{_concerns(stored_concerns(episode))}{_story(episode)}</div></section>'
    )


def _story(episode: Episode) -> str:
    robots, things = robot_sentences(episode), thing_sentences(episode)
    shown, rest = things[:_MOST_SENTENCES], things[_MOST_SENTENCES:]
    told = _sentences([*shown, *robots])
    if rest:
        told += folded(f"{len(rest)} more objects", _sentences(rest))
    resting = [name for name in resting_objects(episode) if name not in {s.about for s in things}]
    if resting:
        names = ", ".join(resting[:_MOST_RESTING])
        others = len(resting) - _MOST_RESTING
        more = f" and {others} more" if others > 0 else ""
        told += f'<p class="note">Did not move: {escape(names + more)}.</p>'
    return (told or '<p class="note">Nothing happened.</p>') + _end(episode)


def _end(episode: Episode) -> str:
    """What held at the end."""
    words = state_words(episode.summary.get("state") or {})
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


def _viewer(drawn: Sequence[Picture]) -> str:
    """One large picture, and all of them small to choose from."""
    if not drawn:
        return ""
    chosen = max(range(len(drawn)), key=lambda i: (drawn[i].weight, -i))
    small = "".join(_thumb(picture, i == chosen) for i, picture in enumerate(drawn))
    picture = drawn[chosen]
    return (
        f'<div class="viewer"><figure><img id="large" alt="{escape(_words(picture))}" '
        f'src="{_source(picture)}"><figcaption id="caption">{_caption(picture)}</figcaption></figure>'
        f'<div class="strip" style="--columns:{_FIVE if len(drawn) == _FIVE else _FOUR}">{small}</div></div>'
    )


def _thumb(picture: Picture, chosen: bool) -> str:
    words = escape(f"{seconds(picture.time_ns)}: {_words(picture)}")
    return (
        f'<button type="button" class="thumb" aria-pressed="{str(chosen).lower()}" '
        f'data-time="{picture.time_ns / 1e9:.6g}" title="{words}">'
        f'<img alt="{words}" src="{_source(picture)}">'
        f"<span>{seconds(picture.time_ns)}</span><template>{_caption(picture)}</template></button>"
    )


def _caption(picture: Picture) -> str:
    return f"<b>{time_link(picture.time_ns)}</b>{escape(_words(picture))}"


def _words(picture: Picture) -> str:
    return "; ".join(picture.what)


def _source(picture: Picture) -> str:
    return f"data:image/png;base64,{picture.png}"
