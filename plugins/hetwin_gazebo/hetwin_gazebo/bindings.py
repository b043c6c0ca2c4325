"""Finds the Python bindings of Gazebo under the module names of each release.

Jetty has plain names; those of Ionic and Harmonic contain the versions of their libraries. The bindings are
imported only if a scenario uses Gazebo. The engine runs on the loopback interface, in a partition of its own.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from hetwin_suite.model import BadInput

_PARTITION = "GZ_PARTITION"
_WORLD_MARK_PREFIX = "/hetwin/world/"
_engine_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Release:
    """The module names of one release."""

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
"""The supported releases, newest first."""


@dataclass(frozen=True, slots=True)
class Gazebo:
    """The imported modules of the installed release."""

    release: str
    sim: ModuleType
    math: ModuleType
    transport: ModuleType
    messages: str

    def message(self, module: str, name: str) -> Any:
        """Return a message type, such as ``Contacts`` in ``contacts_pb2``."""
        return getattr(import_module(f"{self.messages}.{module}"), name)


def installed_release() -> Release | None:
    """Return the newest release whose bindings are installed, without importing them; None if there is none."""
    return next((release for release in RELEASES if _is_installed(release)), None)


def _is_installed(release: Release) -> bool:
    names = (release.sim, release.math, release.msgs, release.transport)
    try:
        return all(find_spec(name) is not None for name in names)
    except ImportError:  # even the package `gz` is missing
        return False


@cache
def gazebo() -> Gazebo:
    """Import the bindings.

    Raises:
        ImportError: if they are not installed or fail to load.
    """
    release = installed_release()
    if release is None:
        names = ", ".join(f"{r.sim} ({r.name})" for r in RELEASES)
        raise ImportError(f"Gazebo's Python bindings are not installed: found none of {names}")
    os.environ.setdefault("GZ_IP", "127.0.0.1")
    # Imported first: without it, Gazebo's functions cannot return poses.
    math = import_module(release.math)
    sim = import_module(release.sim)
    found = Gazebo(release.name, sim, math, import_module(release.transport), release.msgs)
    try:
        found.message("pose_pb2", "Pose")
    except (
        Exception
    ) as error:  # protobuf raises many kinds of errors if it is missing or has another version
        raise ImportError(
            f"the messages of Gazebo {release.name} cannot be imported: {type(error).__name__}: {error};"
            " they need the Python package protobuf in a version that matches"
        ) from error
    return found


def transport_node(partition: str | None, where: str) -> tuple[Any, str]:
    """Return a node that talks to Gazebo in other processes, and the name of its partition.

    Args:
        partition: partition of the processes; None: the environment's, or Gazebo's default.
        where: key or option with the partition, for errors.

    Raises:
        BadInput: if the name is invalid.
        ImportError: if the bindings are not installed.
    """
    transport = gazebo().transport
    options = transport.NodeOptions()
    if partition is not None:
        options.partition = partition
    if partition is not None and options.partition != partition:
        raise BadInput(
            "is not a name of a Gazebo partition",
            where=where,
            found=partition,
            expected="a name without spaces, such as GZ_PARTITION of that Gazebo",
        )
    return transport.Node(options), options.partition


def hetwin_worlds(topics: Iterable[str]) -> set[str]:
    """Return the worlds that engines of hetwin simulate in a partition, by the topics advertised in it."""
    return {
        topic.removeprefix(_WORLD_MARK_PREFIX)
        for topic in topics
        if topic.startswith(_WORLD_MARK_PREFIX)
    }


def world_mark_topic(world: str) -> str:
    """Return the topic that marks a world as an engine's own; nothing is published on it."""
    return _WORLD_MARK_PREFIX + world.replace(" ", "_")


def new_partition() -> str:
    """Return the transport partition of the next engine: the environment's GZ_PARTITION, or else a new one."""
    number = next(_engine_numbers)
    own = f"hetwin_{os.getpid()}" + (f"_{number}" if number else "")
    return os.environ.get(_PARTITION) or own


@contextmanager
def partition_in_environment(partition: str) -> Iterator[None]:
    """Set the partition of all nodes that are created meanwhile, in particular of Gazebo's server.

    Gazebo reads it only from the environment. Other code in the process or its children that talks to a Gazebo must not
    see it there.
    """
    before = os.environ.get(_PARTITION)
    os.environ[_PARTITION] = partition
    try:
        yield
    finally:
        if before is None:
            del os.environ[_PARTITION]
        else:
            os.environ[_PARTITION] = before
