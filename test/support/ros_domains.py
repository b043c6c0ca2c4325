"""ROS_DOMAIN_IDs for tests: one each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.supervision.held_name import HeldName, Taken

DOMAINS = range(1, 102)
"""What the default ports allow, without 0, where everything else on the machine may be."""

VARIABLE = "ROS_DOMAIN_ID"

_held: list[HeldName] = []
_start = itertools.count(os.getpid())


def new_domain() -> int:
    """A domain that no other test on this machine uses until it is given back or this process ends.

    Raises:
        RuntimeError: if all are in use.
    """
    domain, held = _take()
    _held.append(held)
    return domain


@contextmanager
def own_domain() -> Iterator[int]:
    """A domain that no other test uses meanwhile, for everything that says none itself: it is in the environment."""
    before = os.environ.get(VARIABLE)
    domain, held = _take()
    os.environ[VARIABLE] = str(domain)
    try:
        with held:
            yield domain
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _take() -> tuple[int, HeldName]:
    for _ in DOMAINS:
        domain = DOMAINS[next(_start) % len(DOMAINS)]
        try:
            return domain, HeldName(holder(domain))
        except Taken:
            continue
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are in use by tests on this machine")


def holder(domain: int) -> str:
    """The name that a test holds as long as it uses a domain."""
    return f"hetwin/test_domain/{domain}"


def give_back_domains() -> None:
    """Let other tests have the domains that this process holds."""
    while _held:
        _held.pop().close()
