"""The browser is led to a page without its address among the arguments of a process, which all users see."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hetwin_suite.view.live import doors


def test_the_token_is_in_a_file_of_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    done = threading.Event()

    def browser(address: str) -> None:
        opened.append(address)
        done.set()

    monkeypatch.setattr(doors.webbrowser, "open", browser)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    doors.open_in_browser("http://127.0.0.1:8770/?token=abc")
    assert done.wait(10)
    assert opened[0].startswith("file:///")
    file = Path(unquote(urlsplit(opened[0]).path))
    assert 'content="0; url=http://127.0.0.1:8770/?token=abc"' in file.read_text()
    assert file.parent.stat().st_mode & 0o077 == 0
