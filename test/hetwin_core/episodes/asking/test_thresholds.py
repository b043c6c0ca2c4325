"""A limit on one body's height or speed holds in just those states in which the expression is true."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_run import SmallRun

from hetwin_core.episodes.asking.reading import StateReader, Threshold, threshold
from hetwin_core.episodes.asking.terms import State
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.tables.open import Follower

CONDITIONS = [
    *('height("box") > 0.45', "height('box')<=0.5", 'speed("box") >= 0.1', 'speed("box") < 0.3'),
    *('height("ball") > 0.0', 'height("ball") > 9.0'),
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_it_holds_when_the_expression_is_true(text: str, small_run: SmallRun) -> None:
    tables = Follower(small_run.out).poll()
    reader = StateReader(tables)
    true = reader.read(State(text, {}), whole(tables)).truths
    times, _ = tables.poses.during("box", whole(tables))
    looked = np.asarray(times, np.int64)[::7]
    # As a part of a longer expression it is evaluated by the expression language.
    said = [reader.value(State(f"{text} && true", {}), int(t))[0] for t in looked]
    assert [true.at(int(t)) for t in looked] == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('height("box") > 0.9', Threshold("height", "box", ">", 0.9)),
        (" speed( 'a b' )<=-1e-3 ", Threshold("speed", "a b", "<=", -1e-3)),
        ('height("box") > 0.9 && true', None),
        ('height("box") == 0.9', None),
        ("height(c) > 0.9", None),
        ('2.0 * height("box") > 0.9', None),
    ],
)
def test_other_conditions_are_none(text: str, found: Threshold | None) -> None:
    assert threshold(text) == found
