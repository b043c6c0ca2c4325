"""Compares a night with a user's own labels: accuracy, and the recordings that disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hetwin_futures import Scores, score, score_lines
from hetwin_night.recordings import read_about
from hetwin_night.row import BAD, GOOD, Row
from hetwin_suite.command import BadInput
from hetwin_suite.study import probability

_TRUE_WORDS, _FALSE_WORDS = (
    ("1", "true", "yes", "success", "good"),
    ("0", "false", "no", "failure", "bad"),
)
SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class LabelComparison:
    """The result of the comparison with labels.

    Attributes:
        labelled: number of recordings of the night that have a label.
        table: (label, outcome) -> number of recordings; labels are ``success`` and ``failure``.
        disagree: names of recordings whose label and outcome contradict each other.
        without: number of labels without a recording in the night.
        scored: claim -> scores of its probabilities, for claims that have labels.
        wrong: claim -> name of a recording in which it is wrong -> kind of error.
    """

    labelled: int
    table: Mapping[tuple[str, str], int]
    disagree: tuple[str, ...]
    without: int
    scored: Mapping[str, Scores] = field(default_factory=dict)
    wrong: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The confusion table as lines of text, with 95 % intervals (Wilson)."""
        outcomes = sorted({outcome for _, outcome in self.table})
        lines = [f"{self.labelled} recordings with labels"]
        for label in ("success", "failure"):
            counts = {outcome: self.table.get((label, outcome), 0) for outcome in outcomes}
            if total := sum(counts.values()):
                listed = ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n)
                lines.append(f"  {label} ({total}): {listed}")
        for label, outcome, description in (
            ("failure", BAD, "failures named bad"),
            ("success", GOOD, "successes named good"),
        ):
            total = sum(n for (key, _), n in self.table.items() if key == label)
            if total:
                share = probability(self.table.get((label, outcome), 0), total)
                lines.append(
                    f"  {description}: {share.p:.0%} ({share.low:.0%} to {share.high:.0%})"
                )
        lines += [f"  disagrees: {name}" for name in self.disagree]
        if self.without:
            lines.append(f"  {self.without} labels belong to no recording of this night")
        for claim, scores in self.scored.items():
            lines += score_lines(claim, scores)
            lines += [f"  {claim} {kind}: {name}" for name, kind in self.wrong[claim].items()]
        return lines


def compare_with_labels(rows: Sequence[Row], file: Path) -> LabelComparison:
    """Compare a night with labels.

    Args:
        rows: rows of the night.
        file: CSV file with the columns ``name`` and ``success``, or the name of a claim of evidence such as ``held``.

    Raises:
        BadInput: if the file cannot be used, or fits no recording.
    """
    label_rows = read_about(file)
    scored, wrong = _scored(rows, label_rows, file)
    labels = {
        name: _label(row, SUCCESS, name, file)
        for name, row in label_rows.items()
        if SUCCESS in row or not scored
    }
    table: dict[tuple[str, str], int] = {}
    disagree = []
    for row in rows:
        label = labels.get(row.name)
        if label is None:
            continue
        key = label, row.outcome
        table[key] = table.get(key, 0) + 1
        if key in (("success", BAD), ("failure", GOOD)):
            disagree.append(row.name)
    if not table and not scored:
        raise BadInput(
            "no label belongs to a recording of this night",
            file=file,
            where="name",
            found=next(iter(label_rows)),
            expected=f"names such as {rows[0].name}",
        )
    count = sum(table.values())
    return LabelComparison(
        count, table, tuple(disagree), max(0, len(labels) - count), scored, wrong
    )


def _scored(
    rows: Sequence[Row], label_rows: Mapping[str, Mapping[str, str]], file: Path
) -> tuple[dict[str, Scores], dict[str, dict[str, str]]]:
    """Score each claim of evidence that has both probabilities and labels."""
    scored, wrong = {}, {}
    for claim in dict.fromkeys(name for row in rows for name in row.probabilities):
        labelled_rows = [
            (
                row.name,
                row.probabilities[claim],
                _label(label_rows[row.name], claim, row.name, file),
            )
            for row in rows
            if claim in row.probabilities and claim in label_rows.get(row.name, {})
        ]
        if labelled_rows:
            names, claimed, labels = zip(*labelled_rows, strict=True)
            scores = scored[claim] = score(claimed, [label == "success" for label in labels])
            wrong[claim] = {
                names[index]: "wrongly denied" if labels[index] == "success" else "wrongly claimed"
                for index in scores.wrong
            }
    return scored, wrong


def _label(row: Mapping[str, str], column: str, name: str, file: Path) -> str:
    text = row.get(column, "").strip().lower()
    if text in _TRUE_WORDS:
        return "success"
    if text in _FALSE_WORDS:
        return "failure"
    raise BadInput(
        "this label is invalid",
        file=file,
        where=f"{column} of {name}",
        found=text or "nothing",
        expected=f"one of {', '.join((*_TRUE_WORDS, *_FALSE_WORDS))}",
    )
