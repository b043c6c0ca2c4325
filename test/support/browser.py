"""A real browser with software WebGL, for the tests that are marked ``browser``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
_FLAGS = (
    *("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-dev-shm-usage"),
)
SIZE = {"width": 660, "height": 420}
"""Software WebGL draws so many pixels in tolerable time."""
PATIENCE_MS = 60_000
"""How long something may take on a busy machine."""


class Watched:
    """A page, with what it asked for beyond itself, and its errors.

    Args:
        page: of the browser.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def tell(self, script: str, argument: Any = None) -> Any:
        """Evaluate JavaScript in the page."""
        return self.page.evaluate(script, argument)


def _executable() -> str:
    asked = os.environ.get("HETWIN_BROWSER", "")
    found = asked or next((path for name in _NAMES if (path := shutil.which(name))), "")
    if not found:
        reason = "there is no browser: apt install chromium-headless-shell, or set HETWIN_BROWSER"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; tests are skipped, with the package to install, where there is none.

    It ends with the module: as long as it is there, no other event loop runs in this thread.
    """
    from playwright.sync_api import sync_playwright

    path = _executable()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield started
        started.close()


@contextmanager
def open_page(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A page with an empty store of its own; ``offline=True`` without a network."""
    context = browser.new_context(viewport=SIZE, **options)
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield Watched(context.new_page())
    finally:
        context.close()
