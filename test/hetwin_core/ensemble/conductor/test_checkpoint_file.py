"""The file of a checkpoint, whole, damaged and made by others."""

import gzip
import json
import zipfile
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.conductor.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
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
    path = tmp_path / "checkpoint.json.gz"
    write_checkpoint(checkpoint, path)
    found = read_checkpoint(path)
    assert (found.scenario, found.options) == (checkpoint.scenario, checkpoint.options)
    assert (found.step, found.time_ns, found.given) == (5, 50, checkpoint.given)
    assert same(found.conductor, checkpoint.conductor)
    assert same(found.models, checkpoint.models)
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.json.gz"]


def test_the_same_checkpoint_gives_the_same_bytes(checkpoint, tmp_path):
    for name in ("a.json.gz", "b.json.gz"):
        write_checkpoint(checkpoint, tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_json_and_base64_read_it_too(checkpoint, tmp_path):
    path = tmp_path / "checkpoint.json.gz"
    write_checkpoint(checkpoint, path)
    content = json.loads(gzip.decompress(path.read_bytes()))
    kind, shape, order, numbers = content["conductor"]["scene"]["large"]["$array"]
    found = np.frombuffer(b64decode(numbers), kind).reshape(shape, order=order)
    assert found.tolist() == STATE["large"].tolist()
    assert content["format"] == "hetwin checkpoint"


def written(path: Path, content: object) -> Path:
    """A file with this JSON."""
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


def array(kind, shape, order="C", data=bytes(24)) -> dict:
    return good(conductor={"a": {"$array": [kind, shape, order, b64encode(data).decode()]}})


def good(**changes) -> dict:
    return {
        "format": "hetwin checkpoint",
        "format_version": 4,
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
        BadInput, match=r"none\.json\.gz: there is no such checkpoint; expected a file written"
    ):
        read_checkpoint(tmp_path / "none.json.gz")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_truncated_file_is_bad_input(checkpoint, tmp_path, share):
    path = tmp_path / "checkpoint.json.gz"
    write_checkpoint(checkpoint, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(path)


def test_flipped_byte_is_bad_input(checkpoint, tmp_path):
    path = tmp_path / "checkpoint.json.gz"
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
        array("<f8", [9]),
        array("<f8", [2]),
        array("<f8", [-3]),
        array("<f8", [3], "X"),
        array("<f8", "abc"),
        array("|O", [3]),
        array([["a", "|O"]], [3]),
        array([["a", "<f8"], ["b", "|O"]], [1]),
        array("<U0", [1 << 60], data=b""),
        array("os.system", [3]),
        array({"a": 1}, [3]),
        good(conductor={"a": {"$array": ["<f8", [3], "C", "no base64"]}}),
        good(conductor={"a": {"$array": ["<f8", [3]]}}),
        good(conductor={"a": {"$array": 3}}),
        {k: v for k, v in good().items() if k != "given"},
        [],
    ],
)
def test_other_content_is_bad_input(content, tmp_path):
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(written(tmp_path / "a.json.gz", content))


@pytest.mark.parametrize("changes", [{"format": "x"}, {"format_version": 3}])
def test_other_formats_are_named(changes, tmp_path):
    with pytest.raises(
        BadInput, match=r"unsupported format; found .*; expected hetwin checkpoint 4"
    ):
        read_checkpoint(written(tmp_path / "a.json.gz", good(**changes)))


def test_older_files_are_named(tmp_path):
    path = tmp_path / "checkpoint.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", json.dumps(good(format_version=2)))
    with pytest.raises(
        BadInput, match=r"found 'hetwin checkpoint 1 or 2, .*expected hetwin checkpoint 4"
    ):
        read_checkpoint(path)


def test_file_that_unpacks_to_too_much_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("HETWIN_LARGEST_MIB", "1")
    path = written(tmp_path / "a.json.gz", good(given={"a": " " * 2**20}))
    assert path.stat().st_size < 3000
    with pytest.raises(BadInput, match="it unpacks to more than 1 MiB; if trusted, set"):
        read_checkpoint(path)


def test_file_of_millions_of_values_is_refused(tmp_path):
    """Each takes a byte in the file, and many more in memory."""
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"a":[' + b"[]," * 4_000_000 + b"[]]}"))
    with pytest.raises(BadInput, match="its values take more than 128 MiB"):
        read_checkpoint(path)


def test_what_is_nested_without_end_is_bad_input(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"a":' * 100_000 + b"1" + b"}" * 100_000))
    with pytest.raises(BadInput, match="the checkpoint cannot be read"):
        read_checkpoint(path)


def test_what_is_no_plain_data_is_not_written(checkpoint, tmp_path):
    with pytest.raises(TypeError, match="a checkpoint cannot contain a set"):
        write_checkpoint(replace(checkpoint, models={"a": {"b": {1}}}), tmp_path / "a")
    with pytest.raises(TypeError, match="a checkpoint cannot contain a ndarray"):
        write_checkpoint(replace(checkpoint, models={"a": {"b": np.array([{}])}}), tmp_path / "a")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duration": "x"}, "options.duration: this value cannot be used; found 'x'"),
        ({"duration": 1e300}, "duration: a run cannot last this long"),
        ({"packages": [1]}, "options.packages: this value cannot be used"),
        ({"scene": 5}, "options.scene: this value cannot be used; found 5"),
        ({"source": 5}, "options.source: this value cannot be used; found 5; expected text"),
    ],
)
def test_options_of_other_types_are_named(options, words, tmp_path):
    path = written(tmp_path / "a.json.gz", good(options=options))
    with pytest.raises(BadInput, match=f"{path}: {words}"):
        read_checkpoint(path)
