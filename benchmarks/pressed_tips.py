"""Measures whether the wrench at a wrist knows better than the fingers where the tip of a held object is.

    python benchmarks/pressed_tips.py --episodes DIR [--json]

DIR is searched for insertions of `hetwin record`. Where the probe presses against the world, torque and force beyond
those of free motion give the line on which the pressed point is: r = F x T / |F|^2 is its point next to the sensor. The
tip's distance from that line is compared with the truth, and with the error of in-hand localization across the line;
then the estimate is corrected by the share of the distance that leaves the least error in all other episodes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from in_hand_localization import PERIOD_NS, Truth
from machine import machine

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_bauer2022.evaluation.judge import scenario_of_episode
from hetwin_suite.model import EntityKind, Floats, Snapshot, relative_to
from hetwin_suite.runs import (
    RunListener,
    RunOptions,
    RunStart,
    find_scenario,
    load_scenario,
    session,
)

SCENARIO = "insertion_felt"
LEAST_N, BASELINE_S = 2.0, 0.3
"""A force below this says nothing; and over how long before it free motion is looked at."""


@dataclass
class Watch(RunListener):
    """Compares the line of force with the tip, in one episode."""

    truth: Truth
    free: list[Floats] = field(default_factory=list)
    rows: list[tuple[Floats, Floats]] = field(default_factory=list)
    """Across the force: error of the estimate, and the tip's distance from the line as estimated [m]."""

    def started(self, start: RunStart) -> None:
        """Find the hand's link."""
        self._palm = start.layout.of_kind(EntityKind.HAND)[0].parent

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Take a sample."""
        if scene.time_ns % PERIOD_NS or not self.truth.held(scene.time_ns * 1e-9):
            return
        own = scene.wrenches[scene.wrenches[:, 0] > scene.time_ns - PERIOD_NS][:, 2:8]
        if not len(own):
            return
        felt = own.mean(axis=0)
        free = np.median(self.free, axis=0) if self.free else felt
        force, torque = np.split(felt - free, 2)
        size = float(np.linalg.norm(force))
        if size < LEAST_N:
            self.free = [*self.free, felt][-round(BASELINE_S * 1e9 / PERIOD_NS) :]
            return
        if scene.owner(self.truth.thing, "pose") != "in_hand":
            return
        line = np.cross(force, torque) / size**2
        across = np.eye(3) - np.outer(force, force) / size**2
        found = relative_to(scene.pose(self._palm), scene.pose(self.truth.thing))[:3]
        true = self.truth.in_palm(scene.time_ns * 1e-9)[:3]
        self.rows.append((across @ (true - found), across @ (line - found)))


def pressed(episode: LabelledEpisode) -> tuple[Floats, Floats]:
    """Return (n, 3) errors of the estimate, and (n, 3) the way from it to the line of force [m]."""
    watch = Watch(Truth(episode.folder))
    scenario = scenario_of_episode(load_scenario(find_scenario(SCENARIO)), episode)
    options = RunOptions(source=str(episode.recording), scene=episode.scene)
    session(scenario, options=options, listeners=[watch]).run()
    both = np.array(watch.rows).reshape(-1, 2, 3)
    return both[:, 0], both[:, 1]


def best_share(error: Floats, away: Floats) -> float:
    """Return the share of the way to the line of force that leaves the least square error of the estimate."""
    return float((error * away).sum() / (away * away).sum())


def summary(found: Sequence[tuple[Floats, Floats]]) -> dict[str, float]:
    """Return the figures of all episodes [mm]."""
    errors, lines, corrected, shares = [], [], [], []
    for number, (error, away) in enumerate(found):
        others = [one for k, one in enumerate(found) if k != number]
        share = best_share(*(np.concatenate(one) for one in zip(*others, strict=True)))
        shares.append(share)
        errors.append(np.linalg.norm(error, axis=1))
        lines.append(np.linalg.norm(away - error, axis=1))
        corrected.append(np.linalg.norm(error - share * away, axis=1))
    estimate, line, both = (1e3 * np.concatenate(one) for one in (errors, lines, corrected))
    return {
        "episodes": len(found),
        "samples": len(estimate),
        "error_of_fingers_median_mm": float(np.median(estimate)),
        "error_of_fingers_rms_mm": float(np.sqrt(np.mean(estimate**2))),
        "tip_from_line_of_force_median_mm": float(np.median(line)),
        "corrected_median_mm": float(np.median(both)),
        "corrected_rms_mm": float(np.sqrt(np.mean(both**2))),
        "share_median": float(np.median(shares)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--episodes", type=Path, required=True, help="folder of insertions")
    parser.add_argument("--json", action="store_true", help="print JSON on one line")
    given = parser.parse_args(arguments)
    found = [one for one in map(pressed, find_episodes(given.episodes)) if len(one[0])]
    if len(found) < 2:
        print(f"{given.episodes}: expected two insertions or more that press", file=sys.stderr)
        return 2
    figures = {"machine": machine(), **summary(found)}
    print(json.dumps(figures, indent=None if given.json else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
