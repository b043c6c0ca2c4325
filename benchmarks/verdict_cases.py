"""Runs of known truth, drawn at random: how a robot moves, what stands around it, what is planted, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from verdict_motions import Fetch, Motion, Vain, fetch, free, swinging
from verdict_robots import PANDA, UR5, Cuboid, Lab, lab

SHAPES, MASSES, EFFORTS, FINGERS = "shapes", "masses", "efforts", "fingers"
"""Inputs that a run may lack: collision shapes and masses of the robot, recorded efforts, recorded fingers."""
TABLE, BOX = "table", "box"
HEIGHT = 0.95
"""Of the robot's base above the floor, so that nothing of the robot reaches it [m]."""
DEEP = 0.002
"""A touch at least so deep is to be named [m]."""
PLANTED_DEEP = (0.003, 0.03)
"""How deep a link is planted in a table; the twin follows its recording within 1 mrad [m]."""
PUSHED = 0.007
"""A link that gets so deep into where a free box stands has moved it by 5 mm, or is 2 mm inside [m]."""
CLEAR = 0.01
"""Nothing that is not planted comes as near [m]."""
SURE_S = 0.5
"""What has been so for this time is to be known."""
LEFT_OUT = 0.3
"""Share of the runs that lack an input."""
_TRIES = 80
_MOTIONS, _OFTEN = 60, 25
_SHELF = 0.04


@dataclass(frozen=True)
class Thing:
    """A cuboid of the scene; without a mass [kg] it is static."""

    box: Cuboid
    mass: float | None = None


@dataclass(frozen=True)
class Truth:
    """What is so, whoever sees it; all times in s.

    Attributes:
        grip: what the hand holds: the object, or "" for something that the scene does not have; None: nothing.
        held: from when to when.
        holds_at_end: whether it still does at the end.
        touches: object -> links that touch it -> when first, for what is planted alone.
        lost: when the object leaves the hand that did not open; None: never.
        dropped: when the object is let go in the air, by either; None: never.
        ends: ``recording``, ``failed``, ``stopped``, or ``early``: before the time that was asked for.
        until: when the input ends.
    """

    grip: str | None = None
    held: tuple[float, float] = (0.0, 0.0)
    holds_at_end: bool = False
    touches: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    lost: float | None = None
    dropped: float | None = None
    ends: str = "recording"
    until: float = 0.0

    @property
    def is_planted(self) -> bool:
        """Whether something speaks against the run, or is in the hand that the scene does not have."""
        losses = self.lost is not None or self.dropped is not None
        return bool(losses or self.touches or self.grip == "" or self.ends != "recording")


@dataclass(frozen=True)
class Noise:
    """Standard deviations: of positions [rad, m], of velocities [rad/s, m/s], of efforts in shares of the limits."""

    arm: float
    fingers: float
    velocity: float
    effort: float

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Noise:
        """Draw it; a fifth of the recordings have none."""
        if random.random() < 0.2:
            return cls(0.0, 0.0, 0.0, 0.0)
        arm = 10.0 ** random.uniform(-5.5, -4.0)
        return cls(
            arm, 10.0 ** random.uniform(-5.5, -4.5), 20 * arm, float(random.uniform(0.001, 0.01))
        )


