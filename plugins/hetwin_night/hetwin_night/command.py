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

_MAX_LISTED = 20
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
        typer.Option(
            metavar="NAME=QUESTION", help="claim that must hold, in addition to a good outcome"
        ),
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
    from hetwin_futures import Cluster
    from hetwin_night.comparison import compare
    from hetwin_night.recordings import find_recordings
    from hetwin_night.row_store import RowStore, read_night
    from hetwin_suite.study import Processes

    if diff is not None:
        differences = compare(*(read_night(folder, "--diff") for folder in diff))
        return PagedResult(differences, differences.lines, int(differences.to_bad > 0))
    recordings = find_recordings(_require_folders(folders), _compile_pattern(names), about)
    job = _job(scenario, variant, claim or (), out, keep, still, within)
    workers = Processes(jobs) if cluster is None else Cluster(cluster)
    from hetwin_night.judging import Progress, check_fits, judge_all

    progress = Progress()
    with RowStore(out, job.identity) as store:
        if bisect:
            from hetwin_night.bisecting import bisect as search
            from hetwin_night.recordings import START

            in_order = sorted(
                recordings,
                key=lambda recording: (float(recording.about.get(START, 0.0)), recording.name),
            )
            result = search(
                in_order,
                lambda recording: judge_all([recording], job, workers, store, progress)[0],
                store.get,
            )
            return PagedResult(result, result.lines, int(result.changed is not None))
        rows = judge_all(recordings, job, workers, store, progress)
    check_fits(rows)
    return _result(rows, str(scenario), out, labels)


def _result(rows: Sequence[Row], scenario: str, out: Path, labels: Path | None) -> PagedResult:
    from hetwin_night.labels import compare_with_labels
    from hetwin_night.page import night_page
    from hetwin_night.row import GOOD
    from hetwin_night.tables import write_tables

    comparison = None if labels is None else compare_with_labels(rows, labels)
    write_tables(rows, out)
    counts = Counter(row.outcome for row in rows)
    summary = f"{counted(len(rows), 'recording')}: " + ", ".join(
        f"{counts[outcome]} {outcome}"
        for outcome in ("good", "bad", "not known", "fault")
        if counts[outcome]
    )
    document = {
        "scenario": scenario,
        "counts": dict(counts),
        "rows": [row.to_json() for row in rows],
        "labels": comparison,
    }
    write_text(out / JSON, json_text({"rows": document["rows"]}) + "\n", "the night")
    lines = [summary, *_troubled_lines(rows), *(comparison.lines if comparison else ())]
    if comparison is not None and comparison.scored:
        from hetwin_futures import reliability_page

        file = out / RELIABILITY
        write_text(file, reliability_page(f"Evidence beside labels: {scenario}", comparison.scored))
        lines.append(f"reliability of the probabilities: {file}")
    page = Page(out / PAGE, lambda: night_page(rows, scenario, summary))
    return PagedResult(document, lines, int(counts[GOOD] < len(rows)), page)


def _troubled_lines(rows: Iterable[Row]) -> list[str]:
    """Return a line for each bad or faulty recording, up to a maximum."""
    troubled = [row for row in rows if row.outcome in ("bad", "fault")]
    lines = [
        f"  {row.name}: {row.verdict}{'' if row.first_at_s is None else f', {row.first_at_s:.2f} s'}: {row.first}"
        for row in troubled[:_MAX_LISTED]
    ]
    return lines + (
        [f"  and {len(troubled) - _MAX_LISTED} more"] if len(troubled) > _MAX_LISTED else []
    )


def _require_folders(folders: list[Path] | None) -> list[Path]:
    if folders:
        return folders
    raise BadInput(
        "no folder with recordings is given", where="FOLDER", expected="one or more folders"
    )


def _compile_pattern(names: str | None) -> re.Pattern[str] | None:
    try:
        return None if names is None else re.compile(names)
    except re.error as error:
        raise BadInput(f"not a regular expression: {error}", where="--names", found=names) from None


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
        raise BadInput("no scenario is given", where="--scenario", expected="a file or a name")
    if keep not in ("all", "bad", "none"):
        raise BadInput("no such choice", where="--runs", found=keep, expected="bad, all or none")
    parsed_claims = []
    for text in claims:
        name, sign, question = text.partition("=")
        if not sign or not name.isidentifier():
            raise BadInput(
                "not a claim",
                where="--claim",
                found=text,
                expected='NAME=QUESTION, e.g. \'placed=holds(on("box", "tray"), at(end))\'',
            )
        parsed_claims.append((name, question))
    from hetwin_suite.study import ReplayJob

    return ReplayJob(
        find_scenario(scenario),
        variant,
        tuple(parsed_claims),
        out=(out / RUNS).resolve(),
        keep=keep,
        still_s=still,
        within_s=within,
    )
