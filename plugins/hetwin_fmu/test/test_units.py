"""Units of measure are converted by what they mean, and refused if they measure something else."""

from __future__ import annotations

import math
from typing import Any

import pytest
from motor_unit import motor

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, POSE, AttributeSpec
from hetwin_fmu.archive import read_archive
from hetwin_fmu.units import Unit, UnitTable, unit_of_words, units_of

TABLE = UnitTable(
    {
        "degC": Unit((0, 0, 0, 0, 1, 0, 0, 0), 1.0, 273.15),
        "r/min": Unit((0, 0, -1, 0, 0, 0, 0, 1), math.pi / 30),
        "widget": None,
    }
)


@pytest.mark.parametrize(
    ("given", "wanted", "value", "expected"),
    [
        ("K", "degC", 293.15, 20.0),
        ("degC", "K", 20.0, 293.15),
        ("rad/s", "r/min", math.pi, 30.0),
        ("rad or m", "m", 2.0, 2.0),
        ("rad or m", "deg", math.pi, 180.0),
        ("Nm", "N.m", 3.0, 3.0),
        ("m/s2", "m/(s.s)", 3.0, 3.0),
        ("kg m^2/s", "g.m2/s", 1.0, 1000.0),
        ("1/s", "Hz", 5.0, 5.0),
        ("km/h", "km/h", 5.0, 5.0),
    ],
)
def test_values_are_converted(given: str, wanted: str, value: float, expected: float) -> None:
    found = TABLE.conversion(given, wanted, "inputs.x")
    assert found is not None
    assert value * found.factor + found.offset == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "wanted"), [("m", "K"), ("rad or m", "N"), ("Nm", "N"), ("rad", "1")]
)
def test_what_measures_something_else_is_refused(given: str, wanted: str) -> None:
    with pytest.raises(
        BadInput, match=r"inputs\.x: these units measure different things"
    ) as caught:
        TABLE.conversion(given, wanted, "inputs.x")
    assert caught.value.found == f"{given} for {wanted}"


@pytest.mark.parametrize(
    ("given", "wanted"), [("", "m"), ("m", ""), ("widget", "m"), ("m", "parsec")]
)
def test_what_is_not_known_is_not_compared(given: str, wanted: str) -> None:
    assert TABLE.conversion(given, wanted, "inputs.x") is None


@pytest.mark.parametrize("text", ["m/degC", "smoot", "m^x", "2 m"])
def test_words_that_mean_nothing(text: str) -> None:
    assert unit_of_words(text) is None


def test_each_number_of_an_attribute_has_its_unit() -> None:
    pose = ["m"] * 3 + ["quaternion wxyz"] * 4 + ["m/s"] * 3 + ["rad/s"] * 3
    assert units_of(POSE) == pose
    assert units_of(EXTERNAL_WRENCH) == ["N"] * 3 + ["Nm"] * 3
    assert units_of(AttributeSpec("covariance", 3, "m^2, m rad, rad^2")) == [""] * 3
    assert units_of(AttributeSpec("levels", 2, "m")) == ["m", "m"]


def test_those_of_a_unit_are_read_from_its_description() -> None:
    found: Any = read_archive(motor()).units
    assert found.units["V"] == Unit((1, 2, -3, -1, 0, 0, 0, 0))
    assert found.units["K"] == Unit((0, 0, 0, 0, 1, 0, 0, 0))
