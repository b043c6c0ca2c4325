"""Reads an MJCF file or a stage of USD as a robot or as a world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hetwin_mjcf.as_urdf import MjcfModel, read_mjcf, robot_of_mjcf
from hetwin_suite.engine import Body, Notes, Resources, World, XmlElement, read_urdf


class Mjcf:
    """An MJCF file or a stage of USD.

    Args:
        file: path of the file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def robot(self, notes: Notes) -> XmlElement:
        """Return ``<robot>`` with all bodies that have joints or drives; others are left out and noted by name.

        Raises:
            BadInput: if MuJoCo cannot read the file.
        """
        return robot_of_mjcf(self._file, notes)

    def world(self, notes: Notes) -> World:
        """Return a world with each body of the file, and each shape of the world itself, as a body.

        Raises:
            BadInput: if MuJoCo cannot read the file.
        """
        model = read_mjcf(self._file)
        model.notes.copy_to(notes)
        x, y, z = (float(v) for v in model.spec.option.gravity)
        bodies = tuple(_bodies(model, notes))
        return World(model.title, bodies, (x, y, z), warnings=notes.all())

    def is_robot(self) -> bool:
        """Whether the file has joints.

        Raises:
            BadInput: if MuJoCo cannot read the file.
        """
        model = read_mjcf(self._file)
        return any(map(model.is_articulated, model.root_bodies))


def _bodies(model: MjcfModel, notes: Notes) -> Iterator[Body]:
    resources = Resources(model.file.parent)
    for geom in model.geoms_of(0):
        root = model.static_link(geom)
        yield replace(read_urdf(root, notes, resources=resources, driven=False), file=None)
    driven = [top for top in model.root_bodies if model.is_driven(top)]
    if driven:  # one robot, with any number of arms; the scenario may move it
        root = model.as_robot(driven)
        yield read_urdf(root, notes, resources=resources, driven=False)
    for top in model.root_bodies:
        if top not in driven:
            root = model.as_robot([top], model.name(top))
            free = model.is_free(top)
            body = read_urdf(root, notes, resources=resources, driven=False, static=not free)
            yield replace(body, pose=model.pose(top) if free else body.pose, file=None)
