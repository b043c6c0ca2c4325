"""Draws the scene of a film with MuJoCo's renderer."""

from __future__ import annotations

import os
from ctypes.util import find_library
from importlib.util import find_spec
from types import TracebackType
from typing import Any, NamedTuple, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import EntityKind, Floats, ShapeKind
from hetwin_suite.page import Part, Scene
from hetwin_suite.viewer import rgb

WIDTH, HEIGHT = 620, 410
"""Size of a picture [pixels]."""
FIELD_DEG = 32.0
_KINDS = {
    ShapeKind.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    ShapeKind.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    ShapeKind.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    ShapeKind.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    ShapeKind.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    ShapeKind.PLANE: mujoco.mjtGeom.mjGEOM_PLANE,
    ShapeKind.MESH: mujoco.mjtGeom.mjGEOM_MESH,
}
_FULL_SIZES = {ShapeKind.BOX: (0, 1, 2), ShapeKind.PLANE: (0, 1)}
_WITH_RADIUS = (ShapeKind.CYLINDER, ShapeKind.CAPSULE)
_HIDDEN_POSITION = np.array([0.0, 0.0, -1000.0])
"""Position of bodies without a pose, out of sight [m]."""
_SKY, _HORIZON = (0.93, 0.95, 0.97), (0.98, 0.985, 0.99)
_BONE_COLOUR, _BONE_RADIUS_M = (0.62, 0.66, 0.72), 0.012
"""Colour and radius [m] of the lines between the links of a robot without geometry ("bones")."""
_WXYZ_COLUMNS = [6, 3, 4, 5]
_MAX_EXTRA_GEOMS = 4000


class View(NamedTuple):
    """A camera in MuJoCo's convention: target [m], distance [m], azimuth and elevation [degrees]."""

    target: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float


