"""Opens pages in the user's browser."""

from __future__ import annotations

import os
import threading
import webbrowser

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def open_in_browser(address: str) -> None:
    """Open a page where there is a screen, without waiting for the browser."""
    if any(os.environ.get(name) for name in _DISPLAYS):
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
