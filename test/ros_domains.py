"""ROS_DOMAIN_IDs for tests: one each."""

from __future__ import annotations

import itertools
import os

SHARE = 40
"""Domains for each of the test runner's processes; two processes fit below the limit of the default ports."""

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_domains = itertools.count(os.getpid() % SHARE)


def new_domain() -> int:
    """A domain that no other test uses at the same time; low enough for the default ports."""
    return 20 + SHARE * (_worker % 2) + next(_domains) % SHARE
