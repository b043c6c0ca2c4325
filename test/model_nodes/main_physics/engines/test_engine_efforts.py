"""Every engine computes the efforts that a motion of the robot needs."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import at, box, loaded

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Inertial,
    Joint,
    JointKind,
    Link,
)

G = 9.81
NO_FORM: tuple[()] = ()


def hinge(name: str, parent: str, child: str, **more: float) -> Joint:
    return Joint(name, JointKind.HINGE, parent, child, (0.0, 1.0, 0.0), **more)


def pendulum(inertia: float = 0.0, mass: float = 2.0, **more: float) -> Body:
    """A mass 0.5 m in front of a hinge about y, which lowers it by turning forwards."""
    link = Link(
        "rod", IDENTITY, NO_FORM, Inertial(mass, at(0.5, 0, 0), (inertia,) * 3 + (0.0,) * 3)
    )
    base = Link("base", IDENTITY, NO_FORM, Inertial(1.0))
    return Body("p", (base, link), (hinge("swing", "base", "rod", **more),), IDENTITY, True, True)


def efforts(
    engine: Engine, positions: list[float], velocities: list[float], accelerations: list[float]
) -> Floats:
    return engine.expected_efforts(*map(np.array, (positions, velocities, accelerations)))


@pytest.mark.parametrize("angle", [0.0, 0.5, -1.2, np.pi / 2, 3.0])
def test_a_pendulum_is_held_against_gravity(engine: Engine, angle: float) -> None:
    loaded(engine, pendulum())
    torque = -2.0 * G * 0.5 * np.cos(angle)
    assert efforts(engine, [angle], [0.0], [0.0]) == pytest.approx([torque], abs=1e-9)


def test_acceleration_damping_and_friction_add_up(engine: Engine) -> None:
    loaded(engine, pendulum(0.1, damping=0.3, friction=0.7))
    gravity = -2.0 * G * 0.5
    moment = 0.1 + 2.0 * 0.5**2
    found = efforts(engine, [0.0], [1.5], [4.0])
    assert found == pytest.approx([gravity + 4.0 * moment + 0.3 * 1.5 + 0.7], abs=1e-9)
    assert efforts(engine, [0.0], [-1.5], [0.0]) == pytest.approx([gravity - 0.45 - 0.7], abs=1e-9)
    assert efforts(engine, [0.0], [0.0], [0.0]) == pytest.approx([gravity], abs=1e-9)


def two_bars(engine: Engine) -> Engine:
    """An arm in the plane x, z of point masses, whose hinges turn about -y, so that angles count upwards."""
    first = Link("first", IDENTITY, NO_FORM, Inertial(1.5, at(0.3, 0, 0), (0.02,) * 3 + (0.0,) * 3))
    second = Link(
        "second", at(0.6, 0, 0), NO_FORM, Inertial(0.8, at(0.2, 0, 0), (0.01,) * 3 + (0.0,) * 3)
    )
    joints = (
        Joint("one", JointKind.HINGE, "base", "first", (0.0, -1.0, 0.0)),
        Joint("two", JointKind.HINGE, "first", "second", (0.0, -1.0, 0.0)),
    )
    links = (Link("base", IDENTITY, NO_FORM, Inertial(1.0)), first, second)
    return loaded(engine, Body("arm", links, joints, IDENTITY, True, True))


@pytest.mark.parametrize("seed", range(5))
def test_two_bars_need_what_the_textbook_says(engine: Engine, seed: int) -> None:
    (q1, q2), (v1, v2), (a1, a2) = np.random.default_rng(seed).uniform(-2, 2, (3, 2)).tolist()
    m1, m2, length, r1, r2, i1, i2 = 1.5, 0.8, 0.6, 0.3, 0.2, 0.02, 0.01
    coupling = m2 * length * r2
    m11 = i1 + i2 + m1 * r1**2 + m2 * (length**2 + r2**2) + 2 * coupling * np.cos(q2)
    m12 = i2 + m2 * r2**2 + coupling * np.cos(q2)
    m22 = i2 + m2 * r2**2
    swing = coupling * np.sin(q2)
    g2 = m2 * G * r2 * np.cos(q1 + q2)
    g1 = (m1 * r1 + m2 * length) * G * np.cos(q1) + g2
    torques = [
        m11 * a1 + m12 * a2 - swing * (2 * v1 * v2 + v2**2) + g1,
        m12 * a1 + m22 * a2 + swing * v1**2 + g2,
    ]
    found = efforts(two_bars(engine), [q1, q2], [v1, v2], [a1, a2])
    assert found == pytest.approx(torques, abs=1e-9)


def test_a_slide_bears_the_weight(engine: Engine) -> None:
    lift = Link("lift", IDENTITY, NO_FORM, Inertial(3.0))
    joint = Joint("up", JointKind.SLIDE, "base", "lift", (0.0, 0.0, 1.0))
    links = (Link("base", IDENTITY, NO_FORM, Inertial(1.0)), lift)
    loaded(engine, Body("crane", links, (joint,), IDENTITY, True, True))
    assert efforts(engine, [0.2], [0.0], [2.0]) == pytest.approx([3.0 * (G + 2.0)], abs=1e-9)


def test_a_robot_on_its_side_feels_gravity_sideways(engine: Engine) -> None:
    turned = (0.0, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    robot = pendulum()
    loaded(engine, Body("p", robot.links, robot.joints, turned, True, True))
    assert efforts(engine, [0.4], [0.0], [0.0]) == pytest.approx([0.0], abs=1e-9)


def test_inertias_are_as_described_also_if_they_are_not_physical(engine: Engine) -> None:
    """One of them violates the triangle inequality, which the simulation's model repairs."""
    inertia = (0.0, 0.5, 0.0, 0.0, 0.0, 0.0)
    link = Link("rod", IDENTITY, NO_FORM, Inertial(2.0, at(0.5, 0, 0), inertia))
    base = Link("base", IDENTITY, NO_FORM, Inertial(1.0))
    loaded(engine, Body("p", (base, link), (hinge("swing", "base", "rod"),), IDENTITY, True, True))
    torque = -2.0 * G * 0.5 + 4.0 * (0.5 + 2.0 * 0.5**2)
    assert efforts(engine, [0.0], [0.0], [4.0]) == pytest.approx([torque], abs=1e-9)


