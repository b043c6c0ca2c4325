"""Processes that tests start: none of them may be in ROS's default domain, where others are."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.ros_domains import VARIABLE

SPEAKS = re.compile(r"python|ros2|hetwin|launch|sh$|ip$|unshare|env$|make$|colcon")
"""Programs that speak ROS, or start one that does."""
_strays: list[str] = []


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "subprocess.Popen":
        return
    program, words, _, environment = arguments
    if environment is None or not SPEAKS.search(str(program or words)):
        return
    if environment.get(VARIABLE, "0") in ("", "0"):
        _strays.append(repr(words))


sys.addaudithook(_look)


@contextmanager
def none_in_the_default_domain() -> Iterator[None]:
    """Make sure that each process that is started meanwhile has a ROS domain of its own.

    One whose environment is not given has this process's.

    Raises:
        AssertionError: naming those that have none.
    """
    del _strays[:]
    yield
    strays, _strays[:] = _strays[:], []
    assert not strays, f"started without {VARIABLE} in its environment: {', '.join(strays)}"
