"""`hetwin night`: replays and judges every recording below some folders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.command import (
    BadInput,
    Jobs,
    Page,
    PagedResult,
    Variant,
    counted,
    json_text,
    option,
    write_text,
)

if TYPE_CHECKING:
    from hetwin_night.row import Row
    from hetwin_suite.study import ReplayJob

_SHOWN = 20
PAGE, JSON, RELIABILITY = "night.html", "night.json", "reliability.html"


def night(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER...", help="folders with recordings")
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="SCENARIO",
            help="scenario file, or name of one of hetwin's; all recordings are replayed in it",
        ),
    ] = None,
    out: Annotated[Path, option("--out", "its folder; resumed if it exists")] = Path("night"),
    claim: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=QUESTION", help="claim that must hold, beside the outcomes"),
    ] = None,
    variant: Variant = None,
    names: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="named groups become metadata, e.g. (?P<robot>\\w+)/"),
    ] = None,
    about: Annotated[
        Path | None, typer.Option(metavar="CSV", help="metadata of recordings, by the column name")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="your labels, in the columns name and success or a claim such as held: measures the agreement",
        ),
    ] = None,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="compare two nights instead"),
    ] = None,
    bisect: Annotated[
        bool,
        typer.Option("--bisect", help="find the first recording, by time, with another outcome"),
    ] = False,
    keep: Annotated[
        str,
        typer.Option(
            "--runs", metavar="WHICH", help="runs to keep with their pages: bad, all or none"
        ),
    ] = "bad",
    still: Annotated[
        float,
        typer.Option(
            metavar="S", min=1, help="wall seconds without a step after which a replay hangs"
        ),
    ] = 60.0,
    within: Annotated[float, option("--within", "of one replay", 1)] = 600.0,
    jobs: Jobs = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="run on the workers of this dask.distributed scheduler",
        ),
    ] = None,
) -> PagedResult:
    """Replay every recording below some folders, and tabulate the verdicts.

    An interrupted night is resumed; recordings that were judged already are not judged again.

    For example:

    hetwin night bags --scenario pick_and_place --claim 'placed=holds(on("box", "tray"), at(end))'

    hetwin night bags --scenario pick_and_place --names '(?P<robot>[^/]+)/' --labels labels.csv --out night_before

    hetwin night --diff night_before night

    hetwin night bags --scenario pick_and_place --bisect
    """
    from hetwin_night.compared import compare
    from hetwin_night.kept import RowStore, read_night
    from hetwin_night.recordings import find_recordings
    from hetwin_suite.study import Cluster, Processes

    if diff is not None:
        found = compare(*(read_night(folder, "--diff") for folder in diff))
        return PagedResult(found, found.lines, int(found.to_bad > 0))
    recordings = find_recordings(_given(folders), _pattern(names), about)
    job = _job(scenario, variant, claim or (), out, keep, still, within)
    workers = Processes(jobs) if cluster is None else Cluster(cluster)
    from hetwin_night.judging import Progress, check_fits, judged

    say = Progress()
    with RowStore(out, job.identity) as kept:
        if bisect:
            from hetwin_night.bisecting import bisect as search
            from hetwin_night.recordings import START

            in_order = sorted(
                recordings, key=lambda one: (float(one.about.get(START, 0.0)), one.name)
            )
            result = search(
                in_order, lambda one: judged([one], job, workers, kept, say)[0], kept.of
            )
            return PagedResult(result, result.lines, int(result.changed is not None))
        rows = judged(recordings, job, workers, kept, say)
    check_fits(rows)
    return _result(rows, str(scenario), out, labels)


def _result(rows: Sequence[Row], scenario: str, out: Path, labels: Path | None) -> PagedResult:
    from hetwin_night.labels import beside_labels
    from hetwin_night.page import night_page
    from hetwin_night.row import GOOD
    from hetwin_night.tables import write_tables

    beside = None if labels is None else beside_labels(rows, labels)
    write_tables(rows, out)
    counts = Counter(row.outcome for row in rows)
    summary = f"{counted(len(rows), 'recording')}: " + ", ".join(
        f"{counts[one]} {one}" for one in ("good", "bad", "not known", "fault") if counts[one]
    )
    document = {
        "scenario": scenario,
        "counts": dict(counts),
        "rows": [row.to_json() for row in rows],
        "labels": beside,
    }
    write_text(out / JSON, json_text({"rows": document["rows"]}) + "\n", "the night")
    lines = [summary, *_worst(rows), *(beside.lines if beside else ())]
    if beside is not None and beside.scored:
        from hetwin_futures import reliability_page

        file = out / RELIABILITY
        write_text(file, reliability_page(f"Evidence beside labels: {scenario}", beside.scored))
        lines.append(f"how reliable probabilities are: {file}")
    page = Page(out / PAGE, lambda: night_page(rows, scenario, summary))
    return PagedResult(document, lines, int(counts[GOOD] < len(rows)), page)


def _worst(rows: Iterable[Row]) -> list[str]:
    """Return a line for each bad or faulty recording, up to a maximum."""
    told = [row for row in rows if row.outcome in ("bad", "fault")]
    said = [
        f"  {row.name}: {row.verdict}{'' if row.first_at_s is None else f', {row.first_at_s:.2f} s'}: {row.first}"
        for row in told[:_SHOWN]
    ]
    return said + ([f"  and {len(told) - _SHOWN} more"] if len(told) > _SHOWN else [])


def _given(folders: list[Path] | None) -> list[Path]:
    if folders:
        return folders
    raise BadInput(
        "nothing says where the recordings are", where="FOLDER", expected="one or more folders"
    )


def _pattern(names: str | None) -> re.Pattern[str] | None:
    try:
        return None if names is None else re.compile(names)
    except re.error as error:
        raise BadInput(
            f"this is no regular expression: {error}", where="--names", found=names
        ) from None


def _job(
    scenario: str | None,
    variant: str | None,
    claims: Iterable[str],
    out: Path,
    keep: str,
    still: float,
    within: float,
) -> ReplayJob:
    from hetwin_night.judging import RUNS
    from hetwin_suite.runs import find_scenario

    if scenario is None:
        raise BadInput(
            "nothing says in which scenario", where="--scenario", expected="a file or a name"
        )
    if keep not in ("all", "bad", "none"):
        raise BadInput("no such choice", where="--runs", found=keep, expected="bad, all or none")
    asked = []
    for text in claims:
        name, sign, question = text.partition("=")
        if not sign or not name.isidentifier():
            raise BadInput(
                "this is no claim",
                where="--claim",
                found=text,
                expected='NAME=QUESTION, e.g. \'placed=holds(on("box", "tray"), at(end))\'',
            )
        asked.append((name, question))
    from hetwin_suite.study import ReplayJob

    return ReplayJob(
        find_scenario(scenario),
        variant,
        tuple(asked),
        out=(out / RUNS).resolve(),
        keep=keep,
        still_s=still,
        within_s=within,
    )
