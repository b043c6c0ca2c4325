"""Compiles an MJCF file or a stage of USD without its missing files, which are noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mujoco as mj

from hetwin_suite.engine import Notes
from hetwin_suite.model import BadInput, check_size, import_library

MIN_MASS = 1e-9
"""Mass of a movable body without one [kg], since MuJoCo refuses massless bodies that move."""
_UNSUPPORTED_PARTS = {
    "skins": "skin",
    "flexes": "deformable body",
    "hfields": "height field",
    "plugins": "plugin",
    "pairs": "contact pair",
    "excludes": "excluded contact",
    "keys": "keyframe",
    "tendons": "tendon",
}
_MAX_NAMES = 4
_BYTES_PER_HEIGHT = 4


def compile_mjcf(file: Path, notes: Notes, label: str) -> tuple[Any, Any]:
    """Compile a file, without parts whose files are missing.

    Args:
        file: path of the MJCF file, with its includes.
        notes: receives the missing parts.
        label: label of the file in notes.

    Returns:
        The specification, and the compiled model.

    Raises:
        BadInput: if MuJoCo cannot read it.
    """
    try:
        if is_usd(file):
            import_library("usd", "mujoco._usd", f"{file.name} needs MuJoCo's decoder of USD")
        spec = mj.MjSpec.from_file(str(file))
        for field in spec.hfields:
            check_size(_BYTES_PER_HEIGHT * int(field.nrow) * int(field.ncol), "a height field has")
        _remove_missing_files(spec, notes, label)
        _remove_unsupported(spec, notes, label)
        spec.compiler.fusestatic = False
        spec.compiler.boundmass = spec.compiler.boundinertia = MIN_MASS
        return spec, spec.compile()
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            f"MuJoCo cannot read this: {reason}", file=file, expected="a model of MuJoCo"
        ) from None


def is_usd(file: Path) -> bool:
    """Whether a file is a stage of OpenUSD, which MuJoCo reads with a separate decoder."""
    return file.suffix.lower() in (".usd", ".usda", ".usdc", ".usdz")


def mesh_file(spec: Any, mesh: Any) -> Path:
    """Return the path of a mesh's file."""
    return Path(spec.modelfiledir, spec.meshdir, mesh.file)


def _remove_missing_files(spec: Any, notes: Notes, label: str) -> None:
    for mesh in list(spec.meshes):
        if mesh.file and not mesh_file(spec, mesh).is_file():
            for geom in [g for g in spec.geoms if g.meshname == mesh.name]:
                spec.delete(geom)
            notes.leave_out(label, mesh.file, BadInput("does not exist"))
            spec.delete(mesh)
    for texture in list(spec.textures):  # textures are not shown anyway
        for material in spec.materials:
            material.textures = ["" if t == texture.name else t for t in material.textures]
        spec.delete(texture)


def _remove_unsupported(spec: Any, notes: Notes, label: str) -> None:
    for kind, word in _UNSUPPORTED_PARTS.items():
        parts = list(getattr(spec, kind))
        if parts:
            names = [str(getattr(part, "name", "")) for part in parts]
            notes.add(f"{label}: {not_carried_over(word, names)}")
        if kind in ("skins", "keys"):
            for part in parts:
                spec.delete(part)


def not_carried_over(word: str, names: Sequence[str]) -> str:
    """Return the note that things of a kind are not carried over, with the first few names."""
    known = [name for name in names if name]
    more = len(names) - len(known[:_MAX_NAMES])
    listed = [
        *known[:_MAX_NAMES],
        *([f"{more} more" if known else f"{more} of them"] if more else []),
    ]
    return f"not carried over: {word} ({', '.join(listed)})"


def effort_limits(model: Any) -> Iterator[tuple[int, float]]:
    """Yield joint and maximum effort [Nm or N] of each drive."""
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            yield joint, float(abs(model.jnt_actfrcrange[joint]).max())
    for i in range(model.nu):
        if int(model.actuator_trntype[i]) != mj.mjtTrn.mjTRN_JOINT:
            continue
        gear = abs(float(model.actuator_gear[i, 0]))
        joint = int(model.actuator_trnid[i, 0])
        if model.actuator_forcelimited[i]:
            yield joint, float(abs(model.actuator_forcerange[i]).max()) * gear
        elif model.actuator_ctrllimited[i] and _is_motor(model, i):
            max_control = float(abs(model.actuator_ctrlrange[i]).max())
            yield joint, max_control * gear * abs(float(model.actuator_gainprm[i, 0]))


def _is_motor(model: Any, actuator: int) -> bool:
    return bool(
        int(model.actuator_biastype[actuator]) == mj.mjtBias.mjBIAS_NONE
        and int(model.actuator_gaintype[actuator]) == mj.mjtGain.mjGAIN_FIXED
    )