class Drawing:
    """Draws a scene at different times and from different views; to be used in one thread, and closed.

    Args:
        scene: scene to draw.
        width: width in pixels.
        height: height in pixels.

    Raises:
        NoGraphics: if pictures cannot be rendered here.
    """

    def __init__(self, scene: Scene, width: int = WIDTH, height: int = HEIGHT) -> None:
        self._film_scene = scene
        self._context = open_context(width, height)
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._model = _model(scene, width, height)
        self._data = mujoco.MjData(self._model)
        self._scene = mujoco.MjvScene(self._model, maxgeom=_MAX_EXTRA_GEOMS + self._model.ngeom)
        self._options = mujoco.MjvOption()
        self._renderer = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._renderer)
        self._original_colours = self._model.geom_rgba.copy()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the graphics library's resources."""
        self._renderer.free()
        self._context.free()

    def set_state(self, poses: Floats, owners: NDArray[np.int32]) -> None:
        """Set the poses of all bodies, and their colours.

        Args:
            poses: (bodies, 7) x y z, qx qy qz qw; not finite for a body without a pose.
            owners: (bodies,) index of the model responsible for each pose, -1 for none.
        """
        for i, body in enumerate(self._film_scene.bodies):
            has_pose = bool(np.isfinite(poses[i]).all())
            self._data.mocap_pos[i] = poses[i, :3] if has_pose else _HIDDEN_POSITION
            self._data.mocap_quat[i] = poses[i, _WXYZ_COLUMNS] if has_pose else (1.0, 0.0, 0.0, 0.0)
            model = self._film_scene.models[owners[i]] if owners[i] >= 0 else None
            geoms = np.flatnonzero(self._model.geom_bodyid == i + 1)
            self._model.geom_rgba[geoms] = self._original_colours[geoms]
            if body.kind == EntityKind.OBJECT and model is not None and not model.main:
                self._model.geom_rgba[geoms, :3] = rgb(model.colour)
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)

    def picture(self, view: View) -> NDArray[np.uint8]:
        """Return (height, width, 3) the colours of the picture."""
        return self._render(view)

    def body_indices(self, view: View) -> NDArray[np.int32]:
        """Return (height, width) the index of the body at each pixel, -1 for none."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        colours = self._render(view).astype(np.int32)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        numbers = colours[:, :, 0] + colours[:, :, 1] * 256 + colours[:, :, 2] * 65536
        drawn = self._scene.geoms[: self._scene.ngeom]
        bodies = np.full(max((geom.segid for geom in drawn), default=-1) + 2, -1, np.int32)
        for geom in drawn:
            # Bones are added to the rendered scene only, and belong to no body.
            is_geom = (
                geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= geom.objid < self._model.ngeom
            )
            if geom.segid >= 0 and is_geom:
                bodies[geom.segid + 1] = self._model.geom_bodyid[geom.objid] - 1
        found: NDArray[np.int32] = bodies[np.minimum(numbers, len(bodies) - 1)]
        return found

    def _connect(self, start: Floats, end: Floats) -> None:
        """Draw a line between two links of a robot without geometry."""
        if self._scene.ngeom >= self._scene.maxgeom or min(start[2], end[2]) <= _HIDDEN_POSITION[2]:
            return
        bone = self._scene.geoms[self._scene.ngeom]
        capsule, colour = mujoco.mjtGeom.mjGEOM_CAPSULE, np.array([*_BONE_COLOUR, 1.0], np.float32)
        mujoco.mjv_initGeom(bone, capsule, np.zeros(3), np.zeros(3), np.zeros(9), colour)
        mujoco.mjv_connector(bone, capsule, _BONE_RADIUS_M, start, end)
        self._scene.ngeom += 1

    def _render(self, view: View) -> NDArray[np.uint8]:
        camera = mujoco.MjvCamera()
        camera.lookat[:] = view.target
        camera.distance, camera.azimuth, camera.elevation = view[1:]
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(
            self._model, self._data, self._options, None, camera, everything, self._scene
        )
        for a, b in self._film_scene.bones:
            self._connect(self._data.mocap_pos[a], self._data.mocap_pos[b])
        mujoco.mjr_render(self._rect, self._scene, self._renderer)
        pixels = np.empty((self._rect.height, self._rect.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rect, self._renderer)
        return np.ascontiguousarray(pixels[::-1])


def _model(scene: Scene, width: int, height: int) -> Any:
    """Return a model in which each body can be placed freely, without collisions."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = FIELD_DEG
    spec.visual.quality.shadowsize = 2048
    spec.visual.quality.offsamples = 4
    spec.visual.headlight.ambient = (0.42, 0.42, 0.42)
    spec.visual.headlight.diffuse = (0.25, 0.25, 0.25)
    spec.visual.map.znear = 0.005
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=_SKY,
        rgb2=_HORIZON,
        width=64,
        height=384,
    )
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=(0, 0, 10),
        dir=(0.35, 0.45, -0.82),
        diffuse=(0.55, 0.55, 0.55),
        specular=(0, 0, 0),
    )
    for i, mesh in enumerate(scene.meshes):
        spec.add_mesh(
            name=f"mesh_{i}",
            uservert=mesh.vertices.astype(np.float32).ravel(),
            userface=mesh.faces.astype(np.int32).ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
    for i, body in enumerate(scene.bodies):
        body_spec = spec.worldbody.add_body(name=f"body_{i}", mocap=True)
        for part in body.parts:
            if part.drawn:
                _add_part(body_spec, part)
    return spec.compile()


def _add_part(body_spec: Any, part: Part) -> None:
    kind = ShapeKind(part.kind)
    size = [x / 2 if i in _FULL_SIZES.get(kind, ()) else x for i, x in enumerate(part.size)]
    if kind in _WITH_RADIUS:
        size[1] /= 2
    if kind is ShapeKind.PLANE:
        size = [*size[:2], 0.1]
    x, y, z, qx, qy, qz, qw = part.pose
    body_spec.add_geom(
        type=_KINDS[kind],
        size=[*size, 0.0, 0.0, 0.0][:3],
        pos=(x, y, z),
        quat=(qw, qx, qy, qz),
        rgba=part.colour,
        contype=0,
        conaffinity=0,
        **({"meshname": f"mesh_{part.mesh}"} if part.mesh >= 0 else {}),
    )


_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_PACKAGES = "libegl1 and libgl1-mesa-dri, or libosmesa6"


class NoGraphics(Exception):
    """Pictures cannot be rendered; the text names the package to install."""


def missing_packages() -> str:
    """Return the missing packages for pictures as a sentence; empty if all are installed."""
    if find_spec("OpenGL") is None:
        return "pictures need PyOpenGL, which is not installed: pip install 'hetwin-suite[stills]'"
    if not _backend():
        return f"pictures need a graphics library, and there is none: apt install {_PACKAGES}"
    return ""


def open_context(width: int, height: int) -> Any:
    """Return a graphics context of this size for the calling thread; call its ``free`` at the end.

    Raises:
        NoGraphics: if no context can be opened.
    """
    reason = missing_packages()
    if reason:
        raise NoGraphics(reason)
    try:
        context = _context(width, height)
        context.make_current()
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        text = f"the graphics library cannot render ({error}): apt install {_PACKAGES}"
        raise NoGraphics(text) from error
    return context


def _context(width: int, height: int) -> Any:
    if _backend() == "egl":
        from mujoco.egl import GLContext
    else:
        from mujoco.osmesa import GLContext
    return GLContext(width, height)


def _backend() -> str:
    """Return the backend named by MUJOCO_GL if it is available, else the first available one."""
    backends = [backend for backend, library in _LIBRARIES.items() if find_library(library)]
    requested = os.environ.get("MUJOCO_GL", "")
    return requested if requested in backends else next(iter(backends), "")
