"""Finds the Python bindings of Gazebo, whatever the release calls them.

Jetty has plain names, Ionic and Harmonic have the versions of their libraries in them. Nothing here is
imported unless a scenario asks for Gazebo, and the engine runs on the loopback interface, apart from any other
Gazebo of the machine.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PARTITION = f"hetwin_{os.getpid()}"
"""Gazebo's topics of one process do not meet those of another; GZ_PARTITION overrules it."""


@dataclass(frozen=True, slots=True)
class Release:
    """The names of one release's modules."""

    name: str
    sim: str
    math: str
    msgs: str
    transport: str


RELEASES = (
    Release("Jetty", "gz.sim", "gz.math", "gz.msgs", "gz.transport"),
    Release("Ionic", "gz.sim9", "gz.math8", "gz.msgs11", "gz.transport14"),
    Release("Harmonic", "gz.sim8", "gz.math7", "gz.msgs10", "gz.transport13"),
)
"""The releases that are known, the newest first."""


@dataclass(frozen=True, slots=True)
class Gazebo:
    """The modules of the release that is installed."""

    release: str
    sim: ModuleType
    math: ModuleType
    transport: ModuleType
    messages: str

    def message(self, module: str, name: str) -> Any:
        """A message type, such as ``Contacts`` in ``contacts_pb2``."""
        return getattr(import_module(f"{self.messages}.{module}"), name)


def installed() -> Release | None:
    """The newest release whose bindings can be found; nothing is imported."""
    return next((release for release in RELEASES if _is_there(release)), None)


def _is_there(release: Release) -> bool:
    names = (release.sim, release.math, release.msgs, release.transport)
    try:
        return all(find_spec(name) is not None for name in names)
    except ImportError:  # not even the package `gz`
        return False


@cache
def gazebo() -> Gazebo:
    """Import the bindings.

    Raises:
        ImportError: if there are none, or they do not load.
    """
    release = installed()
    if release is None:
        names = ", ".join(f"{r.sim} ({r.name})" for r in RELEASES)
        raise ImportError(f"Gazebo's Python bindings are not installed: found none of {names}")
    isolate(PARTITION)
    # First: without it Gazebo's own functions cannot return poses.
    math = import_module(release.math)
    sim = import_module(release.sim)
    found = Gazebo(release.name, sim, math, import_module(release.transport), release.msgs)
    try:
        found.message("pose_pb2", "Pose")
    except Exception as error:  # what is missing or too old or too new, protobuf says in many ways
        raise ImportError(
            f"the messages of Gazebo {release.name} cannot be imported: {type(error).__name__}: {error};"
            " they need the Python package protobuf in a version that fits"
        ) from error
    return found


def isolate(partition: str) -> None:
    """Keep Gazebo's messages on this machine and in a partition, unless the environment says otherwise."""
    os.environ.setdefault("GZ_IP", "127.0.0.1")
    os.environ.setdefault("GZ_PARTITION", partition)
