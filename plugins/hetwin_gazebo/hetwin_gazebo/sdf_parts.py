"""Elements of SDFormat, and names in Gazebo, in which ``::`` separates nested models."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from hetwin_suite.model import Floats, Ints, ShapeKind

_SEPARATOR = "::"


def top_name(name: str) -> str:
    """Return the name in Gazebo of a top-level model."""
    return _without_reserved_name(name.replace(_SEPARATOR, "."))


def split_name(name: str) -> tuple[tuple[str, ...], str]:
    """Split the name of a link or a joint of a model.

    Returns:
        the nested models that contain it, the outermost first, and its own name.
    """
    *models, own = name.split(_SEPARATOR)
    return tuple(models), _without_reserved_name(own)


def path_of(name: str, inside: tuple[str, ...] = ()) -> str:
    """Return the name by which a joint refers to a link.

    Args:
        name: name of the link, from the outermost model on.
        inside: nested models that contain the joint.
    """
    models, own = split_name(name)
    return _SEPARATOR.join((*models[len(inside) :], own))


def _without_reserved_name(name: str) -> str:
    """Return a name without SDFormat's reserved words."""
    reserved = name.startswith("__") and name.endswith("__")
    return f"hetwin{name.rstrip('_')}" if reserved else name


def add(parent: ET.Element, tag: str, text: str) -> None:
    """Add an element that contains text."""
    ET.SubElement(parent, tag).text = text


def format_numbers(values: Iterable[float]) -> str:
    """Format numbers without loss of precision."""
    return " ".join(repr(float(value)) for value in values)


def add_pose(parent: ET.Element, pose: Iterable[float], relative_to: str | None = None) -> None:
    """Add a pose; x y z, qw qx qy qz are the first seven numbers of `pose`."""
    x, y, z, w, i, j, k = list(pose)[:7]
    attributes = {"rotation_format": "quat_xyzw"}
    if relative_to is not None:
        attributes["relative_to"] = relative_to
    ET.SubElement(parent, "pose", attributes).text = format_numbers((x, y, z, i, j, k, w))


def add_shape(geometry: ET.Element, kind: ShapeKind, size: tuple[float, ...]) -> None:
    """Fill a ``geometry`` element with a primitive shape; for meshes see `add_mesh`."""
    match kind:
        case ShapeKind.BOX:
            values = {"size": format_numbers(size)}
        case ShapeKind.SPHERE:
            values = {"radius": repr(size[0])}
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            values = {"radius": repr(size[0]), "length": repr(size[1])}
        case ShapeKind.ELLIPSOID:
            values = {"radii": format_numbers(size)}
        case ShapeKind.PLANE:
            values = {"normal": "0 0 1", "size": format_numbers(size)}
        case ShapeKind.MESH:
            raise ValueError("a mesh is not a primitive shape; use add_mesh")
    element = ET.SubElement(geometry, kind.value)
    for key, value in values.items():
        add(element, key, value)


def add_mesh(
    geometry: ET.Element,
    path: Path,
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
    *,
    hull: bool = False,
) -> None:
    """Fill a ``geometry`` element with a mesh file.

    Args:
        geometry: element to fill.
        path: path of the file.
        scale: scale of the mesh.
        hull: whether Gazebo uses the convex hull of the mesh; only bullet-featherstone differs then, which adds a
            margin of 1 cm around other meshes.
    """
    mesh = ET.SubElement(geometry, "mesh", {"optimization": "convex_hull"} if hull else {})
    add(mesh, "uri", path.as_uri())
    if scale != (1.0, 1.0, 1.0):
        add(mesh, "scale", format_numbers(scale))


def add_colour(visual: ET.Element, rgba: Iterable[float]) -> None:
    """Add the colour of a visual."""
    material = ET.SubElement(visual, "material")
    for light in ("ambient", "diffuse"):
        add(material, light, format_numbers(rgba))


def write_mesh(path: Path, vertices: Floats, faces: Ints) -> None:
    """Write a convex mesh as a Wavefront OBJ file; Gazebo ignores meshes without normals.

    Args:
        path: path of the file.
        vertices: (n, 3) positions of vertices.
        faces: (m, 3) indices of vertices, counterclockwise seen from outside.
    """
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    lines = [f"v {format_numbers(vertex)}" for vertex in vertices.tolist()]
    lines += [f"vn {format_numbers(normal)}" for normal in normals.tolist()]
    lines += ["f " + " ".join(f"{i}//{i}" for i in face) for face in (faces + 1).tolist()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
