"""Puts the page of a run together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.writing import write_text
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_core.episodes.run_folder import REPORT
from hetwin_core.episodes.tables.open import Follower
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.report import sections
from hetwin_suite.view.report.course.card import TITLE, course_card
from hetwin_suite.view.report.course.drawing import Mark
from hetwin_suite.view.report.document import Document, card, folded
from hetwin_suite.view.report.explained import explained
from hetwin_suite.view.report.first_screen import first_screen
from hetwin_suite.view.report.moments import Moment, moments
from hetwin_suite.view.report.playing import TIMELINE_PLACE, Playing, playing
from hetwin_suite.view.report.plots import plots
from hetwin_suite.view.report.story.headline import Headline, headline
from hetwin_suite.view.report.time_link import TIMELINE

SECTIONS = Group(
    "hetwin.page_sections",
    "page section",
    "a function of an episode and the page's document, which returns HTML",
)
"""What packages add to the page of a run; nothing where a function returns an empty text."""


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
    return page(Episode.open(run), _tables(run))


def page(episode: Episode, tables: Tables | BadInput) -> str:
    """The whole page: the story and the run that plays, then what they rest on, then the run's particulars."""
    document = Document()
    flaws, trouble = _flaws(tables)
    head = headline(episode, flaws)
    worth = moments(episode)
    player = playing(episode, tables, worth, first_shown(head, worth))
    unseen = None if isinstance(tables, BadInput) else tables.unseen
    plotted = [card(p.title, p.text, document.plot(p.figure)) for p in plots(episode, unseen)]
    body = "".join(
        [
            first_screen(episode, head, player.place),
            explained(document, episode),
            _timeline(player),
            _course(tables, flaws, trouble, document),
            *plotted,
            *_of_packages(episode, document),
            card("All events and handovers", "", sections.happenings_table(episode)),
            _about(episode),
        ]
    )
    footer = (
        "Written by hetwin from the run's log. A click on anything with a time shows the scene then. Zooming one plot "
        "over time zooms all; a double click shows the whole run again."
    )
    return document.html(episode.scenario, body, footer, player.data)


def first_shown(head: Headline, worth: Sequence[Moment]) -> int:
    """The time that the page shows at first [ns]: when the outcome was decided, else the moment that says most."""
    decided = (piece for line in head.more for piece in line if isinstance(piece, int))
    return next(decided, max(worth, key=lambda moment: moment.weight).time_ns)


def _timeline(player: Playing) -> str:
    how = (
        "Click or drag to go to a time. Bars have the colour of the responsible model, dots are events; "
        "rows with a triangle open."
    )
    return card("Time line", how, TIMELINE_PLACE, TIMELINE) if player.data else ""


def _tables(run: Path) -> Tables | BadInput:
    """The tables, without leaving anything beside the log; or why there are none."""
    try:
        return Follower(run).poll()
    except BadInput as error:
        return error


def _flaws(tables: Tables | BadInput) -> tuple[list[Flaw], str]:
    """The flaws by their beginning, and why they were not looked for: a rule that cannot be used costs them alone."""
    if isinstance(tables, BadInput):
        return [], ""
    try:
        return sorted(flaws_in(tables), key=lambda flaw: flaw.span), ""
    except BadInput as error:
        return [], f"Flaws were not looked for: {error}"


def _course(tables: Tables | BadInput, flaws: list[Flaw], trouble: str, document: Document) -> str:
    """The section with tasks, what held, and flaws."""
    if isinstance(tables, BadInput):
        return card(TITLE, f"There is nothing to show: {tables}", "")
    marks = [Mark(flaw.kind, flaw.span, flaw.text) for flaw in flaws]
    return course_card(tables, marks, document, trouble)


def _of_packages(episode: Episode, document: Document) -> Iterator[str]:
    """The sections of packages; in place of one that fails, why."""
    for point, section in SECTIONS.each():
        try:
            yield str(section(episode, document))
        except Exception as error:  # code of anyone's
            refused = SECTIONS.refused(point, f"{type(error).__name__}: {error}")
            yield card(point.name, str(refused), "")


def _about(episode: Episode) -> str:
    warnings = sections.warnings(episode)
    title = f"About this run: {len(episode.models)} models"
    if warnings:
        title += f", {len(warnings)} {'warning' if len(warnings) == 1 else 'warnings'}"
    return f'<section class="card fold">{folded(title, sections.about(episode))}</section>'
