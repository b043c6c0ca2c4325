"""Objects that are spawned into the scene of the next run."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from simulation_interfaces.srv import SpawnEntity

from conductor_node.standard.entities import RequestRefused, not_found, unsupported
from hetwin_core.ensemble.limits import read_bytes
from hetwin_core.ensemble.scene.values import WORLD

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_FORMATS = {"sdf": "SDFormat", "robot": "URDF"}
_RESPONSE = SpawnEntity.Response
_EXPECTED_MODEL = "expected one model in SDFormat or URDF"


class Spawning:
    """Holds the objects that were spawned, in the form of `Simulate.Goal.scene`.

    Args:
        spawned: entity -> {model, pose}; modified in place.
    """

    def __init__(self, spawned: MutableMapping[str, dict[str, Any]]) -> None:
        self._spawned = spawned
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def spawn(self, request: Any) -> str:
        """Spawn the object of a ``SpawnEntity`` request.

        Returns:
            The entity's name.

        Raises:
            RequestRefused: if it cannot be spawned.
        """
        if request.entity_namespace:
            raise unsupported("objects have no interfaces of their own; leave the namespace empty")
        # Version 1 of the standard has the two fields in the request itself.
        resource = getattr(request, "entity_resource", request)
        if not resource.uri and not resource.resource_string:
            raise RequestRefused(_RESPONSE.NO_RESOURCE, "neither a URI nor a description is given")
        root = _parse(resource.uri, resource.resource_string)
        pose = _pose(request.initial_pose)
        name = self._name(request, root)
        model = resource.uri or str(self._write(name, resource.resource_string))
        self._spawned[name] = {"model": model, "pose": pose}
        return name

    def delete(self, name: str) -> None:
        """Delete a spawned object.

        Raises:
            RequestRefused: if no spawned object has this name.
        """
        if self._spawned.pop(name, None) is None:
            words = (
                f"{name!r} was not spawned; objects of the world or the scenario cannot be deleted"
            )
            raise not_found(words)

    def _name(self, request: Any, root: ET.Element | None) -> str:
        wanted = request.name or ("" if root is None else _name_in(root))
        if not wanted and not request.allow_renaming:
            raise RequestRefused(
                _RESPONSE.NAME_INVALID, "there is no name; give one, or allow renaming"
            )
        wanted = wanted or "spawned"
        if not _NAME.fullmatch(wanted):
            raise RequestRefused(
                _RESPONSE.NAME_INVALID,
                f"{wanted!r} is not a valid name; expected letters, digits and _ . - after a letter",
            )
        return self._unique_name(wanted) if request.allow_renaming else self._check_unique(wanted)

    def _check_unique(self, name: str) -> str:
        if name in self._spawned:
            raise RequestRefused(_RESPONSE.NAME_NOT_UNIQUE, f"{name!r} has been spawned already")
        return name

    def _unique_name(self, name: str) -> str:
        number, candidate = 1, name
        while candidate in self._spawned:
            number += 1
            candidate = f"{name}_{number}"
        return candidate

    def _write(self, name: str, text: str) -> Path:
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="hetwin_spawned_")
        file = Path(self._folder.name, f"{name}.xml")
        file.write_text(text, encoding="utf-8")
        return file


def _parse(uri: str, text: str) -> ET.Element | None:
    """Return the root element of a description; None for a URI that is only resolved at the start of the run.

    Raises:
        RequestRefused: if the file is missing, or does not describe exactly one model.
    """
    if uri:
        file = Path(unquote(uri.removeprefix("file://")))
        if "://" in uri.removeprefix("file://") or not file.is_absolute() or file.is_dir():
            return None
        if not file.is_file():
            raise RequestRefused(_RESPONSE.MISSING_ASSETS, f"there is no file {file}")
        text = read_bytes(file).decode("utf-8", "replace")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise RequestRefused(
            _RESPONSE.RESOURCE_PARSE_ERROR, f"it is not XML: {error}; {_EXPECTED_MODEL}"
        ) from None
    if root.tag not in _FORMATS:
        raise RequestRefused(_RESPONSE.UNSUPPORTED_FORMAT, f"found <{root.tag}>; {_EXPECTED_MODEL}")
    if root.tag == "sdf" and len(root.findall("model")) != 1:
        raise RequestRefused(
            _RESPONSE.RESOURCE_PARSE_ERROR, f"found {len(root.findall('model'))}; {_EXPECTED_MODEL}"
        )
    return root


def _name_in(root: ET.Element) -> str:
    model = root.find("model") if root.tag == "sdf" else root
    return "" if model is None else model.attrib.get("name", "")


def _pose(stamped: Any) -> list[float]:
    if stamped.header.frame_id not in ("", WORLD):
        raise unsupported(f"expected a pose in the frame world, not in {stamped.header.frame_id!r}")
    return pose_numbers(stamped.pose, _RESPONSE.INVALID_POSE)


def pose_numbers(pose: Any, code: int) -> list[float]:
    """Position x y z [m] and unit quaternion qw qx qy qz of a ``geometry_msgs/Pose``; the quaternion is normalized.

    Raises:
        RequestRefused: with this code, if a number is not finite or the quaternion is zero.
    """
    position, q = pose.position, pose.orientation
    numbers = [position.x, position.y, position.z, q.w, q.x, q.y, q.z]
    length = math.hypot(*numbers[3:])
    if not all(map(math.isfinite, numbers)) or length < 1e-6:
        raise RequestRefused(code, "the pose must be finite, with a quaternion that is not zero")
    return numbers[:3] + [value / length for value in numbers[3:]]
