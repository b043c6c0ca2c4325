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
_NO_FORCE: Force = (0.0, 0.0, 0.0)
ContactGroups: TypeAlias = tuple[tuple[Pair, tuple[int, ...]], ...]
"""Pairs of frames in contact, each with the indices of its contacts in MuJoCo's list."""
_MAX_CACHED = 1024
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
        self._constraint_forces = data.efc_force.copy()
        self._forces = None

    def force_on(self, body: int, other: int) -> Force:
        """Return the sum of the forces that `other` exerts on `body` [N]."""
        if self._forces is None:
            self._forces = self._sum_forces()
        return self._forces.get((body, other), _NO_FORCE)

    def _sum_forces(self) -> dict[tuple[int, int], Force]:
        # MuJoCo reports the force on the second geom, in the contact's frame. There are few contacts
        # and many steps: plain numbers are faster than arrays.
        sums: dict[tuple[int, int], Force] = {}
        efc = self._constraint_forces.tolist()
        bodies = self._body[self.geoms].tolist()
        rows = zip(bodies, self._address.tolist(), self._frames.tolist(), strict=True)
        for (first, second), address, f in rows:
            if address < 0:
                continue
            n, s, t = efc[address : address + 3]
            x = n * f[0] + s * f[3] + t * f[6]
            y = n * f[1] + s * f[4] + t * f[7]
            z = n * f[2] + s * f[5] + t * f[8]
            a, b, c = sums.get((second, first), _NO_FORCE)
            sums[second, first] = (a + x, b + y, c + z)
            a, b, c = sums.get((first, second), _NO_FORCE)
            sums[first, second] = (a - x, b - y, c - z)
        return sums

    def normal_force(self, contacts: Iterable[int]) -> float:
        """Return the sum of the normal forces of some of the contacts [N]."""
        solved = (int(self._address[contact]) for contact in contacts)
        return float(sum(self._constraint_forces[address] for address in solved if address >= 0))

    def point(self, contact: int) -> Force:
        """Return the position of a contact [m]."""
        x, y, z = self._points[contact].tolist()
        return x, y, z

    def table(self) -> Floats:
        """Return (n, 11) rows as `Engine.contacts`."""
        if not self.count:
            return np.empty((0, CONTACT_COLUMNS))
        solved = np.flatnonzero(self._address >= 0)
        frames = self._frames[solved].reshape(-1, 3, 3)
        local = self._constraint_forces[self._address[solved, None] + np.arange(3)]
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
        self._cache: dict[bytes, ContactGroups] = {}

    def find(self, data: mj.MjData) -> ContactGroups:
        """Return the pairs of a link and a free body among MuJoCo's contacts; there must be contacts."""
        geoms = data.contact.geom
        key = geoms.tobytes()
        found = self._cache.get(key)
        return self._find(key, geoms) if found is None else found

    def record(self, time_ns: int, solved: SolvedContacts, found: ContactGroups) -> None:
        """Record the contacts of a step.

        Args:
            time_ns: end of the step [ns].
            solved: contacts of the step.
            found: result of `find` for these contacts.
        """
        distances = solved.distances.tolist()
        for pair, contacts in found:
            deepest = min(contacts, key=distances.__getitem__)
            if self._touches.record(pair, time_ns, -distances[deepest]):
                force = solved.normal_force(contacts)
                self._touches.set_deepest(pair, force, *solved.point(deepest))

    def _find(self, key: bytes, geoms: Ints) -> ContactGroups:
        groups: dict[Pair, list[int]] = {}
        links = np.flatnonzero(self._is_link[geoms].any(axis=1))
        for i, (first, second) in zip(links.tolist(), geoms[links].tolist(), strict=True):
            if self._kinds[second] is BodyKind.DRIVEN:
                first, second = second, first
            if self._kinds[first] is BodyKind.DRIVEN and self._kinds[second] is BodyKind.FREE:
                groups.setdefault((self._frames[first], self._frames[second]), []).append(i)
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        found = self._cache[key] = tuple((pair, tuple(indices)) for pair, indices in groups.items())
        return found
