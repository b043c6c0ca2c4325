"""ROS_DOMAIN_IDs for tests: one each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.supervision.held_name import HeldName, NameTaken
from hetwin_core.wire.run_identity import participants_here

DOMAINS = range(1, 102)
"""What the default ports allow, without 0, where everything else on the machine may be."""

VARIABLE = "ROS_DOMAIN_ID"

_held: list[list[HeldName]] = [[]]
"""Domains that are held: those of the process, of a module's fixtures, and of a test."""
_start = itertools.count(os.getpid())


def new_domain() -> int:
    """A domain that nothing else on this machine uses until this test is over, or the module of this fixture.

    Raises:
        RuntimeError: if all are in use.
    """
    domain, held = _take()
    _held[-1].append(held)
    return domain


@contextmanager
def own_domain() -> Iterator[int]:
    """A domain that no other test uses meanwhile, for everything that says none itself: it is in the environment.

    It is given back at the end, with those that `new_domain` has given meanwhile.
    """
    before = os.environ.get(VARIABLE)
    _held.append([])
    domain = new_domain()
    os.environ[VARIABLE] = str(domain)
    try:
        yield domain
    finally:
        for held in _held.pop():
            held.close()
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _take() -> tuple[int, HeldName]:
    for _ in DOMAINS:
        domain = DOMAINS[next(_start) % len(DOMAINS)]
        if participants_here(domain):  # a run that no test started would refuse the test's
            continue
        try:
            return domain, HeldName(holder(domain))
        except NameTaken:
            continue
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are in use on this machine")


def holder(domain: int) -> str:
    """The name that a test holds as long as it uses a domain."""
    return f"hetwin/test_domain/{domain}"
