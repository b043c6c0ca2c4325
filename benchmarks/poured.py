"""Counts the particles that a tilted jug pours: in a single simulation, or split off."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_fluid import Cup
from hetwin_suite.runs import RunFailed, RunListener, RunOptions, session
from hetwin_tables.single_simulation import RADIUS, jug, world_with

RATE = 400
BEGIN_S, LIFTING_S, LIFT_M, AFTER_S = 0.1, 0.8, 0.15, 0.6


class Way(StrEnum):
    """How the fluid is simulated."""

    SINGLE = "one simulation"
    """Particles are bodies of the main model."""
    SPHERES = "like for like"
    """The same bodies in a separate model."""
    POINTS = "own solver"
    """The fluid's particles in a separate model."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """A tilt and back: the angle [rad], the duration of each way [s], and the time in between [s]."""

    angle: float
    tilting: float
    holding: float = 0.0

    @property
    def duration(self) -> float:
        """Duration of the whole run [s]."""
        return BEGIN_S + LIFTING_S + 2 * self.tilting + self.holding + AFTER_S


def poured(way: Way, tilt: Tilt, count: int, folder: Path, seed: int = 0) -> int:
    """Lift the jug, tilt it and back, and count the particles that have left it.

    Args:
        way: how the particles are simulated.
        tilt: of the jug.
        count: number of particles in the jug.
        folder: for the scenario's files.
        seed: of the particles' initial positions; constant in the single simulation.

    Raises:
        RunFailed: if the run fails.
    """
    file = folder / "pour.yaml"
    file.write_text(yaml.safe_dump(_scenario(way, tilt, count, folder, seed)), encoding="utf-8")
    end, options = _End(), RunOptions(duration=tilt.duration)
    summary = session(file, options=options, listeners=[end], own_processes=True).run()
    if summary.error is not None:
        raise RunFailed("poured", way.value, 0, str(summary.error))
    if way is not Way.SINGLE:
        return count - round(float(end.scene.get("jug", "particle_count")[0]))
    frame = end.scene.pose("jug")
    names = [f"particle_{i}" for i in range(1, count + 1)]
    places = np.array([relative_to(frame, end.scene.pose(name))[:3] for name in names])
    return int(Cup(jug()).left_by(places, RADIUS).sum())


def _scenario(way: Way, tilt: Tilt, count: int, folder: Path, seed: int) -> dict[str, Any]:
    world = folder / "pour.sdf"
    world.write_text(world_with(count if way is Way.SINGLE else 0), encoding="utf-8")
    physics = {"options": {"solver": "cg"}, "proximity_objects": ["jug"]}
    hand = {"object": "jug", "begin": BEGIN_S, "lift": LIFT_M, "lifting": LIFTING_S}
    hand |= {"angle": tilt.angle, "tilting": tilt.tilting, "holding": tilt.holding}
    scripted = "scripted_tilt:ScriptedTilt"
    models: dict[str, Any] = {
        "physics": {"type": "main_physics", "main": True, "parameters": physics},
        "hand": {"type": scripted, "parameters": hand},
    }
    if way is not Way.SINGLE:
        kind: dict[str, Any] = {"kind": "points"}
        if way is Way.SPHERES:
            kind = {"kind": "spheres", "time_step": 1.0 / RATE}
        fluid = {"cup": "jug", "particles": count, **kind}
        models["water"] = {"type": "fluid_in_cup", "coupling": "beside", "parameters": fluid}
    return {
        "scenario": "pour",
        "world": str(world),
        "rate": RATE,
        "seed": seed,
        "models": models,
        "responsibilities": [{"entity": "jug", "attribute": "pose", "model": "hand"}],
    }


class _End(RunListener):
    """A listener that stores the last scene."""

    scene: Snapshot

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Store the scene."""
        self.scene = scene
