"""Whatever the signalers say during a run, in the end everything is as it was at its start."""

from __future__ import annotations

from typing import Any

import mujoco as mj
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples
from support.scene_of import scene_of
from support.small_worlds import at, ball, box, everything, floor, gripper, loaded, rest, sprung

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import FIDELITY, Fidelity, Floats
from model_nodes.main_physics.engines.engine import Engine, Rangefinder
from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine
from model_nodes.main_physics.handed_over import FidelitySwitcher

OBJECTS, LINKS = ["low_box", "top_box", "ball"], ["left", "right"]
SENSOR = Rangefinder("left", (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), 1.0)
LEVELS = st.lists(
    st.tuples(st.lists(st.sampled_from(list(Fidelity)), min_size=5, max_size=5), st.integers(0, 3)),
    min_size=1,
    max_size=10,
)


def scene(names: list[str]) -> Snapshot:
    entities = [Entity(name, EntityKind.OBJECT) for name in names]
    return scene_of(entities, {}, attributes=[(name, FIDELITY) for name in names])


def say(snapshot: Snapshot, levels: list[Fidelity]) -> None:
    snapshot.values[:] = [float(level) for level in levels]


def state(engine: MujocoEngine) -> dict[str, Any]:
    """All that the engine computes with: MuJoCo's state, every array of its model, and what the sensor sees."""
    model, data = engine._simulation.model, engine._simulation.data
    kind = mj.mjtState.mjSTATE_INTEGRATION.value
    integration = np.empty(mj.mj_stateSize(model, kind))
    mj.mj_getState(model, data, integration, kind)
    arrays: dict[str, Any] = {
        name: getattr(model, name).copy()
        for name in dir(model)
        if not name.startswith("_") and isinstance(getattr(model, name), np.ndarray)
    }
    return arrays | {
        "state": integration,
        "flags": model.opt.enableflags,
        "asleep": data.tree_asleep.copy(),
        "frames": everything(engine),
        "seen": engine.read_rangefinders([SENSOR]),
    }


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in one if not np.array_equal(one[name], other[name])]


def lab(sleep: bool) -> MujocoEngine:
    """Boxes on each other, a ball in the air, a gripper about them with a range sensor on a finger."""
    engine = MujocoEngine()
    boxes = (box("low_box", at(0, 0, 0.05)), box("top_box", at(0, 0, 0.15)))
    hand = gripper(at(0, 0, 0.1), gap=0.4)
    loaded(engine, floor(), *boxes, ball("ball", at(0.5, 0, 0.6)), hand, options={"sleep": sleep})
    rest(engine, 25)
    return engine


@examples(25)
@given(run=LEVELS, sleep=st.booleans())
def test_without_a_step_between_no_bit_differs_in_the_end(
    run: list[tuple[list[Fidelity], int]], sleep: bool
) -> None:
    engine, told = lab(sleep), scene(OBJECTS + LINKS)
    before = state(engine)
    switcher = FidelitySwitcher(told, OBJECTS + LINKS)
    for levels, _ in run:
        say(told, levels)
        switcher.update(engine, told)
    switcher.reset(engine)
    # What slept with others is awake when it is raised, and falls asleep again by itself.
    assert set(differing(before, state(engine))) <= ({"asleep"} if sleep else set())


@examples(25)
@given(run=LEVELS, sleep=st.booleans())
def test_after_a_run_every_fidelity_is_as_at_its_start(
    run: list[tuple[list[Fidelity], int]], sleep: bool
) -> None:
    engine, told = lab(sleep), scene(OBJECTS + LINKS)
    before = state(engine)
    switcher = FidelitySwitcher(told, OBJECTS + LINKS)
    for levels, steps in run:
        say(told, levels)
        switcher.update(engine, told)
        rest(engine, steps)
    switcher.reset(engine)
    assert {engine.fidelity(name) for name in OBJECTS + LINKS} == {Fidelity.HIGH}
    assert set(differing(before, state(engine))) <= {"state", "asleep", "frames", "seen"}


def toggled(engine: Engine, names: list[str], times: int) -> None:
    for turn in range(times):
        engine.set_fidelity(names, (Fidelity.LOW, Fidelity.MEDIUM)[turn % 2])
        engine.set_fidelity(names, Fidelity.HIGH)


def test_a_thousand_times_there_and_back_changes_no_bit_of_objects_links_and_sensors() -> None:
    engine = lab(False)
    before = state(engine)
    toggled(engine, OBJECTS + LINKS, 1000)
    assert not differing(before, state(engine))


def test_a_thousand_times_there_and_back_changes_no_bit_of_a_swinging_spring() -> None:
    engine = MujocoEngine()
    loaded(engine, sprung())
    rest(engine, 30)
    beyond: list[Floats] = []
    saved = engine.save()
    for times in (0, 1000):
        engine.restore(saved)
        toggled(engine, ["plunger"], times)
        rest(engine, 100)
        beyond.append(everything(engine))
    assert np.array_equal(beyond[0], beyond[1])
