"""What goes on when bodies were added or removed, and the world was compiled anew."""

from __future__ import annotations

from typing import TypeVar

from model_nodes.main_physics.engines.mujoco.objects import Objects
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.engines.mujoco.transfer import copy_joints

_Any = TypeVar("_Any")


def carry_over(before: Simulation, after: Simulation, objects: Objects) -> None:
    """Bring a simulation that was compiled anew to where the former one was, though not bitwise.

    Args:
        before: with other bodies.
        after: at its start.
        objects: of the new one.
    """

    def still_free(by_name: dict[str, _Any]) -> dict[str, _Any]:
        return {name: value for name, value in by_name.items() if name in after.tables.free}

    copy_joints(before.model, before.data, after.model, after.data)
    after.data.time, after.periods = before.data.time, before.periods
    after.forces, after.rolled_out = before.forces, before.rolled_out
    after.depenetration.remarks = before.depenetration.remarks
    frames = set(after.tables.frames)
    for body in before.collisions.off:
        name = before.tables.frames[before.tables.body_frames[body]]
        if name in frames:
            after.collisions.switch(after.tables.body_of(name), False)
    for name, value in still_free(before.kinematic.values).items():
        objects.follow(name, value)
    for name, frame in still_free(before.attachments.frames).items():
        if frame in frames:
            objects.attach(name, frame)
    after.refresh()
    levels = still_free(before.fidelities.wanted) | before.link_fidelities.levels
    for name, level in levels.items():
        objects.set_fidelity([name], level)
    after.refresh()
    for name in before.depenetration.names:
        if name in after.tables.free:
            after.depenetration.monitor(after.tables.free[name], after.seconds)
    after.place_drives()
    after.dirty = True
