"""Scores of probabilities as text, and as a page with a reliability diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetwin_futures.scores import BINS, Interval, Scores
from hetwin_suite.page import (
    SERIES,
    Axis,
    Chart,
    Document,
    Line,
    LineStyle,
    Panel,
    PointStyle,
    Section,
    Table,
)
from hetwin_suite.study import Probability

_NOTE = (
    "Claims are binned by claimed probability. Each point compares the mean claimed probability of a bin with the "
    "share of its claims that were true, with 95 % intervals (Wilson). The dotted line is perfect calibration."
)


def score_rows(scores: Scores) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each figure, with its 95 % interval."""
    yield "claims", f"{scores.of}"
    yield "decided", _share(scores.decided)
    yield "of these right", _share(scores.right)
    yield "sensitivity", _share(scores.sensitivity)
    yield "specificity", _share(scores.specificity)
    yield "false ones claimed to be true", _share(scores.kinds.claimed)
    yield "true ones claimed to be false", _share(scores.kinds.denied)
    yield "false ones that are not known", _share(scores.kinds.unknown_false)
    yield "true ones that are not known", _share(scores.kinds.unknown_true)
    yield "area under the curve", _figure(scores.auc)
    yield (
        "Brier score",
        f"{_figure(scores.brier)}; of the share of true ones {scores.brier_base:.3f}",
    )
    yield "calibration error", _figure(scores.calibration_error)


def score_lines(name: str, scores: Scores) -> Iterator[str]:
    """Yield the scores of a claim as lines of text."""
    yield f"{name}: " + ", ".join(f"{what} {words}" for what, words in score_rows(scores))


def reliability_page(title: str, scored: Mapping[str, Scores]) -> str:
    """Return an HTML page with the scores of each claim and a reliability diagram of five bins.

    Args:
        title: title of the page.
        scored: claim -> its scores.
    """
    sections = [
        Section(name, _NOTE if number == 0 else "", [_diagram(scores), _table(scores)])
        for number, (name, scores) in enumerate(scored.items())
    ]
    return Document(title, sections).html()


def _diagram(scores: Scores) -> Chart:
    bins = scores.reliability
    claimed = [bin_.claimed for bin_ in bins]
    found = Line(
        "claims",
        claimed,
        [bin_.true.p for bin_ in bins],
        SERIES[0],
        points=[PointStyle.CIRCLE] * len(bins),
        band=([bin_.true.low for bin_ in bins], [bin_.true.high for bin_ in bins]),
        texts=[f"said {bin_.claimed:.2f}, true {_share(bin_.true)}" for bin_ in bins],
    )
    same = Line("as said", [0.0, 1.0], [0.0, 1.0], "#888888", style=LineStyle.DOTTED)
    panel = Panel([same, found], Axis("share of true ones", (0.0, 1.0), percent=True))
    return Chart([panel], x=Axis("said", (0.0, 1.0), percent=True))


def _table(scores: Scores) -> Table:
    rows = [list(row) for row in score_rows(scores)]
    for bin_ in scores.reliability:
        low = min(BINS - 1, int(bin_.claimed * BINS)) / BINS
        rows.append([f"said {low:.1f} to {low + 1 / BINS:.1f}", f"true {_share(bin_.true)}"])
    return Table(["", ""], rows)


def _share(found: Probability) -> str:
    if not found.of:
        return "of none"
    return f"{found.p:.0%} of {found.of} ({found.low:.0%} to {found.high:.0%})"


def _figure(found: Interval) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
