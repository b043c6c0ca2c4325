"""The page of a robustness evaluation: a summary, the breaks of each approach, and the curves of every axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from hetwin_bauer2022.evaluation.approaches import APPROACHES
from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness.curves import (
    GOOD_SHARE,
    TRUTHS,
    Break,
    CurvePoint,
    Judgement,
    Line,
    nearest_breaks,
)
from hetwin_bauer2022.robustness.figures import colour_of, curves_figure
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.levels import beyond, shown_level
from hetwin_bauer2022.robustness.worth import worth
from hetwin_bauer2022.robustness.wrong_pictures import WrongPicture
from hetwin_suite.page import (
    Card,
    Cards,
    Chip,
    Content,
    Document,
    Fold,
    Grid,
    Heading,
    Inline,
    Items,
    Lines,
    Paragraph,
    Picture,
    Quiet,
    Section,
    Strong,
    Table,
)


def robustness_page(found: Findings, wrong: Sequence[tuple[Judgement, WrongPicture]]) -> str:
    """Return the page as HTML.

    Args:
        found: all judgements.
        wrong: first wrong verdict beyond each shown break, with its picture.
    """
    sections = [_summary(found), _breaks(found)]
    for axis in found.axes.values():
        here = [(one, picture) for one, picture in wrong if one.axis.name == axis.name]
        sections.append(_axis(found, axis, here))
    footer = (
        "Written by hetwin evaluate robustness. What is shown as wrong was run again, with a log."
    )
    document = Document("robustness", sections, heading="hetwin: robustness", footer=footer)
    return document.html()


def _summary(found: Findings) -> Section:
    rows = [
        [
            *(one.name, one.scenario, one.grasp),
            *(str(_count(one.episodes, t)) for t in (True, False)),
        ]
        for one in found.sets
    ]
    note = (
        f"{len(found.judgements)} verdicts are drawn on this page. An approach breaks where less than"
        f" {GOOD_SHARE:.0%} of its verdicts are right; success and failure are counted apart, since a twin that"
        " always says the same is right in one of them. Left out (n/a) is, as in the paper, a failed execution in"
        " which an approach without signals never grasped what the robot really held."
    )
    shown = Table(["set", "scenario", "grasp", "successes", "failures"], rows)
    said = [Paragraph(worth(found.curves), "how"), Paragraph(note, "more")]
    return Section("", content=[*said, Fold("The episodes", shown)])


def _count(episodes: Sequence[object], truth: bool) -> int:
    return sum(getattr(episode, "success", None) is truth for episode in episodes)


def _breaks(found: Findings) -> Section:
    approaches = [a for a in APPROACHES if any(line.approach == a for line in found.lines)]
    rows = [
        [axis.name, *(_break_cell(found, axis, approach) for approach in approaches)]
        for axis in found.axes.values()
    ]
    text = (
        f"The first level below {GOOD_SHARE:.0%} on each side of no mismatch, of the set that breaks first; "
        "in brackets, which one and whether it really succeeded."
    )
    title = f"Where each approach falls below {GOOD_SHARE:.0%}"
    return Section(title, text, Table(["axis", *approaches], rows))


def _break_cell(found: Findings, axis: Axis, approach: str) -> Inline:
    if not any((line.axis, line.approach) == (axis.name, approach) for line in found.lines):
        return "-"
    mine = [
        (line, one)
        for line, one in found.breaks
        if (line.axis, line.approach) == (axis.name, approach)
    ]
    chosen = nearest_breaks(mine, axis.none)
    if not chosen:
        return "nowhere"
    return Lines([_break_words(axis, line, one) for line, one in chosen])


def _break_words(axis: Axis, line: Line, one: Break) -> Inline:
    level = shown_level(axis, one.point.level) if one.direction else "without mismatch"
    outside = ", beyond hardware" if beyond(axis, one.point.level) else ""
    return Strong(level), " ", Quiet(f"({line.set}, {line.truth}{outside})")


def _axis(found: Findings, axis: Axis, wrong: Sequence[tuple[Judgement, WrongPicture]]) -> Section:
    lines = {line: points for line, points in found.lines.items() if line.axis == axis.name}
    levels = sorted({point.level for points in lines.values() for point in points})
    plots = Grid(
        [
            Heading(f"{name}, {truth}", [curves_figure(axis, levels, curves)])
            for name, truth, curves in _groups(lines)
        ]
    )
    names = dict.fromkeys(line.approach for line in lines)
    chips = tuple(part for name in names for part in (Chip(name, colour_of(name)), " "))
    content: list[Content] = [
        *(Paragraph(_hardware(axis), "note"), Paragraph(chips), plots),
        Fold("All numbers", _numbers(axis, levels, lines)),
    ]
    if wrong:
        content.append(Cards([_card(axis, one, picture) for one, picture in wrong]))
    return Section(axis.name, f"{axis.summary[:1].upper()}{axis.summary[1:]}.", content, axis.name)


def _groups(
    lines: Mapping[Line, Sequence[CurvePoint]],
) -> list[tuple[str, str, list[Sequence[CurvePoint]]]]:
    """Return set, truth and curves of each picture, successes before failures."""

    def key(line: Line) -> tuple[str, int]:
        return line.set, TRUTHS.index(line.truth)

    return [
        (name, TRUTHS[truth], [lines[line] for line in group])
        for (name, truth), group in groupby(sorted(lines, key=key), key=key)
    ]


def _hardware(axis: Axis) -> str:
    if axis.hardware is None:
        return f"What real hardware has is not known: {axis.source}"
    low, high = (shown_level(axis, level) for level in axis.hardware)
    return f"Shaded: real hardware, {low} to {high} ({axis.source}). Hollow points are beyond it."


def _numbers(
    axis: Axis, levels: Sequence[float], lines: Mapping[Line, Sequence[CurvePoint]]
) -> Table:
    rows = []
    for line, points in lines.items():
        by_level = {point.level: point for point in points}
        cells = [_number(by_level.get(level)) for level in levels]
        rows.append([line.set, line.truth, line.approach, *cells])
    rows.sort(key=lambda row: (row[0], TRUTHS.index(row[1]), APPROACHES.index(row[2])))
    return Table(["set", "truth", "approach", *(shown_level(axis, one) for one in levels)], rows)


def _number(point: CurvePoint | None) -> str:
    if point is None:
        return "-"
    return f"{point.right} of {point.of}" if point.of else "n/a"


def _card(axis: Axis, one: Judgement, picture: WrongPicture) -> Card:
    verdict = one.verdict
    said = {True: "success", False: "failure", None: "nothing: the run failed"}[verdict.success]
    cause = f" ({verdict.cause.replace('_', ' ')})" if verdict.cause else ""
    truth = "success" if verdict.truth else f"failure{cause}"
    title = f"{verdict.approach} at {shown_level(axis, one.level)}: {one.set}, {verdict.name}"
    observed = Fold("What was observed", Paragraph(verdict.why, "note"))
    content: list[Content] = [f"said {said}, was {truth}", Items(picture.reasons), observed]
    return Card(title, "bad", [Picture(*image) for image in picture.images], content)