@dataclass(frozen=True)
class Case:
    """One run.

    Attributes:
        kind: of what is planted.
        robot: its name.
        seed: that it was drawn with.
        motion: of the robot.
        scene: what stands around it, by name.
        truth: what is so.
        without: inputs that it lacks.
        noise: of its recording.
        load: of the hand while it holds something [kg], and the force of each finger [N].
        how: a run that ends early is ``asked`` to go on, or its arm falls ``silent`` before its fingers.
    """

    kind: str
    robot: str
    seed: tuple[int, int]
    motion: Motion
    scene: Mapping[str, Thing]
    truth: Truth
    without: frozenset[str] = frozenset()
    noise: Noise = Noise(0.0, 0.0, 0.0, 0.0)
    load: tuple[float, float] = (0.0, 0.0)
    how: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is planted and nothing is missing."""
        return not (self.truth.is_planted or self.without)

    @property
    def can_lack(self) -> list[str]:
        """What can be left out without changing what is so; fingers that fetch are needed to move."""
        fingers = [FINGERS] if PANDA.name == self.robot and self.motion.box is None else []
        return [SHAPES, MASSES, EFFORTS, *fingers]


Draw = Callable[[Lab, np.random.Generator], Case]
_NOBODY = (0, 0)


def draw_case(kind: str, robot: str, seed: tuple[int, int]) -> Case:
    """Draw one.

    Raises:
        Vain: if it cannot be drawn with this seed.
    """
    random = np.random.default_rng(seed)
    case = DRAWS[kind](lab(robot), random)
    case = replace(case, kind=kind, seed=seed, noise=Noise.drawn(random))
    if random.random() < LEFT_OUT:
        case = replace(case, without=frozenset({str(random.choice(case.can_lack))}))
    return case


def _case(lab: Lab, motion: Motion, scene: Mapping[str, Thing], truth: Truth) -> Case:
    until = float(motion.seconds[-1])
    return Case("", lab.kind.name, _NOBODY, motion, scene, replace(truth, until=until))


def wandering(lab: Lab, random: np.random.Generator) -> Case:
    """Through free space, in half of the runs past a box on a table."""
    motion = free(lab, random)
    scene = _aside(lab, motion, random) if random.random() < 0.5 else {}
    return _case(lab, motion, scene, Truth())


def ended(how: str, ways: tuple[str, ...] = ("",)) -> Draw:
    """The same or a fetch, ended otherwise than with its recording."""

    def draw(lab: Lab, random: np.random.Generator) -> Case:
        with_hand = bool(lab.kind.fingers) and random.random() < 0.5
        case = fetching("put down")(lab, random) if with_hand else wandering(lab, random)
        at = float(random.uniform(0.3, 0.8)) * case.truth.until
        begin, end = case.truth.held
        truth = replace(case.truth, ends=how, until=at, held=(begin, min(end, at)))
        held = begin + SURE_S < at < end
        truth = replace(truth, grip=truth.grip if begin < at else None, holds_at_end=held)
        return replace(case, truth=truth, how=str(random.choice(ways)))

    return draw


def fetching(ending: str) -> Draw:
    """A box is gripped and lifted from a table, carried, and what `ending` says."""

    def draw(lab: Lab, random: np.random.Generator) -> Case:
        motion, table, mass, force = _fetched(lab, ending, random)
        assert motion.box is not None
        scene = {TABLE: Thing(table), BOX: Thing(motion.box, mass)}
        return replace(
            _case(lab, motion, scene, _truth_of(motion, ending, BOX)), load=(mass, force)
        )

    return draw


def unknown(lab: Lab, random: np.random.Generator) -> Case:
    """The hand closes on something that the scene does not have; the rest of the scene may be there."""
    ending = str(random.choice(("put down", "holding")))
    motion, table, mass, force = _fetched(lab, ending, random)
    kept = int(random.integers(3))
    scene = {TABLE: Thing(table)} if kept else {}
    if kept == 2:
        scene |= {BOX: Thing(_beside(lab, motion, table, random), 0.2)}
    return replace(_case(lab, motion, scene, _truth_of(motion, ending, "")), load=(mass, force))


def _fetched(
    lab: Lab, ending: str, random: np.random.Generator
) -> tuple[Motion, Cuboid, float, float]:
    """A motion, the table under it, the mass of what is fetched [kg] and the force of a finger [N]."""
    for _ in range(_TRIES):
        try:
            motion = fetch(lab, Fetch.drawn(random), ending, random)
        except Vain:
            continue
        table = _under(motion)
        if _nearest(lab, motion, table) > CLEAR and all(map(lab.is_clear, motion.positions[::5])):
            mass, force = float(random.uniform(0.05, 0.3)), float(random.uniform(8.0, 20.0))
            return motion, table, mass, force
    raise Vain("nothing can be fetched")


def _truth_of(motion: Motion, ending: str, what: str) -> Truth:
    """What is so of a fetch."""
    marks, end = motion.marks, float(motion.seconds[-1])
    gone = marks.get("lost", marks.get("opened", end))
    return Truth(
        grip=what,
        held=(marks["closed"], gone),
        holds_at_end=ending == "holding",
        lost=gone if ending == "slip" else None,
        dropped=gone if ending in ("slip", "drop") else None,
    )


def _under(motion: Motion) -> Cuboid:
    """The table that the box stands on, wide enough for where it is put."""
    box = motion.box
    assert box is not None
    turned = motion.positions[:, 0]
    middle = 0.5 * float(turned.min() + turned.max())
    away = float(np.hypot(box.at[0], box.at[1])) + 0.15
    top = box.at[2] - 0.5 * box.size[2]
    at = (away * np.cos(middle), away * np.sin(middle), top - 0.5 * _SHELF)
    return Cuboid((0.6, 1.2, _SHELF), (float(at[0]), float(at[1]), float(at[2])), middle)


# ---------------------------------------------------------------------- what stands around


def _nearest(lab: Lab, motion: Motion, box: Cuboid) -> float:
    """How near any link comes to a box [m]."""
    for step in (8, 2):  # most are seen to be too near at once
        found = lab.distances(motion.positions[::step], box)
        nearest = min(float(row.min()) for row in found.values())
        if nearest < CLEAR:
            break
    return nearest


def _on_top(shelf: Cuboid, size: tuple[float, float, float], x: float, y: float) -> Cuboid:
    """A box on a shelf."""
    return Cuboid(size, (x, y, shelf.at[2] + 0.5 * (_SHELF + size[2])), shelf.yaw)


def _shelf(box: Cuboid, side: float) -> Cuboid:
    """What a box stands on."""
    below = box.at[2] - 0.5 * box.size[2] - 0.5 * _SHELF
    return Cuboid((side, side, _SHELF), (box.at[0], box.at[1], below), box.yaw)


def _box(random: np.random.Generator) -> tuple[float, float, float]:
    one, two, three = random.uniform(0.05, 0.09, 3).tolist()
    return one, two, three


def _aside(lab: Lab, motion: Motion, random: np.random.Generator) -> Mapping[str, Thing]:
    """A box on a shelf, which the robot passes."""
    for _ in range(_TRIES):
        around, radius = random.uniform(-np.pi, np.pi), random.uniform(0.3, 0.8)
        at = (float(radius * np.cos(around)), float(radius * np.sin(around)))
        box = Cuboid(_box(random), (*at, float(random.uniform(0.0, 0.6))), float(around))
        shelf = _shelf(box, 0.3)
        if min(_nearest(lab, motion, one) for one in (box, shelf)) > 2 * CLEAR:
            mass = float(random.uniform(0.1, 0.4))
            return {TABLE: Thing(shelf), BOX: Thing(box, mass)}
    raise Vain("there is no room for a box")


def _beside(lab: Lab, motion: Motion, table: Cuboid, random: np.random.Generator) -> Cuboid:
    """A box on the table, out of the robot's way."""
    for _ in range(_TRIES):
        along, across = random.uniform((-0.2, -0.5), (0.2, 0.5))
        at = np.array(table.at) + table.turn @ np.array((along, across, 0.0))
        box = _on_top(table, _box(random), float(at[0]), float(at[1]))
        if _nearest(lab, motion, box) > 2 * CLEAR:
            return box
    raise Vain("there is no room beside")


