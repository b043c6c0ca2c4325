"""The interface of a Gazebo, in this process or in a server, that the engine steps, and the clock of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from hetwin_gazebo.contacts import Contact
from hetwin_gazebo.proxies.proxy import Picture, Proxy
from hetwin_gazebo.proxies.selection import ProxyKind


class Clock:
    """Counts periods, so that rounding errors do not accumulate.

    Attributes:
        period: duration of a period [s].
        periods: number of elapsed periods.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.periods = 0

    @property
    def seconds(self) -> float:
        """Current time [s]."""
        return self.periods * self.period

    def ns(self, fraction: float = 0.0) -> int:
        """Return the time after a fraction of the next period [ns]."""
        return round((self.periods + fraction) * self.period * 1e9)


class LockStep(Protocol):
    """A world of a Gazebo that steps only on request."""

    @property
    def proxies(self) -> Mapping[tuple[str, ProxyKind], Proxy]:
        """(object, kind) -> its model."""

    @property
    def bases(self) -> Mapping[str, Proxy]:
        """Robot with a free or moving base -> its model."""

    @property
    def pictures(self) -> Mapping[str, Picture]:
        """Object -> the model that shows it, if not a proxy; available after the start of the first step."""

    @property
    def pictures_of(self) -> frozenset[str]:
        """Names of the objects with pictures."""

    @property
    def joints(self) -> Sequence[Any]:
        """The joints in the engine's order."""

    @property
    def balls(self) -> Sequence[Any]:
        """The ball joints, in the order of `balls.ball_names`."""

    @property
    def frame_of(self) -> Mapping[int, str]:
        """Gazebo's id of a collision -> name of its frame."""

    def step(self, command: Callable[[Any], None]) -> Any:
        """Advance by one step, and return the object through which handles read the state and give commands.

        `command` is called with this object, before physics.
        """

    def contacts(self) -> list[Contact]:
        """The contacts of the last step."""

    def new_contacts(self) -> list[tuple[int, list[Contact]]]:
        """Return at least the robots' contacts of all known steps since the last call; the first call returns none.

        Each step has its age [ns].
        """

    def close(self) -> None:
        """Disconnect from the world."""
