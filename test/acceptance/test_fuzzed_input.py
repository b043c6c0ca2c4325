"""Whatever a file of anyone's or a message of a page holds: it is read, or it is bad input; nothing else, and soon."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.bombs import chunk_of, mcap, message
from support.fuzzed import mutated, replaced
from support.random_examples import examples
from support.recorded_bags import sine, storage_file, write_bag, write_ros1_bag
from support.robot_files import ROOT
from support.saved_runs import saved_at
from support.small_run import SmallRun

from hetwin_core.ensemble.conductor.checkpoint import read_checkpoint, write_checkpoint
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_core.episodes.run_folder import SUMMARY
from hetwin_suite import run
from hetwin_suite.cli.outcome import lines
from hetwin_suite.running.request import FinishedRun
from hetwin_suite.view.live.hands import InvalidRequest, parse_control
from hetwin_suite.view.live.visit import _message
from hetwin_suite.view.report import report_page
from model_nodes.main_physics.sources.recording import Recording
from model_nodes.main_physics.world.meshes import hull_of_file
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.urdf.reader import read_urdf

SEEDS = st.integers(0, 2**32 - 1)
FEW = examples(15, random=400)
_PATIENCE_S = 10.0
"""Of processor time, as a busy machine may run something else meanwhile."""


@contextmanager
def refused_at_most() -> Iterator[None]:
    """Nothing but an error of hetwin's may be raised, within ten seconds of processor time."""
    begun = time.process_time()
    with suppress(HetwinError, InvalidRequest):
        yield
    assert time.process_time() - begun < _PATIENCE_S


@contextmanager
def file(name: str, content: bytes) -> Iterator[Path]:
    """A file in a folder of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        yield path


@cache
def recordings() -> Mapping[str, bytes]:
    """Small recordings of each kind, by the names of their files."""
    found = {}
    with TemporaryDirectory() as folder:
        for storage, ending in ((StoragePlugin.MCAP, "mcap"), (StoragePlugin.SQLITE3, "db3")):
            for mode in (CompressionMode.NONE, CompressionMode.STORAGE):
                if storage is StoragePlugin.SQLITE3 and mode is CompressionMode.STORAGE:
                    continue
                bag = write_bag(
                    Path(folder, f"{ending}{mode.name}"), sine(8), storage=storage, compression=mode
                )
                found[f"{mode.name}.{ending}"] = storage_file(bag).read_bytes()
        found["a.bag"] = write_ros1_bag(Path(folder, "a.bag"), sine(8)).read_bytes()
        parts = [chunk_of(b"".join(message(time_ns=at) for at in range(9)), "lz4")]
        found["lz4.mcap"] = mcap(Path(folder, "b.mcap"), parts).read_bytes()
    return found


@pytest.mark.parametrize("name", ["NONE.mcap", "STORAGE.mcap", "lz4.mcap", "NONE.db3", "a.bag"])
@FEW
@given(seed=SEEDS)
@example(seed=43)
def test_recordings(name: str, seed: int) -> None:
    with file(name, mutated(recordings()[name], seed)) as path, refused_at_most():
        Recording.open(path)


@cache
def log() -> bytes:
    """The log of a small run."""
    with TemporaryDirectory() as folder:
        run = SmallRun(Path(folder, "run"), steps=20)
        run.record()
        return Path(folder, "run", "log", "log.mcap").read_bytes()


@FEW
@given(seed=SEEDS)
def test_logs(seed: int) -> None:
    with TemporaryDirectory() as folder, refused_at_most():
        run = Path(folder, "run")
        (run / "log").mkdir(parents=True)
        (run / "log" / "metadata.yaml").touch()
        (run / "log" / "log.mcap").write_bytes(mutated(log(), seed))
        episode = Episode.open(run)
        _ = episode.values
        flaws_of(run)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a run of a shipped scenario, and its summary."""
    out = tmp_path_factory.mktemp("finished") / "run"
    run("pick_and_place", out=out)
    return out, (out / SUMMARY).read_text("utf-8")


@FEW
@given(seed=SEEDS)
@example(seed=8)
def test_summaries(finished: tuple[Path, str], seed: int) -> None:
    out, text = finished
    (out / SUMMARY).write_text(json.dumps(replaced(json.loads(text), seed)), encoding="utf-8")
    with refused_at_most():
        episode = Episode.open(out)
        list(lines(FinishedRun(episode.summary, 0, out)))
        report_page(out)


@cache
def checkpoint() -> bytes:
    """The text of a checkpoint of a shipped scenario."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.json.gz")
        write_checkpoint(saved_at("pick_and_place", [0.01], duration=0.02)[1][0], path)
        return gzip.decompress(path.read_bytes())


@FEW
@given(seed=SEEDS)
def test_checkpoints(seed: int) -> None:
    with file("a.json.gz", gzip.compress(mutated(checkpoint(), seed), 1)) as path:
        with refused_at_most():
            read_checkpoint(path)
        path.write_bytes(mutated(path.read_bytes(), seed, 1))
        with refused_at_most():
            read_checkpoint(path)


@pytest.mark.parametrize("name", ["pick_and_place", "uncertain_environment_rigid"])
@FEW
@given(seed=SEEDS)
def test_scenarios(name: str, seed: int) -> None:
    content = (ROOT / "scenarios" / f"{name}.yaml").read_bytes()
    with file("s.yaml", mutated(content, seed)) as path, refused_at_most():
        load_scenario(path)


def _sdf(path: Path) -> None:
    read_world(path)


def _urdf(path: Path) -> None:
    read_urdf(path, Notes())


@pytest.mark.parametrize(
    ("file_of", "read"),
    [("worlds/tabletop.sdf", _sdf), ("urdf/tabletop_arm.urdf", _urdf)],
    ids=["SDF", "URDF"],
)
@FEW
@given(seed=SEEDS)
def test_worlds_and_robots(file_of: str, read: Callable[[Path], None], seed: int) -> None:
    content = (ROOT / file_of).read_bytes()
    with file(Path(file_of).name, mutated(content, seed)) as path, refused_at_most():
        read(path)


_OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
_PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
)
_OFF = b"OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"


@pytest.mark.parametrize(("name", "content"), [("a.obj", _OBJ), ("a.ply", _PLY), ("a.off", _OFF)])
@FEW
@given(seed=SEEDS)
def test_meshes(name: str, content: bytes, seed: int) -> None:
    with file(name, mutated(content, seed)) as path, refused_at_most():
        hull_of_file.__wrapped__(path, (1.0, 1.0, 1.0))


@FEW
@given(seed=SEEDS)
def test_messages_of_a_page(seed: int) -> None:
    deeds = (
        b'{"do": "step", "steps": 40, "id": 1}',
        b'{"do": "pace", "factor": 0.5, "id": 2}',
        b'{"do": "hand_over", "entity": "box", "attribute": "pose", "to": "physics", "id": 3}',
    )
    text = mutated(deeds[seed % len(deeds)], seed).decode("utf-8", "replace")
    with refused_at_most():
        parse_control(_message(text))
