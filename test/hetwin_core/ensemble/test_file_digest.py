"""Digests of files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble import resources
from hetwin_core.ensemble.resources import file_digest


def test_content_counts_and_the_place_does_not(tmp_path: Path) -> None:
    for folder, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / folder / "bag").mkdir(parents=True)
        (tmp_path / folder / "bag" / "file.mcap").write_text(text)
    one, same, other = (file_digest(tmp_path / name) for name in "abc")
    assert one == same != other
    assert len(one) == 16
    (tmp_path / "a" / "bag" / "file.mcap").rename(tmp_path / "a" / "bag" / "renamed.mcap")
    assert file_digest(tmp_path / "a") != same


@pytest.mark.parametrize("change", [b"?23456789", b"12345678?", b"1234567890"])
def test_of_large_files_ends_and_size_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: bytes
) -> None:
    monkeypatch.setattr(resources, "_MAX_FULL_HASH_BYTES", 4)
    monkeypatch.setattr(resources, "_END_BYTES", 2)
    file = tmp_path / "large.mcap"
    file.write_bytes(b"123456789")
    before = file_digest(file)
    file.write_bytes(b"1234?6789")
    assert file_digest(file) == before
    file.write_bytes(change)
    assert file_digest(file) != before
