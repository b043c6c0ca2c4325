"""Episodes of HDF5 files of teleoperation: robomimic (`data/demo_N`) and ALOHA (`observations/qpos`, a file each)."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_datasets.arrays import NAMES, RATES, attribute, numbers
from hetwin_datasets.columns import check_episode, steady
from hetwin_datasets.library import reader
from hetwin_suite.episode import DatasetEpisode
from hetwin_suite.model import BadInput, Floats, some

SUFFIXES = (".hdf5", ".h5")

_NUMBER = re.compile(r"(\d+)$")
_LAYOUTS = "data/demo_N/obs/robot0_joint_pos (robomimic) or observations/qpos (ALOHA)"

_QPOS = "observations/qpos"
_ARM = ("waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate", "left_finger")
_SIDES = {7: ("",), 14: ("left/", "right/")}
"""Size of a state -> prefixes of the arms in it."""
_CLOSED, _OPENED = 0.01844, 0.05800
"""Position of ALOHA's left finger at gripper values 0 and 1 [m]."""
_ALOHA_HZ = 50.0

_ROBOMIMIC_HZ = 20.0


def is_hdf5(path: Path) -> bool:
    """Whether the path is an HDF5 file, or a folder with such files."""
    if path.is_dir():
        return any(file.suffix in SUFFIXES for file in path.iterdir())
    return path.suffix in SUFFIXES and path.is_file()


def read_hdf5(path: Path, number: int | None) -> DatasetEpisode:
    """Read an episode.

    Args:
        path: a file, or a folder with a file for each episode.
        number: number of the episode; None: the only one.

    Raises:
        BadInput: if the episode does not exist, or has another layout.
    """
    h5py = reader("h5py", "an HDF5 file")
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
        if len(files) > 1 or _NUMBER.search(files[0].stem):
            return _of_files(h5py, path, files, number)
        path = files[0]
    try:
        with h5py.File(path) as file:
            if "data" in file and any(name.startswith("demo_") for name in file["data"]):
                return _robomimic(file["data"], path, number)
            check_episode(number, (0,), path)
            return _aloha(file, path, f"{path.name} (ALOHA)", path.stem)
    except OSError as error:
        raise _unreadable(path, error) from error


def _of_files(h5py: Any, folder: Path, files: Sequence[Path], number: int | None) -> DatasetEpisode:
    """Read an episode of ALOHA from the file whose name ends with its number."""
    found = {int(m[1]): f for f in files if (m := _NUMBER.search(f.stem)) is not None}
    if len(found) < len(files):
        raise BadInput(
            "which file is which episode is not known",
            file=folder,
            found=some([file.name for file in files]),
            expected="names that end with different numbers, or the path of one of the files",
        )
    number = check_episode(number, found, folder)
    path, name = found[number], folder.resolve().name
    label = f"episode {number} of {len(found)} of {name} (ALOHA)"
    try:
        with h5py.File(path) as file:
            return _aloha(file, path, label, f"{name}_episode_{number}")
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"the file cannot be read: {error}", file=path, expected="a whole HDF5 file")


# ---------------------------------------------------------------------- ALOHA


def _aloha(file: Any, path: Path, label: str, name: str) -> DatasetEpisode:
    if _QPOS not in file:
        raise BadInput(
            "the layout of the file is not known",
            file=path,
            found=some(list(file)),
            expected=_LAYOUTS,
        )
    positions = numbers(file, _QPOS, path)
    joints, notes = _aloha_names(file, positions, path)
    rate = attribute((file, file[_QPOS]), RATES)
    if rate is None:
        rate = _ALOHA_HZ
        notes.append(f"the file does not say its rate: ALOHA's {_ALOHA_HZ:g} Hz are taken")
    return DatasetEpisode(
        label=label,
        name=name,
        joints=joints,
        times=steady(len(positions), rate, path, f"attribute {RATES[0]}"),
        positions=positions,
        si_per=(1.0,) * len(joints),
        notes=tuple(notes),
    )


def _aloha_names(file: Any, positions: Floats, path: Path) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the joints; for ALOHA's own names, gripper positions become finger positions."""
    width = positions.shape[1]
    named = attribute((file, file[_QPOS]), NAMES)
    if named is not None:
        names = tuple(n.decode() if isinstance(n, bytes) else str(n) for n in np.ravel(named))
        if len(names) == width:
            return names, []
    elif width in _SIDES:
        grippers = slice(len(_ARM) - 1, None, len(_ARM))
        positions[:, grippers] = _CLOSED + (_OPENED - _CLOSED) * positions[:, grippers]
        note = (
            f"the file does not name its joints: they are taken in ALOHA's order, and its grippers from 0 to 1"
            f" as left fingers from {_CLOSED} to {_OPENED} m"
        )
        return tuple(f"{side}{joint}" for side in _SIDES[width] for joint in _ARM), [note]
    raise BadInput(
        "the file does not name its joints",
        file=path,
        where=_QPOS,
        found=f"{width} numbers" if named is None else f"{width} numbers, {np.size(named)} names",
        expected=f"{' or '.join(map(str, _SIDES))} numbers, or an attribute joint_names with one for each",
    )


