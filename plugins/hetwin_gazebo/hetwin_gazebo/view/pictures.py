"""Entities as models for display, in SDFormat."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from hetwin_gazebo.sdf_parts import add, add_colour, add_mesh, add_pose, add_shape, write_mesh
from hetwin_suite.model import Entity, Shape


def gazebo_name(entity: Entity) -> str:
    """Return the name of an entity's model in Gazebo."""
    return "twin " + entity.name.replace("::", " ")


def picture_sdf(entity: Entity, pose: list[float], folder: Path) -> str:
    """Return an entity's visuals as an SDFormat model without gravity and collisions."""
    sdf = ET.Element("sdf", version="1.9")
    model = ET.SubElement(sdf, "model", name=gazebo_name(entity))
    add_pose(model, pose)
    link = ET.SubElement(model, "link", name="link")
    add(link, "gravity", "false")  # not <static>, since Gazebo does not move static models
    add_visuals(link, entity.shapes, folder)
    return ET.tostring(sdf, "unicode")


def add_visuals(link: ET.Element, shapes: tuple[Shape, ...], folder: Path) -> None:
    """Add a visual for each shape; meshes are written to files in the folder."""
    for i, shape in enumerate(shapes):
        visual = ET.SubElement(link, "visual", name=f"shape_{i}")
        add_pose(visual, shape.pose)
        file = folder / f"{len(list(folder.iterdir()))}.obj"
        _add_geometry(ET.SubElement(visual, "geometry"), shape, file)
        add_colour(visual, shape.rgba)


def _add_geometry(geometry: ET.Element, shape: Shape, file: Path) -> None:
    if shape.vertices is None or shape.faces is None:
        add_shape(geometry, shape.kind, shape.size)
        return
    write_mesh(file, shape.vertices, shape.faces)
    add_mesh(geometry, file)
