"""An evaluation's page: Table 2 beside that of Bauer et al. (2022), accuracy over margin, and every wrong verdict."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from pathlib import Path

import plotly.graph_objects as go

from hetwin_core.projection.episode import Episode
from hetwin_core.projection.report.pictures import pictures
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, TASKS
from hetwin_suite.proving_ground.evaluation.judge import Verdict
from hetwin_suite.proving_ground.evaluation.table2 import Cell

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .3rem .8rem; text-align: left; vertical-align: top; }
tr + tr { border-top: 1px solid #8884; } .small { opacity: .7; font-size: .85em; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
.card { border: 1px solid #8884; border-radius: .5rem; padding: .8rem; } .card img { width: 100%; }
"""
BINS_MM = (-1000, -66, -33, -15, 0, 15, 33, 66, 1000)


def write_page(
    path: Path,
    cells: Sequence[Cell],
    verdicts: Sequence[Verdict],
    logs: dict[tuple[str, str], Path],
) -> None:
    """Write the page; `logs` are runs of wrong verdicts: (episode, approach) -> folder."""
    wrong = [v for v in verdicts if not v.right and not v.not_applicable]
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'><title>hetwin: evaluation</title>",
        f"<style>{STYLE}</style><h1>Verdicts against ground truth</h1>",
        _table(cells),
        "<h2>Accuracy and the margin to the boundary</h2>",
        _margins(verdicts),
        f"<h2>Wrong verdicts ({len(wrong)})</h2>",
        f"<div class='cards'>{''.join(_card(v, logs.get((v.episode, v.approach))) for v in wrong)}</div>",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _table(cells: Sequence[Cell]) -> str:
    rows = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            here = {c.approach: c for c in cells if (c.scenario, c.truth) == (scenario, truth)}
            if here:
                entries = "".join(f"<td>{_cell(here.get(a))}</td>" for a in APPROACHES)
                rows.append(f"<tr><td>{scenario}</td><td>{truth}</td>{entries}</tr>")
    head = "".join(f"<th>{a}</th>" for a in APPROACHES)
    return f"<table><tr><th>scenario</th><th>truth</th>{head}</tr>{''.join(rows)}</table>"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    figure, interval, paper = cell.words
    return (
        f"<b>{figure}</b><br><span class='small'>{interval}</span>"
        f"<br><span class='small'>{paper}</span>"
    )


def _margins(verdicts: Sequence[Verdict]) -> str:
    figure = go.Figure()
    names = [f"{a} to {b}" for a, b in itertools.pairwise(BINS_MM)]
    names[0], names[-1] = f"below {BINS_MM[1]}", f"above {BINS_MM[-2]}"
    for approach in APPROACHES:
        known = [v for v in verdicts if v.approach == approach and v.margin is not None]
        if not known:
            continue
        shares = []
        for low, high in itertools.pairwise(BINS_MM):
            here = [v for v in known if v.margin is not None and low <= 1e3 * v.margin < high]
            right = sum(v.right for v in here)
            shares.append(right / len(here) if here else None)
        figure.add_trace(go.Scatter(x=names, y=shares, mode="lines+markers", name=approach))
    figure.update_layout(
        xaxis_title="margin to the boundary between in and out [mm]", yaxis_title="share right"
    )
    return str(figure.to_html(full_html=False, include_plotlyjs=True))


def _card(verdict: Verdict, log: Path | None) -> str:
    said = {True: "success", False: "failure", None: "nothing: the run failed"}[verdict.success]
    truth = "success" if verdict.truth else f"failure ({verdict.cause})"
    name = html.escape(f"{Path(verdict.episode).name}, {verdict.approach}")
    return (
        f"<div class='card'>{_picture(log)}<b>{name}</b><br>said {said}, was {html.escape(truth)}"
        f"<br><span class='small'>{html.escape(verdict.why)}</span></div>"
    )


def _picture(log: Path | None) -> str:
    if log is None:
        return ""
    drawn = pictures(Episode.open(log), 2)
    if not drawn:
        return ""
    return f"<img alt='the scene at the end' src='data:image/png;base64,{drawn[-1].png}'>"
