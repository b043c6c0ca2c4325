"""What a night has found, written into data sets and recordings, and compared with labels that are there."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin
from support.hetwin_command import hetwin, refused
from support.learning_sets import write_lerobot
from support.plugins import needs
from support.tabletop import write_recording

from hetwin_datasets.mcap_labels import MAGIC, append, metadata_of
from model_nodes.main_physics.sources.datasets import open_episode

pa = pytest.importorskip("pyarrow", reason="pyarrow (extra datasets) is not installed")
pq = pytest.importorskip("pyarrow.parquet")

GOOD = {"outcome": "good", "verdict": "fine"}
DROPPED = {
    "outcome": "bad",
    "verdict": "doubtful",
    "first_at_s": 2.5,
    "kind": "dropped",
    "first": "the box was dropped",
}
HANGS = {"outcome": "fault", "verdict": "hangs", "first": "it hangs: it made no step for 60 s"}
UNKNOWN = {"outcome": "not known", "verdict": "unchecked"}
COLUMNS = {
    "hetwin/success": pa.bool_(),
    "hetwin/failure": pa.string(),
    "hetwin/failure_s": pa.float64(),
    "hetwin/confidence": pa.float64(),
    "hetwin/reason": pa.string(),
    "hetwin/verdict": pa.string(),
    "hetwin/digest": pa.string(),
}


def night_of(folder: Path, rows: Mapping[str, Mapping[str, Any]], **columns: Sequence[Any]) -> Path:
    """The table of a night, as `hetwin night` writes it, with more columns."""
    empty = {"first_at_s": None, "kind": "", "first": "", "digest": "0f23"}
    told = [{"name": name, **empty, **row} for name, row in rows.items()]
    table = pa.Table.from_pylist(told)
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    folder.mkdir()
    pq.write_table(table, folder / "night.parquet")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def night(tmp_path: Path) -> Path:
    rows = {"pick_episode_0": GOOD, "pick_episode_1": DROPPED, "pick_episode_3": UNKNOWN}
    return night_of(tmp_path / "night", rows)


# ---------------------------------------------------------------------- LeRobot


def test_episodes_of_lerobot_get_columns_and_nothing_else_changes(
    tmp_path: Path, night: Path
) -> None:
    folder = write_lerobot(tmp_path / "pick")
    file = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
    told = pq.read_table(file).replace_schema_metadata({"huggingface": "{}"})
    pq.write_table(told, file, compression="zstd")
    before = contents(folder)
    said = hetwin("label", folder, night)
    assert said.code == 0, said.err
    assert "3 episodes labelled: 1 success, 1 failure, 1 not known" in said.out
    table = pq.read_table(file)
    schema = pq.read_schema(file)
    assert {name: schema.field(name).type for name in COLUMNS} == COLUMNS
    assert schema.metadata == {b"huggingface": b"{}"}
    assert pq.read_metadata(file).row_group(0).column(0).compression == "ZSTD"
    assert table.select(told.column_names).equals(told)
    assert table["hetwin/success"].to_pylist() == [True, False, None, None]
    assert table["hetwin/failure"].to_pylist() == [None, "dropped", None, None]
    assert table["hetwin/failure_s"].to_pylist() == [None, 2.5, None, None]
    assert table["hetwin/reason"].to_pylist() == [None, "the box was dropped", None, None]
    assert table["hetwin/verdict"].to_pylist() == ["fine", "doubtful", None, "unchecked"]
    after = contents(folder)
    beside = json.loads(after.pop("meta/hetwin_labels.json"))["labels"]
    assert [row["episode"] for row in beside] == [0, 1, 3]
    assert beside[1]["failure_s"] == 2.5
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {file.relative_to(folder).as_posix()}
    assert after.keys() == before.keys()
    assert open_episode(folder, 3) is not None
    assert hetwin("label", folder, night).code == 0
    assert {**contents(folder)} == {
        **after,
        "meta/hetwin_labels.json": contents(folder)["meta/hetwin_labels.json"],
    }


def test_lines_of_episodes_of_version_2(tmp_path: Path, night: Path) -> None:
    folder = write_lerobot(tmp_path / "pick", version=2)
    file = folder / "meta" / "episodes.jsonl"
    rows = [{"episode_index": n, "tasks": ["pick ü"], "length": 40} for n in range(4)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for _ in range(2):
        assert hetwin("label", folder, night).code == 0
        found = [json.loads(line) for line in file.read_text().splitlines()]
        assert [{k: row[k] for k in rows[0]} for row in found] == rows
        assert [row["hetwin/success"] for row in found] == [True, False, None, None]
        assert all(row.keys() == {*rows[0], *COLUMNS} for row in found)


def test_a_copy_is_labelled_and_the_data_set_is_as_it_was(tmp_path: Path, night: Path) -> None:
    folder = write_lerobot(tmp_path / "pick")
    before = contents(folder)
    said = hetwin("label", folder, night, "--copy", tmp_path / "labelled")
    assert said.code == 0, said.err
    assert contents(folder) == before
    after = contents(tmp_path / "labelled")
    assert {n for n in after if after[n] != before.get(n)} == {
        "meta/episodes/chunk-000/file-000.parquet",
        "meta/hetwin_labels.json",
    }


def test_a_column_of_the_night_says_which_episode(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "pick")
    rows = {"mon/a": GOOD, "mon/b": DROPPED}
    night = night_of(tmp_path / "n", rows, episode=["2", "0"], probability=[0.97, 0.88])
    labels = hetwin("label", folder, night, "--json").json["labels"]
    assert labels["episode 0"]["failure"] == "dropped"
    assert {n: row["confidence"] for n, row in labels.items()} == {
        "episode 0": 0.88,
        "episode 2": 0.97,
    }


# ---------------------------------------------------------------------- recordings


def bags(folder: Path) -> Path:
    """Four recordings: two folders of MCAP, one of SQLite, and an MCAP file that breaks off."""
    for name in ("mon/a", "mon/b"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_recording(folder / name, ["lift"], count=300)
    write_recording(folder / "sql", ["lift"], storage=StoragePlugin.SQLITE3)
    whole = (folder / "mon" / "a" / "a.mcap").read_bytes()
    (folder / "torn.mcap").write_bytes(whole[: len(whole) // 2])
    return folder


ROWS = {
    "mon/a": GOOD,
    "mon/b": DROPPED,
    "sql": UNKNOWN,
    "torn": {**HANGS, "verdict": "broken"},
    "../outside": GOOD,
    "/tmp": GOOD,
}


def messages(bag: Path) -> list[tuple[int, bytes]]:
    with AnyReader([bag]) as reader:
        return [(time, bytes(data)) for _, time, data in reader.messages()]


def test_recordings_get_a_file_beside_each(tmp_path: Path) -> None:
    folder = bags(tmp_path / "bags")
    (tmp_path / "outside.mcap").write_bytes(b"")
    before = contents(folder)
    said = hetwin("label", folder, night_of(tmp_path / "n", ROWS))
    assert said.code == 0, said.err
    assert "4 recordings labelled: 1 success, 1 failure, 2 not known" in said.out
    assert "2 in the night are of nothing here" in said.out
    after = contents(folder)
    assert {name: after[name] for name in before} == before
    new = {name: json.loads(after[name]) for name in after.keys() - before.keys()}
    assert new.keys() == {
        "mon/a.label.json",
        "mon/b.label.json",
        "sql.label.json",
        "torn.label.json",
    }
    assert new["mon/b.label.json"] == {
        "success": False,
        "failure": "dropped",
        "failure_s": 2.5,
        "confidence": None,
        "reason": "the box was dropped",
        "verdict": "doubtful",
        "digest": "0f23",
    }
    assert new["torn.label.json"]["failure"] == "broken"
    assert new["torn.label.json"]["success"] is None


def test_mcap_files_of_a_copy_carry_their_labels(tmp_path: Path) -> None:
    folder, copy = bags(tmp_path / "bags"), tmp_path / "labelled"
    before = contents(folder)
    said = hetwin("label", folder, night_of(tmp_path / "n", ROWS), "--copy", copy)
    assert said.code == 0, said.err
    assert contents(folder) == before
    assert "only beside: sql: it has no .mcap file" in said.out
    assert "only beside: torn: torn.mcap: it was not finished" in said.out
    for name in ("mon/a", "mon/b"):
        file = copy / name / f"{Path(name).name}.mcap"
        assert messages(copy / name) == messages(folder / name)
        found = metadata_of(file)["hetwin.label"]
        beside = json.loads((copy / f"{name}.label.json").read_text())
        assert found["success"] == json.dumps(beside["success"])
        assert (found["failure"] or None) == beside["failure"]
        old, new = before[f"{name}/{file.name}"], file.read_bytes()
        assert attachments(new) == {"hetwin.label.json": json.dumps(beside).encode()}
        data = _data_end(old)
        assert new[:data] == old[:data]


def test_a_recording_that_is_the_folder_itself(tmp_path: Path) -> None:
    bag = write_recording(tmp_path / "a", ["lift"])
    assert hetwin("label", bag, night_of(tmp_path / "n", {"a": DROPPED})).code == 0
    assert json.loads((tmp_path / "a.label.json").read_text())["failure"] == "dropped"


# ---------------------------------------------------------------------- MCAP


def records(data: bytes, at: int, end: int) -> list[tuple[int, int, bytes]]:
    """Place, kind and content of each record, read independently of the code that is tested."""
    found = []
    while at < end:
        kind, length = struct.unpack_from("<BQ", data, at)
        found.append((at, kind, data[at + 9 : at + 9 + length]))
        at += 9 + length
    assert at == end
    return found


def _data_end(data: bytes) -> int:
    return next(at for at, kind, _ in records(data, 8, len(data) - 8) if kind == 0x0F)


def attachments(data: bytes) -> dict[str, bytes]:
    """What is attached, by name; every offset, count and checksum of the file must be right."""
    rows = records(data, 8, len(data) - 8)
    assert data.startswith(MAGIC)
    assert data.endswith(MAGIC)
    at, kind, footer = rows[-1]
    summary, offsets, checksum = struct.unpack("<QQI", footer)
    assert (kind, crc32(data[summary : at + 9 + 16])) == (0x02, checksum)
    (stored,) = [struct.unpack("<I", content)[0] for _, kind, content in rows if kind == 0x0F]
    assert stored in (0, crc32(data[: _data_end(data)]))
    by_kind = {one: [c for _, k, c in rows if k == one] for one in range(16)}
    (statistics,) = by_kind[0x0B]
    assert struct.unpack_from("<II", statistics, 14) == (len(by_kind[0x09]), len(by_kind[0x0C]))
    places = {at: (kind, content) for at, kind, content in rows}
    for content in by_kind[0x0D]:
        place, length = struct.unpack_from("<QQ", content)
        assert (places[place][0], len(places[place][1]) + 9) == (0x0C, length)
    for content in by_kind[0x0E]:
        group, start, length = struct.unpack("<BQQ", content)
        assert {kind for _, kind, _ in records(data, start, start + length)} == {group}
    assert offsets == next(at for at, kind, _ in rows if kind == 0x0E)
    found = {}
    for content in by_kind[0x0A]:
        place, length, _, _, size = struct.unpack_from("<QQQQQ", content)
        kind, body = places[place]
        assert (kind, len(body) + 9) == (0x09, length)
        assert crc32(body[:-4]) == struct.unpack("<I", body[-4:])[0]
        (name,) = struct.unpack_from("<I", body, 16)
        found[body[20 : 20 + name].decode()] = body[-12 - size + 8 : -4]
    return found


def test_a_second_label_is_appended_behind_the_first(tmp_path: Path) -> None:
    file = write_recording(tmp_path / "a", ["lift"]) / "a.mcap"
    for number in range(3):
        append(file, f"label {number}", {"ü": str(number)}, b"%d" % number)
        assert attachments(file.read_bytes())[f"label {number}.json"] == b"%d" % number
    assert {f"label {n}": {"ü": str(n)} for n in range(3)}.items() <= metadata_of(file).items()
    assert messages(tmp_path / "a")


def test_a_file_without_a_summary_gets_none(tmp_path: Path) -> None:
    header = struct.pack("<BQ", 0x01, 8) + bytes(8)
    checksum = crc32(MAGIC + header)
    end = struct.pack("<BQI", 0x0F, 4, checksum) + struct.pack("<BQ", 0x02, 20)
    file = tmp_path / "a.mcap"
    file.write_bytes(MAGIC + header + end + bytes(16) + struct.pack("<I", 0) + MAGIC)
    append(file, "x", {"a": "b"}, b"{}")
    data = file.read_bytes()
    rows = records(data, 8, len(data) - 8)
    assert [kind for _, kind, _ in rows] == [0x01, 0x09, 0x0C, 0x0F, 0x02]
    assert struct.unpack("<I", rows[3][2])[0] == crc32(data[: rows[3][0]])
    assert struct.unpack_from("<QQ", rows[4][2]) == (0, 0)


def test_a_file_that_breaks_off_is_refused_and_stays(tmp_path: Path) -> None:
    whole = (write_recording(tmp_path / "a", ["lift"]) / "a.mcap").read_bytes()
    file = tmp_path / "torn.mcap"
    for size in range(0, len(whole), 97):
        file.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"not an MCAP file|not finished"):
            append(file, "x", {}, b"")
        assert file.read_bytes() == whole[:size]


# ---------------------------------------------------------------------- labels that are there


def test_labels_of_episodes_are_compared(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "pick", episodes=12)
    file = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
    own = [False] * 10 + [True, None]
    pq.write_table(pq.read_table(file).append_column("success", pa.array(own)), file)
    rows = {f"pick_episode_{n}": DROPPED if n < 9 else GOOD for n in range(12)}
    night = night_of(tmp_path / "n", rows)
    before = contents(folder)
    said = hetwin("label", folder, night, "--check")
    assert said.code == 1
    assert contents(folder) == before
    lines = said.out.splitlines()
    assert lines[-3].endswith(
        "failures that the twin knows, labelled alike: 90% of 10 (60% to 98%)"
    )
    assert lines[-2].endswith(
        "successes that the twin knows, labelled alike: 100% of 1 (21% to 100%)"
    )
    assert lines[-1] == "disagrees: episode 9"
    agreement = json.loads(hetwin("label", folder, night, "--check", "--json").out)["agreement"]
    assert agreement["table"] == [
        {"label": "failure", "twin": "failure", "count": 9},
        {"label": "failure", "twin": "success", "count": 1},
        {"label": "success", "twin": "success", "count": 1},
    ]
    assert agreement["sensitivity"]["low"] == pytest.approx(0.59585, abs=1e-5)


def test_labels_of_samples_are_compared(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "pick")
    info = json.loads((folder / "meta" / "info.json").read_text())
    info["features"]["next.success"] = {"dtype": "bool", "shape": [1], "names": None}
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    for file in (folder / "data").rglob("*.parquet"):
        table = pq.read_table(file)
        numbers = table["episode_index"].to_pylist()
        last = [i + 1 == len(numbers) or numbers[i + 1] != n for i, n in enumerate(numbers)]
        done = [[n != 1 and is_last] for n, is_last in zip(numbers, last, strict=True)]
        pq.write_table(table.append_column("next.success", pa.array(done)), file)
    rows = {"pick_episode_0": GOOD, "pick_episode_1": DROPPED, "pick_episode_2": UNKNOWN}
    said = hetwin("label", folder, night_of(tmp_path / "n", rows), "--check", "--json")
    assert said.json["agreement"]["disagree"] == []
    assert said.json["agreement"]["table"] == [
        {"label": "failure", "twin": "failure", "count": 1},
        {"label": "success", "twin": "not known", "count": 1},
        {"label": "success", "twin": "success", "count": 1},
    ]


def test_labels_of_recordings_are_compared(tmp_path: Path) -> None:
    folder = bags(tmp_path / "bags")
    append(folder / "mon" / "a" / "a.mcap", "teleoperation", {"done": "yes"}, b"")
    file = folder / "mon" / "b" / "metadata.yaml"
    text = file.read_text()
    assert "custom_data: null" in text or "custom_data: {}" in text
    for empty in ("null", "{}"):
        text = text.replace(f"custom_data: {empty}", "custom_data: {done: '1'}")
    file.write_text(text)
    night = night_of(tmp_path / "n", ROWS)
    said = hetwin("label", folder, night, "--check", "--key", "done")
    assert said.code == 1
    assert said.out.splitlines()[-1] == "disagrees: mon/b"


# ---------------------------------------------------------------------- bad input


BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no night": (("pick", "pick"), ("NIGHT: this is no night",)),
    "no data": (("gone", "night"), ("DATA: there is no such folder",)),
    "another data set": (
        ("other", "night"),
        ("the night is of other recordings", "other_episode_0"),
    ),
    "other recordings": (("empty", "night"), ("the night is of other recordings",)),
    "too many": (("pick", "many"), ("the data set has no such episode", "numbers from 0 to 3")),
    "twice": (("pick", "twice"), ("a/pick_episode_1 and b/pick_episode_1",)),
    "a broken table": (("pick", "broken"), ("the table of the night cannot be read",)),
    "another table": (("pick", "narrow"), ("the table of the night cannot be read", "outcome")),
    "a copy that exists": (("pick", "night", "--copy", "other"), ("the copy cannot be made here",)),
    "a copy inside": (("pick", "night", "--copy", "pick/c"), ("the copy cannot be made here",)),
    "no labels": (("pick", "night", "--check"), ("--key: the data have no labels",)),
    "no label": (
        ("pick", "night", "--key", "length"),
        ("length of episode 0: this label is invalid", "40"),
    ),
    "no metadata": (("bare", "bare_night"), ("no metadata of its episodes",)),
    "broken metadata": (("torn", "torn_night"), ("the episodes cannot be read",)),
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    for name in ("pick", "other", "bare", "torn"):
        write_lerobot(folder / name)
        night_of(folder / f"{name}_night", {f"{name}_episode_0": GOOD})
    file = Path("meta", "episodes", "chunk-000", "file-000.parquet")
    table = pq.read_table(folder / "pick" / file)
    pq.write_table(table.append_column("length", pa.array([40] * 4)), folder / "pick" / file)
    shutil.rmtree(folder / "bare" / "meta" / "episodes")
    (folder / "torn" / file).write_bytes(b"PAR1")
    (folder / "empty").mkdir()
    (folder / "pick_night").rename(folder / "night")
    night_of(folder / "many", {"pick_episode_4": GOOD})
    night_of(folder / "twice", {"a/pick_episode_1": GOOD, "b/pick_episode_1": GOOD})
    (folder / "broken").mkdir()
    (folder / "broken" / "night.parquet").write_text("name,outcome\n")
    (folder / "narrow").mkdir()
    pq.write_table(pa.table({"name": ["a"]}), folder / "narrow" / "night.parquet")
    return folder


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_and_nothing_is_written(
    what: str, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, says = BAD[what]
    monkeypatch.chdir(bad)
    before = contents(bad)
    refused(bad, "label", *arguments, says=says)
    assert contents(bad) == before


@needs("hetwin_night")
def test_the_table_that_a_night_writes_is_read(tmp_path: Path) -> None:
    from hetwin_night.row import Row
    from hetwin_night.tables import write_tables

    folder = write_lerobot(tmp_path / "pick")
    rows = [
        Row("pick_episode_0", "fine", claims={"placed": True}),
        Row("pick_episode_1", "doubtful", {}, {}, 1.25, "it fell", "dropped", digest="ab"),
        Row("pick_episode_2", "hangs", first="it hangs"),
    ]
    (tmp_path / "n").mkdir()
    write_tables(rows, tmp_path / "n")
    labels = hetwin("label", folder, tmp_path / "n", "--json").json["labels"]
    assert {name: row["success"] for name, row in labels.items()} == {
        "episode 0": True,
        "episode 1": False,
        "episode 2": None,
    }
    assert labels["episode 1"] == {
        "success": False,
        "failure": "dropped",
        "failure_s": 1.25,
        "confidence": None,
        "reason": "it fell",
        "verdict": "doubtful",
        "digest": "ab",
    }
    assert labels["episode 2"]["failure"] == "hangs"
