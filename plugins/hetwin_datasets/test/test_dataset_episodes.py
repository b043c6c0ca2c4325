"""What is read of the episodes of data sets, and what is said of data sets that cannot be read."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.learning_sets import (
    FPS,
    SO101,
    swings,
    write_aloha,
    write_lerobot,
    write_robomimic,
    write_table,
    write_zarr,
)
from support.tabletop import JOINTS

from hetwin_datasets.columns import joint_columns
from hetwin_suite.command import BadInput
from model_nodes.main_physics.sources.datasets import Episode, open_episode, write_episode
from model_nodes.main_physics.sources.recording import Recording

DEGREES = np.pi / 180


def read(path: Path, number: int | None = None) -> Episode:
    episode = open_episode(path, number)
    assert episode is not None
    return episode


def refused(path: Path, number: int | None = None) -> str:
    with pytest.raises(BadInput) as error:
        open_episode(path, number)
    return str(error.value)


# ---------------------------------------------------------------------- LeRobot


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("number", [0, 3])
def test_an_episode_of_lerobot(version: int, number: int, tmp_path: Path) -> None:
    episode = read(write_lerobot(tmp_path / "pick", version=version), number)
    assert episode.joints == JOINTS
    assert episode.times == pytest.approx(np.arange(40) / FPS)
    assert episode.positions == pytest.approx(swings(number, len(JOINTS)), abs=1e-6)
    assert episode.label == f"episode {number} of 4 of pick (LeRobot v{version}.{3 - version})"
    assert episode.name == f"pick_episode_{number}"
    assert episode.notes == ()


@pytest.mark.parametrize(
    "names", [{"motors": list(SO101)}, [f"{name}.pos" for name in SO101], list(SO101)]
)
def test_names_of_lerobot(names: Any, tmp_path: Path) -> None:
    episode = read(write_lerobot(tmp_path / "d", names=names, robot="so101_follower"), 1)
    assert episode.joints == SO101
    assert episode.robot == "so101_follower"


def test_what_is_no_position_is_left_out(tmp_path: Path) -> None:
    names = ["arm.pos", "x.vel", "hand.pos"]
    episode = read(write_lerobot(tmp_path / "d", names=names), 2)
    assert episode.joints == ("arm", "hand")
    assert episode.positions == pytest.approx(swings(2, 3)[:, [0, 2]], abs=1e-6)


def test_units_that_a_lerobot_set_says(tmp_path: Path) -> None:
    all_alike = read(write_lerobot(tmp_path / "a", state={"unit": "degrees"}), 0)
    assert all_alike.si_per == pytest.approx([DEGREES] * len(JOINTS))
    each = ["rad", "deg", "mm", *["m"] * (len(JOINTS) - 3)]
    said = read(write_lerobot(tmp_path / "b", state={"units": each}), 0)
    assert said.si_per[:4] == pytest.approx([1.0, DEGREES, 1e-3, 1.0])
    assert all_alike.notes == said.notes == ()


@pytest.mark.parametrize(
    ("robot", "size", "factor"),
    [("so101_follower", 40.0, DEGREES), ("so101_follower", 0.5, 1.0), ("panda", 40.0, 1.0)],
)
def test_units_that_are_usual_for_a_robot(
    robot: str, size: float, factor: float, tmp_path: Path
) -> None:
    episode = read(write_lerobot(tmp_path / "d", names=SO101, robot=robot, size=size), 0)
    assert episode.si_per == pytest.approx([factor] * 6)
    assert any("taken as degrees" in note for note in episode.notes) is (factor != 1.0)


BAD_INFO: dict[str, tuple[dict[str, Any], str]] = {
    "version": ({"codebase_version": "v1.6"}, "codebase_version: this version"),
    "no version": ({"codebase_version": None}, "codebase_version: the data set does not say this"),
    "no features": ({"features": None}, "features: the data set does not say this"),
    "no state": ({"features": {"action": {}}}, "the data set has no state of the robot"),
    "no names": ({"names": None}, "observation.state.names: the data set does not name its joints"),
    "too few names": (
        {"features": {"observation.state": {"names": ["a"]}}},
        "expected 1, as meta/info.json names them",
    ),
    "one name twice": (
        {"names": ["a", "a.pos", "a/pos"]},
        "not every column has the name of a joint of its own",
    ),
    "only velocities": ({"names": ["x.vel", "y.vel"]}, "no column is a joint's position"),
    "units": ({"state": {"units": "parsec"}}, "these are no units of positions"),
    "no rate": ({"fps": None}, "fps: the data set does not say this"),
    "a rate of 0": ({"fps": 0}, "fps: this is no rate"),
    "no path": ({"data_path": None}, "data_path: the data set does not say this"),
    "another path": ({"data_path": "{number}.parquet"}, "data_path: this is no path of a file"),
    "a path to nowhere": ({"data_path": "data/none.parquet"}, "the file cannot be read"),
}


@pytest.mark.parametrize("what", BAD_INFO)
def test_metadata_that_cannot_be_used(what: str, tmp_path: Path) -> None:
    said, expected = BAD_INFO[what]
    assert expected in refused(write_lerobot(tmp_path / "d", **said), 0)


def test_an_episode_that_the_metadata_promises(tmp_path: Path) -> None:
    second = write_lerobot(tmp_path / "v2", version=2, total_episodes=9)
    assert "episode_000008.parquet: the file cannot be read" in refused(second, 8)
    third = write_lerobot(tmp_path / "v3", version=3, total_episodes=9)
    assert "does not say which file has episode 8" in refused(third, 8)


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "3"])
def test_metadata_that_is_no_json(text: str, tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "d")
    (folder / "meta" / "info.json").write_text(text)
    assert "info.json: cannot be read" in refused(folder, 0)


def test_a_file_that_lfs_has_not_brought(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "d", version=2)
    for file in folder.rglob("*.parquet"):
        file.write_text("version https://git-lfs.github.com/spec/v1\n")
    assert "`git lfs pull`" in refused(folder, 0)


# ---------------------------------------------------------------------- HDF5


def test_an_episode_of_robomimic(tmp_path: Path) -> None:
    episode = read(write_robomimic(tmp_path / "lift.hdf5"), 10)
    assert episode.joints == (*(f"joint{i}" for i in range(1, 8)), "finger_joint1", "finger_joint2")
    assert episode.times == pytest.approx(np.arange(40) / FPS)
    assert episode.positions[:, 3] == pytest.approx(-2.2 + swings(10, 7)[:, 3])
    assert np.all(episode.positions[:, 7:] > 0.0)  # robosuite counts one finger backwards
    assert episode.label == "episode 10 of 3 of lift.hdf5 (robomimic)"
    assert episode.robot == "Panda"


def test_names_of_the_model_of_an_episode(tmp_path: Path) -> None:
    own = [*(f"robot0_q{i}" for i in range(7)), "gripper0_right_a", "gripper0_right_b", "cube"]
    inside = "".join(f'<joint name="{name}"/>' for name in own)
    model = f"<mujoco>{inside}</mujoco>"
    episode = read(write_robomimic(tmp_path / "lift.hdf5", model=model), 0)
    assert episode.joints == (*(f"q{i}" for i in range(7)), "a", "b")


def test_two_arms_of_robomimic(tmp_path: Path) -> None:
    episode = read(write_robomimic(tmp_path / "two.h5", arms=2), 1)
    assert episode.joints[:2] == ("robot0_joint1", "robot0_joint2")
    assert episode.joints[9:11] == ("robot1_joint1", "robot1_joint2")
    assert episode.robot == ""


def test_robomimic_without_observations_or_rate(tmp_path: Path) -> None:
    raw = write_robomimic(tmp_path / "raw.hdf5", observed=False)
    assert "dataset_states_to_obs" in refused(raw, 0)
    silent = read(write_robomimic(tmp_path / "silent.hdf5", environment={}), 0)
    assert silent.notes == ("the file does not say its rate: 20 Hz are taken",)
    wrong = write_robomimic(tmp_path / "wrong.hdf5", environment={"control_freq": "often"})
    assert "control_freq: this is no rate" in refused(wrong, 0)
    no_xml = write_robomimic(tmp_path / "no_xml.hdf5", model="<mujoco>")
    assert "model_file: the model of the episode is no XML" in refused(no_xml, 0)


def test_an_episode_of_aloha(tmp_path: Path) -> None:
    episode = read(write_aloha(tmp_path / "insertion"), 2)
    assert episode.joints[5:8] == ("left/wrist_rotate", "left/left_finger", "right/waist")
    assert episode.times == pytest.approx(np.arange(40) / 50)
    swung = swings(2, 14, size=0.2)
    assert episode.positions[:, 0] == pytest.approx(swung[:, 0])
    assert episode.positions[:, 13] == pytest.approx(0.01844 + 0.03956 * swung[:, 13])
    assert any("50 Hz" in note for note in episode.notes)
    assert any("0.01844 to 0.058 m" in note for note in episode.notes)


def test_aloha_that_says_more(tmp_path: Path) -> None:
    folder = write_aloha(tmp_path / "d", width=3, names=["a", "b", "c"], fps=25)
    episode = read(folder / "episode_1.hdf5")
    assert episode.joints == ("a", "b", "c")
    assert episode.times[1] == pytest.approx(0.04)
    assert episode.notes == ()


def test_hdf5_that_is_something_else(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    folder = write_aloha(tmp_path / "d", width=5)
    assert "the file does not name its joints; found '5 numbers'" in refused(folder, 0)
    file = folder / "episode_0.hdf5"
    with h5py.File(file, "w") as out:
        out["images"] = np.zeros(3)
    assert "the layout of the file is not known; found 'images'" in refused(folder, 0)
    with h5py.File(file, "w") as out:
        out["observations/qpos/inner"] = np.zeros(3)
    assert "these are no positions of joints" in refused(folder, 0)
    file.write_text("no HDF5")
    assert "the file cannot be read" in refused(folder, 0)
    file.rename(folder / "first.hdf5")
    assert "which file is which episode is not known" in refused(folder, 0)


def test_hdf5_that_says_to_be_large(tmp_path: Path) -> None:
    """What was never written takes no room in the file."""
    h5py = pytest.importorskip("h5py")
    folder = write_aloha(tmp_path / "d")
    with h5py.File(folder / "episode_0.hdf5", "w") as out:
        out.create_dataset("observations/qpos", (10**9, 14), "f8", chunks=(1000, 14))
    assert "observations/qpos has more than 128 MiB" in refused(folder, 0)


@pytest.mark.parametrize("pattern", ["{episode_index:>999999999}", "{episode_index.__class__}"])
def test_a_path_that_is_made_of_anything(tmp_path: Path, pattern: str) -> None:
    folder = write_lerobot(tmp_path / "d")
    info = folder / "meta" / "info.json"
    data = json.loads(info.read_text())
    info.write_text(json.dumps({**data, "data_path": pattern}))
    assert "this is no path of a file for an episode" in refused(folder, 0)


# ---------------------------------------------------------------------- Zarr


def test_an_episode_of_a_replay_buffer(tmp_path: Path) -> None:
    episode = read(write_zarr(tmp_path / "pour.zarr"), 2)
    assert episode.joints == tuple(f"joint{i}" for i in range(1, 8))
    assert episode.positions == pytest.approx(swings(2, 7)[:20])
    assert episode.times == pytest.approx(np.arange(20) / FPS)
    assert episode.name == "pour_episode_2"
    assert len(episode.notes) == 1
    said = write_zarr(tmp_path / "b.zarr", arrays=["robot_joint"], names="abcdefg", fps=10)
    assert read(said, 0).joints == tuple("abcdefg")
    assert read(said, 0).times[1] == pytest.approx(0.1)
    assert read(said, 0).notes == ()


def test_a_replay_buffer_in_an_archive(tmp_path: Path) -> None:
    store = write_zarr(tmp_path / "pour.zarr")
    archive = Path(shutil.make_archive(str(store), "zip", store))
    packed = read(archive, 1)
    assert packed.positions == pytest.approx(read(store, 1).positions)
    assert packed.name == "pour_episode_1"
    archive.write_text("no archive")
    assert "the store cannot be read: File is not a zip file" in refused(archive, 1)


def test_replay_buffers_that_cannot_be_used(tmp_path: Path) -> None:
    silent = write_zarr(tmp_path / "a.zarr", arrays=["robot_joint"])
    assert "data/timestamp, or attribute fps: this is no rate" in refused(silent, 0)
    assert "the layout of the store is not known; found" in refused(
        write_zarr(tmp_path / "b.zarr", arrays=["timestamp"]), 0
    )
    for ends in ([40, 30], [200], [-1]):
        bad = write_zarr(tmp_path / "c.zarr", ends=ends)
        assert "meta/episode_ends: these are no ends of episodes" in refused(bad, 0)
    few = write_zarr(tmp_path / "d.zarr", names=["a"])
    assert "joint_names: there are not as many names" in refused(few, 0)
    (tmp_path / "e.zarr").mkdir()
    assert "the store cannot be read" in refused(tmp_path / "e.zarr", 0)


# ---------------------------------------------------------------------- CSV


def test_a_table(tmp_path: Path) -> None:
    header = ["time [ms]", "elbow [deg]", "wrist_rad", "lift (mm)", "plain", "force [N]", "a.vel"]
    rows = [[1000, 90, 1, 20, 0.5, 7, 1], [1500, 45, "", 30, 0.6, 8, 1]]
    episode = read(write_table(tmp_path / "run.csv", header, rows))
    assert episode.joints == ("elbow", "wrist", "lift", "plain")
    assert episode.times == pytest.approx([0.0, 0.5])
    assert episode.si_per == pytest.approx([DEGREES, 1.0, 1e-3, 1.0])
    assert np.isnan(episode.positions[1, 1])
    assert episode.notes == (
        "columns ignored because they are not joint positions: force [N], a.vel",
    )


def test_a_table_of_plotjuggler(tmp_path: Path) -> None:
    header = ["__time", *(f"/joint_states/{j}/{k}" for j in "ab" for k in ("position", "velocity"))]
    episode = read(write_table(tmp_path / "run.csv", header, [[5, 1, 2, 3, 4], [6, 1, 2, 3, 4]]))
    assert {j.rpartition("/")[2] for j in episode.joints} == {"a", "b"}
    assert episode.positions.tolist() == [[1, 3], [1, 3]]


@pytest.mark.parametrize(
    ("header", "rows", "number", "expected"),
    [
        (["a", "b"], [[1, 2]], None, "line 1: there is no time column"),
        (["time [h]", "b"], [[1, 2]], None, "line 1: there is no time column"),
        (["time", "f [N]"], [[1, 2]], None, "line 1: no column is a joint's position"),
        (["time", "b"], [[1, 2], [0, 2]], None, "line 3: the time goes backwards"),
        (["time", "b"], [[1, "up"]], None, "line 2, column b: this is not a finite number"),
        (["time", "b"], [[0, 1], [1, 1]], 1, "there is no such episode"),
    ],
)
def test_tables_that_cannot_be_used(
    header: list[str], rows: list[list[object]], number: int | None, expected: str, tmp_path: Path
) -> None:
    assert expected in refused(write_table(tmp_path / "t.csv", header, rows), number)


# ---------------------------------------------------------------------- all


@pytest.mark.parametrize("write", [write_lerobot, write_aloha])
def test_errors_about_episodes_say_how_many_there_are(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    folder = write(tmp_path / "d")
    last = 3 if write is write_lerobot else 2
    assert f"found '{last + 1} episodes'; expected --episode with a number from 0 to {last}" in (
        refused(folder)
    )
    for number in (-1, last + 1):
        said = refused(folder, number)
        assert f"no such episode; found {number}" in said
        assert said.endswith(f"from 0 to {last}; there are {last + 1}")


def test_numbers_with_gaps_are_listed(tmp_path: Path) -> None:
    file = write_robomimic(tmp_path / "lift.hdf5")
    assert "expected --episode with one of 0, 1, 10; there are 3" in refused(file, 2)


def test_what_is_no_data_set(tmp_path: Path) -> None:
    assert open_episode(tmp_path, None) is None
    assert open_episode(tmp_path / "gone.csv", None) is None
    assert "this is no data set with episodes; expected a folder of LeRobot" in refused(tmp_path, 0)
    assert "there is no such data set" in refused(tmp_path / "gone", 0)


@pytest.mark.parametrize(
    ("module", "write", "name"),
    [("pyarrow", write_lerobot, "d"), ("h5py", write_aloha, "d"), ("zarr", write_zarr, "d.zarr")],
    ids=["pyarrow", "h5py", "zarr"],
)
def test_a_library_that_is_missing(
    module: str,
    write: Callable[[Path], Path],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write(tmp_path / name)
    for loaded in [n for n in sys.modules if n.partition(".")[0] == module]:
        monkeypatch.setitem(sys.modules, loaded, None)
    assert refused(folder, 0).endswith('expected pip install "hetwin-suite[datasets]"')


def test_an_episode_as_a_recording(tmp_path: Path) -> None:
    header = ["time", "elbow [deg]", "lift [mm]"]
    rows = [[0, 90, 0], [0.1, 45, 100], [0.2, "", 200]]
    episode = read(write_table(tmp_path / "run.csv", header, rows))
    first = write_episode(episode, tmp_path / "a", as_it_is=False)
    found = Recording.open(first).joints()
    assert found["elbow"].upper == pytest.approx(np.pi / 2)
    assert found["lift"].upper == pytest.approx(0.2)
    as_it_is = Recording.open(write_episode(episode, tmp_path / "b", as_it_is=True)).joints()
    assert as_it_is["elbow"].upper == 90
    again = write_episode(episode, tmp_path / "c", as_it_is=False)
    for file in first.iterdir():
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_times_in_other_units(tmp_path: Path) -> None:
    rows = [[1_700_000_000 * 10**9, 1], [1_700_000_001 * 10**9, 2]]
    bare = read(write_table(tmp_path / "bare.csv", ["time", "a"], rows))
    with pytest.raises(BadInput, match="found '2 samples that last 1e\\+09 s'"):
        write_episode(bare, tmp_path / "out", as_it_is=True)
    said = read(write_table(tmp_path / "said.csv", ["time [ns]", "a"], rows))
    assert Recording.open(write_episode(said, tmp_path / "out", as_it_is=True)).duration_s == 1.0


def test_an_episode_without_samples(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    folder = write_aloha(tmp_path / "d")
    with h5py.File(folder / "episode_0.hdf5", "w") as out:
        out["observations/qpos"] = np.zeros((0, 14))
    with pytest.raises(BadInput, match="found '0 samples"):
        write_episode(read(folder, 0), tmp_path / "out", as_it_is=True)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    episode = read(write_table(tmp_path / "run.csv", ["time", "a"], [[0, 1], [1, 2]]))
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="the recording of the episode cannot be written"):
        write_episode(episode, tmp_path / "file", as_it_is=True)


NAMES = st.lists(st.text("ab_./pos", min_size=1, max_size=9), min_size=1, max_size=5)


@given(names=NAMES)
def test_columns_of_joints_are_each_taken_once(names: list[str]) -> None:
    try:
        found = joint_columns(names, Path("f"), "line 1")
    except BadInput:
        return
    assert len({*found.values()}) == len(found) > 0
    for joint, column in found.items():
        assert joint in names[column]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = [
    "codebase_version",
    "robot_type",
    "total_episodes",
    "chunks_size",
    "fps",
    "data_path",
    "features",
]
INSIDE = [
    "features.observation.state",
    *(f"features.observation.state.{k}" for k in ("names", "unit")),
]


@pytest.fixture(scope="module", params=[2, 3])
def lerobot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "d"
    return write_lerobot(folder, version=request.param, names=("a", "b"))


@given(key=st.sampled_from([*KEYS, *INSIDE]), value=JSON)
def test_any_metadata_is_read_or_refused(lerobot: Path, key: str, value: Any) -> None:
    file = lerobot / "meta" / "info.json"
    before = file.read_text()
    info = json.loads(before)
    feature = info["features"]["observation.state"]
    if key in KEYS:
        info[key] = value
    elif key == INSIDE[0]:
        info["features"]["observation.state"] = value
    else:
        feature[key.rpartition(".")[2]] = value
    file.write_text(json.dumps(info))
    try:
        episode = open_episode(lerobot, 0)
    except BadInput:
        return
    finally:
        file.write_text(before)
    assert episode is not None
    assert episode.positions.shape == (len(episode.times), len(episode.joints))
    assert len(episode.si_per) == len(episode.joints)
    assert np.all(np.diff(episode.times) > 0.0)
