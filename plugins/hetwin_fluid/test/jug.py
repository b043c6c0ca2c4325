"""A jug that tests move as they like, with a fluid in it, without an ensemble."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from support.scene_of import scene_of

from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, pose_value
from hetwin_fluid import FluidInCup
from hetwin_suite.proving_ground.single_simulation import jug

PERIOD_NS = 10_000_000
Motion = Callable[[float], Floats]


def at_rest(time: float) -> Floats:
    """(13,) upright, 1 m above the ground."""
    return pose_value((0.0, 0.0, 1.0)).data


def tilted(angle: float, seconds: float) -> Motion:
    """Upright first, then tilted about x within some seconds, with least jerk."""

    def motion(time: float) -> Floats:
        s = min(max(time / seconds, 0.0), 1.0)
        half = 0.5 * angle * s**3 * (10 - 15 * s + 6 * s**2)
        rate = angle * 30 * s**2 * (1 - s) ** 2 / seconds
        turn = (math.cos(half), math.sin(half), 0.0, 0.0)
        return pose_value((0.0, 0.0, 1.0), turn, angular=(rate, 0.0, 0.0)).data

    return motion


class Filled:
    """A fluid in a jug; `go` moves the jug and steps the fluid."""

    def __init__(
        self, motion: Motion = at_rest, entity: Entity | None = None, **parameters: Any
    ) -> None:
        self.entity = entity or jug()
        self.model = FluidInCup()
        given = {"cup": self.entity.name, "smoothing": 0.0, **parameters}
        self.contribution = self.model.contribute(given, seed=1)
        self.steps = 0
        self.outputs: list[Changes] = []
        self.model.start(self.scene(motion))

    def scene(self, motion: Motion) -> Snapshot:
        """The scene at the present time."""
        time_ns = self.steps * PERIOD_NS
        pose = motion(time_ns / 1e9)
        return scene_of([self.entity], {self.entity.name: pose}, time_ns=time_ns)

    def go(self, seconds: float, motion: Motion = at_rest) -> list[Changes]:
        """Step on; the motion is a function of the time since the start."""
        outputs = []
        for _ in range(round(seconds * 1e9 / PERIOD_NS)):
            self.steps += 1
            scene = self.scene(motion)
            outputs.append(self.model.step(Tick(scene.time_ns, PERIOD_NS, scene)))
        self.outputs += outputs
        return outputs

    def told(self, name: str) -> Floats:
        """Return an attribute of the jug from the last step."""
        return self.outputs[-1].values[self.entity.name, name].data

    @property
    def count(self) -> int:
        """Particles in the jug."""
        return int(self.told("particle_count")[0])

    def events(self, name: str) -> list[dict[str, Any]]:
        """Arguments of all events of a name so far."""
        return [dict(e.arguments) for o in self.outputs for e in o.events if e.name == name]