def test_products_of_inertia_count(engine: Engine) -> None:
    """Turning about y at constant speed, a skew link needs no effort there; accelerated, its moment about y."""
    inertia = (0.3, 0.4, 0.5, 0.05, 0.02, 0.06)
    link = Link("rod", IDENTITY, NO_FORM, Inertial(2.0, IDENTITY, inertia))
    base = Link("base", IDENTITY, NO_FORM, Inertial(1.0))
    loaded(engine, Body("p", (base, link), (hinge("swing", "base", "rod"),), IDENTITY, True, True))
    assert efforts(engine, [0.3], [2.0], [0.0]) == pytest.approx([0.0], abs=1e-9)
    assert efforts(engine, [0.3], [2.0], [3.0]) == pytest.approx([1.2], abs=1e-9)


def test_a_joint_that_moves_no_mass_has_no_expectation(engine: Engine) -> None:
    loaded(engine, pendulum(mass=0.0))
    assert np.isnan(efforts(engine, [0.3], [0.0], [0.0])).all()


def test_contacts_and_loads_do_not_count(engine: Engine) -> None:
    loaded(
        engine,
        pendulum(),
        box("crate", at(0.5, 0.0, 0.3)),
        box("table", at(0.5, 0, 0), static=True),
    )
    assert efforts(engine, [0.0], [0.0], [0.0]) == pytest.approx([-G], abs=1e-9)
