"""The section of a run's page about the causes of its robots' efforts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hetwin_calibration.efforts.beside import SPLIT

if TYPE_CHECKING:
    from hetwin_suite.episode import Episode
    from hetwin_suite.page import Inline, Section


def efforts_section(episode: Episode) -> Section | None:
    """Return the section; None if no efforts were split (the page's modules are then not imported)."""
    splits = [row["arguments"] for row in episode.summary.get("events", ()) if row["name"] == SPLIT]
    if not splits:
        return None
    from hetwin_suite.page import Section, Table

    rows = [row for arm in splits[-1]["robots"] for row in _rows(arm)]
    note = "Causes of the efforts beyond those of the described bodies, ± a standard deviation."
    if splits[-1]["explained"]:
        note += f" It explains {splits[-1]['explained']} apparent touches and loads."
    headings = ["joint", "cause", "value", "unit", "instead of", "unexplained"]
    return Section("Efforts", note, Table(headings, rows))


def _rows(arm: dict[str, Any]) -> list[list[Inline]]:
    from hetwin_calibration.efforts.splitting import JOINT_WORDS

    load = arm["load"].get("mass")
    rows: list[list[Inline]] = []
    if load is not None:
        rows.append([arm["link"], "payload", _value(load), "kg", ", ".join(load["or"]), ""])
    for name, own in arm["joints"].items():
        unit = own["unit"]
        units = {"lag": "s", "ratio": "", "viscous": f"{unit} s"}
        left = f"{own['after']:.2g} {unit}" if own["after"] is not None else ""
        for parameter, words in JOINT_WORDS.items():
            if (claim := own.get(parameter)) is not None:
                instead = ", ".join(claim["or"])
                row = [name, words, _value(claim), units.get(parameter, unit), instead, left]
                rows.append(list(row))
    return rows


def _value(claim: dict[str, Any]) -> str:
    return f"{claim['value']:.3g} ± {claim['sd']:.2g}"
