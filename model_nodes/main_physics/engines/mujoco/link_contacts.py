"""Contacts of the robots' links with bodies that forces move, noted in each of MuJoCo's steps."""

from __future__ import annotations

from typing import TypeAlias

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.engines.mujoco.contacts import SolvedContacts
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables
from model_nodes.main_physics.engines.touches import Pair, Touches

Found: TypeAlias = tuple[tuple[Pair, tuple[int, ...]], ...]
"""The pairs of frames that touch, each with its places among MuJoCo's contacts."""
_KEPT = 1024
"""So many sets of contacts are remembered."""


class LinkContacts:
    """Reads contacts; which of them are a link's is looked up once for all steps with the same contacts.

    Args:
        model: the world.
        tables: its bodies.
        touches: where they are noted.
    """

    def __init__(self, model: mj.MjModel, tables: Tables, touches: Touches) -> None:
        self._touches = touches
        bodies = model.geom_bodyid
        self._frames: list[int] = tables.body_frames[bodies].tolist()
        self._kinds = [tables.body_kinds[body] for body in bodies.tolist()]
        self._is_link = np.array([kind is BodyKind.DRIVEN for kind in self._kinds], np.bool_)
        self._known: dict[bytes, Found] = {}

    def find(self, solved: SolvedContacts) -> Found:
        """The pairs of a link and a body that forces move, among the contacts of a step."""
        if not solved.count:
            return ()
        key = solved.geoms.tobytes()
        found = self._known.get(key)
        return self._find(key, solved.geoms) if found is None else found

    def note(self, time_ns: int, solved: SolvedContacts, found: Found) -> None:
        """Note what was found in a step.

        Args:
            time_ns: where it ends.
            solved: its contacts.
            found: in them.
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
