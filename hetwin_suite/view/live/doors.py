"""Access control of page servers, and opening of a page in the browser; works without websockets.

Requests must carry the token, and must not come from foreign pages.
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
from hetwin_core.ensemble.installed import install_command

LOOPBACK = "127.0.0.1"
"""Address at which a server is reachable only from this machine."""
_LOCAL_NAMES = frozenset({"localhost", LOOPBACK, "::1"})
_ANY = frozenset({"0.0.0.0", "::"})
_TOKEN_BYTES = 18


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Access rules of a server.

    Any web page in a browser on this machine can send requests to the server, but cannot forge the headers ``Host``
    (the name by which the server was found) and ``Origin`` (the requesting page). Programs can forge headers, but
    programs of other users do not know the token.

    Attributes:
        host: address at which the server listens.
        token: token that the address of each request must contain; empty for servers of tools.
        tools: hosts whose https pages may connect. If there are any, desktop applications and pages served by this
            machine may connect, too; if empty, only the server's own page may.
    """

    host: str
    token: str
    tools: Sequence[str] = ()

    @classmethod
    def of(cls, host: str, tools: Sequence[str] = ()) -> AccessRules:
        """Return the rules of a server, with a new token unless tools connect."""
        token = "" if tools else secrets.token_urlsafe(_TOKEN_BYTES)
        return cls(host, token, tools)

    def address(self, port: int) -> str:
        """Return the address for a browser."""
        host = socket.gethostname() if self.host in _ANY else self.host
        bracketed = f"[{host}]" if ":" in host else host
        return f"http://{bracketed}:{port}/?token={self.token}"

    def refusal(self, path: str, headers: Mapping[str, str]) -> str | None:
        """Return why a request is refused; None if it is not.

        Args:
            path: path with the query.
            headers: headers of the request; a mapping that ignores the case of names.
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
        """Whether a page may connect: the server's own, a tool's (also of a subdomain), or a local one if tools may."""
        if origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return True
        name = _name_in(origin)
        known = any(name == tool or name.endswith(f".{tool}") for tool in self.tools)
        is_tool = known and origin.startswith("https://")
        return is_tool or (bool(self.tools) and (origin == "file://" or name in _LOCAL_NAMES))

    def _is_ours(self, host: str) -> bool:
        """Whether a ``Host`` header names this server; any port is accepted, as tunnels use other ports."""
        name = _name_in(f"//{host}")
        if name in _LOCAL_NAMES:
            return True
        if not self.token:
            return False
        if self.host in _ANY:  # a numeric address excludes DNS rebinding
            return _is_number(name) or name == socket.gethostname().lower()
        return name == self.host.lower()


def _name_in(address: str) -> str:
    """Return the host in an address; empty if the address is invalid."""
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
    """Open a page in a browser if there is a screen, without waiting for the browser."""
    if any(os.environ.get(name) for name in _DISPLAYS):
        threading.Thread(target=webbrowser.open, args=(_redirect(address),), daemon=True).start()


def _redirect(address: str) -> str:
    """Write a file that redirects to an address; returns its URI.

    Other users can see the arguments of a browser, and with them the token, but cannot read the file.
    """
    folder = tempfile.mkdtemp(prefix="hetwin-", dir=os.environ.get("XDG_RUNTIME_DIR"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder, "page.html")
    file.write_text(f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">', "utf-8")
    return file.as_uri()


def require_websockets(where: str) -> None:
    """Check that websockets is installed.

    Args:
        where: the option or command that serves a page.

    Raises:
        BadInput: if it is not.
    """
    if find_spec("websockets") is None:
        raise BadInput(
            "the server of pages is not installed",
            where=where,
            expected=f"the extra view: {install_command('view')}",
        )
