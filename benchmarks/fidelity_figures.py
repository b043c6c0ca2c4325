"""Draws the results of the benchmark of fidelity management."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fidelity_pairs import Row, State

from hetwin_fidelity import MODES
from hetwin_truck.actions import ACTIONS, LAP_S

_COLOURS = dict(zip(MODES, ("0.3", "tab:blue", "tab:green", "tab:orange"), strict=True))


def draw(rows: Sequence[Row], states: Sequence[State], folder: Path) -> None:
    """Write both figures as PNG: real-time factor over time, error over real-time factor."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    scenarios = sorted({row.scenario for row in rows})
    figure, axes = plt.subplots(
        len(ACTIONS), len(scenarios), figsize=(3.6 * len(scenarios), 5.6), **_LAYOUT
    )
    for i, action in enumerate(ACTIONS):
        for j, scenario in enumerate(scenarios):
            chosen = [s for s in states if (s.scenario, s.action) == (scenario, action)]
            _over_time(axes[i][j], chosen)
            axes[i][j].set_title(f"{action}, scenario {scenario}", fontsize=10)
        axes[i][0].set_ylabel("real-time factor")
    for last in axes[-1]:
        last.set_xlabel("simulated time [s]")
    _legend(figure, axes)
    figure.savefig(folder / "fidelity_over_time.png", dpi=110)

    figure, axes = plt.subplots(1, len(scenarios), figsize=(3.6 * len(scenarios), 3.6), **_LAYOUT)
    for at, scenario in zip(axes[0], scenarios, strict=True):
        _errors(at, [row for row in rows if row.scenario == scenario])
        at.set_title(f"scenario {scenario}", fontsize=10)
        at.set_xlabel("real-time factor")
    axes[0][0].set_ylabel("error of packets unloaded [%]")
    _legend(figure, axes)
    figure.savefig(folder / "fidelity_error.png", dpi=110)


_LAYOUT: dict[str, Any] = {"layout": "constrained", "squeeze": False, "sharey": True}


def _legend(figure: Any, axes: Any) -> None:
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)


def _over_time(axes: Any, states: Sequence[State]) -> None:
    """Draw the median over the states, without engine sleep, and HiFi with it."""
    for mode, sleep in [*((mode, False) for mode in MODES), ("HiFi", True)]:
        told = [s.outcomes[mode, sleep].laps[:-1] for s in states if (mode, sleep) in s.outcomes]
        if not told:
            continue
        length = round(float(np.median([len(laps) for laps in told])))
        taken = [
            np.median([laps[i] for laps in told if i < len(laps)] or [np.nan])
            for i in range(length)
        ]
        label, style = (f"{mode}, engine sleep", ":") if sleep else (mode, "-")
        axes.plot(
            LAP_S * np.arange(1, length + 1),
            LAP_S / np.maximum(taken, 1e-6),
            style,
            color=_COLOURS[mode],
            label=label,
        )
    axes.set_yscale("log")
    axes.grid(alpha=0.3)


def _errors(axes: Any, rows: Sequence[Row]) -> None:
    axes.axhspan(-10, 10, color="0.93", zorder=0)
    for row in rows:
        bars = [[100 * (row.error - row.error_low)], [100 * (row.error_high - row.error)]]
        axes.errorbar(
            [row.real_time_factor],
            [100 * row.error],
            bars,
            fmt="s" if row.sleep else "o",
            color=_COLOURS[row.mode],
            mfc="white" if row.sleep else None,
            capsize=3,
            label=row.mode + (", engine sleep" if row.sleep else ""),
        )
