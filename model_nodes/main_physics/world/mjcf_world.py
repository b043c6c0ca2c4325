"""Reads an MJCF file as a world: each body in it, and each shape of the world itself, is a body of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.mjcf.as_urdf import MjcfModel, read_mjcf
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf


def read_mjcf_world(file: Path, notes: Notes) -> World:
    """Read a world.

    Args:
        file: MJCF.
        notes: what is not carried over is added here, by name.

    Raises:
        BadInput: if MuJoCo cannot read it.
    """
    model = read_mjcf(file)
    model.notes.pass_on(notes)
    x, y, z = (float(v) for v in model.spec.option.gravity)
    bodies = tuple(_bodies(model, notes))
    return World(model.title, bodies, (x, y, z), warnings=notes.all())


def _bodies(model: MjcfModel, notes: Notes) -> Iterator[Body]:
    resources = Resources(model.file.parent)
    for geom in model.geoms_of(0):
        root = model.static_link(geom)
        yield replace(read_urdf(root, notes, resources=resources, driven=False), file=None)
    driven = [top for top in model.tops if model.is_driven(top)]
    if driven:  # one robot, of however many arms; its file says that the scenario may move it
        root = model.as_robot(driven)
        yield read_urdf(root, notes, resources=resources, driven=False)
    for top in model.tops:
        if top not in driven:
            root = model.as_robot([top], model.name(top))
            free = model.is_free(top)
            body = read_urdf(root, notes, resources=resources, driven=False, static=not free)
            yield replace(body, pose=model.pose(top) if free else body.pose, file=None)
