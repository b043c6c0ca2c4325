"""The cases of `flaws.py`: what is planted in a recording or in the twin's scene, and where the physics has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from flaw_motion import TABLE_TOP, Thing, pose, up
from flaw_stories import TRAY_HALF, Story
from naive.log import Log, read

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode


@dataclass(frozen=True)
class Planted:
    """A flaw that is in a run.

    Attributes:
        kinds: any of them is right.
        entities: one of them must be named.
        time: where the physics or the recording has it [s].
    """

    kinds: frozenset[str]
    entities: frozenset[str]
    time: float


@dataclass(frozen=True)
class Case:
    """A run to make.

    Attributes:
        story: its recording.
        scene: what `--scene` changes.
        planted: finds what is planted, in the states; None where nothing is.
    """

    story: Story
    scene: dict[str, Any]
    planted: Callable[[States], Planted] | None = None


class States:
    """The poses of a run, read state by state.

    Args:
        run: its folder.
    """

    def __init__(self, run: Path) -> None:
        episode = Episode.open(run)
        self.times = episode.times / 1e9
        self._episode, self._run = episode, run

    def pose(self, name: str) -> Floats:
        """Return (n, 7) x y z, qw qx qy qz."""
        where = self._episode.layout.range_of(name, "pose")
        return np.asarray(self._episode.values[:, where.start : where.start + 7])

    def numbers(self, name: str, attribute: str) -> Floats:
        """Return (n,) the first number of an attribute."""
        where = self._episode.layout.range_of(name, attribute)
        return np.asarray(self._episode.values[:, where.start])

    @cached_property
    def log(self) -> Log:
        """The messages of the run."""
        return read(self._run)

    def tilt(self, name: str) -> Floats:
        """Return (n,) the angle against the first state's upright axis [rad]."""
        q = self.pose(name)[:, 3:]
        up_z = 1.0 - 2.0 * (q[:, 1] ** 2 + q[:, 2] ** 2)
        return np.arccos(np.clip(up_z, -1.0, 1.0))

    def first(self, true: Any, after: float = 0.0) -> float:
        """Return the first time at which something is true, not before a time.

        Raises:
            Vain: if it never is.
        """
        rows = np.flatnonzero(np.asarray(true) & (self.times >= after))
        if not len(rows):
            raise Vain("what was planted did not happen")
        return float(self.times[rows[0]])


class Vain(Exception):
    """What was to be planted did not happen in the physics, so that there is nothing to find."""


def clean(seed: int) -> Case:
    """Fetch one or two things; beliefs are right, neighbours stand aside, a task may be cancelled."""
    random = np.random.default_rng([seed, 1])
    story = Story.drawn(seed, int(random.integers(1, 3)))
    before: list[str] = []
    for number in range(len(story.things)):
        story.fetch(number, after=before)
        before = [f"place.{number + 1}"]
    if random.random() < 0.7:
        story.believe()
    if random.random() < 0.3:
        at = np.array([0.85, float(random.uniform(-0.4, 0.4)), TABLE_TOP + 0.11])
        story.more.append((Thing("bottle", 0.05, 0.22, "cylinder"), at, False))
    return Case(story, {})


def edge(seed: int) -> Case:
    """The tray is so far aside that the thing tips off its edge."""
    story, random = _one(seed)
    goal = story.goal(0)
    story.fetch(0, to=goal)
    _told(story, random)
    shift = TRAY_HALF + random.uniform(0.007, 0.016)
    direction = _outward(story, random)
    at = np.array([*(goal[:2] + direction * shift), story.tray[2]])
    return Case(story, {"tray": pose(at)}, _falls(story, {"unstable_support"}))


def miss(seed: int) -> Case:
    """The tray is so far aside that the thing falls past it."""
    story, random = _one(seed)
    story.fetch(0)
    _told(story, random)
    at = story.tray.copy()
    at[:2] += _outward(story, random) * random.uniform(0.26, 0.32)
    return Case(story, {"tray": pose(at)}, _falls(story, {"unachieved"}))


def absent(seed: int) -> Case:
    """The thing is not where the program goes."""
    story, random = _one(seed)
    at = story.places["box"].copy()
    story.fetch(0)
    at[0] += random.uniform(0.15, 0.2)
    done = story.tasks.ended["pick_up.1"]
    found = Planted(frozenset({"unachieved"}), frozenset({"box"}), done)
    return Case(story, {"box": pose(at)}, lambda _: found)


