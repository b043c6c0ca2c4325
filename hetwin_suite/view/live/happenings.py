"""What has happened in a run, for many readers who each come when they can."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from itertools import islice

from hetwin_suite.view.live.feed import Happening

MOST = 5000
"""What is older is forgotten: pages that open late show the last of a long run, its report shows all."""


class Happenings:
    """The newest happenings, each with a number; may be used from any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._kept: deque[Happening] = deque(maxlen=most)
        self._count = 0

    def add(self, happening: Happening) -> None:
        """Add the newest."""
        with self._lock:
            self._kept.append(happening)
            self._count += 1

    def since(self, number: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed.happened`."""
        with self._lock:
            first = self._count - len(self._kept)
            return self._count, tuple(islice(self._kept, max(0, number - first), None))
