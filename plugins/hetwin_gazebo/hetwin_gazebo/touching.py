"""Proximity and contacts: distances from the shadow, forces from the momentum balance and from Gazebo.

The contact force on a body in a step is the change of its momentum, minus gravity and other known forces. A body with a
single contact thus has one known force; so do all bodies of a stack. For bodies in a ring of contacts, such as fingers
and the object that they hold, the balance is not unique: squeezing forces cause no motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import hypot

import numpy as np

from hetwin_gazebo.contacts import Contact
from hetwin_gazebo.impacts import Momentum
from hetwin_gazebo.lockstep import LockStep
from hetwin_gazebo.objects import Objects
from hetwin_gazebo.shadow import Shadow
from hetwin_suite.engine import (
    PROXIMITY,
    PROXIMITY_COLUMNS,
    BodyKind,
    Nearest,
    Pair,
    Pairs,
    Vector,
    no_rows,
)
from hetwin_suite.model import Floats

UNBALANCED = -1
"""Index for a body whose forces are not balanced."""
_RANK_TOLERANCE = 1e-9


class Balance:
    """Forces of pairs of bodies whose sums are the forces on each body."""

    def __init__(self) -> None:
        self._pairs: tuple[Pair, ...] = ()
        self._bodies: list[int] = []
        self._sums: Floats = np.zeros((0, 0))
        self._inverse: Floats = np.zeros((0, 0))
        self._is_ambiguous = False

    def is_ambiguous(self, pairs: Sequence[Pair]) -> bool:
        """Whether the balance of these pairs is not unique."""
        self._prepare(tuple(pairs))
        return self._is_ambiguous

    def forces(self, pairs: Sequence[Pair], totals: Floats, guess: Floats) -> Floats:
        """Return (n, 3) the force on the first body of each pair, closest to a guess among all balanced forces [N].

        Args:
            pairs: n pairs of indices of bodies, or `UNBALANCED`.
            totals: (m, 3) total force on each body [N].
            guess: (n, 3) guess of the forces [N].
        """
        self._prepare(tuple(pairs))
        residuals = totals[self._bodies] - self._sums @ guess
        forces: Floats = guess + self._inverse @ residuals
        return forces

    def _prepare(self, pairs: tuple[Pair, ...]) -> None:
        if pairs == self._pairs:
            return
        self._pairs = pairs
        self._bodies = sorted({body for pair in pairs for body in pair} - {UNBALANCED})
        self._sums = np.zeros((len(self._bodies), len(pairs)))
        row = {body: i for i, body in enumerate(self._bodies)}
        for i, (first, second) in enumerate(pairs):
            if first != UNBALANCED:
                self._sums[row[first], i] += 1.0
            if second != UNBALANCED:
                self._sums[row[second], i] -= 1.0
        self._inverse = np.asarray(np.linalg.pinv(self._sums, rcond=_RANK_TOLERANCE), np.float64)
        self._is_ambiguous = np.linalg.matrix_rank(self._sums) < len(pairs)


LINK_MARGIN = 0.2
"""Margin beyond a link's motion between two reports within which contacts with an object are requested [m]."""


class LinkContacts:
    """Adds contacts of links to the shadow's touches.

    Args:
        shadow: shadow of the world.
        object_names: objects whose distances are measured; contacts of others are not requested.
    """

    def __init__(self, shadow: Shadow, object_names: tuple[str, ...]) -> None:
        self._touches, tables = shadow.touches, shadow.tables
        self._pairs = shadow.pairs(object_names, LINK_MARGIN)
        self._frames = {name: i for i, name in enumerate(tables.frames)}
        self._kinds = tables.body_kinds
        self._kind_of_frame = {i: self._kinds[body] for i, body in enumerate(tables.frame_bodies)}

    def note_contacts(self, simulation: LockStep | None, now_ns: int) -> None:
        """Add the contacts of the steps until now."""
        if simulation is None or not self._is_near():
            return
        for age_ns, contacts in simulation.new_contacts():
            for pair, contact in self._link_contacts(contacts, simulation):
                depth = max(0.0, contact.depth)
                if self._touches.record(pair, now_ns - age_ns, depth):
                    self._touches.set_deepest(pair, hypot(*contact.force), *contact.point)

    def _is_near(self) -> bool:
        pairs = self._pairs.nearest()
        return any(self._kinds[second] is BodyKind.DRIVEN for _, second in pairs)

    def _link_contacts(
        self, contacts: Iterable[Contact], simulation: LockStep
    ) -> Iterator[tuple[Pair, Contact]]:
        """Yield the contacts of a link with a body that forces move, with the frames of both."""
        for contact in contacts:
            names = [simulation.frame_of.get(collision) for collision in contact.collisions]
            first, second = (self._frames.get(name or "", -1) for name in names)
            if self._kind_of_frame.get(second) is BodyKind.DRIVEN:
                first, second = second, first
            kinds = self._kind_of_frame.get(first), self._kind_of_frame.get(second)
            if kinds == (BodyKind.DRIVEN, BodyKind.FREE):
                yield (first, second), contact


