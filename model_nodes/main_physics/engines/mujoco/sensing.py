"""Measurements in a simulation: distances, contacts, rays, and efforts from inverse dynamics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.snapshot import PROXIMITY, no_rows
from hetwin_core.ensemble.scene.values import Fidelity, Floats
from model_nodes.main_physics.engines.engine import NO_HIT, Rangefinder, Scanner
from model_nodes.main_physics.engines.mujoco.contacts import SolvedContacts
from model_nodes.main_physics.engines.mujoco.distances import Nearest, make_pairs
from model_nodes.main_physics.engines.mujoco.feed_forward import InverseDynamics
from model_nodes.main_physics.engines.mujoco.link_watch import LinkWatch
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.shared import proximity_objects
from model_nodes.main_physics.world.description import Vector


class Rangefinders:
    """Casts rays from links to the nearest geom, whether or not it collides; valid after the position stage."""

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        self._model, self._data = model, data
        self._body_of = dict(zip(tables.frames, tables.frame_bodies.tolist(), strict=True))
        self._frame_of_geom = tables.body_frames[model.geom_bodyid]
        self._geom = np.zeros(1, np.int32)

    def read(self, rangefinders: Sequence[Rangefinder], on: Sequence[bool]) -> Floats:
        """Return (n, 2) rows as `Engine.read_rangefinders`; sensors that are off hit nothing."""
        model, data, geom = self._model, self._data, self._geom
        readings = np.empty((len(rangefinders), 2))
        readings[:, 0], readings[:, 1] = [rangefinder.reach for rangefinder in rangefinders], NO_HIT
        active = [i for i, is_on in enumerate(on) if is_on]
        if not active:
            return readings
        bodies = [self._body_of[rangefinders[i].frame] for i in active]
        rotations = data.xmat[bodies].reshape(-1, 3, 3)
        origins = data.xpos[bodies] + _rotate_all(rotations, [rangefinders[i].at for i in active])
        directions = _rotate_all(rotations, [rangefinders[i].along for i in active])
        for i, body, origin, direction in zip(active, bodies, origins, directions, strict=True):
            distance = mj.mj_ray(model, data, origin, direction, None, True, body, geom)
            if 0.0 <= distance <= rangefinders[i].reach:
                readings[i] = distance, self._frame_of_geom[geom[0]]
        return readings

    def scan(self, scanner: Scanner, on: bool) -> Floats:
        """Return (n,) distances as `Engine.read_scan`."""
        count = len(scanner.along)
        if not on:
            return np.full(count, scanner.reach)
        body = self._body_of[scanner.frame]
        rotation = self._data.xmat[body].reshape(3, 3)
        origin = self._data.xpos[body] + rotation @ np.array(scanner.at)
        directions = np.ascontiguousarray(scanner.along @ rotation.T).ravel()
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        mj.mj_multiRay(
            self._model,
            self._data,
            origin,
            directions,
            None,
            True,
            body,
            geoms,
            distances,
            None,
            count,
            scanner.reach,
        )
        distances[(geoms < 0) | (distances > scanner.reach)] = scanner.reach
        return distances


def _rotate_all(rotations: Floats, vectors: Sequence[Vector]) -> Floats:
    rotated: Floats = np.einsum("nij,nj->ni", rotations, np.array(vectors))
    return rotated


class Sensing:
    """Takes measurements in a simulation.

    Attributes:
        links: detects touches of the links; None until they are requested.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = sim = simulation
        self._world = sim.builder.world
        self._inverse: InverseDynamics | None = None
        self._frames: list[int] = sim.tables.body_frames.tolist()
        self._rangefinders = Rangefinders(sim.model, sim.data, sim.tables)
        self.reset()

    def reset(self) -> None:
        """Discard all measured distances."""
        sim, settings = self._simulation, self._simulation.settings
        objects = proximity_objects(settings, sim.tables.free)
        near = [body for name in objects for body in sim.tables.free[name].members]
        self.links: LinkWatch | None = None
        self._pairs = make_pairs(sim.model, sim.data, sim.tables, near, settings.proximity_range)

    def move(self, body: int, pose: Floats) -> None:
        """Update the pose of a static body that was moved."""
        if self.links is not None:
            tables = self._simulation.tables
            self.links.move(tables.frames[tables.body_frames[body]], pose)

    def proximity(self) -> Floats:
        """Return rows for the objects of the settings, including pairs that do not collide."""
        sim = self._simulation
        sim.refresh()
        return _rows(self._pairs.nearest(), sim.contacts.last, self._frames)

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Keep the positions and the contacts, so that the rows can be computed after the next step as well."""
        sim = self._simulation
        if sim.dirty or sim.fidelity_changed:
            sim.refresh()
        pairs, contacts, positions = self._pairs, sim.contacts.last, sim.qpos.copy()
        frames = self._frames

        def compute_rows() -> Floats:
            is_unchanged = pairs is self._pairs and sim.is_current
            is_unchanged = is_unchanged and positions.tobytes() == sim.qpos.tobytes()
            near = pairs.nearest() if is_unchanged else pairs.nearest_at(positions)
            return _rows(near, contacts, frames)

        return compute_rows

    def clearances(self, reach: float) -> Floats:
        """Measure the distances of the robots' links; see `link_watch`."""
        return self._link_watch().rows(self._simulation.time_ns(0.0), reach)

    def take_touches(self) -> Floats:
        """Return the touches of links since the last call; the first call starts the detection."""
        if not self._simulation.watches_links:
            self._simulation.watch_links()
        return self._simulation.touches.take()

    def save(self) -> object:
        """Return the recorded touches and the state of the links' watch, for `restore`."""
        links = None if self.links is None else self.links.save()
        return self._simulation.touches.save(), links

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        touches, links = state
        self._simulation.touches.restore(touches)
        if links is not None:
            self._link_watch().restore(links)

    def _link_watch(self) -> LinkWatch:
        if self.links is None:
            sim = self._simulation
            self.links = LinkWatch(self._world, sim.tables, sim.qpos, sim.touches)
        return self.links

    def _base_poses(self) -> dict[str, Floats]:
        sim, poses = self._simulation, dict[str, Floats]()
        for name, base in sim.tables.bases.items():
            poses[name] = sim.qpos[base.position : base.position + 7]
        return poses

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """Compute efforts in a separate model with only the robots; see `InverseDynamics`."""
        if self._inverse is None:
            self._inverse = InverseDynamics(self._world)
        return self._inverse.efforts(positions, velocities, accelerations, self._base_poses())

    def rangefinders(self, rangefinders: Sequence[Rangefinder]) -> Floats:
        """Cast the rays; see `Rangefinders`."""
        self._simulation.refresh()
        links = self._simulation.link_fidelities
        on = [links.level(rangefinder.frame) is not Fidelity.LOW for rangefinder in rangefinders]
        return self._rangefinders.read(rangefinders, on)

    def scan(self, scanner: Scanner) -> Floats:
        """Cast all beams at once; see `Rangefinders`."""
        self._simulation.refresh()
        on = self._simulation.link_fidelities.level(scanner.frame) is not Fidelity.LOW
        return self._rangefinders.scan(scanner, on)


def _rows(
    near: Mapping[tuple[int, int], Nearest], contacts: SolvedContacts, frames: Sequence[int]
) -> Floats:
    """(n, 12) rows as `Engine.proximity`; `frames` has the frame of each body."""
    if not near:
        return no_rows(PROXIMITY)
    rows = []
    for (first, second), (distance, point, normal) in near.items():
        force = contacts.force_on(first, second)
        rows.append((frames[first], frames[second], distance, *point, *normal, *force))
    return np.array(rows, np.float64)
