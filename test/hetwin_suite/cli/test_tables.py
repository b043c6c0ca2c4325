"""Tables in pipes and on terminals of any width: aligned, and no name is cut."""

from __future__ import annotations

import pytest

from hetwin_suite._commands.result import table_lines

HEADER = ("type", "steps", "what it is")
ROWS = [
    ("in_hand_localization", "service, 50/s", "Estimates the pose of an object in the hand."),
    ("fluid", "as main", "Particles in a cup."),
]


def test_in_a_pipe_each_row_is_one_line() -> None:
    assert table_lines(HEADER, ROWS) == [
        "type                  steps          what it is",
        "in_hand_localization  service, 50/s  Estimates the pose of an object in the hand.",
        "fluid                 as main        Particles in a cup.",
    ]


@pytest.mark.parametrize("width", [20, 30, 50, 62, 80, 120])
def test_no_word_is_cut_on_any_terminal(width: int) -> None:
    lines = table_lines(HEADER, ROWS, width)
    words = [word for line in lines for word in line.split()]
    for row in ROWS:
        for word in " ".join(row).split():
            assert word in words
    assert all(len(line) <= max(width, 4 + len("in_hand_localization")) for line in lines)


def test_a_narrow_terminal_gets_paragraphs() -> None:
    assert table_lines(HEADER, ROWS[1:], 30) == [
        "fluid",
        "    steps: as main",
        "    Particles in a cup.",
    ]


def test_the_last_column_is_wrapped_below_itself() -> None:
    assert table_lines(HEADER, ROWS, 62) == [
        "type                  steps          what it is",
        "in_hand_localization  service, 50/s  Estimates the pose of an",
        "                                     object in the hand.",
        "fluid                 as main        Particles in a cup.",
    ]
