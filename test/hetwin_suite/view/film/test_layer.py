"""Rows over time: what repeats is kept once, and 16 bits hold what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.view.film.film import Layer, layer_header

COLUMNS = ("entity", "x")


def layer() -> Layer:
    return Layer.of(
        "things",
        COLUMNS,
        [
            (0.5, np.empty((0, 2))),
            (1.0, np.array([[3.0, -1.25], [7.0, 2.0]])),
            (1.5, np.array([[3.0, -1.25], [7.0, 2.0]])),
            (2.0, np.array([[7.0, 2.5]])),
            (2.5, np.empty((0, 2))),
        ],
    )


def test_rows_hold_until_they_are_replaced() -> None:
    found = layer()
    assert found.at(0.4).tolist() == []
    assert found.at(1.99).tolist() == [[3.0, -1.25], [7.0, 2.0]]
    assert found.at(2.0).tolist() == [[7.0, 2.5]]
    assert found.at(9.0).tolist() == []


def test_what_repeats_is_kept_once() -> None:
    assert layer().times.tolist() == [0.5, 1.0, 2.0, 2.5]


def test_a_header_gives_the_numbers_back() -> None:
    arrays: list[NDArray[Any]] = []

    def place(array: NDArray[Any]) -> dict[str, Any]:
        arrays.append(array)
        return {}

    found = layer()
    header = layer_header(found, place)
    times, begins, counted = arrays
    assert times.tolist() == found.times.tolist()
    assert begins.tolist() == [0, 0, 2, 3, 3]
    assert counted.dtype == np.int16
    low, step = np.array(header["low"]), np.array(header["step"])
    back = low + (counted.T.astype(float) + 32768) * step
    assert np.abs(back - found.numbers).max() < 1e-4
    assert np.rint(back[:, 0]).tolist() == found.numbers[:, 0].tolist()


def test_a_layer_without_rows_has_a_header() -> None:
    header = layer_header(Layer.of("none", COLUMNS, []), lambda _: {})
    assert header["low"] == [0.0, 0.0]
