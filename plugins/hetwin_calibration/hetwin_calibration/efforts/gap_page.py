"""The HTML page of the differences between two recordings."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_calibration.efforts.comparing import SURE, WORDS, Difference, Gap
from hetwin_suite.page import (
    MAIN,
    SERIES,
    Bar,
    Document,
    Inline,
    Paragraph,
    Rows,
    Section,
    Strong,
    Table,
)


def gap_page(gap: Gap) -> str:
    """Return the page, as HTML."""
    names = f"First: {gap.first.recording}. Second: {gap.second.recording}."
    return Document(
        "The gap", [Section("The gap", names, Paragraph(_sentence(gap))), *_sections(gap)]
    ).html()


def _sentence(gap: Gap) -> str:
    differing = [
        f"{WORDS[difference.name]} of {difference.joint}"
        for difference in gap.differences
        if difference.is_gap
    ]
    missing = len(gap.only(0)) + len(gap.only(1))
    text = f"They differ in {', '.join(differing)}" if differing else "No parameter differs"
    return f"{text}; {missing} touches are in one of them only, {len(gap.shared)} in both."


def _sections(gap: Gap) -> Iterator[Section]:
    rows = [_row(difference) for difference in gap.differences]
    note = f"Set in bold: by more than {SURE:g} standard deviations of the difference."
    headings = ["joint", "parameter", "first", "second", "gap", "unit"]
    yield Section("Parameters", note, Table(headings, rows))
    residuals: list[list[Inline]] = [
        [name, f"{a:.3g}", f"{b:.3g}", unit] for name, (a, b, unit) in gap.left.items()
    ]
    note = "Root mean square of what friction, payload, offset and lag do not explain."
    yield Section("Unexplained", note, Table(["joint", "first", "second", "unit"], residuals))
    names, end = ("first", "second"), max(gap.first.seconds, gap.second.seconds)
    bars = [
        Bar(
            name,
            touch.begin,
            touch.end,
            MAIN if touch not in gap.only(i) else SERIES[0],
            title=f"{touch.phase} {touch.words}",
        )
        for i, name in enumerate(names)
        for touch in gap.touches[i]
    ]
    if bars:
        note = "Touches of joints, from the start of each recording [s]; by colour: in both, or in one only."
        yield Section("Touches, slips and stalls", note, Rows(names, bars, (0.0, end)))


def _row(d: Difference) -> list[Inline]:
    a, b = (f"{value:.3g} ± {sd:.2g}" for value, sd in zip(d.values, d.sds, strict=True))
    text = "not known" if d.unknown else f"{d.gap:+.3g} ± {d.sd:.2g}"
    gap: Inline = Strong(text) if d.is_gap else text
    return [d.joint, WORDS[d.name], a, b, gap, d.unit]
