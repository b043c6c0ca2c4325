"""Writes the files of an evaluation: curves as CSV and JSON, and the page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hetwin_bauer2022.evaluation.approaches import RULES
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.robustness.curves import Judgement, nearest_breaks
from hetwin_bauer2022.robustness.evaluation import RECORDED_FOLDER
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.page import robustness_page
from hetwin_bauer2022.robustness.stored_verdicts import VerdictKey
from hetwin_bauer2022.robustness.summary import summary_sentence
from hetwin_bauer2022.robustness.work_items import Point
from hetwin_bauer2022.robustness.wrong_pictures import PictureRequest, draw_all

NAME = "robustness"
PICTURES = "pictures"


def as_json(findings: Findings, out: Path) -> dict[str, Any]:
    """Return the JSON of curves, breaks and the summary.

    Args:
        findings: all judgements.
        out: folder of the files.
    """
    return {
        "worth": summary_sentence(findings.curves),
        "curves": [point.as_json() for point in findings.curves],
        "breaks": [
            {**line._asdict(), "level": found_break.point.level, "unit": found_break.point.unit}
            for line, found_break in findings.breaks
        ],
        "out": str(out.resolve()),
    }


def write_csv(findings: Findings, out: Path) -> None:
    """Write the points of all curves.

    Args:
        findings: all judgements.
        out: folder of the file.
    """
    rows = [point.as_json() for point in findings.curves]
    with (out / f"{NAME}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)


def page_with_pictures(
    findings: Findings,
    replay: Replay,
    out: Path,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> str:
    """Draw the first wrong verdict beyond each break, and return the page.

    Args:
        findings: all judgements.
        replay: contact settings and engine.
        out: folder of stored pictures.
        jobs: number of parallel processes; None: one per core.
        progress: called with the number of drawn pictures and their total number.
    """
    chosen = _first_wrong(findings)
    requests = [_picture_request(findings, judgement, out) for judgement in chosen]
    drawn = draw_all(requests, replay, jobs, progress)
    return robustness_page(findings, list(zip(chosen, drawn, strict=True)))


def _first_wrong(findings: Findings) -> list[Judgement]:
    """Return a judgement for each axis, approach and side, of the set that breaks first; each episode once."""
    chosen: dict[VerdictKey, Judgement] = {}
    for axis in findings.axes.values():
        for approach in dict.fromkeys(line.approach for line in findings.lines):
            if approach in RULES:  # there is no run to draw
                continue
            breaks = [
                (line, found_break)
                for line, found_break in findings.breaks
                if (line.axis, line.approach) == (axis.name, approach)
            ]
            for _, found_break in nearest_breaks(breaks, axis.none):
                if (wrong := findings.first_wrong(found_break.point)) is not None:
                    chosen.setdefault(wrong.verdict.question, wrong)
    return list(chosen.values())


def _picture_request(findings: Findings, judgement: Judgement, out: Path) -> PictureRequest:
    verdict = judgement.verdict
    episodes = next(s.episodes for s in findings.sets if s.name == judgement.set)
    episode = next(e for e in episodes if e.name == verdict.name)
    axis = findings.axes.get(verdict.axis)
    point = Point(judgement.set, episode, verdict.episode, axis, verdict.level)
    level = f"{verdict.axis}_{verdict.level:g}_{verdict.approach}_{verdict.decided_by}"
    file = out / PICTURES / f"{verdict.episode}_{level}.json"
    return PictureRequest(point, verdict.approach, file, out / RECORDED_FOLDER)
