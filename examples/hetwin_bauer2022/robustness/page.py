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
    CurveKey,
    CurvePoint,
    Judgement,
    nearest_breaks,
)
from hetwin_bauer2022.robustness.figures import colour_of, curves_figure
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.levels import is_beyond_hardware, shown_level
from hetwin_bauer2022.robustness.summary import summary_sentence
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


def robustness_page(findings: Findings, wrong: Sequence[tuple[Judgement, WrongPicture]]) -> str:
    """Return the page as HTML.

    Args:
        findings: all judgements.
        wrong: first wrong verdict beyond each shown break, with its picture.
    """
    sections = [_summary(findings), _breaks(findings)]
    for axis in findings.axes.values():
        pictures = [
            (judgement, picture) for judgement, picture in wrong if judgement.axis.name == axis.name
        ]
        sections.append(_axis(findings, axis, pictures))
    footer = (
        "Written by hetwin evaluate robustness. What is shown as wrong was run again, with a log."
    )
    document = Document("robustness", sections, heading="hetwin: robustness", footer=footer)
    return document.html()


def _summary(findings: Findings) -> Section:
    rows = [
        [
            *(episode_set.name, episode_set.scenario, episode_set.grasp),
            *(str(_count(episode_set.episodes, t)) for t in (True, False)),
        ]
        for episode_set in findings.sets
    ]
    note = (
        f"{len(findings.judgements)} verdicts are drawn on this page. An approach breaks where less than"
        f" {GOOD_SHARE:.0%} of its verdicts are right; success and failure are counted apart, since a twin that"
        " always says the same is right in one of them. Left out (n/a) is, as in the paper, a failed execution in"
        " which an approach without signals never grasped what the robot really held."
    )
    episodes_table = Table(["set", "scenario", "grasp", "successes", "failures"], rows)
    verdict_text = [Paragraph(summary_sentence(findings.curves), "how"), Paragraph(note, "more")]
    return Section("", content=[*verdict_text, Fold("The episodes", episodes_table)])


def _count(episodes: Sequence[object], truth: bool) -> int:
    return sum(getattr(episode, "success", None) is truth for episode in episodes)


def _breaks(findings: Findings) -> Section:
    approaches = [a for a in APPROACHES if any(line.approach == a for line in findings.lines)]
    rows = [
        [axis.name, *(_break_cell(findings, axis, approach) for approach in approaches)]
        for axis in findings.axes.values()
    ]
    text = (
        f"The first level below {GOOD_SHARE:.0%} on each side of no mismatch, of the set that breaks first; "
        "in brackets, which one and whether it really succeeded."
    )
    title = f"Where each approach falls below {GOOD_SHARE:.0%}"
    return Section(title, text, Table(["axis", *approaches], rows))


def _break_cell(findings: Findings, axis: Axis, approach: str) -> Inline:
    if not any((line.axis, line.approach) == (axis.name, approach) for line in findings.lines):
        return "-"
    breaks = [
        (line, found_break)
        for line, found_break in findings.breaks
        if (line.axis, line.approach) == (axis.name, approach)
    ]
    chosen = nearest_breaks(breaks, axis.none)
    if not chosen:
        return "nowhere"
    return Lines([_break_text(axis, line, found_break) for line, found_break in chosen])


def _break_text(axis: Axis, line: CurveKey, found_break: Break) -> Inline:
    level = (
        shown_level(axis, found_break.point.level) if found_break.direction else "without mismatch"
    )
    outside = ", beyond hardware" if is_beyond_hardware(axis, found_break.point.level) else ""
    return Strong(level), " ", Quiet(f"({line.set}, {line.truth}{outside})")


def _axis(
    findings: Findings, axis: Axis, wrong: Sequence[tuple[Judgement, WrongPicture]]
) -> Section:
    lines = {line: points for line, points in findings.lines.items() if line.axis == axis.name}
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
        content.append(Cards([_card(axis, judgement, picture) for judgement, picture in wrong]))
    return Section(axis.name, f"{axis.summary[:1].upper()}{axis.summary[1:]}.", content, axis.name)


def _groups(
    lines: Mapping[CurveKey, Sequence[CurvePoint]],
) -> list[tuple[str, str, list[Sequence[CurvePoint]]]]:
    """Return set, truth and curves of each picture, successes before failures."""

    def key(line: CurveKey) -> tuple[str, int]:
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
    axis: Axis, levels: Sequence[float], lines: Mapping[CurveKey, Sequence[CurvePoint]]
) -> Table:
    rows = []
    for line, points in lines.items():
        by_level = {point.level: point for point in points}
        cells = [_number(by_level.get(level)) for level in levels]
        rows.append([line.set, line.truth, line.approach, *cells])
    rows.sort(key=lambda row: (row[0], TRUTHS.index(row[1]), APPROACHES.index(row[2])))
    return Table(
        ["set", "truth", "approach", *(shown_level(axis, level) for level in levels)], rows
    )


def _number(point: CurvePoint | None) -> str:
    if point is None:
        return "-"
    return f"{point.right} of {point.of}" if point.of else "n/a"


def _card(axis: Axis, judgement: Judgement, picture: WrongPicture) -> Card:
    verdict = judgement.verdict
    verdict_text = {True: "success", False: "failure", None: "nothing: the run failed"}[
        verdict.success
    ]
    cause = f" ({verdict.cause.replace('_', ' ')})" if verdict.cause else ""
    truth = "success" if verdict.truth else f"failure{cause}"
    title = f"{verdict.approach} at {shown_level(axis, judgement.level)}: {judgement.set}, {verdict.name}"
    observed = Fold("What was observed", Paragraph(verdict.why, "note"))
    content: list[Content] = [f"said {verdict_text}, was {truth}", Items(picture.reasons), observed]
    return Card(title, "bad", [Picture(*image) for image in picture.images], content)