def neighbour(seed: int) -> Case:
    """Something tall stands in the way of what is carried."""
    story, random = _one(seed)
    start, goal = story.places["box"].copy(), story.goal(0)
    story.fetch(0, to=goal)
    _told(story, random)
    share = random.uniform(0.42, 0.5)
    at = start + share * (goal - start)
    at[2] = TABLE_TOP + 0.11
    story.more.append((Thing("bottle", 0.04, 0.22, "cylinder", 0.25), at, False))

    def planted(states: States) -> Planted:
        time = states.first(states.tilt("bottle") > 0.26)
        return Planted(frozenset({"knocked_over"}), frozenset({"bottle"}), time)

    return Case(story, {}, planted)


def post(seed: int) -> Case:
    """A post that does not move stands in the way of what is carried."""
    story, random = _one(seed)
    start, goal = story.places["box"].copy(), story.goal(0)
    story.fetch(0, to=goal)
    at = start + random.uniform(0.42, 0.5) * (goal - start)
    at[2] = TABLE_TOP + 0.11
    story.more.append((Thing("post", 0.04, 0.22), at, True))

    def planted(states: States) -> Planted:
        near = np.linalg.norm(states.pose("box")[:, :2] - at[:2], axis=1) < 0.047
        time = states.first(near)
        return Planted(frozenset({"carrying_collision"}), frozenset({"post"}), time)

    return Case(story, {}, planted)


def swapped(seed: int) -> Case:
    """Another thing stands where the one to fetch should be, and the other way round."""
    story, _ = _one(seed, 2)
    box, brick = story.places["box"].copy(), story.places["cup"].copy()
    story.fetch(0)
    scene = {"box": pose(brick + up(0.005)), "cup": pose(box - up(0.005))}

    def planted(states: States) -> Planted:
        height = states.pose("cup")[:, 2]
        time = states.first(height > height[50] + 0.005)
        return Planted(frozenset({"wrong_object"}), frozenset({"cup", "box"}), time)

    return Case(story, scene, planted)


def slip(seed: int) -> Case:
    """The fingers open on the way."""
    story, random = _one(seed)
    story.fetch(0, slips=True)
    _told(story, random)

    def planted(states: States) -> Planted:
        height = states.pose("box")[:, 2]
        begin = story.planted["slip"]
        at = float(np.interp(begin, states.times, height))
        time = states.first(height < at - 0.005, begin)
        return Planted(frozenset({"grasp_lost"}), frozenset({"box"}), time)

    return Case(story, {}, planted)


def order(seed: int) -> Case:
    """A task begins although one that it comes after has not ended, or not begun."""
    story, random = _one(seed, 2)
    if random.random() < 0.5:
        story.fetch(0, after=["place.2"])
        story.fetch(1)
        late, names = "fetch.1", {"box", "cup"}
    else:
        story.fetch(0)
        with story.tasks.doing("tidy.9", {"object": "box", "hand": "gripper"}):
            story.fetch(1, after=["tidy.9"])
        late, names = "fetch.2", {"box", "cup"}
    found = Planted(frozenset({"wrong_order"}), frozenset(names), story.tasks.begun[late])
    return Case(story, {}, lambda _: found)


def frozen(seed: int) -> Case:
    """The belief about a thing stays what it was for a while."""
    story, random = _one(seed)
    story.fetch(0)
    begin = story.tasks.begun["grasp.1"] + random.uniform(-1.0, 3.0)
    end = begin + random.uniform(2.5, 5.0)
    story.wrong["box"] = [(begin, end, None)]
    story.believe()
    return Case(story, {}, _belief(story, "stale_belief", begin))


def offset(seed: int) -> Case:
    """The belief about a thing is wrong for a while."""
    story, random = _one(seed)
    story.fetch(0)
    begin = random.uniform(1.0, 8.0)
    angle = random.uniform(0.0, 2 * np.pi)
    off = np.array([np.cos(angle), np.sin(angle), 0.0]) * random.uniform(0.04, 0.1)
    story.wrong["box"] = [(begin, begin + random.uniform(1.5, 4.0), off)]
    story.believe()
    found = Planted(frozenset({"incorrect_belief"}), frozenset({"box"}), begin)
    return Case(story, {}, lambda _: found)


