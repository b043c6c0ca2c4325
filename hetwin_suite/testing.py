"""A twin in tests: recordings are replayed by pytest, and a test fails where a claim does not hold.

The plugin is there where hetwin and pytest are installed. A file ``NAME.hetwin.yaml`` beside tests is a list of
recordings, scenarios and what must hold (`docs/ci.md`); in Python, the fixture `twin` replays::

    from hetwin_suite.testing import Twin


    def test_the_box_is_delivered(twin: Twin) -> None:
        twin.run("pick_and_place").expect('holds(on("box", "tray"), at(end))', verdict="fine")
"""

from __future__ import annotations

from hetwin_suite._testing.twin import DoesNotHold, Twin, TwinRun

__all__ = ["DoesNotHold", "Twin", "TwinRun"]
