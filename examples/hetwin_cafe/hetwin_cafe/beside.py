"""What the cafe adds beside its models: a command, a kind of episode, a source, and a section of a run's page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from hetwin_suite.episode import Episode, open_episode, own_random, write_bag, write_episode
from hetwin_suite.page import Document, card, figure, line
from hetwin_suite.robot import Announcement, JointTrajectory, Reading

JOINTS = ("wrist_roll_joint", "hand_roll_joint")
START_NS = 1_790_000_000_000_000_000
PERIOD_S = 0.02


def bill(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    price: Annotated[float, typer.Option(help="of a cup")] = 3.5,
) -> None:
    """Print what the coffee of a run costs.

    Example: hetwin bill runs/cafe --price 4
    """
    cups = 1 + sum(event.name == "served_again" for event in open_episode(run).events)
    print(f"{cups} cups: {cups * price:.2f}")


def wave(_folder: Path, times: int = 3, angle: float = 0.4) -> JointTrajectory:
    """Return waves of a second each: `source: {installed: wave, arguments: {times: 2, angle: 0.3}}`; in rad."""
    seconds = np.linspace(0.0, times, round(times / PERIOD_S) + 1)
    turn = angle * np.sin(2 * np.pi * seconds) ** 2
    return JointTrajectory(JOINTS, seconds, np.column_stack([turn, -turn]))


def record_waves(
    out: Annotated[Path, typer.Option(help="folder for the episodes")],
    count: Annotated[int, typer.Option("-n", min=1, help="how many")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="of all random numbers")] = 0,
) -> None:
    """Record an arm that waves, each time by another angle.

    Example: hetwin record waves -n 2 --out episodes/waves
    """
    for index in range(count):
        record_wave(out / f"waves_{index + 1:04d}", own_random("waves", seed, index))
    print(f"{count} episodes in {out}")


def record_wave(folder: Path, random: np.random.Generator) -> None:
    """Record one episode."""
    angle = float(random.uniform(0.2, 0.6))
    motion = wave(folder, 2, angle)
    readings = []
    for time in np.arange(0.0, motion.duration, PERIOD_S).tolist():
        positions, velocities, _ = motion.at(time)
        measured = positions + random.normal(0.0, 1e-3, len(JOINTS))
        readings.append(Reading(time, JOINTS, measured, velocities, np.zeros(len(JOINTS))))
    said = [
        Announcement(0.0, "wave", "begin", {}),
        Announcement(motion.duration, "wave", "end", {}),
    ]
    write_episode(
        *(folder, "cafe", {}, {"label": "success", "angle": angle}),
        lambda bag: write_bag(bag, START_NS, readings, said, random),
    )


def warmth(episode: Episode, document: Document) -> str:
    """Return a plot of how warm the coffee is; nothing for a run without coffee."""
    if ("cup", "temperature") not in episode.responsibilities:
        return ""
    kelvin = episode.attribute("cup", "temperature")[:, 0]
    drawn = figure([line(episode.seconds, kelvin, "coffee", "#6f4e37")], 240)
    return card("Coffee", "How warm it is [K].", document.plot(drawn))
