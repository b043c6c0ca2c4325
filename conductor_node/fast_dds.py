"""Environment variables that configure Fast DDS, ROS 2's usual middleware; other middlewares do not read them."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

from hetwin_core.ensemble.resources import resource


def fast_dds_variables() -> dict[str, str]:
    """Variables for nodes that start together, except those that the user has set.

    With them the nodes discover each other at once and communicate over UDP alone. In Fast DDS 3.2, a process that is
    killed while it creates its shared memory blocks every later one that wants the same port; on one machine UDP is as
    fast.
    """
    wanted = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4", _profile_variable(): _profile()}
    return {name: value for name, value in wanted.items() if name not in os.environ}


def discovers_quickly() -> bool:
    """Whether this process's environment has the profile with which nodes discover each other at once."""
    return os.environ.get(_profile_variable()) == _profile()


def _profile() -> str:
    return str(resource("launch", "fastdds_quick_discovery.xml"))


def _profile_variable() -> str:
    return f"{'FASTDDS' if _is_version_3() else 'FASTRTPS'}_DEFAULT_PROFILES_FILE"


def _is_version_3() -> bool:
    """Fast DDS 3 came with rclpy 9 (Kilted), and reads another variable for profiles than 2 did."""
    try:
        return int(version("rclpy").partition(".")[0]) >= 9
    except PackageNotFoundError:
        return True
