"""ROS_DOMAIN_IDs for tests: one each."""

from __future__ import annotations

import itertools
import os
import socket

DOMAINS = range(1, 102)
"""What the default ports allow, without 0, where everything else on the machine may be."""

_held: list[socket.socket] = []
_start = itertools.count(os.getpid())


def new_domain() -> int:
    """A domain that no other test on this machine uses until it is given back or this process ends.

    Each is held by a socket with a name that only one process can have: the kernel frees it however the process
    ends, and it reaches as far as the domain itself, to everyone on this host. No file is left anywhere.

    Raises:
        RuntimeError: if all are in use.
    """
    for _ in DOMAINS:
        domain = DOMAINS[next(_start) % len(DOMAINS)]
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(holder(domain))
        except OSError:
            held.close()
            continue
        _held.append(held)
        return domain
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are in use by tests on this machine")


def holder(domain: int) -> str:
    """Name of the socket that holds a domain; the leading zero keeps it out of the file system."""
    return f"\0hetwin_test_domain_{domain}"


def give_back_domains() -> None:
    """Let other tests have the domains that this process holds."""
    while _held:
        _held.pop().close()
