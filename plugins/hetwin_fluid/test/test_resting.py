"""A fluid in a cup at rest stays there and weighs what it weighs."""

from __future__ import annotations

import numpy as np
import pytest
from jug import DENSITY, RADIUS, Filled

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Shape, ShapeKind, particles

MASS = DENSITY * 4 / 3 * np.pi * RADIUS**3


@pytest.mark.long
def test_no_particle_leaks_in_a_minute() -> None:
    filled = Filled(particles=50)
    outputs = filled.go(60.0)
    assert [e for o in outputs for e in o.events] == []
    assert filled.count == 50
    there = particles(filled.told("particles"))
    assert len(there) == 50
    assert np.abs(there[:, 3:6]).max() < 1e-3
    assert np.hypot(there[:, 0], there[:, 1]).max() < 0.032


@pytest.mark.parametrize("kind", ["points", "spheres"])
def test_the_cup_feels_the_weight(kind: str) -> None:
    filled = Filled(particles=20, kind=kind)
    filled.go(1.0)
    wrench = filled.told("external_wrench")
    weight = 20 * MASS * 9.81
    assert wrench[:3] == pytest.approx([0, 0, -weight], abs=0.01 * weight)
    assert np.abs(wrench[3:]).max() < weight * 0.01


def test_what_is_told_is_of_the_declared_size() -> None:
    filled = Filled(particles=3, capacity=5)
    filled.go(0.01)
    sizes = {a.attribute.name: a.attribute.size for a in filled.contribution.attributes}
    assert {name: len(filled.told(name)) for name in sizes} == sizes
    assert len(particles(filled.told("particles"))) == 3


def test_the_same_seed_gives_the_same_bits() -> None:
    first, second = Filled(particles=20), Filled(particles=20)
    first.go(0.1), second.go(0.1)
    assert first.told("particles").tobytes() == second.told("particles").tobytes()


def test_too_many_particles_are_refused_with_how_many_fit() -> None:
    with pytest.raises(BadInput, match=r"jug does not hold 400 particles.*expected about \d+"):
        Filled(particles=400)


def test_a_solid_body_is_no_cup() -> None:
    shapes = (Shape(ShapeKind.BOX, (0.05, 0.05, 0.05)),)
    with pytest.raises(BadInput, match="no room in this body"):
        Filled(entity=Entity("brick", EntityKind.OBJECT, shapes=shapes), particles=5)
    with pytest.raises(BadInput, match="no shapes that could hold a fluid"):
        Filled(entity=Entity("ghost", EntityKind.OBJECT), particles=5)


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"particles": -1}, "particles"),
        ({"particles": 9, "capacity": 5}, "capacity"),
        ({"radius": 0.0}, "radius"),
        ({"kind": "water"}, "kind"),
        ({"solver": "magic"}, "solver"),
        ({"time_step": -1.0}, "time_step"),
        ({"gravity": [0.0, 1.0]}, "gravity"),
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, object], where: str) -> None:
    with pytest.raises(BadInput, match=f"^{where}"):
        Filled(**wrong)
