"""Operations on the objects of a simulation: motion by other models, collisions, fidelity, pushes, welds."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import cross
from hetwin_core.ensemble.scene.values import Fidelity, Floats, Value
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.options import (
    make_bouncing,
    make_heavier,
    make_rougher,
)
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.engines.mujoco.tables import FreeBody
from model_nodes.main_physics.world.description import Body, Vector, frame_name


class Objects:
    """Acts on the objects of a simulation.

    Attributes:
        released: name -> period and pose at which physics released an object to another model.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = sim = simulation
        self._origins, self._centres = sim.data.xpos, sim.data.xipos
        self._wrenches = sim.data.xfrc_applied
        self.released: dict[str, tuple[int, Floats]] = {}

    def _free(self, name: str) -> FreeBody:
        free = self._simulation.tables.free.get(name)
        if free is None:
            raise Unsupported(
                f"in MuJoCo other models can move only free bodies; {name} is not one"
            )
        return free

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic; see `kinematic_bodies`."""
        sim = self._simulation
        if sim.kinematic.follows(name, value):
            return
        free = self._free(name)
        if not free.rigid:
            raise Unsupported(f"{name} has joints; only rigid objects can follow another model")
        sim.refresh()
        current = self._state(free)
        sim.fidelities.hold_high(name, True)
        if sim.kinematic.set(free, value):
            self.released[name] = (sim.periods, current)
            sim.depenetration.end(free)
            sim.attachments.detach(free)
            for body in free.members:
                sim.collisions.set_kinematic(body, True)
            sim.dirty = True

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics; see `depenetration`."""
        sim, free = self._simulation, self._free(name)
        sim.refresh()
        sim.fidelities.hold_high(name, True)  # MuJoCo does not update an object of lower fidelity
        released_at, pose = self.released.pop(name, (-1, value.data))
        is_untouched = released_at == sim.periods and np.array_equal(pose, value.data)
        if not is_untouched:
            sim.attachments.detach(free)
            sim.kinematic.set(free, value)
            sim.kinematic.place(value.time_ns)
        sim.kinematic.release(name)
        for body in free.members:
            sim.collisions.set_kinematic(body, False)
        sim.dirty = True
        if not is_untouched:
            self._monitor(free)  # the object may penetrate others at this pose
        sim.fidelities.hold_high(name, False)

    def _monitor(self, free: FreeBody) -> None:
        """Start to resolve the penetrations of an object."""
        sim = self._simulation
        sim.refresh()
        sim.depenetration.monitor(free, sim.seconds)
        sim.dirty = True

    def _state(self, free: FreeBody) -> Floats:
        sim = self._simulation
        return np.array(sim.reader.sensed[sim.tables.body_frames[free.body]])

    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object; see `depenetration`."""
        sim, free = self._simulation, self._free(name)
        was_on = sim.collisions.is_on(free.body)
        if not on:
            sim.depenetration.end(free)
        for body in free.members:
            sim.collisions.set_enabled(body, on)
        sim.dirty = True
        is_held = name in sim.kinematic or name in sim.attachments.bodies
        if on and not was_on and not is_held:
            self._monitor(free)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the fidelity of objects and links; see `fidelities`."""
        sim, names = self._simulation, list(names)
        links = [name for name in names if name in sim.link_fidelities]
        names = [self._free(name).name for name in names if name not in sim.link_fidelities]
        if sim.dirty:
            sim.refresh()  # MuJoCo does not update sleeping bodies
        sim.fidelity_changed |= sim.fidelities.set(names, level)
        sim.dirty |= sim.link_fidelities.set(links, level)

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object or a link."""
        sim = self._simulation
        if name in sim.link_fidelities:
            return sim.link_fidelities.level(name)
        return sim.fidelities.level(self._free(name).name)

    def run_belt(self, frame: str, velocity: Vector, turn: Vector) -> None:
        """Set the surface velocity of all geoms of a body."""
        sim, model = self._simulation, self._simulation.model
        try:
            geoms = list(sim.tables.geoms[sim.tables.body_of(frame)])
        except KeyError:
            raise Unsupported(f"there is no body {frame} for a belt") from None
        model.geom_surfacevel[geoms] = (*velocity, *turn)
        model.flg_surfacevel = bool(model.geom_surfacevel.any())
        sim.dirty = True

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a wrench, transformed to the centre of mass, where MuJoCo expects it."""
        body = self._free(name).body
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        (ox, oy, oz), (x, y, z) = self._origins[body].tolist(), self._centres[body].tolist()
        mx, my, mz = cross((x - ox, y - oy, z - oz), (fx, fy, fz))
        self._wrenches[body] = (fx, fy, fz, tx - mx, ty - my, tz - mz)

    def attach(self, name: str, to: str) -> None:
        """Attach an object to a frame by a weld."""
        sim, free = self._simulation, self._free(name)
        sim.refresh()
        try:
            other = sim.tables.body_of(to)
        except KeyError:
            raise Unsupported(f"there is no {to} to attach {name} to") from None
        self.detach(name)
        sim.fidelities.hold_high(name, True)
        sim.attachments.attach(free, other)
        sim.dirty = True

    def detach(self, name: str) -> None:
        """Deactivate the weld of an attached object."""
        sim, free = self._simulation, self._free(name)
        if sim.attachments.detach(free):
            self._monitor(free)
            sim.fidelities.hold_high(name, False)

    def place_static(self, name: str, pose: Floats) -> int:
        """Move the root of a static body; returns the root's id."""
        sim = self._simulation
        body = sim.builder.body(name)
        if body is None or not body.static or body.robot:
            raise Unsupported(f"{name} is not a static body of the world")
        root = self._root(body)
        sim.refresh()
        sim.builder.move(body, pose)
        sim.model.body_pos[root], sim.model.body_quat[root] = pose[:3], pose[3:7]
        self._update_still()
        sim.dirty = True
        return root

    def update_moved(self, previous: Floats) -> list[tuple[int, Floats]]:
        """Update the builder's world for static bodies whose pose has changed since `previous` (nbody, 7).

        Returns:
            The root of each such body, and its current pose (7,).
        """
        sim = self._simulation
        current = body_poses(sim.model)
        moved: list[tuple[int, Floats]] = []
        if np.array_equal(current, previous):
            return moved
        for body in sim.builder.world.bodies:
            root = self._root(body)
            if not np.array_equal(current[root], previous[root]):
                sim.builder.move(body, current[root])
                moved.append((root, current[root]))
        self._update_still()
        return moved

    def _root(self, body: Body) -> int:
        return self._simulation.tables.body_of(frame_name(body, body.links[0].name))

    def _update_still(self) -> None:
        sim = self._simulation
        mj.mj_kinematics(sim.model, sim.data)
        sim.still = sim.reader.still_poses()

    def change(
        self,
        name: str,
        mass: float,
        friction: float,
        coefficient: float | None,
        bounce: float | None,
    ) -> None:
        """Change mass, friction or restitution of a body; see `options`."""
        sim, tables = self._simulation, self._simulation.tables
        body = sim.builder.body(name)
        if body is None:
            raise Unsupported(f"there is no body {name}")
        bodies = [tables.body_of(frame_name(body, link.name)) for link in body.links]
        if mass != 1.0:
            free = self._free(name)
            if not free.rigid:
                raise Unsupported(f"{name} has joints; only rigid objects can become heavier")
            make_heavier(sim.model, free, mass)
            sim.kinematic.make_heavier(free, mass)
        geoms = [geom for link in bodies for geom in tables.geoms[link]]
        make_rougher(sim.model, geoms, friction, coefficient)
        if bounce is not None:
            make_bouncing(sim.model, geoms, bounce, sim.builder.contact_time)
        sim.dirty = True


def body_poses(model: mj.MjModel) -> Floats:
    """Return the pose of each body in its parent, (nbody, 7)."""
    return np.hstack((model.body_pos, model.body_quat))
