"""A source that is restored goes on as the one that was saved would have gone on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.mobile_recordings import amcl, bound, cart, drive, odometry
from support.recorded_bags import MS, annotation, joints, write_bag

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.saving.plain import StateError
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.part import Part
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.plans import Plans

PERIOD = 5 * MS
HALF, END = 2_015 * MS, 4_000 * MS


def moved(folder: Path) -> Plan:
    """A recording of a joint, a base that is corrected, and what the program does."""
    folder.mkdir(exist_ok=True)
    bag = folder / "bag"
    if not bag.exists():
        times = range(0, END, 20 * MS)
        messages = [joints(t, ("lift_joint",), [0.1 * (t / 1e9) ** 2]) for t in times]
        messages += [annotation(t, "reach", "begin") for t in range(300 * MS, END, 400 * MS)]
        corrected = [amcl(t, drive(t / 1e9)) for t in (0, 1_000 * MS, HALF + MS, 3_000 * MS)]
        write_bag(bag, [*messages, *corrected, *odometry(4.0)])
    robot = cart(folder)
    source = bound(bag, robot, {"odometry": "/odom", "start": "/amcl_pose"}, PERIOD)
    source.bind(["lift_joint"], PERIOD)
    return source


def several(folder: Path) -> Plans:
    """Two recordings of a joint each."""
    sources = {}
    for name, slope in (("left", 1.0), ("right", -2.0)):
        bag = folder / name
        if not bag.exists():
            times = range(0, END, 20 * MS)
            steps = [joints(t, ("a",), [slope * t / 1e9]) for t in times]
            write_bag(bag, [*steps, annotation(HALF + MS, name, "begin")])
        sources[name] = open_source(bag)
    source = Plans(sources)
    source.bind(["left::a", "right::a"], PERIOD)
    return source


def said(source: Plan | Plans, begin_ns: int, end_ns: int, *, base: bool) -> list[object]:
    """All that a source says from one time to another, to the bit."""
    found: list[object] = []
    for time_ns in range(begin_ns + PERIOD, end_ns + 1, PERIOD):
        motion = source.motion(time_ns)
        found += [motion.positions.tobytes(), motion.velocities.tobytes()]
        if base:
            at = source.base(time_ns)
            found += [at.state.tobytes(), at.odometry.tobytes(), at.corrected]
        found += [
            (e.name, e.time_ns, e.sequence, dict(e.arguments)) for e in source.events(time_ns)
        ]
        found.append(source.ended(time_ns))
    return found


@pytest.mark.parametrize(("make", "base"), [(moved, True), (several, False)])
def test_goes_on_from_where_it_was(
    make: Callable[[Path], Plan | Plans], base: bool, tmp_path: Path
) -> None:
    first, second = make(tmp_path), make(tmp_path)
    said(first, 0, HALF, base=base)
    second.restore(first.save())
    assert said(second, HALF, END, base=base) == said(first, HALF, END, base=base)
    for source in (first, second):
        source.close()


@pytest.mark.parametrize(("make", "base"), [(moved, True), (several, False)])
def test_comes_back_to_where_it_was(
    make: Callable[[Path], Plan | Plans], base: bool, tmp_path: Path
) -> None:
    source = make(tmp_path)
    said(source, 0, HALF, base=base)
    saved = source.save()
    rest = said(source, HALF, END, base=base)
    for _ in range(2):
        source.restore(saved)
        assert said(source, HALF, END, base=base) == rest
    source.close()


def test_state_of_something_else_is_refused(tmp_path: Path) -> None:
    one, others = moved(tmp_path), several(tmp_path)
    with pytest.raises(StateError):
        one.restore(others.save())
    with pytest.raises(StateError, match="other robots"):
        others.restore({})
    for source in (one, others):
        source.close()


def test_source_that_cannot_be_read_again_says_so(tmp_path: Path) -> None:
    source = moved(tmp_path)
    (part,) = source.parts
    with pytest.raises(Refused, match="a RecordedPart cannot be saved: it cannot be read again"):
        Part.save(part)
    source.close()
