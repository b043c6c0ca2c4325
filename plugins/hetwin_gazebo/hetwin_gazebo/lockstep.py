"""What the engine needs of a Gazebo, in this process or in a server of its own, and the time of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from hetwin_gazebo.contacts import Contact
from hetwin_gazebo.proxies.proxy import Picture, Proxy
from hetwin_gazebo.proxies.selection import ProxyKind


class Clock:
    """Counts periods, so that rounding errors do not accumulate.

    Attributes:
        period: duration of one [s].
        periods: number of periods that have elapsed.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.periods = 0

    @property
    def seconds(self) -> float:
        """The current time [s]."""
        return self.periods * self.period

    def ns(self, share: float = 0.0) -> int:
        """The time after a fraction of the next period [ns]."""
        return round((self.periods + share) * self.period * 1e9)


class LockStep(Protocol):
    """A world of a Gazebo, which makes steps only when asked for them."""

    @property
    def proxies(self) -> Mapping[tuple[str, ProxyKind], Proxy]:
        """(object, kind) -> its model."""

    @property
    def bases(self) -> Mapping[str, Proxy]:
        """Robot whose base is not fixed -> its model."""

    @property
    def pictures(self) -> Mapping[str, Picture]:
        """Object -> the model that shows it, if that is none of its proxies; once the first step has begun."""

    @property
    def pictures_of(self) -> frozenset[str]:
        """The objects that have pictures."""

    @property
    def joints(self) -> Sequence[Any]:
        """The joints in the engine's order."""

    @property
    def balls(self) -> Sequence[Any]:
        """The ball joints, in the order of `balls.ball_names`."""

    @property
    def frame_of(self) -> Mapping[int, str]:
        """Gazebo's id of a collision -> name of the frame to which it belongs."""

    def step(self, command: Callable[[Any], None]) -> Any:
        """Advance by one step; returns what the handles read the state from, and take commands with.

        `command` is called with the same, before physics.
        """

    def contacts(self) -> list[Contact]:
        """The contacts of the last step."""

    def new_contacts(self) -> list[tuple[int, list[Contact]]]:
        """The contacts of all steps that are known since the last call, the first of which begins with none.

        Each step has how long it is ago [ns].
        """

    def close(self) -> None:
        """Let go of the world."""
