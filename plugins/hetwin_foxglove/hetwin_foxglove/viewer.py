"""The viewer of ``--foxglove``: see `Viewer` of hetwin_suite.viewer."""

from __future__ import annotations

from hetwin_foxglove.live import FoxgloveLive
from hetwin_foxglove.replay import Replay

follow, play = FoxgloveLive, Replay
