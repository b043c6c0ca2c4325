"""Who may come in by the door of a page, and how a browser finds it; needs no websockets.

Requests carry the token, and do not come from foreign pages.
"""

from __future__ import annotations

import atexit
import html
import ipaddress
import os
import secrets
import shutil
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installs

LOOPBACK = "127.0.0.1"
"""Where only this machine reaches a server."""
_LOCAL_NAMES = frozenset({"localhost", LOOPBACK, "::1"})
_ANY = frozenset({"0.0.0.0", "::"})
_TOKEN_BYTES = 18


@dataclass(frozen=True, slots=True)
class Doors:
    """Conditions of admission.

    Any web page in a browser on this machine can send requests to a server on it. It cannot forge their
    headers: ``Host`` is the name under which the server was found, ``Origin`` the asking page. Programs can; those of
    other users of this machine do not know the token.

    Attributes:
        host: where the server listens.
        token: part of the address that all requests must carry; empty for tools.
        tools: hosts whose secure pages may connect, as may applications of the desktop and pages that this machine
            serves; empty: only the server's own page may.
    """

    host: str
    token: str
    tools: Sequence[str] = ()

    @classmethod
    def of(cls, host: str, tools: Sequence[str] = ()) -> Doors:
        """The doors of a server, with a new token unless tools connect."""
        token = "" if tools else secrets.token_urlsafe(_TOKEN_BYTES)
        return cls(host, token, tools)

    def address(self, port: int) -> str:
        """The address for a browser."""
        host = socket.gethostname() if self.host in _ANY else self.host
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{port}/?token={self.token}"

    def refusal(self, path: str, headers: Mapping[str, str]) -> str | None:
        """Return why a request is refused; None if it is not.

        Args:
            path: with the query.
            headers: of the request; names in any case, as an HTTP library gives them.
        """
        host = headers.get("Host", "")
        if not self._is_ours(host):
            return f"this host is not served: {host or 'none was named'}"
        origin = headers.get("Origin")
        if origin is not None and not self._may_connect(origin, host):
            return f"pages of {origin} may not connect"
        if self.token:
            given = parse_qs(urlsplit(path).query).get("token", [""])[-1]
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                return "the address lacks the right token"
        return None

    def _may_connect(self, origin: str, host: str) -> bool:
        """Whether a page may; a tool's may come from anywhere below its host."""
        if origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return True
        name = _name_in(origin)
        known = any(name == tool or name.endswith(f".{tool}") for tool in self.tools)
        is_tool = known and origin.startswith("https://")
        return is_tool or (bool(self.tools) and (origin == "file://" or name in _LOCAL_NAMES))

    def _is_ours(self, host: str) -> bool:
        """Whether a name is one of this server's, with any port: tunnels have ports of their own."""
        name = _name_in(f"//{host}")
        if name in _LOCAL_NAMES:
            return True
        if not self.token:
            return False
        if self.host in _ANY:  # whoever comes by a number was not led here by a name
            return _is_number(name) or name == socket.gethostname().lower()
        return name == self.host.lower()


def _name_in(address: str) -> str:
    """The host that an address names; empty if it is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


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


def need_websockets(where: str) -> None:
    """Check that the server of pages is installed.

    Args:
        where: the option or command that serves one.

    Raises:
        BadInput: if it is not.
    """
    if find_spec("websockets") is None:
        raise BadInput(
            "what serves pages is not installed",
            where=where,
            expected=f"the extra view: {installs('view')}",
        )
