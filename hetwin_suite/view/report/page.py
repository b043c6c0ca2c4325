"""Composes the page of a run from its sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from hetwin_core.ensemble.concern_words import grip_sentences
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.sentences.catalogue import Piece, say
from hetwin_core.ensemble.state_words import state_words
from hetwin_core.ensemble.writing import write_text
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_core.episodes.run_folder import REPORT
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.content import (
    TIMELINE,
    Content,
    Course,
    FirstScreen,
    Fold,
    Heading,
    Inline,
    Items,
    Paragraph,
    Player,
    Quiet,
    Section,
    Strong,
    Time,
)
from hetwin_suite.view.document import Document, page_script
from hetwin_suite.view.film.film import Doing, Film
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers import layers_of
from hetwin_suite.view.report.course import TITLE, Mark, course_card
from hetwin_suite.view.report.followed import Moment, moments
from hetwin_suite.view.report.plots import plots
from hetwin_suite.view.report.sections import (
    about,
    coverage_table,
    explanation_section,
    happenings_table,
    warnings,
)
from hetwin_suite.view.report.story.events import Sentence, StoredConcern, stored_concerns
from hetwin_suite.view.report.story.headline import Headline, headline
from hetwin_suite.view.report.story.robots import resting_objects, robot_sentences, thing_sentences

_MAX_SENTENCES = 6
_MAX_CONCERNS = 5
_MAX_RESTING = 8
_MAX_STATES = 10
_INSTANT_NS = 5_000_000
T = TypeVar("T")


def first_screen(episode: Episode, head: Headline, player: Player | None) -> FirstScreen:
    """Return the first screen of a page: the outcome of a run, its story, and its player.

    Args:
        episode: the run.
        head: its headline.
        player: player of the run; None for a page without one.
    """
    concerns = _with_fold(_concerns, stored_concerns(episode), _MAX_CONCERNS, "{} more")
    return FirstScreen(
        head.tone,
        [Strong(mark.word, mark.tone) for mark in head.marks],
        head.text,
        [_pieces(pieces) for pieces in head.more],
        player,
        [concerns, _story(episode), _end(episode), coverage_table(episode)],
    )


def _with_fold(
    write: Callable[[Sequence[T]], Content], rows: Sequence[T], most: int, title: str
) -> list[Content]:
    """Return the first `most` rows, and the others in a fold, whose title contains their number."""
    others = rows[most:]
    folded = [Fold(title.format(len(others)), write(others))] if others else []
    return [write(rows[:most]), *folded]


def _story(episode: Episode) -> list[Content]:
    robots, things = robot_sentences(episode), thing_sentences(episode)
    shown, others = things[:_MAX_SENTENCES], things[_MAX_SENTENCES:]
    content: list[Content] = []
    if shown or robots:
        content.append(_sentences([*shown, *robots]))
    if others:
        content.append(Fold(f"{len(others)} more objects", _sentences(others)))
    resting = [name for name in resting_objects(episode) if name not in {s.about for s in things}]
    if resting:
        names = some(resting, _MAX_RESTING)
        content.append(Paragraph(say("thing.rest", names=names), "note"))
    return content or [Paragraph(say("thing.nothing"), "note")]


def _end(episode: Episode) -> Content:
    """Return the predicates that hold at the end, in words."""
    summary = episode.summary
    words = state_words(summary.get("state") or {}) + grip_sentences(summary.get("events") or ())
    if not words:
        return ()
    states = _with_fold(lambda rows: Items(rows, "state"), words, _MAX_STATES, "{} more")
    return Heading("At the end", states, level=2)


def _sentences(sentences: Iterable[Sentence]) -> Items:
    return Items(
        [(Strong(sentence.about), _pieces(sentence.pieces)) for sentence in sentences], "story"
    )


def _pieces(pieces: Iterable[Piece]) -> Inline:
    return tuple(piece if isinstance(piece, str) else Time(piece) for piece in pieces)


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
    count_text = f", {concern.times} times" if concern.times > 1 else ""
    if concern.to_ns - concern.from_ns < _INSTANT_NS:
        return "at ", Time(concern.from_ns), count_text
    return Time(concern.from_ns), " to ", Time(concern.to_ns), count_text


_CONCERNS = "concerns"


class PlayerWithFilms(NamedTuple):
    """The player of a run in a page.

    Attributes:
        player: the player; if nothing can be played, it contains the reason.
        films: id -> film, for the player's ids.
    """

    player: Player
    films: Mapping[str, Film]


def player_of_run(
    episode: Episode, tables: Tables | BadInput, moments: Sequence[Moment], first_ns: int
) -> PlayerWithFilms:
    """Return the player of a run with its film.

    Args:
        episode: the run.
        tables: its tables, or the reason why there are none.
        moments: times to jump to.
        first_ns: simulated time that is shown first [ns].
    """

    def film() -> Film:
        film = film_of(episode, [moment.time_ns for moment in moments])
        layers = () if isinstance(tables, BadInput) else layers_of(tables, film.scene)
        return replace(film, doings=(*film.doings, *concern_bars(episode)), layers=layers)

    places = [Time(moment.time_ns, words="; ".join(moment.what)) for moment in moments]
    return playing_film(film, Player(first_ns=first_ns, places=places))


def playing_film(film: Callable[[], Film], player: Player | None = None) -> PlayerWithFilms:
    """Return the player of a film; without the page's script, a player that shows the reason instead.

    Args:
        film: makes the film; called only if it can be played.
        player: the player; None: one that starts at the film's beginning.
    """
    try:
        page_script()
    except BadInput as error:
        return PlayerWithFilms(Player(why_not=f"The run does not play here: {error}"), {})
    player = player or Player()
    return PlayerWithFilms(player, dict(zip(player.films, [film()], strict=True)))


def concern_bars(episode: Episode) -> tuple[Doing, ...]:
    """Return the concerns as bars of a time line, with a minimum length so that short ones are visible."""
    width = (episode.end_ns - episode.start_ns) / 200e9
    found = []
    for concern in sorted(stored_concerns(episode), key=lambda concern: concern.from_ns):
        begin, end = concern.from_ns / 1e9, concern.to_ns / 1e9
        count_text = f"{concern.severity}{f', {concern.times} times' if concern.times > 1 else ''}"
        found.append(
            Doing(
                concern.text,
                begin,
                max(end, begin + width),
                count_text,
                _CONCERNS,
                concern.severity,
            )
        )
    return tuple(found)


_FOOTER = (
    "Written by hetwin from the run's log. A click on anything with a time shows the scene then. Zooming one plot "
    "over time zooms all; a double click shows the whole run again."
)
_TIME_LINE = Section(
    "Time line",
    "Click or drag to go to a time. Bars have the colour of the responsible model, dots are events; "
    "rows with a triangle open.",
    Course(),
    TIMELINE,
)

SECTIONS = Group(
    "hetwin.page_sections",
    "page section",
    "a function of an episode, which returns a Section or None",
)
"""Entry points of packages that add a section to the page of a run; a function may return None for no section."""


def write_report(run: Path, out: Path | None = None) -> Path:
    """Write the report of a run as one self-contained HTML file.

    Args:
        run: folder of the run.
        out: the file to write; by default ``report.html`` in the folder.

    Returns:
        The file.

    Raises:
        BadInput: if the folder contains no readable run, or the file cannot be written.
    """
    text = report_page(run)
    path = run / REPORT if out is None else out
    write_text(path, text, "the report")
    return path


def report_page(run: Path) -> str:
    """Return the page of a run.

    Args:
        run: folder of the run.

    Raises:
        BadInput: if the folder contains no readable run.
    """
    return page(*Episode.with_tables(run))


def page(episode: Episode, tables: Tables | BadInput) -> str:
    """Return the whole page: the story with the player, then time line, plots, events and details."""
    flaws, trouble = _flaws(tables)
    head = headline(episode, flaws)
    pictured_moments = moments(episode)
    player = player_of_run(
        episode, tables, pictured_moments, first_shown_ns(head, pictured_moments)
    )
    unseen = None if isinstance(tables, BadInput) else tables.unseen
    sections = [
        first_screen(episode, head, player.player),
        explanation_section(episode),
        _TIME_LINE if player.films else None,
        _course(tables, flaws, trouble),
        *(Section(p.title, p.text, p.figure) for p in plots(episode, unseen)),
        *_package_sections(episode),
        Section("All events and handovers", content=happenings_table(episode)),
        _about(episode),
    ]
    shown = [section for section in sections if section is not None]
    return Document(episode.scenario, shown, footer=_FOOTER, films=player.films).html()


def first_shown_ns(head: Headline, pictured_moments: Sequence[Moment]) -> int:
    """Return the time that the page shows first [ns]: when the outcome was decided, or the most important moment."""
    decided = (piece for line in head.more for piece in line if isinstance(piece, int))
    return next(decided, max(pictured_moments, key=lambda moment: moment.weight).time_ns)


def _flaws(tables: Tables | BadInput) -> tuple[list[Flaw], str]:
    """Return the flaws by their begin, and the reason if a broken rule prevented the search."""
    if isinstance(tables, BadInput):
        return [], ""
    try:
        return sorted(flaws_in(tables), key=lambda flaw: flaw.span), ""
    except BadInput as error:
        return [], f"Flaws were not looked for: {error}"


def _course(tables: Tables | BadInput, flaws: Sequence[Flaw], trouble: str) -> Section | None:
    """Return the section with tasks, fluents and flaws; None if there are none."""
    if isinstance(tables, BadInput):
        return Section(TITLE, f"There is nothing to show: {tables}")
    return course_card(tables, [Mark(flaw.kind, flaw.span, flaw.text) for flaw in flaws], trouble)


def _package_sections(episode: Episode) -> Iterator[Section | None]:
    """Yield the sections of packages; a failing package yields a section with the error."""
    for point, section in SECTIONS.each():
        try:
            yield section(episode)
        except Exception as error:  # third-party code
            refused = SECTIONS.refused(point, f"{type(error).__name__}: {error}")
            yield Section(point.name, str(refused))


def _about(episode: Episode) -> Section:
    count = len(warnings(episode))
    title = f"About this run: {len(episode.models)} models"
    if count:
        title += f", {count} {'warning' if count == 1 else 'warnings'}"
    return Section("", content=Fold(title, about(episode)), kind="fold")
