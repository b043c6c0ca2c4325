"""Logs of strangers: what they unpack to is bounded, and a log that cannot be read ends every command with code 2."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.bombs import MIB, chunk, chunk_of, large_chunk, message, with_part, zeros
from support.hetwin_command import hetwin
from support.plugins import needs

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import VARIABLE
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.following.log_file import LogFile
from hetwin_core.episodes.mcap_records import CHUNK, HEAD
from hetwin_core.episodes.tables.open import open_tables

BOMBS: dict[str, Callable[[], bytes]] = {
    "more than the limit": lambda: large_chunk(200),
    "more than it says": lambda: chunk(zeros("zstd", 200), "zstd", 1000),
    "many chunks of what is allowed": lambda: large_chunk(100) * 4,
    "millions of messages": lambda: chunk_of(message() * 1_000_000),
}


@pytest.fixture(params=BOMBS)
def hostile(request: pytest.FixtureRequest, make_run: Any) -> Path:
    """A run whose log unpacks to much more than it has."""
    run = make_run(steps=5)
    run.record()
    log: Path = run.out / "log" / "log.mcap"
    with_part(log, BOMBS[request.param]())
    assert log.stat().st_size < 300_000
    return Path(run.out)


def test_what_unpacks_to_much_is_refused_in_little_memory(hostile: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=r"more than (\d+ MiB|1000 bytes)") as caught:
            Episode.open(hostile)
        assert tracemalloc.get_traced_memory()[1] < 400 * MIB
    finally:
        tracemalloc.stop()
    assert "cannot be read" in str(caught.value)
    assert VARIABLE in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        *(("show", "--out", ".html"), ("ask", "--flaws"), ("show", "--no-browser")),
        pytest.param(("ask", "--sql", "SELECT 1"), marks=needs("hetwin_sql")),
    ],
    ids=" ".join,
)
def test_every_command_says_so_in_one_line(make_run: Any, command: tuple[str, ...]) -> None:
    run = make_run(steps=5)
    run.record()
    with_part(run.out / "log" / "log.mcap", BOMBS["more than the limit"]())
    said = hetwin(command[0], run.out, *command[1:])
    assert said.code == 2, said
    assert said.err.startswith(f"error: {run.out}"), said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not (run.out / "report.html").exists()


def test_a_trusted_log_may_be_larger(make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(steps=5)
    run.record()
    with_part(run.out / "log" / "log.mcap", BOMBS["more than the limit"]())
    monkeypatch.setenv(VARIABLE, "256")
    assert len(Episode.open(run.out).times)


def test_a_record_of_a_file_with_holes_is_not_read(make_run: Any) -> None:
    """A file may be of any size on paper, and take no room on the disk."""
    run = make_run(steps=5)
    run.record()
    log = run.out / "log" / "log.mcap"
    with_part(log, HEAD.pack(CHUNK, 20 * 2**30) + struct.pack("<QQQI", 0, 1, 8, 0))
    with log.open("r+b") as file:
        file.truncate(21 * 2**30)
    with pytest.raises(OSError, match="a part of it has more than 128 MiB"):
        list(LogFile(log).poll())


def test_kept_tables_that_are_compressed_are_not_read(make_run: Any) -> None:
    """They are made anew, as those of another version."""
    run = make_run(steps=5)
    run.record()
    open_tables(run.out)
    kept = run.out / "tables" / "found.npz"
    with zipfile.ZipFile(kept) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    packed = kept.read_bytes()
    open_tables(run.out)
    assert kept.read_bytes() != packed
