"""What is read is regular, and no larger than the limit, whatever it is packed with."""

from __future__ import annotations

import bz2
import errno
import os
import zlib
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from lz4.frame import LZ4FrameDecompressor
from rosbags.rosbag2.storage_mcap import zstd
from support.bombs import MIB, archive, zeros

from hetwin_core.ensemble.limits import (
    VARIABLE,
    Decompressor,
    TooLarge,
    check_files,
    check_total,
    copy,
    max_bytes,
    parse_json,
    read_bytes,
    read_json,
    read_text,
    unpacked,
)

STREAMS: dict[str, Callable[[], Decompressor]] = {
    "zstd": zstd.ZstdDecompressor,
    "lz4": LZ4FrameDecompressor,
    "bz2": bz2.BZ2Decompressor,
    "gzip": partial(zlib.decompressobj, 31),
}


@pytest.fixture(autouse=True)
def one_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")


@pytest.mark.parametrize("kind", STREAMS)
def test_streams_are_unpacked_up_to_the_limit(kind: str) -> None:
    make, one = STREAMS[kind], zeros(kind, 1)
    assert unpacked(make, one) == bytes(MIB)
    assert unpacked(make, memoryview(one), MIB) == bytes(MIB)
    with pytest.raises(
        TooLarge, match=f"it unpacks to more than 1 MiB; if trusted, set {VARIABLE}"
    ):
        unpacked(make, zeros(kind, 2))
    with pytest.raises(TooLarge, match="it unpacks to more than 1000 bytes"):
        unpacked(make, one, 1000)
    with pytest.raises(EOFError, match="is truncated"):
        unpacked(make, one[:-5])


@pytest.mark.parametrize("kind", STREAMS)
def test_several_streams_are_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")
    assert unpacked(STREAMS[kind], zeros(kind, 3)) == bytes(3 * MIB)


def test_what_says_that_it_is_too_large_is_not_unpacked() -> None:
    with pytest.raises(TooLarge, match="it is declared to unpack to more than 1 MiB"):
        unpacked(STREAMS["zstd"], b"nothing", MIB + 1)


def test_a_stream_may_unpack_to_many_times_a_large_file() -> None:
    check_total(packed=MIB, unpacked=49 * MIB)
    with pytest.raises(TooLarge, match="it unpacks to more than 50 MiB"):
        check_total(packed=MIB, unpacked=51 * MIB)
    target = BytesIO()
    with zstd.open(BytesIO(zeros("zstd", 4))) as source, pytest.raises(TooLarge):
        copy(source, target, 100)
    assert target.tell() <= 3 * MIB


def test_the_files_of_an_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {"a": 10})
    check_files(path, {"a": MIB, "b": MIB})
    with pytest.raises(TooLarge, match="b has more than 1 MiB"):
        check_files(path, {"a": 1, "b": MIB + 1})
    with pytest.raises(TooLarge, match="it unpacks to more than 2 MiB"):
        check_files(path, {"a": MIB, "b": MIB, "c": 1})


def test_a_limit_that_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(OSError, match="HETWIN_LARGEST_MIB='much' is not a whole number"):
        max_bytes()
    monkeypatch.delenv(VARIABLE)
    assert max_bytes() == 128 * MIB


def test_files_are_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(MIB))
    assert read_bytes(path) == bytes(MIB)
    assert len(read_text(path)) == MIB
    with pytest.raises(TooLarge, match="it is too large: it has more than 5 bytes"):
        read_bytes(path, 5)
    os.truncate(path, 10 * 2**30)  # holds nothing
    with pytest.raises(TooLarge, match="more than 1 MiB"):
        read_bytes(path)


def test_what_may_never_end_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), Path("/dev/tty"), tmp_path / "pipe"):
        with pytest.raises(OSError, match="not a regular file"):
            read_bytes(path)
    with pytest.raises(IsADirectoryError) as caught:
        read_bytes(tmp_path)
    assert caught.value.errno == errno.EISDIR


def test_json_of_many_values_of_none_of_them_large(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, 2.5, "x"]}')
    assert read_json(path) == {"a": [1, 2.5, "x"]}
    many = "[" + "[]," * 400_000 + "[]]"
    for content in (many, many.encode()):
        with pytest.raises(TooLarge, match="its values take more than"):
            parse_json(content)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 100_000)
    with pytest.raises(ValueError, match="a number has 400 digits; expected at most 300"):
        parse_json("1" * 400)


def test_what_looks_regular_and_has_nothing_to_read_is_not_waited_for() -> None:
    log = Path("/proc/kmsg")
    if not os.access(log, os.R_OK):
        pytest.skip("the kernel's messages cannot be read here")
    for _ in range(10_000):  # until there is nothing more
        try:
            read_bytes(log)
        except OSError as error:
            assert "nothing to read" in str(error)  # noqa: PT017 (the loop goes on otherwise)
            return
    raise AssertionError("there is always something to read")
