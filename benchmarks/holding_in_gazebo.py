"""Measures the grasp that holds in a Gazebo world of one's own: picks with the system and without, empty closings.

A gripper on a gantry under gz-sim's joint controllers picks objects of three shapes and three frictions, of 50 to
500 g, lifts and turns them, and accelerates them by up to 5 m/s2. An object is held if it is at most 5 mm away from its
place in the hand.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from gazebo_grippers import ENGINES, HEIGHTS, OPENED, STEP, GazeboGantry, Setting, holding
from holding import FRICTIONS, HELD, Line, options, table
from machine import machine
from numpy.lib.stride_tricks import sliding_window_view

from hetwin_suite.model import Floats

EXAMPLES = """examples:
  python benchmarks/holding_in_gazebo.py
  python benchmarks/holding_in_gazebo.py --engine dartsim --picks 6 --empty 4 --json
"""
GRIPPERS = ("two fingers", "jaws that turn")
LOST = 0.1
HALF_WIDTH, HALF_OPENING = 0.025, 0.05
"""Of all shapes, and of the fingers that slide where their joints are at 0 [m]."""
LEFT = {"two fingers": 0.0003, "jaws that turn": 0.0003 / 0.09}
"""A finger that has opened by this, and does not overlap what it held, no longer touches it [m or rad]."""


@dataclass(frozen=True)
class Release:
    """What happened when the fingers opened.

    Attributes:
        delay: from the first step in which both fingers have left the object until it falls [s].
        opening: from the first step in which a finger has left it [s].
        jump: what the object's first free velocity differs from the hand's by, without gravity's share [m/s].
    """

    delay: float
    opening: float
    jump: float


def drawn(random: np.random.Generator, number: int, of: Setting) -> Setting:
    """Another world with this engine and step: shapes, frictions and grippers take turns, mass and place are drawn."""
    x, y = random.uniform(-0.003, 0.003, 2).tolist()
    return replace(
        of,
        shape=list(HEIGHTS)[number % 3],
        friction=FRICTIONS[number // 3 % 3],
        mass=float(random.uniform(0.05, 0.5)),
        at=(x, y),
        gripper=GRIPPERS[number % len(GRIPPERS)],
    )


def pick(world: GazeboGantry) -> bool:
    """Pick the object and carry it about; returns whether it is still in its place in the hand."""
    world.close_on_it()
    before = world.in_hand()
    world.lift()
    if np.abs(world.in_hand() - before).max() < LOST:
        world.carry(ways=2)
    return bool(np.abs(world.in_hand() - before).max() < HELD)


def told(world: GazeboGantry, wait: float = 0.1) -> list[dict[str, Any]]:
    """The events of the system so far."""
    time.sleep(wait)
    return [json.loads(text) for text in world.events]


def left(world: GazeboGantry, closed: Floats, place: Floats) -> np.ndarray:
    """Whether each finger, which was at a position, has left an object that was at a place in the hand."""
    fingers, gripper = world.fingers(), world.setting.gripper
    opened = closed - fingers > LEFT[gripper]
    if gripper == "two fingers":
        opened &= HALF_OPENING - fingers + (place[0], -place[0]) > HALF_WIDTH
    return opened


def release(world: GazeboGantry) -> Release:
    """Open the fingers while the hand moves."""
    gripper, step = world.setting.gripper, world.setting.step
    world.run(0.1, {"x": 0.0})
    closed, place = world.fingers(), world.in_hand()
    world.controllers.tell(0.4, {"x": 0.1, **OPENED[gripper]})
    things, hands, opened = [world.thing()], [world.carried_to(place)], []
    for _ in range(round(0.4 / step)):
        world.step()
        things.append(world.thing())
        hands.append(world.carried_to(place))
        opened.append(left(world, closed, place))
    velocity, hand = np.diff(things, axis=0) / step, np.diff(hands, axis=0) / step
    # What nothing holds or touches gains what gravity gives.
    gravity = np.array((0.0, 0.0, -9.81 * step))
    away = np.abs(np.diff(velocity, axis=0) - gravity).max(axis=1)
    falls = sliding_window_view(away < 0.3 * 9.81 * step, 5).all(axis=1)
    free = 1 + int(falls.argmax())
    away_from_it = np.array(opened)
    if not (falls.any() and away_from_it.all(axis=1).any()):
        return Release(*[float("inf")] * 3)
    jump = np.abs(velocity[free] - hand[free] - gravity).max()
    delay = free - away_from_it.all(axis=1).argmax()
    opening = free - away_from_it.any(axis=1).argmax()
    return Release(float(delay) * step, float(opening) * step, float(jump))


def picks(count: int, seed: int, of: Setting, folder: Path) -> Iterator[Line]:
    """Each pick once without and once with the system."""
    plain = held = 0
    releases: list[Release] = []
    for number in range(count):
        setting = drawn(np.random.default_rng((seed, number)), number, of)
        alone = pick(GazeboGantry(setting, folder))
        world = GazeboGantry(setting, folder, holding())
        kept = pick(world)
        plain, held = plain + alone, held + kept
        if kept:
            releases.append(release(world))
        print(number, setting, alone, kept, releases[-1:], file=sys.stderr)
    delay, opening, jump = (
        max((getattr(one, name) for one in releases), default=float("inf"))
        for name in ("delay", "opening", "jump")
    )
    yield Line(f"held by plain Gazebo, of {count}", plain, "", True)
    yield Line(f"held, of {count}", held, ">= 49 of 50", held >= 0.98 * count)
    yield Line("release after the last touch [s], greatest", delay, "<= 0.05", delay <= 0.05)
    yield Line("release after a finger left it [s], greatest", opening, "", True)
    yield Line("velocity at release against the hand's [m/s]", jump, "<= 0.05", jump <= 0.05)


def empty(count: int, seed: int, of: Setting, folder: Path) -> Line:
    """Closings beside an object, which must hold nothing."""
    random, wrong = np.random.default_rng(seed), 0
    for number in range(count):
        away, angle = random.uniform(0.07, 0.2), random.uniform(0.0, 2 * np.pi)
        x, y = (away * np.array((0.2 * np.cos(angle), np.sign(np.sin(angle))))).tolist()
        setting = replace(drawn(random, number, of), at=(x, y))
        world = GazeboGantry(setting, folder, holding())
        world.close_on_it()
        world.run(0.3, {"z": -0.1})
        wrong += bool(told(world))
    return Line(f"held by empty fingers, of {count}", wrong, "0", wrong == 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; returns 1 if one is not what is asked."""
    parser = options(__doc__, EXAMPLES)
    parser.add_argument("--engine", choices=ENGINES, action="append", help="default: each")
    parser.add_argument("--step", type=float, default=STEP, help="of the world [s]")
    given = parser.parse_args(arguments)
    found = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        for engine in given.engine or ENGINES:
            of = Setting(engine=engine, step=given.step)
            found[engine] = [
                *picks(given.picks, given.seed, of, folder),
                empty(given.empty, given.seed, of, folder),
            ]
    if given.json:
        rows = {engine: [asdict(line) for line in lines] for engine, lines in found.items()}
        print(json.dumps({"machine": machine(), "lines": rows}))
    else:
        for engine, lines in found.items():
            print(f"{engine}\n{table(lines)}")
    return 0 if all(line.met for lines in found.values() for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
