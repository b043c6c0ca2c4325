"""The page of a batch: groups of runs with the same outcomes and flaws, and the probabilities of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hetwin_futures.batch import Batch
from hetwin_futures.until import Share, share
from hetwin_stills import Moment, NoGraphics, stills
from hetwin_suite.episode import Episode, flaws_of
from hetwin_suite.model import BadInput, Json
from hetwin_suite.page import (
    SERIES,
    Axis,
    Card,
    Cards,
    Chart,
    Code,
    Content,
    Document,
    Fold,
    Inline,
    Line,
    LineStyle,
    Panel,
    Paragraph,
    Picture,
    PointStyle,
    Section,
    Strong,
    Table,
)
from hetwin_suite.study import RunResult


class Kind(NamedTuple):
    """Runs with the same outcomes and flaws.

    Attributes:
        outcomes: outcomes that came about.
        missed: outcomes that did not come about.
        flaws: kinds of their flaws.
        failed: whether the runs failed.
        runs: the runs, by index.
    """

    outcomes: tuple[str, ...]
    missed: tuple[str, ...]
    flaws: tuple[str, ...]
    failed: bool
    runs: Sequence[RunResult]

    @property
    def words(self) -> str:
        """Outcomes and flaws of the runs as text."""
        if self.failed:
            return "failed"
        content = [*self.outcomes, *(f"not {name}" for name in self.missed)]
        text = ", ".join(content) or "went to its end"
        if self.flaws:
            text += f"; {', '.join(self.flaws)}"
        return text.replace("_", " ")

    @property
    def is_good(self) -> bool:
        """Whether the runs met all outcomes without a flaw."""
        return not (self.failed or self.missed or self.flaws)


def kinds_of(runs: Sequence[RunResult]) -> list[Kind]:
    """Group runs by outcomes and flaws, the largest group first."""
    found: dict[tuple[object, ...], list[RunResult]] = {}
    for run in runs:
        found.setdefault(_key(run), []).append(run)
    kinds = [_kind(alike) for alike in found.values()]
    return sorted(kinds, key=lambda kind: -len(kind.runs))


def _key(run: RunResult) -> tuple[object, ...]:
    if run.error is not None:
        return ("failed",)
    return (*run.outcomes.items(), frozenset(run.flaws))


def _kind(alike: Sequence[RunResult]) -> Kind:
    first = alike[0]
    came = tuple(name for name, value in first.outcomes.items() if value is True)
    missed = tuple(name for name, value in first.outcomes.items() if value is not True)
    return Kind(came, missed, tuple(first.flaws), first.error is not None, tuple(alike))


def run_pictures(run: Path) -> list[Picture]:
    """Return pictures of a run at its first flaw and at its end.

    Args:
        run: folder of the run.

    Raises:
        BadInput: if the run has no readable log.
        NoGraphics: if pictures cannot be rendered here.
    """
    drawn = stills(Episode.open(run), _moments(run))
    return [Picture(image.png, f"{image.time_ns / 1e9:.2f} s, {image.caption}") for image in drawn]


def _moments(run: Path) -> list[Moment]:
    """Return the moments of the first flaw and of the end."""
    episode, flaws = Episode.open(run), flaws_of(run)
    end = Moment(int(episode.times[-1]), "at the end", _thing(flaws[0].entities if flaws else ()))
    if not flaws or flaws[0].span.from_ns >= end.time_ns:
        return [end]
    first = flaws[0]
    return [Moment(first.span.from_ns, first.kind.replace("_", " "), _thing(first.entities)), end]


def _thing(entities: tuple[str, ...]) -> str:
    return entities[0] if entities else ""


MOST_POINTS = 200
"""Maximum number of points at which a plot shows the intervals."""
GOOD, BAD = "#23845a", "#c53d3d"
SHARES = Axis("probability", (-0.02, 1.02), percent=True)


def over_runs(batch: Batch) -> Chart:
    """Plot the probability of each outcome, as known after each run."""
    counts = _looks(len(batch.runs))
    lines = []
    for name, colour in zip(batch.outcomes, SERIES, strict=False):
        came = np.cumsum([run.outcomes.get(name) is True for run in batch.runs])
        known: list[Share] = [share(int(came[n - 1]), n) for n in counts]
        shares = [k.yes / k.of for k in known]
        band = [k.low for k in known], [k.high for k in known]
        lines.append(Line(name, counts, shares, colour, unit="%", decimals=1, band=band))
    return Chart([Panel(lines, SHARES)], x=Axis("runs"), height=260)


def _looks(runs: int) -> list[int]:
    """Return the numbers of runs after which a plot shows the intervals."""
    if runs <= MOST_POINTS:
        return list(range(1, runs + 1))
    return sorted({round(n) for n in np.linspace(1, runs, MOST_POINTS)})


def inputs(batch: Batch) -> Chart | None:
    """Plot the runs over the two inputs most associated with failure; None without two numeric inputs."""
    names = _shown_inputs(batch)
    if names is None:
        return None
    lines = []
    for words, good, colour in (("as wanted", True, GOOD), ("not as wanted", False, BAD)):
        runs = [run for run in batch.runs if run.succeeded is good]
        x, y = (_column(runs, name) for name in names)
        dots = [PointStyle.CIRCLE if good else PointStyle.CROSS]
        labels = [f"run {run.index}: {_place(run, names)}" for run in runs]
        lines.append(Line(words, x, y, colour, style=LineStyle.NONE, points=dots, texts=labels))
    return Chart([Panel(lines, Axis(names[1]))], x=Axis(names[0]), height=340, single=True)


def _place(run: RunResult, names: tuple[str, str]) -> str:
    return ", ".join(f"{name} {run.inputs[name]:.5g}" for name in names)


def _shown_inputs(batch: Batch) -> tuple[str, str] | None:
    first = [name for name, _ in batch.related]
    names = [*first, *(name for name in batch.runs[0].inputs if name not in first)]
    known = [name for name in names if all(_is_number(run.inputs.get(name)) for run in batch.runs)]
    return (known[0], known[1]) if len(known) > 1 else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _column(runs: Sequence[RunResult], name: str) -> list[Any]:
    return [run.inputs[name] for run in runs]


MOST_KINDS = 6
"""Maximum number of groups shown by pictures; the others are only counted."""


def batch_page(batch: Batch, out: Path, scenario: str) -> str:
    """Return the page of a batch as HTML.

    Args:
        batch: the batch.
        out: folder of the page.
        scenario: name of the scenario, with the variant.
    """
    return Document(
        scenario,
        [
            _outcomes(batch),
            _flaws(batch),
            _related(batch),
            *_kinds(kinds_of(batch.runs), out),
            Section("Runs", content=Fold(f"all {len(batch.runs)}", _runs(batch, out))),
        ],
        heading=f"hetwin: {scenario}, {_count(batch)}",
        footer="Written by hetwin predict.",
    ).html()


def _count(batch: Batch) -> str:
    ended = ", enough is known" if batch.stopped else ""
    return f"{len(batch.runs)} runs with what is uncertain drawn anew{ended}"


def _outcomes(batch: Batch) -> Section:
    if not batch.outcomes:
        none = "The scenario names none, under the key ", Code("outcomes"), "."
        return Section("Outcomes", content=none)
    rows: list[list[Inline]] = [
        [
            name,
            f"{found.yes} of {found.of}",
            Strong(f"{found.yes / found.of:.0%}"),
            f"{found.low:.0%} to {found.high:.0%}",
        ]
        for name, found in batch.outcomes.items()
    ]
    content = Table(["outcome", "came about", "share", "probability"], rows)
    how = (
        "The probability lies between these bounds at a confidence of 95 %, however often one looks."
        " The bands show them as they became known."
    )
    return Section("Outcomes", how, [content, over_runs(batch)])


def _flaws(batch: Batch) -> Section:
    if not batch.flaws:
        return Section("Flaws", content="None was found in any run.")
    rows = [
        [kind.replace("_", " "), f"{count}", f"{count / len(batch.runs):.0%}"]
        for kind, count in batch.flaws.items()
    ]
    found = Table(["flaw", "runs", "share"], rows)
    return Section("Flaws", "In how many runs each was found.", found)


def _related(batch: Batch) -> Section:
    strengths = [[name, f"{strength:.2f}"] for name, strength in batch.related]
    content: Content = Paragraph("No input goes with failure more than chance would make it.")
    if strengths:
        content = Table(["input", "strength"], strengths)
    how = "How well each input tells the runs that were not as wanted from the others: 0 not at all, 1 exactly."
    shown = inputs(batch)
    return Section("What goes with failure", how, [content, *([shown] if shown else [])])


def _kinds(kinds: list[Kind], out: Path) -> list[Content]:
    left = sum(len(kind.runs) for kind in kinds[MOST_KINDS:])
    rest = f" {left} more runs are of {len(kinds) - MOST_KINDS} further kinds." if left else ""
    content = f"Runs with the same outcomes and flaws; one of each is shown.{rest}"
    cards = Cards([_card_of(kind, out) for kind in kinds[:MOST_KINDS]])
    return [Section("Kinds of runs", content), cards]


def _card_of(kind: Kind, out: Path) -> Card:
    shown = next((run for run in kind.runs if run.folder is not None), kind.runs[0])
    count = f"{len(kind.runs)} run{'' if len(kind.runs) == 1 else 's'}"
    where = "not kept" if shown.folder is None else Code(_relative(shown.folder, out))
    content: list[Content] = [f"{count}; shown is run {shown.index}, ", where]
    if shown.error:
        content.append(Paragraph(shown.error, "note"))
    pictures: Sequence[Picture] = ()
    if shown.folder is not None:
        try:
            pictures = run_pictures(Path(shown.folder))
        except (BadInput, NoGraphics) as why:  # a run that failed early has nothing to be seen
            content.append(Paragraph(f"no picture: {why}", "note"))
    return Card(kind.words, "good" if kind.is_good else "bad", pictures, content)


def _runs(batch: Batch, out: Path) -> Table:
    rows = [
        [
            str(run.index),
            ", ".join(name for name, value in run.outcomes.items() if value is True) or "-",
            run.error or ", ".join(run.flaws).replace("_", " ") or "-",
            "-" if run.folder is None else _relative(run.folder, out),
        ]
        for run in batch.runs
    ]
    return Table(["run", "came about", "flaws, or why it failed", "folder"], rows, number=0)


def _relative(folder: str, out: Path) -> str:
    path = Path(folder)
    root = out.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else folder
