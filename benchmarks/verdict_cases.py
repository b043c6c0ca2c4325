"""Runs of known truth, drawn at random: how a robot moves, what stands around it, what is planted, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from verdict_fetches import Fetch, fetch
from verdict_motions import Motion, Vain, free
from verdict_robots import KINDS, PANDA, SO101, UR5, Cuboid, Lab, lab
from verdict_scenes import (
    BOX,
    CLEAR,
    DEEP,
    PLANTED_DEEP,
    TABLE,
    Thing,
    beside,
    entered,
    in_the_way,
    motions,
    nearest,
    random_offset,
    shelf_under,
    under,
)

SHAPES, MASSES, EFFORTS, FINGERS = "shapes", "masses", "efforts", "fingers"
"""Inputs that a run may lack: collision shapes and masses of the robot, recorded efforts, recorded fingers."""
ASKED, SILENT = "asked", "silent"
"""How a run ends early: it is asked to go on, or the arm falls silent while its fingers are recorded on."""
HEIGHT = 0.95
"""Of the robot's base above the floor, so that nothing of the robot reaches it [m]."""
PUSHED = 0.007
"""A link that gets so deep into where a free box stands has moved it by 5 mm, or is 2 mm inside [m]."""
SURE_S = 0.5
"""What has been so for this time is to be known."""
LEFT_OUT = 0.3
"""Share of the runs that lack an input."""
_TRIES = 80


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
        how: the way in which a run ends early.
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
        has_fingers = bool(KINDS[self.robot].fingers) and self.motion.box is None
        fingers = [FINGERS] if has_fingers else []
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
    scene = random_offset(lab, motion, random) if random.random() < 0.5 else {}
    return _case(lab, motion, scene, Truth())


def ended(how: str, ways: tuple[str, ...] = ("",)) -> Draw:
    """The same or a fetch, ended otherwise than with its recording."""

    def draw(lab: Lab, random: np.random.Generator) -> Case:
        with_hand = bool(lab.kind.fingers) and random.random() < 0.5
        case = fetching("put down")(lab, random) if with_hand else wandering(lab, random)
        at = float(random.uniform(0.3, 0.8)) * case.truth.until
        how_early = str(random.choice(ways)) if with_hand else ways[0]
        truth = replace(case.truth, ends=how, until=at)
        if how_early != SILENT:  # else the fingers go on
            truth = _broken_off(truth)
        return replace(case, truth=truth, how=how_early)

    return draw


def _broken_off(truth: Truth) -> Truth:
    """What is so of a grip when nothing comes after the end."""
    begin, end = truth.held
    if truth.grip is None or truth.until <= begin:
        return replace(truth, grip=None, held=(0.0, 0.0))
    held = begin + SURE_S < truth.until < end
    return replace(truth, held=(begin, min(end, truth.until)), holds_at_end=held)


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
        scene |= {BOX: Thing(beside(lab, motion, table, random), 0.2)}
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
        table = under(motion)
        if nearest(lab, motion, table) > CLEAR and all(map(lab.is_clear, motion.positions[::5])):
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


# ---------------------------------------------------------------------- planted touches


def into_table(lab: Lab, random: np.random.Generator) -> Case:
    """A link gets into a static body, which is below it or in its way."""
    for motion in motions(lab, random):
        body = in_the_way(lab, motion, random, frozenset(), is_table=True)
        links = entered(lab, motion, body, DEEP)
        if links and PLANTED_DEEP[0] <= max(d for _, d in links.values()) <= PLANTED_DEEP[1]:
            firsts = {link: first for link, (first, _) in links.items()}
            return _case(lab, motion, {TABLE: Thing(body)}, Truth(touches={TABLE: firsts}))
    raise Vain("nothing can be touched")


def sweep(lab: Lab, random: np.random.Generator) -> Case:
    """An arm's link, none of the hand, sweeps a free box off its place."""
    for motion in motions(lab, random):
        box = in_the_way(lab, motion, random, lab.kind.hand_links, is_table=False)
        shelf = shelf_under(box, 0.1)
        links = entered(lab, motion, box, 0.0, lab.kind.hand_links)
        if not links or max(d for _, d in links.values()) < PUSHED:
            continue
        if nearest(lab, motion, shelf) < CLEAR:
            continue
        firsts = {link: first for link, (first, _) in links.items()}
        scene = {TABLE: Thing(shelf), BOX: Thing(box, float(random.uniform(0.1, 0.4)))}
        return _case(lab, motion, scene, Truth(touches={BOX: firsts}))
    raise Vain("nothing can be swept")


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
    "early": ended("early", (ASKED, SILENT)),
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
    *((kind, SO101.name) for kind in ("free", "table", "sweep")),
    ("sweep", UR5.name),
    *((kind, name) for kind in ("raises", "stopped", "early") for name in (UR5.name, PANDA.name)),
)
"""Kinds and robots, in turn; 29 of them."""
