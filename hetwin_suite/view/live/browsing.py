"""Opens pages in the user's browser."""

from __future__ import annotations

import atexit
import html
import os
import shutil
import tempfile
import threading
import webbrowser
from pathlib import Path

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def open_in_browser(address: str) -> None:
    """Open a page where there is a screen, without waiting for the browser."""
    if any(os.environ.get(name) for name in _DISPLAYS):
        threading.Thread(target=webbrowser.open, args=(_leading_to(address),), daemon=True).start()


def _leading_to(address: str) -> str:
    """The address of a file that leads there; other users see the arguments of a browser, but not the file."""
    folder = tempfile.mkdtemp(prefix="hetwin-", dir=os.environ.get("XDG_RUNTIME_DIR"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder, "page.html")
    file.write_text(f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">', "utf-8")
    return file.as_uri()
