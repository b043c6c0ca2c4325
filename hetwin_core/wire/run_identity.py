"""The identity of a run, shared by its conductor, models' nodes and client; and its claim to a namespace.

A run's token is drawn by the process that starts it, and is in all messages by which its parts recognise each
other. A run also claims its namespace of its ROS domain, because two runs there would publish on the same topics.
The claim's scope is the machine's network; `conductor_node.status` looks for runs on other machines.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.supervision.held_name import (
    HeldName,
    NameTaken,
    held_below,
    holder,
    shortened,
)

_TOKEN_BYTES = 4
_MAX_NAME_LENGTH = 80
_DOMAIN = "ROS_DOMAIN_ID"
_FIRST_PORT, _PORTS_OF_DOMAIN, _UNICAST = 7400, 250, 10
_UDP = (Path("/proc/net/udp"), Path("/proc/net/udp6"))


def new_token() -> str:
    """Return the token of a new run, e.g. ``r3f2a91c0``; ROS reads it as a text, not as a number."""
    return f"r{secrets.token_hex(_TOKEN_BYTES)}"


def is_foreign(requested: str, own: str) -> bool:
    """Whether the token of a request belongs to a different run; an empty token matches any run."""
    return bool(requested and own and requested != own)


def refuse_foreign(requested: str, own: str, what: str, us: str) -> None:
    """Refuse a request for another run; one without a token is accepted.

    Args:
        requested: token of the request.
        own: token of the run that received it.
        what: the request in words, e.g. ``the registration of 'grasp'``.
        us: the receiver, e.g. ``the conductor in process 12``.

    Raises:
        Refused: if it is for another run.
    """
    if is_foreign(requested, own):
        raise Refused(f"{what} is for run {requested}; {us} belongs to run {own}")


def domain_id() -> int:
    """The ROS domain of the environment.

    Raises:
        BadInput: if it is no number.
    """
    text = os.environ.get(_DOMAIN, "").strip() or "0"
    try:
        return int(text)
    except ValueError:
        raise BadInput(
            "this is not a ROS domain", where=_DOMAIN, found=text, expected="a number, as 0 to 101"
        ) from None


def participants_here(domain: int) -> int:
    """Count the participants of a ROS domain on this machine by their UDP ports (RTPS 2.5, 9.6.2.4)."""
    first = _FIRST_PORT + _PORTS_OF_DOMAIN * domain + _UNICAST
    wanted = set(range(first, first + _PORTS_OF_DOMAIN - _UNICAST, 2))
    return len(wanted & {port for table in _UDP for port in _bound_ports(table)})


def _bound_ports(table: Path) -> Iterator[int]:
    """Yield the local ports of one of the kernel's socket tables, /proc/net/udp or /proc/net/udp6."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        yield int(line.split()[1].rpartition(":")[2], 16)


def absolute(namespace: str) -> str:
    """A namespace with a leading slash and no trailing one; ``/`` for the empty one."""
    return f"/{namespace.strip('/')}"


class Claim:
    """A run's claim to a namespace, until it is closed or all processes that inherited it have ended.

    Args:
        namespace: namespace of the run's nodes.
        token: token of the run.
        domain: ROS domain; None: that of the environment.

    Raises:
        BadInput: if another run on this machine has it.
    """

    def __init__(self, namespace: str, token: str, domain: int | None = None) -> None:
        domain = domain_id() if domain is None else domain
        name = _name(domain, namespace)
        try:
            self._held = HeldName(name)
        except NameTaken as taken:
            raise _refusal(namespace, domain, str(taken), held_below(f"{name}#")) from None
        try:
            self._token = HeldName(f"{name}#{token}")
        except NameTaken:  # another process has drawn the same token, or misuses the name
            self._held.close()
            raise _refusal(namespace, domain, holder(f"{name}#{token}") or "", [token]) from None

    @staticmethod
    def is_held(namespace: str, token: str, domain: int) -> bool:
        """Whether the process that started a run holds the claim for it."""
        return holder(f"{_name(domain, namespace)}#{token}") is not None

    @property
    def files(self) -> tuple[int, int]:
        """The descriptors that hold it; a process that inherits them holds it too."""
        return self._held.file, self._token.file

    def close(self) -> None:
        """Release the claim."""
        self._token.close()
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def taken_by_another(namespace: str, domain: int, who: str) -> BadInput:
    """The error of a run whose namespace another run has claimed.

    Args:
        namespace: their namespace.
        domain: their ROS domain.
        who: the other run, in words.
    """
    return BadInput(
        f"another run, {who}, has the namespace {absolute(namespace)!r} of ROS domain {domain}: both would publish on"
        " the same topics. Nothing was started",
        where="namespace",
        expected=f"--namespace NAME (namespace:=NAME of a launch) for this one, or another {_DOMAIN}",
    )


def _refusal(namespace: str, domain: int, who: str, tokens: list[str]) -> BadInput:
    with suppress(IndexError):
        who = f"{tokens[0]} ({who})"
    return taken_by_another(namespace, domain, who)


def _name(domain: int, namespace: str) -> str:
    return shortened(f"hetwin/run/{domain}{absolute(namespace)}", _MAX_NAME_LENGTH)
