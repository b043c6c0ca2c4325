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
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.content import TIMELINE, Course, Fold, Section
from hetwin_suite.view.document import Document
from hetwin_suite.view.report.course.card import TITLE, course_card
from hetwin_suite.view.report.course.drawing import Mark
from hetwin_suite.view.report.explained import explained
from hetwin_suite.view.report.first_screen import first_screen
from hetwin_suite.view.report.moments import Moment, moments
from hetwin_suite.view.report.playing import playing
from hetwin_suite.view.report.plots import plots
from hetwin_suite.view.report.sections import about, happenings_table, warnings
from hetwin_suite.view.report.story.headline import Headline, headline

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
"""What packages add to the page of a run; nothing where a function returns None."""


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
    """The whole page: the story and the run that plays, then what they rest on, then the run's particulars."""
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
    """The time that the page shows at first [ns]: when the outcome was decided, else the moment that says most."""
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
    """The section with tasks, what held, and flaws."""
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
