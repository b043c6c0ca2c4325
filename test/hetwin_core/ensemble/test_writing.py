"""Files are written whole or not at all, and what cannot be written is said with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.writing import write_files, write_text


def test_a_full_disk_is_said_with_the_room_that_is_left() -> None:
    words = r"/dev/full: --out: the page cannot be written: No space left on device, [\d.]+ MiB are free"
    with pytest.raises(BadInput, match=words):
        write_text(Path("/dev/full"), "text", "the page", "--out")


def test_a_link_leads_to_the_file_that_is_written(tmp_path: Path) -> None:
    file, link = tmp_path / "new" / "file", tmp_path / "link"
    write_text(file, "old")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert [path.name for path in file.parent.iterdir()] == ["file"]


@pytest.mark.parametrize("was_there", [False, True])
def test_nothing_is_left_of_files_of_which_one_cannot_be_written(
    tmp_path: Path, was_there: bool
) -> None:
    out = tmp_path / "out"
    texts = {out / "deep" / "er" / "one": "1", out / "two": "2", out / "two" / "three": "3"}
    if was_there:
        (out / "kept").mkdir(parents=True)
    with pytest.raises(BadInput, match=r"out: --out: the package cannot be written"):
        write_files(texts, out, "the package", "--out")
    assert [path.name for path in out.iterdir()] == ["kept"] if was_there else not out.exists()