# ---------------------------------------------------------------------- robomimic


def _robomimic(data: Any, path: Path, number: int | None) -> DatasetEpisode:
    demos = {int(m[1]): name for name in data if (m := _NUMBER.search(name)) is not None}
    number = check_episode(number, demos, path)
    demo = data[demos[number]]
    observed = demo.get("obs", {})
    arms = sorted(m[1] for key in observed if (m := re.fullmatch(r"(robot\d+)_joint_pos", key)))
    if not arms:
        raise BadInput(
            "the episode holds no joint positions",
            file=path,
            where=f"data/{demos[number]}",
            found=some(list(observed) or list(demo)),
            expected="obs/robot0_joint_pos; robomimic's dataset_states_to_obs adds observations to raw states",
        )
    model = attribute((demo,), ("model_file",))
    own = _names_of_model(model, path) if model is not None else ()
    joints: list[str] = []
    parts: list[Floats] = []
    for arm in arms:
        prefix = "" if len(arms) == 1 else f"{arm}_"
        for part, at in ((arm, "joint_pos"), (arm.replace("robot", "gripper"), "gripper_qpos")):
            if f"{arm}_{at}" not in observed:
                continue
            values = numbers(observed, f"{arm}_{at}", path)
            joints += _names_of_part(own, part, values.shape[1], prefix)
            parts.append(_opening(values) if part != arm else values)
    environment = _environment(data, path)
    rate = environment.get("control_freq")
    notes = () if rate else (f"the file does not say its rate: {_ROBOMIMIC_HZ:g} Hz are taken",)
    if len({len(part) for part in parts}) > 1:
        raise BadInput(
            "the parts of the robot have different numbers of samples",
            file=path,
            where=f"data/{demos[number]}/obs",
            found=", ".join(str(len(part)) for part in parts),
            expected="one number",
        )
    positions = np.hstack(parts)
    robots = environment.get("robots")
    robot = robots[0] if isinstance(robots, list) and len(robots) == 1 else robots
    return DatasetEpisode(
        label=f"episode {number} of {len(demos)} of {path.name} (robomimic)",
        name=f"{path.stem}_episode_{number}",
        joints=tuple(joints),
        times=steady(len(positions), rate or _ROBOMIMIC_HZ, path, "data: env_args: control_freq"),
        positions=positions,
        si_per=(1.0,) * len(joints),
        robot=robot if isinstance(robot, str) else "",
        notes=notes,
    )


def _names_of_model(model: Any, path: Path) -> tuple[str, ...]:
    """Return the names of all joints in the MJCF of an episode, in its order."""
    text = model.decode() if isinstance(model, bytes) else str(model)
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise BadInput(
            f"the model of the episode is no XML: {error}",
            file=path,
            where="model_file",
            expected="MJCF, as robosuite writes it",
        ) from None
    return tuple(joint.get("name", "") for joint in root.iter("joint"))


def _names_of_part(own: Sequence[str], part: str, width: int, prefix: str) -> list[str]:
    """Return the joint names of an arm or gripper from its model; without them, numbered names."""
    named = [name.removeprefix(f"{part}_") for name in own if name.startswith(f"{part}_")]
    named = [name.removeprefix("right_") for name in named]
    if len(named) != width:
        kind = "finger_joint" if part.startswith("gripper") else "joint"
        named = [f"{kind}{i + 1}" for i in range(width)]
    return [f"{prefix}{name}" for name in named]


def _opening(fingers: Floats) -> Floats:
    """Return the opening of a gripper; the two fingers have opposite signs in robosuite."""
    is_pair = fingers.shape[1] == 2 and bool(np.all(fingers[:, 0] * fingers[:, 1] <= 0.0))
    return np.abs(fingers) if is_pair else fingers


def _environment(data: Any, path: Path) -> Mapping[str, Any]:
    """Return the attribute `env_args` of the data set; empty if missing."""
    arguments = data.attrs.get("env_args")
    if arguments is None:
        return {}
    try:
        read = dict(json.loads(arguments))
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"this is no object in JSON: {error}",
            file=path,
            where="data: env_args",
            expected="robomimic's JSON",
        ) from None
    found = read.get("env_kwargs", {})
    return found if isinstance(found, dict) else {}
