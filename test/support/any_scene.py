"""Strategies that make any scene and any event."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from support.any_layout import a_layout, numbers

MODELS = ("physics", "a")
times = st.integers(0, 2**31 * 10**9 - 1)


@st.composite
def a_scene(draw: st.DrawFn) -> Snapshot:
    layout: Layout = draw(a_layout())
    slots = len(layout.slots)
    parents = st.integers(-1, len(layout.entities) - 1)
    return Snapshot(
        layout,
        MODELS,
        draw(times),
        draw(numbers(layout.size)),
        np.array(draw(st.lists(st.integers(0, 1), min_size=slots, max_size=slots)), np.int32),
        np.array(draw(st.lists(parents, min_size=slots, max_size=slots)), np.int32),
        proximity_tables(draw(numbers(24)).reshape(2, 12)),
    )


an_event = st.builds(
    Event,
    st.text(max_size=5),
    times,
    st.sampled_from(EventKind),
    st.text(max_size=5),
    st.integers(0, 2**31),
    st.dictionaries(
        st.text(max_size=3),
        st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
        max_size=2,
    ),
)
