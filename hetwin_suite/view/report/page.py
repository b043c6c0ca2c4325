"""Puts the page of a run together."""

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
    explained,
    happenings_table,
    warnings,
)
from hetwin_suite.view.report.story.events import Sentence, StoredConcern, stored_concerns
from hetwin_suite.view.report.story.headline import Headline, headline
from hetwin_suite.view.report.story.robots import resting_objects, robot_sentences, thing_sentences

_MOST_SENTENCES = 6
_MOST_CONCERNS = 5
_MOST_RESTING = 8
_MOST_STATES = 10
_INSTANT_NS = 5_000_000
T = TypeVar("T")


def first_screen(episode: Episode, head: Headline, player: Player | None) -> FirstScreen:
    """The outcome of a run, its story, and where it plays.

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
    """The state at the end."""
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


_CONCERNS = "concerns"


class Playing(NamedTuple):
    """The player of a run in a page.

    Attributes:
        player: where it plays, or why it does not.
        films: that play there, by the player's ids.
    """

    player: Player
    films: Mapping[str, Film]


def playing(
    episode: Episode, tables: Tables | BadInput, moments: Sequence[Moment], first_ns: int
) -> Playing:
    """Return a run as a page plays it.

    Args:
        episode: the run.
        tables: its tables, or why there are none.
        moments: the places in time that one clicks.
        first_ns: the time that is shown at first.
    """

    def film() -> Film:
        film = film_of(episode, [moment.time_ns for moment in moments])
        layers = () if isinstance(tables, BadInput) else layers_of(tables, film.scene)
        return replace(film, doings=(*film.doings, *concern_bars(episode)), layers=layers)

    places = [Time(moment.time_ns, words="; ".join(moment.what)) for moment in moments]
    return playing_film(film, Player(first_ns=first_ns, places=places))


def playing_film(film: Callable[[], Film], player: Player | None = None) -> Playing:
    """Return a film as a page plays it, or why it does not play in an installation without the page's script.

    Args:
        film: makes it.
        player: where it plays; None: at its beginning first.
    """
    try:
        page_script()
    except BadInput as error:
        return Playing(Player(why_not=f"The run does not play here: {error}"), {})
    player = player or Player()
    return Playing(player, dict(zip(player.films, [film()], strict=True)))


def concern_bars(episode: Episode) -> tuple[Doing, ...]:
    """The concerns as bars; those of an instant get a little length, to be seen."""
    least = (episode.end_ns - episode.start_ns) / 200e9
    found = []
    for concern in sorted(stored_concerns(episode), key=lambda one: one.from_ns):
        begin, end = concern.from_ns / 1e9, concern.to_ns / 1e9
        often = f"{concern.severity}{f', {concern.times} times' if concern.times > 1 else ''}"
        found.append(
            Doing(concern.text, begin, max(end, begin + least), often, _CONCERNS, concern.severity)
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
"""Sections that packages add to the page of a run; nothing where a function returns None."""


def write_report(run: Path, out: Path | None = None) -> Path:
    """Write the report of a run: one HTML file that loads nothing from anywhere.

    Args:
        run: folder of the run.
        out: the file to write; by default ``report.html`` in the folder.

    Returns:
        The file.

    Raises:
        BadInput: if the folder holds no run that can be read, or the file cannot be written.
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
        BadInput: if the folder holds no run that can be read.
    """
    return page(*Episode.with_tables(run))


def page(episode: Episode, tables: Tables | BadInput) -> str:
    """The whole page: the story and the run that plays, then their evidence, then the run's particulars."""
    flaws, trouble = _flaws(tables)
    head = headline(episode, flaws)
    worth = moments(episode)
    played = playing(episode, tables, worth, first_shown(head, worth))
    unseen = None if isinstance(tables, BadInput) else tables.unseen
    sections = [
        first_screen(episode, head, played.player),
        explained(episode),
        _TIME_LINE if played.films else None,
        _course(tables, flaws, trouble),
        *(Section(p.title, p.text, p.figure) for p in plots(episode, unseen)),
        *_of_packages(episode),
        Section("All events and handovers", content=happenings_table(episode)),
        _about(episode),
    ]
    shown = [section for section in sections if section is not None]
    return Document(episode.scenario, shown, footer=_FOOTER, films=played.films).html()


def first_shown(head: Headline, worth: Sequence[Moment]) -> int:
    """The time that the page shows at first [ns]: when the outcome was decided, else the most important moment."""
    decided = (piece for line in head.more for piece in line if isinstance(piece, int))
    return next(decided, max(worth, key=lambda moment: moment.weight).time_ns)


def _flaws(tables: Tables | BadInput) -> tuple[list[Flaw], str]:
    """The flaws by their beginning, and why they were not looked for: a rule that cannot be used costs them alone."""
    if isinstance(tables, BadInput):
        return [], ""
    try:
        return sorted(flaws_in(tables), key=lambda flaw: flaw.span), ""
    except BadInput as error:
        return [], f"Flaws were not looked for: {error}"


def _course(tables: Tables | BadInput, flaws: Sequence[Flaw], trouble: str) -> Section | None:
    """The section with tasks, fluents, and flaws."""
    if isinstance(tables, BadInput):
        return Section(TITLE, f"There is nothing to show: {tables}")
    return course_card(tables, [Mark(flaw.kind, flaw.span, flaw.text) for flaw in flaws], trouble)


def _of_packages(episode: Episode) -> Iterator[Section | None]:
    """The sections of packages; in place of one that fails, why."""
    for point, section in SECTIONS.each():
        try:
            yield section(episode)
        except Exception as error:  # code of anyone's
            refused = SECTIONS.refused(point, f"{type(error).__name__}: {error}")
            yield Section(point.name, str(refused))


def _about(episode: Episode) -> Section:
    said = len(warnings(episode))
    title = f"About this run: {len(episode.models)} models"
    if said:
        title += f", {said} {'warning' if said == 1 else 'warnings'}"
    return Section("", content=Fold(title, about(episode)), kind="fold")