CONTACT_COLUMNS = 11
CONTACT_DISTANCE = 1e-3
"""Distance below which bodies may press on each other [m]; Gazebo's and MuJoCo's shapes differ slightly."""

_MAX_TENSION = 1e-3
"""Tensile forces below this are rounding errors [N]."""

FramePair = tuple[int, int]
"""A frame, and another one."""


class Touching:
    """Proximity and contacts after the last step.

    Args:
        shadow: shadow of the world.
        objects: free bodies.
        momentum: momentum of the objects.
        names: names of the objects whose proximity is reported.
        reach: maximum reported distance [m].
    """

    def __init__(
        self,
        shadow: Shadow,
        objects: Objects,
        momentum: Momentum,
        names: tuple[str, ...],
        reach: float,
    ) -> None:
        self._shadow, self._objects, self._momentum = shadow, objects, momentum
        self._names, self._near = names, shadow.pairs(names, reach)
        self._all: Pairs | None = None
        self._frame_ids = {name: i for i, name in enumerate(shadow.tables.frames)}
        self._balance = Balance()
        self._simulation: LockStep | None = None
        self._step_count = 0

    def begin_step(self) -> None:
        """Start a step; the forces of the previous one are dropped."""
        self._step_count += 1

    def end_step(self, simulation: LockStep) -> None:
        """Store that a step was made."""
        self._simulation = simulation

    def forget(self) -> None:
        """Drop the data of the last step."""
        self.begin_step()
        self._simulation = None

    def proximity(self) -> Floats:
        """Return (n, 12) rows as in `Engine.proximity`, also for pairs that do not collide."""
        nearest_by_pair = self._by_frame(self._near.nearest())
        return _rows(nearest_by_pair, self._forces(nearest_by_pair, self._names))

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Return a function that computes the current rows; without forces if another step has started meanwhile."""
        pairs, step_count, positions = self._near, self._step_count, self._shadow.all_positions()

        def rows() -> Floats:
            if step_count == self._step_count:
                return self.proximity()
            return _rows(self._by_frame(pairs.nearest_at(positions)), {})

        return rows

    def contacts(self) -> Floats:
        """Return (n, 11) rows as in `Engine.contacts`, one for each pair of frames that press on each other."""
        names = tuple(self._shadow.tables.free)
        nearest_by_pair = self._near_all()
        rows = [
            _contact(key, nearest_by_pair[key], force)
            for key, force in self._forces(nearest_by_pair, names).items()
            if force.any() and (key[0] < key[1] or key[::-1] not in nearest_by_pair)
        ]
        return np.array(rows).reshape(-1, CONTACT_COLUMNS)

    def touching(self) -> list[FramePair]:
        """Return the pairs of an object's frame and another frame that touch and may collide."""
        nearest_by_pair = self._near_all()
        return [
            k
            for k, n in nearest_by_pair.items()
            if n.distance < CONTACT_DISTANCE and self._objects.collide(*k)
        ]

    def _near_all(self) -> dict[FramePair, Nearest]:
        if self._all is None:
            self._all = self._shadow.pairs(tuple(self._shadow.tables.free), CONTACT_DISTANCE)
        return self._by_frame(self._all.nearest())

    def _by_frame(self, nearest_by_pair: Mapping[FramePair, Nearest]) -> dict[FramePair, Nearest]:
        frame = self._shadow.tables.body_frames
        return {
            (int(frame[first]), int(frame[second])): n
            for (first, second), n in nearest_by_pair.items()
        }

    def _forces(
        self, nearest_by_pair: Mapping[FramePair, Nearest], names: tuple[str, ...]
    ) -> dict[FramePair, Floats]:
        """Return (frame, other frame) -> (3,) force on the frame [N], in both orders if `near` has both.

        Args:
            nearest_by_pair: all pairs of the frames of some objects with others.
            names: names of these objects.
        """
        keys = [
            key for key, nearest in nearest_by_pair.items() if nearest.distance < CONTACT_DISTANCE
        ]
        pairs = [key for key in keys if key[0] < key[1] or key[::-1] not in nearest_by_pair]
        pairs = [key for key in pairs if self._objects.collide(*key)]
        if self._simulation is None or not pairs:
            return {}
        found = self._compressive_forces(
            {key: nearest_by_pair[key].normal for key in pairs}, self._movers(names)
        )
        return found | {key: -found[key[::-1]] for key in keys if key[::-1] in found}

    def _compressive_forces(
        self, normals: Mapping[FramePair, Vector], mover: Callable[[int], int]
    ) -> dict[FramePair, Floats]:
        """Return the forces of pairs; pairs that would have to pull do not touch, and get none."""
        totals = self._momentum.contact_forces()
        remaining = dict(normals)
        while remaining:
            bodies = [(mover(first), mover(second)) for first, second in remaining]
            guess = np.zeros((len(remaining), 3))
            if self._balance.is_ambiguous(bodies):
                guess = self._guess(remaining, bodies, totals)
            found = dict(zip(remaining, self._balance.forces(bodies, totals, guess), strict=True))
            normal_forces = {
                key: float(found[key] @ np.array(normal)) for key, normal in remaining.items()
            }
            lowest = min(normal_forces, key=normal_forces.__getitem__)
            if normal_forces[lowest] >= -_MAX_TENSION or len(remaining) == 1:
                return found
            del remaining[lowest]
        return {}

    def _movers(self, names: tuple[str, ...]) -> Callable[[int], int]:
        """Return a function from frame to the index of its free body, if `names` has the body and all its loads."""
        objects = self._objects
        known = {objects.indices[name] for name in names}
        unlisted = {b for name, b in objects.carriers().items() if name not in names}
        known -= {objects.indices[bearer] for bearer in unlisted & objects.indices.keys()}

        def number(frame: int) -> int:
            found = objects.free_object_index(frame)
            return found if found in known else UNBALANCED

        return number

    def _guess(
        self, normals: Mapping[FramePair, Vector], bodies: list[tuple[int, int]], totals: Floats
    ) -> Floats:
        """Return (n, 3) the forces reported by Gazebo, or else forces along the normals [N]."""
        reported = self._reported(normals)
        if reported:
            return np.array([reported.get(key, np.zeros(3)) for key in normals])
        guess = np.zeros((len(normals), 3))
        for i, ((first, second), normal) in enumerate(zip(bodies, normals.values(), strict=True)):
            direction = np.array(normal)
            total = totals[first] if first != UNBALANCED else -totals[second]
            guess[i] = max(0.0, float(total @ direction)) * direction
        return guess

    def _reported(self, normals: Mapping[FramePair, Vector]) -> dict[FramePair, Floats]:
        simulation, ids = self._simulation, self._frame_ids
        assert simulation is not None
        sums: dict[FramePair, Floats] = {}
        for contact in simulation.contacts():
            names = [simulation.frame_of.get(collision) for collision in contact.collisions]
            if names[0] is None or names[1] is None:
                continue
            key = ids[names[0]], ids[names[1]]
            key = key if key in normals else key[::-1]
            if key in normals:
                force = np.array(contact.force)
                pushes = force @ np.array(normals[key]) >= 0  # contact forces push
                sums[key] = sums.get(key, np.zeros(3)) + (force if pushes else -force)
        return sums


def _rows(
    nearest_by_pair: Mapping[FramePair, Nearest], forces: Mapping[FramePair, Floats]
) -> Floats:
    """Return (n, 12) rows as in `Engine.proximity`."""
    if not nearest_by_pair:
        return no_rows(PROXIMITY)
    rows = np.zeros((len(nearest_by_pair), PROXIMITY_COLUMNS))
    for row, (key, n) in zip(rows, nearest_by_pair.items(), strict=True):
        row[:9] = (*key, n.distance, *n.point, *n.normal)
        if key in forces:
            row[9:12] = forces[key]
    return rows


def _contact(key: FramePair, nearest: Nearest, force: Floats) -> tuple[float, ...]:
    normal_force = float(force @ np.array(nearest.normal))
    tangential_force = max(0.0, float(force @ force) - normal_force * normal_force) ** 0.5
    return (*key, nearest.distance, *nearest.point, *nearest.normal, normal_force, tangential_force)
