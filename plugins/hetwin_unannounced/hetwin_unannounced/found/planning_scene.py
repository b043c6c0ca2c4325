"""The collision objects of MoveIt's planning scene, as objects of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hetwin_suite.model import BadInput, Floats, check, compose, some
from hetwin_suite.source import FoundObject, SceneRequest
from hetwin_unannounced.found.frames import Frames, known_frames, state_of
from hetwin_unannounced.found.live import Listener
from hetwin_unannounced.found.messages import FinderParameters, first_message
from hetwin_unannounced.found.sdf import Part, model_text

PLANNING_SCENE = "moveit_msgs/msg/PlanningScene"
_BOX, _SPHERE, _CYLINDER, _CONE = 1, 2, 3, 4
"""`type` of a shape_msgs/SolidPrimitive."""
_SERVICE = "get_planning_scene"


class PlanningSceneParameters(FinderParameters):
    """Parameters of `scene: {from: {planning_scene: ...}}`.

    Attributes:
        free: patterns of the objects that move freely; the others are static.
        density: density of the free objects [kg/m^3].
    """

    free: tuple[str, ...] = ()
    density: Annotated[float, Field(gt=0, le=1e5)] = 500.0


def planning_scene(request: SceneRequest) -> Mapping[str, FoundObject]:
    """Return the collision objects of a recording's first complete planning scene, or of a live move_group's scene.

    Meshes are replaced by their bounding boxes; planes and attached objects are left out. Notes list both.

    Raises:
        BadInput: if there is no planning scene, or one of its objects cannot be used.
    """
    parameters = check(PlanningSceneParameters, dict(request.parameters))
    scene, frames = _scene_of_move_group(request, parameters) or first_message(
        request, parameters, PLANNING_SCENE, lambda scene: not scene.is_diff
    )
    frames.add_stamped(scene.fixed_frame_transforms)
    attached = [str(body.object.id) for body in scene.robot_state.attached_collision_objects]
    objects: dict[str, FoundObject] = {}
    for collision_object in scene.world.collision_objects:
        found_object = _object(collision_object, frames, parameters)
        if found_object is not None:
            objects[str(collision_object.id)] = found_object
    if attached and objects:
        first = next(iter(objects))
        note = f"attached to links, and left out: {some(attached, 5)}"
        objects[first] = objects[first]._replace(
            note="; ".join(filter(None, (objects[first].note, note)))
        )
    return objects


def _scene_of_move_group(
    request: SceneRequest, parameters: PlanningSceneParameters
) -> tuple[Any, Frames] | None:
    """Return the planning scene of a live robot's move_group, and the frames.

    None: the run has no live robot, or the parameters name a topic or a recording.

    Raises:
        BadInput: if the service does not respond in time.
    """
    live = next((source["live"] for source in request.sources.values() if "live" in source), None)
    if live is None or parameters.topic is not None or parameters.recording is not None:
        return None
    try:
        from moveit_msgs.srv import GetPlanningScene
    except ImportError as error:
        raise BadInput(
            f"MoveIt's messages cannot be imported: {error}",
            expected="moveit_msgs and shape_msgs, from a sourced ROS 2 workspace",
        ) from None
    service_request = GetPlanningScene.Request()
    parts = service_request.components
    parts.components = (
        parts.WORLD_OBJECT_NAMES
        | parts.WORLD_OBJECT_GEOMETRY
        | parts.ROBOT_STATE_ATTACHED_OBJECTS
        | parts.TRANSFORMS
    )
    frames = Frames(known_frames(request.robots, parameters.frames))
    response = Listener(live, frames, parameters.wait).call(
        GetPlanningScene, _SERVICE, service_request
    )
    if response is None:
        raise BadInput(
            f"no node offered {_SERVICE} within {parameters.wait:g} s",
            where="wait",
            expected="a running move_group, or `topic: NAME` of a planning scene",
        )
    return response.scene, frames


def _object(source: Any, frames: Frames, parameters: PlanningSceneParameters) -> FoundObject | None:
    name, notes = str(source.id), []
    try:
        parts = [
            _primitive(shape, _pose(pose))
            for shape, pose in zip(source.primitives, source.primitive_poses, strict=True)
        ]
        for mesh, pose in zip(source.meshes, source.mesh_poses, strict=True):
            parts.append(_box_around(mesh, _pose(pose)))
    except ValueError as error:
        raise BadInput(
            f"the collision object {name} cannot be used: {error}",
            expected="boxes, spheres, cylinders, cones and meshes, each with a pose",
        ) from None
    if len(source.meshes):
        notes.append(f"{len(source.meshes)} mesh(es) of MoveIt replaced by bounding boxes")
    if len(source.planes):
        notes.append(f"{len(source.planes)} plane(s) of MoveIt left out")
    if not parts:
        return None
    pose = compose(frames.find(source.header.frame_id), _pose(source.pose))
    mass = moment = 0.0
    if any(fnmatchcase(name, pattern) for pattern in parameters.free):
        volume = sum(_volume(part) for part in parts)
        reach = max(float(np.linalg.norm(part.pose[:3])) for part in parts) + volume ** (1 / 3)
        mass, moment = parameters.density * volume, parameters.density * volume * reach**2 / 6.0
    text = model_text(name, pose, parts, mass=mass, moment=moment)
    return FoundObject(text, "; ".join(notes))


def _primitive(shape: Any, pose: Floats) -> Part:
    kind, dimensions = int(shape.type), [float(number) for number in shape.dimensions]
    needed = {_BOX: 3, _SPHERE: 1, _CYLINDER: 2, _CONE: 2}.get(kind)
    if (
        needed is None
        or len(dimensions) < needed
        or not all(0.0 < side < np.inf for side in dimensions)
    ):
        raise ValueError(f"a primitive of type {kind} with dimensions {dimensions}")
    if kind == _BOX:
        return _box(dimensions, pose)
    if kind == _SPHERE:
        return Part("sphere", (("radius", repr(dimensions[0])),), pose)
    tag = "cylinder" if kind == _CYLINDER else "cone"
    return Part(tag, (("radius", repr(dimensions[1])), ("length", repr(dimensions[0]))), pose)


def _box(dimensions: list[float], pose: Floats) -> Part:
    return Part("box", (("size", " ".join(map(repr, dimensions[:3]))),), pose)


def _box_around(mesh: Any, pose: Floats) -> Part:
    corners = np.array([(v.x, v.y, v.z) for v in mesh.vertices]).reshape(-1, 3)
    if not len(corners) or not np.isfinite(corners).all():
        raise ValueError("a mesh without vertices, or with some that are not finite")
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    centre = np.zeros(13)
    centre[:3], centre[3] = (lower + upper) / 2.0, 1.0
    return _box(np.maximum(upper - lower, 1e-3).tolist(), compose(pose, centre))


def _volume(part: Part) -> float:
    """Volume of a primitive [m^3]."""
    sizes = {tag: [float(number_text) for number_text in text.split()] for tag, text in part.sizes}
    if part.tag == "box":
        return float(np.prod(sizes["size"]))
    (radius,) = sizes["radius"]
    if part.tag == "sphere":
        return 4.0 / 3.0 * float(np.pi) * radius**3
    factor = 1.0 if part.tag == "cylinder" else 1.0 / 3.0
    return factor * float(np.pi) * radius**2 * sizes["length"][0]


def _pose(message: Any) -> Floats:
    """Return the state (13,) of a geometry_msgs/msg/Pose."""
    pose = state_of(message)
    if not np.isfinite(pose).all():
        raise ValueError("a pose that is not finite")
    return pose