# ---------------------------------------------------------------------- planted touches


def into_table(lab: Lab, random: np.random.Generator) -> Case:
    """A link gets into a static body, which is below it or in its way."""
    for motion in _motions(lab, random):
        body = _in_the_way(lab, motion, random, frozenset(), is_table=True)
        links = _entered(lab, motion, body, DEEP)
        if links and PLANTED_DEEP[0] <= max(d for _, d in links.values()) <= PLANTED_DEEP[1]:
            firsts = {link: first for link, (first, _) in links.items()}
            return _case(lab, motion, {TABLE: Thing(body)}, Truth(touches={TABLE: firsts}))
    raise Vain("nothing can be touched")


def _motions(lab: Lab, random: np.random.Generator) -> Iterator[Motion]:
    """Some motions, each often enough to find something in its way."""
    for _ in range(_MOTIONS):
        motion = (free if random.random() < 0.3 else swinging)(lab, random)
        yield from (motion for _ in range(_OFTEN))


def sweep(lab: Lab, random: np.random.Generator) -> Case:
    """An arm's link, none of the hand, sweeps a free box off its place."""
    for motion in _motions(lab, random):
        box = _in_the_way(lab, motion, random, lab.kind.hand_links, is_table=False)
        shelf = _shelf(box, 0.1)
        links = _entered(lab, motion, box, 0.0, lab.kind.hand_links)
        if not links or max(d for _, d in links.values()) < PUSHED:
            continue
        if _nearest(lab, motion, shelf) < CLEAR:
            continue
        firsts = {link: first for link, (first, _) in links.items()}
        scene = {TABLE: Thing(shelf), BOX: Thing(box, float(random.uniform(0.1, 0.4)))}
        return _case(lab, motion, scene, Truth(touches={BOX: firsts}))
    raise Vain("nothing can be swept")