def undone(seed: int) -> Case:
    """A later movement sweeps the thing off the tray."""
    story, random = _one(seed)
    story.fetch(0)
    place = story.places["box"].copy()
    away = np.array([0.0, -0.17 * np.sign(story.tray[1]), 0.0])
    motion = story.motion
    with story.tasks.doing("move.9", {"hand": "gripper"}):
        begin = motion.now
        motion.sweep(place + away + up(0.02), place - away + up(0.02))
        motion.home()
    motion.wait(0.5)
    _told(story, random)

    def planted(states: States) -> Planted:
        box = states.pose("box")
        row = int(np.searchsorted(states.times, begin)) - 1
        moved = np.linalg.norm(box[:, :3] - box[row, :3], axis=1)
        states.first(box[:, 2] < box[row, 2] - 0.05, begin)  # it really falls off
        kinds = frozenset({"goal_undone"})
        return Planted(kinds, frozenset({"box"}), states.first(moved > 0.005, begin))

    return Case(story, {}, planted)


def retracting(seed: int) -> Case:
    """The hand knocks something over when it leaves the thing sideways."""
    story, random = _one(seed)
    goal = story.goal(0)
    story.fetch(0, to=goal, sideways=np.array([0.2, 0.0, 0.0]))
    beyond = story.tray[0] + TRAY_HALF + random.uniform(0.025, 0.035)
    at = np.array([beyond, goal[1], TABLE_TOP + 0.12])
    story.more.append((Thing("bottle", 0.04, 0.24, "cylinder", 0.25), at, False))

    def planted(states: States) -> Planted:
        time = states.first(states.tilt("bottle") > 0.26)
        return Planted(frozenset({"knocked_over"}), frozenset({"bottle"}), time)

    return Case(story, {}, planted)


CASES: Mapping[str, Callable[[int], Case]] = {
    "edge": edge,
    "miss": miss,
    "absent": absent,
    "neighbour": neighbour,
    "post": post,
    "swapped": swapped,
    "slip": slip,
    "order": order,
    "frozen": frozen,
    "offset": offset,
    "undone": undone,
    "retracting": retracting,
}
"""What can be planted, by name."""


def _one(seed: int, things: int = 1) -> tuple[Story, np.random.Generator]:
    story = Story.drawn(seed, things)
    return story, np.random.default_rng([seed, 2])


def _told(story: Story, random: np.random.Generator) -> None:
    """Let the robot of every second story believe that all goes as planned."""
    if random.random() < 0.5:
        story.believe()


def _outward(story: Story, random: np.random.Generator) -> Floats:
    """Return (2,) a direction in which the tray may go without meeting the arm's way or leaving the table."""
    side = float(np.sign(story.tray[1]))
    options = [np.array([1.0, 0.0]), np.array([0.0, side])]
    return options[int(random.integers(2))]


def _falls(story: Story, kinds: set[str]) -> Callable[[States], Planted]:
    begin = story.released["box"]

    def planted(states: States) -> Planted:
        box = states.pose("box")
        height = float(np.interp(begin, states.times, box[:, 2]))
        states.first(box[:, 2] < height - 0.04, begin)  # it really falls
        going = (states.tilt("box") > 0.17) | (box[:, 2] < height - 0.01)
        return Planted(frozenset(kinds), frozenset({"box"}), states.first(going, begin))

    return planted


def _belief(story: Story, kind: str, begin: float) -> Callable[[States], Planted]:
    def planted(states: States) -> Planted:
        box = states.pose("box")
        told = [m for m in story.telling.messages if m.topic == "/believed/box"]
        times = np.array([m.time for m in told])
        at = np.array([m.fields["pose"][:3] for m in told])
        row = np.clip(np.searchsorted(times, states.times, side="right") - 1, 0, None)
        wrong = np.linalg.norm(at[row] - box[:, :3], axis=1) > 0.02
        lasting = np.convolve(wrong, np.ones(60), "full")[59 : 59 + len(wrong)] >= 59
        return Planted(frozenset({kind}), frozenset({"box"}), states.first(lasting, begin))

    return planted
