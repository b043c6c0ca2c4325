"""The scales: what is given replaces only that, and more is never less severe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.errors import BadInput
from model_nodes.robot_health.settings import Scale, Settings


def scales() -> dict[str, Scale]:
    fields = Settings.model_fields
    return {name: f.default for name, f in fields.items() if isinstance(f.default, Scale)}


def test_only_what_is_given_is_replaced() -> None:
    settings = Settings.read({"link_touches": {"warning": 0.01}})
    assert settings.link_touches == Scale(note=1e-6, warning=0.01, absurd=0.02)
    assert settings.jump == Settings().jump


def test_null_switches_a_severity_off() -> None:
    settings = Settings.read({"link_touches": {"absurd": None, "warning": None}})
    assert settings.link_touches.severity(5.0) is Severity.NOTE


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"link_touches": {"wrning": 1.0}}, "link_touches.wrning"),
        ({"link_touches": {"warning": "deep"}}, "link_touches.warning"),
        ({"link_touches": 0.01}, "link_touches"),
        ({"known_touches": [{"link": "a"}]}, "known_touches.0.partner"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, object], where: str) -> None:
    with pytest.raises(BadInput) as error:
        Settings.read(given)
    assert error.value.where == where


@pytest.mark.parametrize("name", scales())
def test_the_thresholds_rise(name: str) -> None:
    scale = scales()[name]
    limits = [x for x in (scale.note, scale.warning, scale.absurd) if x is not None]
    assert limits == sorted(set(limits))
    assert scale.least == limits[0]


@given(st.sampled_from(list(scales().values())), st.floats(0, 100), st.floats(0, 100))
def test_more_is_never_less_severe(scale: Scale, a: float, b: float) -> None:
    low, high = (scale.severity(x) for x in sorted((a, b)))
    assert low is None or (high is not None and high.rank >= low.rank)
    assert (scale.severity(a) is None) == (a < scale.least)