def _in_the_way(
    lab: Lab,
    motion: Motion,
    random: np.random.Generator,
    without: frozenset[str],
    *,
    is_table: bool,
) -> Cuboid:
    """A body whose face a shape of the robot passes at some time, in the direction of its motion or from above."""
    geom = int(random.choice(lab.moving_geoms(without)))
    row = int(random.integers(len(motion.positions) // 5, len(motion.positions)))
    here = motion.positions[row]
    if is_table and random.random() < 0.5:
        deep = float(random.uniform(*PLANTED_DEEP))
        at = lab.support(here, geom, np.array((0.0, 0.0, -1.0)))
        size = (*random.uniform(0.2, 0.5, 2).tolist(), _SHELF)
        yaw = float(random.uniform(0.0, np.pi))
        middle = float(at[2]) + deep - 0.5 * _SHELF
        return Cuboid((size[0], size[1], size[2]), (float(at[0]), float(at[1]), middle), yaw)
    return _ahead(lab, motion, random, (geom, row), is_table=is_table)


def _ahead(
    lab: Lab,
    motion: Motion,
    random: np.random.Generator,
    which: tuple[int, int],
    *,
    is_table: bool,
) -> Cuboid:
    """A body beside a shape at some time, where the shape is going."""
    geom, row = which
    earlier = motion.positions[max(0, row - 10)]
    yaw = float(random.uniform(-np.pi, np.pi))
    up = np.array((0.0, 0.0, 1.0))
    way = lab.support(motion.positions[row], geom, up) - lab.support(earlier, geom, up)
    if np.hypot(way[0], way[1]) > 0.01:
        yaw = float(np.arctan2(way[1], way[0]))
    normal = np.array((np.cos(yaw), np.sin(yaw), 0.0))
    at = lab.support(motion.positions[row], geom, normal)
    spans = ((0.04, 0.3), (0.04, 0.3), (0.1, 0.5)) if is_table else ((0.05, 0.09),) * 3
    size = [float(random.uniform(*span)) for span in spans]
    deep = float(random.uniform(*(PLANTED_DEEP if is_table else (0.01, 0.05))))
    middle = at + (0.5 * size[0] - deep) * normal
    middle[2] += random.uniform(-0.3, 0.3) * size[2]
    if not is_table and random.random() < 0.8:  # by its upper end, with nothing of the arm below
        lowest = lab.support(motion.positions[row], geom, -up)
        middle = lowest + (0.5 * size[0] - deep) * normal
        middle[2] += random.uniform(0.01, 0.04) - 0.5 * size[2]
    x, y, z = middle.tolist()
    return Cuboid((size[0], size[1], size[2]), (x, y, z), yaw)


def _entered(
    lab: Lab, motion: Motion, box: Cuboid, deep: float, never: frozenset[str] = frozenset()
) -> dict[str, tuple[float, float]]:
    """Links that get so deep into a box: when first, and how deep [m].

    None if one is there from the start on, or one gets there that never may.
    """
    rough = lab.distances(motion.positions[::8], box, 2 * CLEAR)  # spares most of the work
    nearest = {link: float(distances.min()) for link, distances in rough.items()}
    starts = min(float(distances[:3].min()) for distances in rough.values())
    if starts < CLEAR or min(nearest.values()) > CLEAR or _nearest_of(nearest, never) < 0.0:
        return {}
    found = {}
    for link, distances in lab.distances(motion.positions, box, 2 * CLEAR).items():
        if distances.min() < -deep:
            first = float(motion.seconds[int(np.argmax(distances < 0.0))])
            found[link] = first, float(-distances.min())
    return {} if found.keys() & never else found


def _nearest_of(nearest: Mapping[str, float], links: frozenset[str]) -> float:
    """How near any of some links comes [m]."""
    return min((nearest[link] for link in links if link in nearest), default=1.0)


DRAWS: Mapping[str, Draw] = {
    "free": wandering,
    "fetch": fetching("put down"),
    "hold": fetching("holding"),
    "unknown": unknown,
    "slip": fetching("slip"),
    "drop": fetching("drop"),
    "table": into_table,
    "sweep": sweep,
    "raises": ended("failed"),
    "stopped": ended("stopped"),
    "early": ended("early", ("asked", "silent")),
}
PLAN = (
    *(("free", UR5.name),) * 3,
    *(("free", PANDA.name),) * 3,
    *(("fetch", PANDA.name),) * 2,
    ("hold", PANDA.name),
    *(("unknown", PANDA.name),) * 2,
    *(("slip", PANDA.name),) * 2,
    *(("drop", PANDA.name),) * 2,
    *(("table", name) for name in (UR5.name, PANDA.name)),
    *(("sweep", name) for name in (UR5.name, PANDA.name)),
    ("sweep", UR5.name),
    *((kind, name) for kind in ("raises", "stopped", "early") for name in (UR5.name, PANDA.name)),
)
"""Kinds and robots, in turn; 26 of them."""
