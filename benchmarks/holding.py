"""Measures the grasp that holds in a MuJoCo world of one's own: picks with it and without, empty closings, its cost.

A gripper on a gantry under joint controllers picks objects of three shapes and three frictions, of 50 to 500 g, lifts
and turns them, and accelerates them by up to 5 m/s2. An object is held if it is at most 5 mm away from its place in
the hand.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from gripper_worlds import HANDS, SHAPES, Gantry
from machine import machine

from hetwin_core.ensemble.scene.values import Floats
from hetwin_grasp import Hold

EXAMPLES = """examples:
  python benchmarks/holding.py
  python benchmarks/holding.py --picks 6 --empty 4 --json
"""
FRICTIONS = (0.1, 0.4, 1.0)
HELD, IDLE_STEPS = 0.005, 4000
GRIPPERS = [name for name in HANDS if name != "suction"]


@dataclass(frozen=True)
class Line:
    """A figure beside what is asked of it; an empty text: nothing."""

    name: str
    value: float
    asked: str
    met: bool


@dataclass(frozen=True)
class Release:
    """What happened when the fingers opened.

    Attributes:
        delay: from the first step in which nothing touches the object until it is free [s].
        jump: of the velocity of the object in its first free step, without what gravity explains [m/s].
    """

    delay: float
    jump: float


def drawn(random: np.random.Generator, number: int) -> Gantry:
    """A world; shapes, frictions and grippers take turns, mass and place are drawn."""
    shape, friction = list(SHAPES)[number % 3], FRICTIONS[number // 3 % 3]
    gripper = GRIPPERS[number % len(GRIPPERS)]
    world = Gantry(shape, friction, float(random.uniform(0.05, 0.5)), **HANDS[gripper])
    place = world.data.joint(world.model.body_jntadr[world.thing]).qpos
    place[:2] += random.uniform(-0.003, 0.003, 2)
    return world


def pick(world: Gantry, after: Callable[[], None]) -> bool:
    """Pick the object and carry it about; returns whether it is still in its place in the hand."""
    world.close_on_it(after)
    before = world.in_hand()
    world.carry(after, ways=3)
    return bool(np.abs(world.in_hand() - before).max() < HELD)


def release(world: Gantry, hold: Hold) -> Release:
    """Open the fingers while the hand moves."""
    untouched: list[float] = []
    freed: list[tuple[float, Floats]] = []
    velocity = world.data.qvel[world.model.body_dofadr[world.thing] :][:3]

    def follow() -> None:
        was, before = hold.held, velocity.copy()
        hold()
        if not untouched and not world.touched():
            untouched.append(world.data.time)
        if was and not hold.held:
            freed.append((world.data.time, velocity - before))

    world.run(0.1, hold, {"x": 0.0})
    world.tell(world.opened)
    world.run(0.4, follow, {"x": 0.1})
    if not freed or not untouched:
        return Release(float("inf"), float("inf"))
    at, jump = freed[0]
    return Release(at - untouched[0], float(np.abs(jump).max()) - 9.81 * world.step)


def picks(count: int, seed: int) -> Iterator[Line]:
    """Each pick once without and once with the grasp that holds."""
    plain = held = 0
    releases = []
    for number in range(count):
        plain += pick(drawn(np.random.default_rng((seed, number)), number), lambda: None)
        world = drawn(np.random.default_rng((seed, number)), number)
        hold = Hold(world.model, world.data, hand="gripper")
        held += pick(world, hold)
        if hold.held:
            releases.append(release(world, hold))
    delay = max((one.delay for one in releases), default=float("inf"))
    jump = max((one.jump for one in releases), default=float("inf"))
    yield Line(f"held by plain MuJoCo, of {count}", plain, "", True)
    yield Line(f"held, of {count}", held, ">= 49 of 50", held >= 0.98 * count)
    yield Line("release after the last touch [s], greatest", delay, "<= 0.05", delay <= 0.05)
    yield Line("jump of the velocity at release [m/s], greatest", jump, "<= 0.05", jump <= 0.05)


def empty(count: int, seed: int) -> Line:
    """Closings beside an object, which must hold nothing."""
    random, wrong = np.random.default_rng(seed), 0
    for number in range(count):
        world = drawn(random, number)
        away, angle = random.uniform(0.07, 0.2), random.uniform(0.0, 2 * np.pi)
        place = world.data.joint(world.model.body_jntadr[world.thing]).qpos
        place[:2] = away * np.array((0.2 * np.cos(angle), np.sign(np.sin(angle))))
        hold = Hold(world.model, world.data, hand="gripper")
        world.close_on_it(hold)
        world.run(0.3, hold, {"z": -0.1})
        wrong += bool(hold.held)
    return Line(f"held by empty fingers, of {count}", wrong, "0", wrong == 0)


def idle(step: float) -> Line:
    """Processor time of a step while nothing is near the hand, the least of five."""
    world = Gantry(step=step)
    hold = Hold(world.model, world.data, hand="gripper")
    costs = []
    for _ in range(5):
        begin = time.process_time()
        for _ in range(IDLE_STEPS):
            world.data.time += step
            hold()
        costs.append((time.process_time() - begin) / IDLE_STEPS * 1e6)
    cost = round(min(costs), 2)
    return Line(f"idle, steps of {1000 * step:g} ms [us a step]", cost, "< 10", cost < 10.0)


def options(description: str | None, examples: str) -> argparse.ArgumentParser:
    """Options of a benchmark of picks and of empty closings."""
    parser = argparse.ArgumentParser(
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--picks", type=int, default=50)
    parser.add_argument("--empty", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    return parser


def table(lines: Sequence[Line]) -> str:
    """The figures, one a line, beside what is asked of them."""
    asked = [
        f"  (asked {line.asked}{'' if line.met else ': NOT MET'})" if line.asked else ""
        for line in lines
    ]
    return "\n".join(
        f"{line.value:10.4g}  {line.name}{of_it}" for line, of_it in zip(lines, asked, strict=True)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; returns 1 if one is not what is asked."""
    given = options(__doc__, EXAMPLES).parse_args(arguments)
    lines = [*picks(given.picks, given.seed), empty(given.empty, given.seed)]
    lines += [idle(step) for step in (0.001, 0.002, 0.01)]
    if given.json:
        print(json.dumps({"machine": machine(), "lines": [asdict(line) for line in lines]}))
    else:
        print(table(lines))
    return 0 if all(line.met for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
