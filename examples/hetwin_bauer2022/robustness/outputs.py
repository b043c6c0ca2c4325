"""Writes the files of an evaluation: curves as CSV and JSON, and the page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hetwin_bauer2022.evaluation.approaches import RULES
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.robustness.curves import Judgement, nearest_breaks
from hetwin_bauer2022.robustness.evaluation import RECORDED
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.kept import Question
from hetwin_bauer2022.robustness.page import robustness_page
from hetwin_bauer2022.robustness.work import Point
from hetwin_bauer2022.robustness.worth import worth
from hetwin_bauer2022.robustness.wrong_pictures import PictureRequest, draw_all

NAME = "robustness"
PICTURES = "pictures"


def as_json(found: Findings, out: Path) -> dict[str, Any]:
    """Return the JSON of curves, breaks and the summary.

    Args:
        found: all judgements.
        out: folder of the files.
    """
    return {
        "worth": worth(found.curves),
        "curves": [point.as_json() for point in found.curves],
        "breaks": [
            {**line._asdict(), "level": one.point.level, "unit": one.point.unit}
            for line, one in found.breaks
        ],
        "out": str(out.resolve()),
    }


def write_csv(found: Findings, out: Path) -> None:
    """Write the points of all curves.

    Args:
        found: all judgements.
        out: folder of the file.
    """
    rows = [point.as_json() for point in found.curves]
    with (out / f"{NAME}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)


def page_with_pictures(
    found: Findings,
    replay: Replay,
    out: Path,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> str:
    """Draw the first wrong verdict beyond each break, and return the page.

    Args:
        found: all judgements.
        replay: contact settings and engine.
        out: folder of stored pictures.
        jobs: number of parallel processes; None: one per core.
        progress: called with the number of drawn pictures and their total number.
    """
    chosen = _first_wrong(found)
    wanted = [_wanted(found, one, out) for one in chosen]
    drawn = draw_all(wanted, replay, jobs, progress)
    return robustness_page(found, list(zip(chosen, drawn, strict=True)))


def _first_wrong(found: Findings) -> list[Judgement]:
    """Return a judgement for each axis, approach and side, of the set that breaks first; each episode once."""
    chosen: dict[Question, Judgement] = {}
    for axis in found.axes.values():
        for approach in dict.fromkeys(line.approach for line in found.lines):
            if approach in RULES:  # there is no run to draw
                continue
            mine = [
                (line, one)
                for line, one in found.breaks
                if (line.axis, line.approach) == (axis.name, approach)
            ]
            for _, one in nearest_breaks(mine, axis.none):
                if (wrong := found.first_wrong(one.point)) is not None:
                    chosen.setdefault(wrong.verdict.question, wrong)
    return list(chosen.values())


def _wanted(found: Findings, one: Judgement, out: Path) -> PictureRequest:
    verdict = one.verdict
    episodes = next(s.episodes for s in found.sets if s.name == one.set)
    episode = next(e for e in episodes if e.name == verdict.name)
    axis = found.axes.get(verdict.axis)
    point = Point(one.set, episode, verdict.episode, axis, verdict.level)
    level = f"{verdict.axis}_{verdict.level:g}_{verdict.approach}_{verdict.decided_by}"
    file = out / PICTURES / f"{verdict.episode}_{level}.json"
    return PictureRequest(point, verdict.approach, file, out / RECORDED)
