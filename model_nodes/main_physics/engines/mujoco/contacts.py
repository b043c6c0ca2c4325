"""Contacts and their forces, and the contacts of the robots' links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats, Ints
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables
from model_nodes.main_physics.engines.shared import Pair, Touches

CONTACT_COLUMNS = 11
Force: TypeAlias = tuple[float, float, float]
_NOTHING: Force = (0.0, 0.0, 0.0)
Found: TypeAlias = tuple[tuple[Pair, tuple[int, ...]], ...]
"""Pairs of frames in contact, each with the indices of its contacts in MuJoCo's list."""
_KEPT = 1024
"""Maximum number of cached sets of contacts."""


class Contacts:
    """The contacts of the last step, copied before the next one detects new contacts.

    Attributes:
        last: the contacts of the last step.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        self._model, self._data, self._tables = model, data, tables
        self.clear()

    def clear(self) -> None:
        """Discard all contacts."""
        self.last = SolvedContacts(self._model, self._tables)

    def copy(self) -> None:
        """Copy the contacts and their forces from MuJoCo."""
        self.last = SolvedContacts(self._model, self._tables, self._data)


class SolvedContacts:
    """The contacts of one step and their forces.

    Args:
        model: model of the world.
        tables: tables of the world.
        data: data to copy the contacts from; None: there are no contacts.

    Attributes:
        count: number of contacts.
        geoms, distances: (n, 2) geoms and (n,) distances [m]; only set if there are contacts.
    """

    def __init__(self, model: mj.MjModel, tables: Tables, data: mj.MjData | None = None) -> None:
        self._body = model.geom_bodyid
        self._frame_of = tables.body_frames
        self._forces: dict[tuple[int, int], Force] | None = {}
        self.count = 0 if data is None else data.ncon
        if data is None or not self.count:
            return
        contact = data.contact
        self.geoms, self._address = contact.geom.copy(), contact.efc_address.copy()
        self._frames, self._points = contact.frame.copy(), contact.pos.copy()
        self.distances = contact.dist.copy()
        self._efc = data.efc_force.copy()
        self._forces = None

    def force_on(self, body: int, other: int) -> Force:
        """Return the sum of the forces that `other` exerts on `body` [N]."""
        if self._forces is None:
            self._forces = self._summed()
        return self._forces.get((body, other), _NOTHING)

    def _summed(self) -> dict[tuple[int, int], Force]:
        # MuJoCo reports the force on the second geom, in the contact's frame. There are few contacts
        # and many steps: plain numbers are faster than arrays.
        sums: dict[tuple[int, int], Force] = {}
        efc = self._efc.tolist()
        bodies = self._body[self.geoms].tolist()
        rows = zip(bodies, self._address.tolist(), self._frames.tolist(), strict=True)
        for (one, two), at, f in rows:
            if at < 0:
                continue
            n, s, t = efc[at : at + 3]
            x = n * f[0] + s * f[3] + t * f[6]
            y = n * f[1] + s * f[4] + t * f[7]
            z = n * f[2] + s * f[5] + t * f[8]
            a, b, c = sums.get((two, one), _NOTHING)
            sums[two, one] = (a + x, b + y, c + z)
            a, b, c = sums.get((one, two), _NOTHING)
            sums[one, two] = (a - x, b - y, c - z)
        return sums

    def normal_force(self, places: Iterable[int]) -> float:
        """Return the sum of the normal forces of some of the contacts [N]."""
        solved = (int(self._address[place]) for place in places)
        return float(sum(self._efc[at] for at in solved if at >= 0))

    def point(self, place: int) -> Force:
        """Return the position of a contact [m]."""
        x, y, z = self._points[place].tolist()
        return x, y, z

    def table(self) -> Floats:
        """Return (n, 11) rows as `Engine.contacts`."""
        if not self.count:
            return np.empty((0, CONTACT_COLUMNS))
        solved = np.flatnonzero(self._address >= 0)
        frames = self._frames[solved].reshape(-1, 3, 3)
        local = self._efc[self._address[solved, None] + np.arange(3)]
        bodies = self._body[self.geoms[solved]]
        out = np.empty((len(solved), CONTACT_COLUMNS))
        out[:, 0] = self._frame_of[bodies[:, 1]]
        out[:, 1] = self._frame_of[bodies[:, 0]]
        out[:, 2] = self.distances[solved]
        out[:, 3:6] = self._points[solved]
        out[:, 6:9] = frames[:, 0]
        out[:, 9] = local[:, 0]
        out[:, 10] = np.hypot(local[:, 1], local[:, 2])
        return out


class LinkContacts:
    """Finds the contacts of the robots' links; the result is cached for steps with the same pairs of geoms.

    Args:
        model: model of the world.
        tables: tables of the world.
        touches: recorder of the touches.
    """

    def __init__(self, model: mj.MjModel, tables: Tables, touches: Touches) -> None:
        self._touches = touches
        bodies = model.geom_bodyid
        self._frames: list[int] = tables.body_frames[bodies].tolist()
        self._kinds = [tables.body_kinds[body] for body in bodies.tolist()]
        self._is_link = np.array([kind is BodyKind.DRIVEN for kind in self._kinds], np.bool_)
        self._known: dict[bytes, Found] = {}

    def find(self, data: mj.MjData) -> Found:
        """Return the pairs of a link and a free body among MuJoCo's contacts; there must be contacts."""
        geoms = data.contact.geom
        key = geoms.tobytes()
        found = self._known.get(key)
        return self._find(key, geoms) if found is None else found

    def note(self, time_ns: int, solved: SolvedContacts, found: Found) -> None:
        """Record the contacts of a step.

        Args:
            time_ns: end of the step [ns].
            solved: contacts of the step.
            found: result of `find` for these contacts.
        """
        distances = solved.distances.tolist()
        for pair, places in found:
            deepest = min(places, key=distances.__getitem__)
            if self._touches.note(pair, time_ns, -distances[deepest]):
                force = solved.normal_force(places)
                self._touches.deepest(pair, force, *solved.point(deepest))

    def _find(self, key: bytes, geoms: Ints) -> Found:
        places: dict[Pair, list[int]] = {}
        links = np.flatnonzero(self._is_link[geoms].any(axis=1))
        for i, (one, other) in zip(links.tolist(), geoms[links].tolist(), strict=True):
            if self._kinds[other] is BodyKind.DRIVEN:
                one, other = other, one
            if self._kinds[one] is BodyKind.DRIVEN and self._kinds[other] is BodyKind.FREE:
                places.setdefault((self._frames[one], self._frames[other]), []).append(i)
        if len(self._known) >= _KEPT:
            self._known.clear()
        found = self._known[key] = tuple((pair, tuple(at)) for pair, at in places.items())
        return found
