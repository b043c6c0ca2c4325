"""Several steps in one run of Gazebo lead where single steps lead, also through an impact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.small_worlds import at, ball, box, floor, frame, gripper, loaded, wedge

from hetwin_gazebo.bindings import installed_release
from hetwin_gazebo.engine import GazeboEngine
from hetwin_gazebo.stretch import Stretch
from hetwin_suite.model import pose_value
from hetwin_suite.source import JointMotion

if installed_release() is None:
    pytest.skip("Gazebo's Python bindings are not installed", allow_module_level=True)

COUNTS = (1, 4, 3, 8, 32, 32, 16)
"""Numbers of steps in a stretch; the ball lands in one of 32."""


def made(options: dict[str, object]) -> GazeboEngine:
    """A ball above a floor, a wedge, and a gripper that closes on a box while it carries another one."""
    engine = GazeboEngine()
    loaded(
        engine,
        floor(),
        ball("ball", at(1, 0, 0.08)),
        wedge("wedge", at(2, 0, 0.05)),
        box("box", at(0, 0, 0.05)),
        box("led", at(0.3, 0, 0.05)),
        gripper(at(0, 0, 0.12)),
        handed_over=(("led", "pose"),),
        options=options,
    )
    engine.follow("led", pose_value((0.05, 0.0, -0.02), parent="left"))
    engine.take_touches()
    return engine


@pytest.fixture(params=[{}, {"max_step": 0.00125}], ids=["one step", "two steps"])
def engines(request: pytest.FixtureRequest) -> Iterator[tuple[GazeboEngine, GazeboEngine]]:
    """Two engines with the same world, which take one or two of Gazebo's steps in a period."""
    pair = made(request.param), made(request.param)
    yield pair
    for engine in pair:
        engine.close()


def motion(step: int, joints: int) -> JointMotion:
    """The joints after a step: all sway."""
    sway = 0.02 * (1.0 - np.cos(0.05 * step)) * np.ones(joints)
    return JointMotion(sway, 0.4 * np.sin(0.05 * step) * np.ones(joints), *np.zeros((2, joints)))


def state(engine: GazeboEngine) -> np.ndarray:
    """Poses of all frames, and positions of the joints."""
    frames, joints = np.empty((len(engine.frames), 13)), np.empty((2, len(engine.joints)))
    engine.read_frames(frames)
    engine.read_joints(*joints)
    return np.concatenate([frames[:, :7].ravel(), joints[0]])


def test_a_stretch_leads_where_single_steps_lead(
    engines: tuple[GazeboEngine, GazeboEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = engines
    stretched: list[int] = []
    run = Stretch.run

    def counted(self: Stretch, motions: list[JointMotion]) -> None:
        stretched.append(len(motions))
        run(self, motions)

    monkeypatch.setattr(Stretch, "run", counted)
    joints, taken = len(one.driven), 0
    for count in COUNTS:
        motions = [motion(taken + i, joints) for i in range(1, count + 1)]
        taken += count
        one.stretch(motions)
        for given in motions:
            other.command_joints(given.positions, given.velocities, given.accelerations)
            other.step()
        assert state(one) == pytest.approx(state(other), abs=1e-5)
        assert contact_forces(one) == pytest.approx(contact_forces(other), abs=0.05)
        assert touching(one) == touching(other)
    assert sum(stretched) > sum(COUNTS) - 16
    assert frame(one, "ball")[2] == pytest.approx(0.05, abs=1e-3)


def contact_forces(engine: GazeboEngine) -> dict[tuple[str, str], float]:
    """Normal force of each pair of frames that touch [N]."""
    names = engine.frames
    return {(names[int(r[0])], names[int(r[1])]): r[9] for r in engine.contacts().tolist()}


def touching(engine: GazeboEngine) -> set[tuple[float, float]]:
    """Pairs of frames that touch according to the links' distances."""
    return {(row[0], row[1]) for row in engine.clearances(0.02).tolist()}


def test_no_motion_is_no_step(engines: tuple[GazeboEngine, GazeboEngine]) -> None:
    engine, _ = engines
    before = state(engine)
    engine.stretch([])
    assert np.array_equal(state(engine), before)


def test_a_failure_within_a_stretch_is_raised(
    engines: tuple[GazeboEngine, GazeboEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = engines
    engine.step()
    engine.step()
    calls: list[int] = []

    def fail(self: Stretch, ecm: object) -> None:
        calls.append(1)
        raise ValueError("no command; expected one")

    monkeypatch.setattr(Stretch, "_command", fail)
    with pytest.raises(ValueError, match="expected one"):
        engine.stretch([motion(i, len(engine.driven)) for i in range(4)])
    assert calls == [1]
