"""Proximity and contacts: distances from the shadow, forces from Gazebo."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, no_proximity
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.contacts import CONTACT_COLUMNS, Contacts
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.gz.simulation import Simulation
from model_nodes.main_physics.world.description import Vector

_TOUCHING = 1e-3
"""Gazebo's forces are read only if a pair is closer than this [m]."""


class Touching:
    """Proximity and contacts after the last step.

    Contacts are read only on request: they arrive on a topic, and waiting for it takes about as long as a step of a
    small world.
    """

    def __init__(self, shadow: Shadow, objects: tuple[str, ...], reach: float) -> None:
        self._shadow = shadow
        self._near = shadow.pairs(objects, reach)
        self._frame_ids = {name: i for i, name in enumerate(shadow.tables.frames)}
        self._contacts = Contacts([], {})
        self._unread: Simulation | None = None
        self._frame_of: dict[int, int] = {}
        """Gazebo's id of a collision -> frame."""

    def stepped(self, simulation: Simulation) -> None:
        """Record that a step was made, whose contacts are not read yet."""
        if not self._frame_of:
            ids = self._frame_ids
            self._frame_of = {number: ids[name] for number, name in simulation.frame_of.items()}
        self._unread = simulation

    def forget(self) -> None:
        """Drop all contacts and Gazebo's ids, which may change before the next step."""
        self._contacts, self._unread, self._frame_of = Contacts([], {}), None, {}

    def _current_contacts(self) -> Contacts:
        simulation, self._unread = self._unread, None
        if simulation is not None:
            self._contacts = Contacts(simulation.contacts(), self._frame_of)
        return self._contacts

    def proximity(self) -> Floats:
        """Return (n, 12) rows as `Engine.proximity`; also for pairs that do not collide."""
        near = self._near.nearest()
        if not near:
            return no_proximity()
        frame = self._shadow.tables.body_frames
        keys = [(int(frame[body]), int(frame[other])) for body, other in near]
        forces: dict[tuple[int, int], Vector] = {}
        if any(nearest.distance < _TOUCHING for nearest in near.values()):
            normals = {key: n.normal for key, n in zip(keys, near.values(), strict=True)}
            forces = self._current_contacts().forces(normals)
        rows = np.zeros((len(near), PROXIMITY_COLUMNS))
        for row, key, n in zip(rows, keys, near.values(), strict=True):
            row[:9] = (*key, n.distance, *n.point, *n.normal)
            if key in forces:
                row[9:12] = forces[key]
        return rows

    def contacts(self) -> Floats:
        """Return (n, 11) rows as `Engine.contacts`."""
        contacts = self._current_contacts()
        pairs = contacts.pairs
        if not pairs:
            return np.empty((0, CONTACT_COLUMNS))
        return contacts.table(self._shadow.directions(pairs))
