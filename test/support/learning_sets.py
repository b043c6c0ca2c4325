"""Writes small data sets of robot learning, as LeRobot, robomimic, ALOHA and replay buffers lay them out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.scene.values import Floats
from support.tabletop import JOINTS

SO101 = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
FPS = 20


def swings(episode: int, count: int, samples: int = 40, size: float = 0.02) -> Floats:
    """(samples, count) positions that differ in each episode and joint."""
    phases = np.arange(samples)[:, None] / 10 + np.arange(count) + episode
    return np.asarray(size * (1.0 + np.sin(phases)), np.float64)


def write_lerobot(
    folder: Path,
    *,
    version: int = 3,
    names: Any = JOINTS,
    episodes: int = 4,
    size: float = 0.02,
    robot: str | None = None,
    state: dict[str, Any] | None = None,
    **info: Any,
) -> Path:
    """A LeRobot data set; version 3 has two episodes in each file.

    Args:
        folder: that is made.
        version: 2 or 3.
        names: of the state, as info.json has them.
        episodes: how many.
        size: of the motion.
        robot: the robot_type.
        state: more about the feature observation.state.
        info: more, or other values, of info.json; None leaves a key out.
    """
    pytest.importorskip("hetwin_datasets", reason="hetwin_datasets is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow (extra datasets) is not installed")
    pq = pytest.importorskip("pyarrow.parquet")
    width = len(next(iter(names.values())) if isinstance(names, dict) else names or JOINTS)
    paths = {
        2: "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        3: "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    }
    feature = {"dtype": "float32", "shape": [width], "names": names, **(state or {})}
    said = {
        "codebase_version": f"v{version}.{'1' if version == 2 else '0'}",
        "robot_type": robot,
        "total_episodes": episodes,
        "chunks_size": 2,
        "fps": FPS,
        "data_path": paths[version],
        "features": {"observation.state": feature, "action": feature},
        **info,
    }
    (folder / "meta").mkdir(parents=True)
    kept = {key: value for key, value in said.items() if value is not None or key == "robot_type"}
    (folder / "meta" / "info.json").write_text(json.dumps(kept))
    tables = [_table(pa, number, swings(number, width, size=size)) for number in range(episodes)]
    for number in range(0, episodes, 1 if version == 2 else 2):
        where = {"episode_chunk": number // 2, "episode_index": number}
        path = paths[version].format(**where, chunk_index=0, file_index=number // 2)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        inside = tables[number : number + (1 if version == 2 else 2)]
        pq.write_table(pa.concat_tables(inside), folder / path)
    if version == 3:
        where_from = {
            "episode_index": list(range(episodes)),
            "data/chunk_index": [0] * episodes,
            "data/file_index": [number // 2 for number in range(episodes)],
        }
        file = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.table(where_from), file)
    return folder


def _table(pa: Any, number: int, positions: Floats) -> Any:
    count = len(positions)
    return pa.table(
        {
            "observation.state": pa.array(positions.tolist(), pa.list_(pa.float32())),
            "timestamp": pa.array(np.arange(count) / FPS, pa.float32()),
            "episode_index": pa.array([number] * count, pa.int64()),
        }
    )


def write_robomimic(
    file: Path,
    *,
    robot: str = "Panda",
    numbers: Sequence[int] = (0, 1, 10),
    arms: int = 1,
    observed: bool = True,
    model: str | None = None,
    environment: dict[str, Any] | None = None,
) -> Path:
    """A robomimic file of arms with seven joints and two fingers that slide towards each other."""
    pytest.importorskip("hetwin_datasets", reason="hetwin_datasets is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py (extra datasets) is not installed")
    kwargs = {"robots": [robot] * arms, "control_freq": FPS} if environment is None else environment
    with h5py.File(file, "w") as out:
        data = out.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "env_kwargs": kwargs})
        for number in numbers:
            demo = data.create_group(f"demo_{number}")
            demo["actions"] = np.zeros((40, 7))
            if model is not None:
                demo.attrs["model_file"] = model
            for arm in range(arms if observed else 0):
                middle = np.array([0, 0.2, 0, -2.2, 0, 2.6, 0.8])
                finger = 0.02 + swings(number, 1, size=0.005)[:, 0]
                demo[f"obs/robot{arm}_joint_pos"] = middle + swings(number + arm, 7)
                demo[f"obs/robot{arm}_gripper_qpos"] = np.stack([finger, -finger], 1)
    return file


def write_aloha(
    folder: Path,
    *,
    width: int = 14,
    episodes: int = 3,
    names: Sequence[str] = (),
    size: float = 0.2,
    **attributes: Any,
) -> Path:
    """A folder with a file for each episode, as ALOHA writes them."""
    pytest.importorskip("hetwin_datasets", reason="hetwin_datasets is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py (extra datasets) is not installed")
    folder.mkdir(parents=True)
    for number in range(episodes):
        with h5py.File(folder / f"episode_{number}.hdf5", "w") as out:
            out.attrs.update({"sim": False, **attributes})
            if names:
                out.attrs["joint_names"] = list(names)
            out["observations/qpos"] = swings(number, width, size=size)
            out["action"] = swings(number, width)
    return folder


def write_zarr(
    folder: Path,
    *,
    ends: Sequence[int] = (40, 80, 100),
    arrays: Sequence[str] = ("robot_joint", "timestamp"),
    names: Sequence[str] = (),
    **attributes: Any,
) -> Path:
    """A replay buffer of three episodes: of episode 2, there are 20 samples."""
    pytest.importorskip("hetwin_datasets", reason="hetwin_datasets is not installed")
    zarr = pytest.importorskip("zarr", reason="zarr (extra datasets) is not installed")
    store = zarr.open_group(str(folder), mode="w")
    store.attrs.update(attributes)
    positions = np.concatenate([swings(number, 7) for number in range(3)])[:100]
    values = {"robot_joint": positions, "timestamp": 5.0 + np.arange(100) / FPS}
    store.create_array("meta/episode_ends", data=np.array(ends, np.int64))
    for name in arrays:
        made = store.create_array(f"data/{name}", data=values[name])
        if names and name == "robot_joint":
            made.attrs["joint_names"] = list(names)
    return folder


def write_table(file: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """A CSV file."""
    lines = [header, *rows]
    file.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return file
