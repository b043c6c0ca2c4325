"""A jug that tests move as they like, with a fluid in it, without an ensemble."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from support.scene_of import scene_of

from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind, pose_value
from hetwin_fluid import FluidInCup

PERIOD_NS = 10_000_000
Motion = Callable[[float], Floats]
RADIUS, DENSITY = 0.006, 1000.0
"""Of a particle [m], [kg/m3]."""


def jug() -> Entity:
    """A round cup, open at the top: 3 cm wide inside, 10 cm high, of twelve walls of 3 mm."""
    wall, inner, height, sides = 0.003, 0.03, 0.1, 12
    size = (wall, 2 * (inner + wall) * math.tan(math.pi / sides), height)
    bottom = Shape(
        ShapeKind.CYLINDER, (inner + wall, wall), (0, 0, (wall - height) / 2, 1, 0, 0, 0)
    )
    walls = []
    for turn in (2 * math.pi * i / sides for i in range(sides)):
        x, y = ((inner + wall / 2) * way(turn) for way in (math.cos, math.sin))
        pose = (x, y, 0.0, math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2))
        walls.append(Shape(ShapeKind.BOX, size, pose))
    return Entity("jug", EntityKind.OBJECT, mass=0.15, shapes=(bottom, *walls))


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
