"""The file of a checkpoint, whole, damaged and made by others."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.checkpoint.file import read_checkpoint, write_checkpoint
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput

STATE = {
    "numbers": [1, 2.5, -0.0, float("inf"), float("-inf"), 1 << 200],
    "text": "pouring café",
    "nothing": None,
    "small": np.array([[1.5, np.nan, -0.0]]),
    "flags": np.array([True, False]),
    "single": np.array([0.1], np.float32),
    "scalar": np.array(3.0),
    "empty": np.zeros((0, 12)),
    "large": np.asfortranarray(np.arange(200.0).reshape(10, 20)),
    "matrix": np.array([[1.0, 2.0], [3.0, 4.0]], order="F"),
    "more": np.arange(300.0).reshape(3, 10, 10)[:, :, ::2],
    "whole": np.arange(20, dtype=np.int32),
    "names": np.array(["a", "bc"]),
}


@pytest.fixture
def checkpoint() -> Checkpoint:
    options = RunOptions(source="bag", seed=3, scene={"box": {"pose": [0.0]}})
    given = {"version": "1", "engine": "x"}
    return Checkpoint(
        "a.yaml", options, given, 5, 50, {"scene": STATE}, {"physics": {"state": STATE}}
    )


def same(one, other) -> bool:
    """Whether two states are equal to the bit."""
    if isinstance(one, np.ndarray):
        equal = (one.dtype, one.shape) == (other.dtype, other.shape)
        order = one.flags.f_contiguous == other.flags.f_contiguous or not one.flags.contiguous
        return equal and order and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


def test_comes_back_to_the_bit(checkpoint, tmp_path):
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(checkpoint, path)
    found = read_checkpoint(path)
    assert (found.scenario, found.options) == (checkpoint.scenario, checkpoint.options)
    assert (found.step, found.time_ns, found.given) == (5, 50, checkpoint.given)
    assert same(found.conductor, checkpoint.conductor)
    assert same(found.models, checkpoint.models)
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.npz"]


def test_numpy_reads_it_too(checkpoint, tmp_path):
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(checkpoint, path)
    with np.load(path, allow_pickle=False) as archive:
        content = json.loads(archive["checkpoint.json"])
        kind, begin, shape, order = content["conductor"]["scene"]["large"]["$array"]
        numbers = archive[kind][begin : begin + 200].reshape(shape, order=order)
        assert numbers.tolist() == STATE["large"].tolist()
    assert content["format"] == "hetwin checkpoint"


def written(path: Path, content: dict, **members: bytes) -> Path:
    """A file with this JSON and these arrays."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", json.dumps(content))
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


def good(**changes) -> dict:
    return {
        "format": "hetwin checkpoint",
        "format_version": 2,
        "scenario": "a.yaml",
        "options": {},
        "given": {},
        "step": 1,
        "time_ns": 2,
        "conductor": {},
        "models": {},
        **changes,
    }


def test_missing_file_is_named(tmp_path):
    with pytest.raises(
        BadInput, match=r"none\.npz: there is no such checkpoint; expected a file that"
    ):
        read_checkpoint(tmp_path / "none.npz")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_truncated_file_is_bad_input(checkpoint, tmp_path, share):
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(checkpoint, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(path)


def test_flipped_byte_is_bad_input(checkpoint, tmp_path):
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(checkpoint, path)
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(path)


@pytest.mark.parametrize(
    "content",
    [
        good(step="x"),
        good(options={"other": 1}),
        good(options=None),
        good(models=[]),
        good(models={"a": 3}),
        good(conductor={"a": {"$array": ["float64", 0, [9], "C"]}}),
        good(conductor={"a": {"$small": ["float64", [2], "C", [1.0]]}}),
        good(conductor={"a": {"$small": ["object", [1], "C", [1.0]]}}),
        good(conductor={"a": [{"$number": "x"}]}),
        {k: v for k, v in good().items() if k != "given"},
        [],
    ],
)
def test_other_content_is_bad_input(content, tmp_path):
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(written(tmp_path / "a.npz", content))


@pytest.mark.parametrize("changes", [{"format": "x"}, {"format_version": 1}])
def test_other_formats_are_named(changes, tmp_path):
    with pytest.raises(BadInput, match=r"another format; found .*; expected hetwin checkpoint 2"):
        read_checkpoint(written(tmp_path / "a.npz", good(**changes)))


def test_array_of_objects_is_not_read(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array(member, np.array([print], object), allow_pickle=True)
    content = good(conductor={"a": {"$array": ["float64", 0, [3], "C"]}})
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(written(tmp_path / "a.npz", content, float64=member.getvalue()))


@pytest.mark.parametrize(("begin", "shape"), [(2, [2]), (-1, [1]), (0, [-1]), (0, [4])])
def test_array_outside_of_the_numbers_is_not_made(tmp_path, begin, shape):
    member = io.BytesIO()
    np.lib.format.write_array(member, np.zeros(3))
    content = good(conductor={"a": {"$array": ["float64", begin, shape, "C"]}})
    with pytest.raises(BadInput, match="there are 3 numbers of float64"):
        read_checkpoint(written(tmp_path / "a.npz", content, float64=member.getvalue()))


def test_array_that_says_it_is_larger_is_not_made(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array(member, np.zeros(3))
    data = member.getvalue().replace(b"(3,)", b"(9,)")
    content = good(conductor={"a": {"$array": ["float64", 0, [3], "C"]}})
    with pytest.raises(BadInput, match="does not hold"):
        read_checkpoint(written(tmp_path / "a.npz", content, float64=data))
