"""Forces of contacts from the balance of momentum, without Gazebo."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_gazebo.touching import UNBALANCED, Balance

WEIGHT = np.array((0.0, 0.0, 5.0))
NONE = np.zeros((2, 3))


def test_what_rests_on_one_body_gets_its_force_from_there() -> None:
    forces = Balance().forces([(0, UNBALANCED)], WEIGHT[None, :], np.zeros((1, 3)))
    assert forces == pytest.approx(WEIGHT[None, :])


def test_the_lower_one_of_a_stack_bears_both() -> None:
    balance, pairs = Balance(), [(0, UNBALANCED), (0, 1)]
    assert not balance.is_ambiguous(pairs)
    forces = balance.forces(pairs, np.array((WEIGHT, 2 * WEIGHT)), np.ones((2, 3)))
    assert forces == pytest.approx(np.array((3 * WEIGHT, -2 * WEIGHT)))


def test_two_fingers_leave_the_squeeze_open_and_it_is_taken_from_the_guess() -> None:
    balance, pairs = Balance(), [(0, UNBALANCED), (0, UNBALANCED)]
    assert balance.is_ambiguous(pairs)
    squeeze = np.array(((0.0, 7.0, 0.0), (0.0, -7.0, 0.0)))
    forces = balance.forces(pairs, WEIGHT[None, :], squeeze)
    assert forces == pytest.approx(squeeze + WEIGHT / 2)


def test_the_balance_of_other_pairs_is_not_kept() -> None:
    balance = Balance()
    balance.forces([(0, UNBALANCED), (0, UNBALANCED)], WEIGHT[None, :], NONE)
    assert not balance.is_ambiguous([(0, UNBALANCED)])
    forces = balance.forces([(UNBALANCED, 0)], WEIGHT[None, :], np.zeros((1, 3)))
    assert forces == pytest.approx(-WEIGHT[None, :])


def test_pairs_of_bodies_outside_keep_their_guess() -> None:
    guess = np.array(((1.0, 2.0, 3.0),))
    assert Balance().forces([(UNBALANCED, UNBALANCED)], np.zeros((0, 3)), guess) == pytest.approx(
        guess
    )
