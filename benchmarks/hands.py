"""Measures how sure the twin is of a grasp with eight kinds of hands, each a stand-in that lifts a block, or nothing.

A carriage lowers the hand over a block of 4 cm and 250 g on a table, the hand closes, rises, stands, and lets go. Each
hand is recorded with the block and without it, and judged by the model `evidence` with what such a hand says of itself:
its joints and status, then beside one empty closing, then with a force sensor at the wrist.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import atan2
from pathlib import Path
from time import process_time, thread_time
from typing import Any

import mujoco as mj
import numpy as np
import yaml
from machine import machine
from numpy.typing import NDArray

from hetwin_evidence.model import Evidence
from hetwin_stand_ins.physics import add_motors, set_options
from hetwin_stand_ins.signals import Gripper, Wrist
from hetwin_suite.episode import Encoded, known_types, write_bag
from hetwin_suite.model import JUDGED, Changes, Tick
from hetwin_suite.robot import Reading
from hetwin_suite.runs import RunOptions, event_from_summary, load_scenario, session

EXAMPLES = """examples:
  python benchmarks/hands.py
  python benchmarks/hands.py --hands slow,suction --json
  python benchmarks/hands.py --cost 5
"""
STEP_S, EVERY = 0.001, 10
BLOCK_KG, HALF_M, TOP_M, PALM_M = 0.25, 0.02, 0.2, 0.3
"""Of the block, and heights of the table and of the palm [m]."""
OPEN_M, LENGTH_M = 0.045, 0.09
JAW_N, FINGER_NM = 15.0, 1.0
LIFT_M, LIFT_S, REST_S, STILL_S = 0.2, 1.0, 0.6, 1.2
START_NS = 1_700_000_000_000_000_000


@dataclass(frozen=True)
class Kind:
    """One kind of hand.

    Attributes:
        jaws: how many fingers slide towards the middle.
        fingers: how many turn towards it.
        closes_s: how long it takes from open to closed [s].
        efforts: whether its joints' efforts are recorded.
        status: whether it says that it stopped on something.
        note: what it is like.
    """

    note: str
    jaws: int = 0
    fingers: int = 0
    closes_s: float = 0.8
    efforts: bool = True
    status: bool = False

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of its joints."""
        return tuple(f"finger_{number}" for number in range(1, self.jaws + self.fingers + 1))

    @property
    def closed(self) -> float:
        """Where its joints are when it is closed on nothing [m or rad]; open they are at 0."""
        if self.fingers:
            return atan2(OPEN_M + 0.01, LENGTH_M)
        return OPEN_M + (HALF_M if self.jaws == 1 else 0.0)


HANDS = {
    "slow": Kind("two jaws that take 4 s", jaws=2, closes_s=4.0),
    "fast": Kind("two jaws that take 0.15 s", jaws=2, closes_s=0.15),
    "no effort": Kind("two jaws, positions alone", jaws=2, efforts=False),
    "one jaw": Kind("one jaw against a fixed one", jaws=1),
    "three fingers": Kind("three fingers that turn", fingers=3),
    "Franka hand": Kind(
        "two jaws, efforts always 0, no status", jaws=2, closes_s=1.0, efforts=False
    ),
    "Robotiq 2F": Kind(
        "two fingers that turn, no efforts, gOBJ", fingers=2, efforts=False, status=True
    ),
    "suction": Kind("a cup without fingers, and a vacuum switch"),
}


def _box(size: str, at: str) -> str:
    shape = f'<origin xyz="{at}"/><geometry><box size="{size}"/></geometry>'
    return f"<visual>{shape}</visual><collision>{shape}</collision>"


def _link(name: str, mass: float, shape: str) -> str:
    inertia = '<inertia ixx="2e-4" iyy="2e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{inertia}</inertial>{shape}</link>'


def _finger(kind: Kind, number: int) -> str:
    """One finger of the hand, at an angle about it."""
    name, turn = kind.joints[number], 2.0 * np.pi * number / max(2, len(kind.joints))
    if kind.jaws:
        limit = f'<limit lower="0" upper="{kind.closed}" effort="{JAW_N}" velocity="2"/>'
        joint, reach = f'type="prismatic"><axis xyz="-1 0 0"/>{limit}', OPEN_M + 0.005
    else:
        limit = f'<limit lower="0" upper="{kind.closed}" effort="{FINGER_NM}" velocity="10"/>'
        joint, reach = f'type="revolute"><axis xyz="0 1 0"/>{limit}', OPEN_M + 0.01
    at = f"{reach * np.cos(turn):.6f} {reach * np.sin(turn):.6f} 0"
    shape = _box(f"0.01 0.03 {LENGTH_M}", f"0 0 {-LENGTH_M / 2}")
    return (
        _link(f"{name}_link", 0.06, shape)
        + f'<joint name="{name}" {joint}<parent link="palm"/><child link="{name}_link"/>'
        + f'<origin xyz="{at}" rpy="0 0 {turn:.6f}"/></joint>'
    )


def urdf(kind: Kind) -> str:
    """The description of a hand on a carriage."""
    fixed = _box(f"0.01 0.03 {LENGTH_M}", f"{-HALF_M - 0.005} 0 {-LENGTH_M / 2}")
    palm = _box("0.12 0.04 0.02", "0 0 0.01") + (fixed if kind.jaws == 1 else "")
    if not kind.joints:
        palm += _box("0.02 0.02 0.06", "0 0 -0.03")
    return (
        '<?xml version="1.0"?><robot name="lift">'
        + _link("foot", 5.0, "")
        + _link("palm", 0.6, palm)
        + '<joint name="raise" type="prismatic"><parent link="foot"/><child link="palm"/>'
        + f'<origin xyz="0 0 {PALM_M}"/><axis xyz="0 0 1"/>'
        + '<limit lower="-0.05" upper="0.4" effort="200" velocity="2"/></joint>'
        + "".join(_finger(kind, number) for number in range(len(kind.joints)))
        + "</robot>\n"
    )


SDF = f"""<?xml version="1.0"?><sdf version="1.9"><world name="table"><model name="table"><static>true</static>
<pose>0 0 {TOP_M - 0.02} 0 0 0</pose><link name="top"><collision name="top"><geometry><box><size>0.5 0.5 0.04</size>
</box></geometry></collision></link></model></world></sdf>
"""


class Lift:
    """A stand-in that closes its hand, rises, stands, comes down and opens.

    Args:
        kind: of the hand.
        block: whether something is on the table.
    """

    def __init__(self, kind: Kind, *, block: bool) -> None:
        self.kind, self.block = kind, block
        spec = mj.MjSpec.from_string(urdf(kind))
        set_options(spec, STEP_S, noslip=4)
        names = ("raise", *kind.joints)
        add_motors(spec, {name: 0.05 if kind.jaws or name == "raise" else 1e-3 for name in names})
        for geom in spec.geoms:
            geom.friction, geom.condim = [1.0, 0.01, 0.001], 4
        top = {"type": mj.mjtGeom.mjGEOM_BOX, "size": [0.25, 0.25, 0.02]}
        spec.worldbody.add_geom(pos=[0, 0, TOP_M - 0.02], **top)
        if block:
            body = spec.worldbody.add_body(name="block", pos=[0, 0, TOP_M + HALF_M])
            body.add_freejoint()
            form: dict[str, Any] = {"size": [HALF_M] * 3, "mass": BLOCK_KG, "condim": 4}
            body.add_geom(type=mj.mjtGeom.mjGEOM_BOX, friction=[1.0, 0.01, 0.001], **form)
        self.model = spec.compile()
        self.closes_at, self.closed_at = 1.0, 1.0 + kind.closes_s + REST_S
        self.opens_at = self.closed_at + 2 * LIFT_S + STILL_S
        self.end = self.opens_at + max(1.0, kind.closes_s)

    def share(self, time: float) -> float:
        """How far the hand is told to be closed."""
        closing = min(1.0, max(0.0, (time - self.closes_at) / self.kind.closes_s))
        return closing if time < self.opens_at else max(0.0, 1.0 - 2.0 * (time - self.opens_at))

    def height(self, time: float) -> float:
        """How high the hand is told to be [m]."""
        up = self.closed_at + LIFT_S
        times = (self.closed_at, up, up + STILL_S, self.opens_at)
        return float(np.interp(time, times, (0.0, LIFT_M, LIFT_M, 0.0)))

    def record(
        self, random: np.random.Generator, period_steps: int = 8
    ) -> tuple[list[Reading], Wrist, float]:
        """Carry it out; returns what its joints and its wrist felt, and how high the block was lifted [m]."""
        kind, data = self.kind, mj.MjData(self.model)
        names = ("raise", *kind.joints)
        places = [self.model.joint(name).qposadr[0] for name in names]
        dofs = [self.model.joint(name).dofadr[0] for name in names]
        finger = (3000.0, 60.0, JAW_N) if kind.jaws else (25.0, 0.5, FINGER_NM)
        gains = np.array([(4e4, 800.0, 200.0), *[finger] * len(kind.joints)])
        wrist, highest = Wrist(self.model, "palm", random, period_steps), 0.0
        readings: list[Reading] = []
        for step in range(round(self.end / STEP_S)):
            time = step * STEP_S
            goal = np.array(
                [self.height(time), *[self.share(time) * kind.closed] * len(kind.joints)]
            )
            force = gains[:, 0] * (goal - data.qpos[places]) - gains[:, 1] * data.qvel[dofs]
            force = np.clip(force + data.qfrc_bias[dofs], -gains[:, 2], gains[:, 2])
            data.ctrl[:] = force
            if step % EVERY == 0:
                at = data.qpos[places] + random.normal(0.0, 5e-5, len(names))
                efforts = force.copy() if kind.efforts else np.zeros(len(names))
                speed = np.array(data.qvel[dofs])
                readings.append(Reading(time, names, at, speed, efforts))
            wrist.sample(step, data)
            mj.mj_step(self.model, data)
            if self.block:
                highest = max(highest, float(data.body("block").xpos[2]) - TOP_M - HALF_M)
        return readings, wrist, highest


def write(folder: Path, lift: Lift, *, wrench: bool, seed: int, period_steps: int = 8) -> float:
    """Record a lift; returns how high the block was lifted [m]."""
    kind, random = lift.kind, np.random.default_rng(seed)
    readings, wrist, highest = lift.record(random, period_steps)
    write_bag(
        *(folder, START_NS, readings, [], random),
        also=_also(lift, readings, wrist if wrench else None, random),
        types=known_types(),
    )
    (folder.parent / "world.sdf").write_text(SDF, encoding="utf-8")
    (folder.parent / "robot.urdf").write_text(urdf(kind), encoding="utf-8")
    return highest


def _also(
    lift: Lift, readings: Sequence[Reading], wrist: Wrist | None, random: np.random.Generator
) -> Iterator[Encoded]:
    kind = lift.kind
    yield from () if wrist is None else wrist.messages(START_NS)
    if kind.status:
        fingers = [
            replace(one, joints=kind.joints, positions=one.positions[1:], efforts=one.efforts[1:])
            for one in readings
        ]
        ends = np.zeros(len(kind.joints)), np.full(len(kind.joints), kind.closed)
        goals = [(lift.closes_at, 1.0), (lift.opens_at, 0.0)]
        yield from Gripper("gripper", kind.joints, *ends).messages(fingers, goals, START_NS, random)


def judged(folder: Path, kind: Kind, empty: Sequence[float] = ()) -> dict[str, Any]:
    """Judge a recording; returns the claim `held`, or why there is none.

    Args:
        folder: of the recording.
        kind: of the hand.
        empty: where its joints stop when it closes on nothing; without it, that is not known.
    """
    count, given = len(kind.joints), {"empty": [list(empty)]} if len(empty) else {}
    scenario = {
        "scenario": "hands",
        "world": "world.sdf",
        "robot": "robot.urdf",
        "rate": 400,
        "hands": {
            "gripper": {
                "link": "palm",
                "joints": list(kind.joints),
                "opened": [0.0] * count,
                "closed": [kind.closed] * count,
            }
        },
        "models": {
            "physics": {"type": "main_physics", "main": True},
            "evidence": {"type": "evidence", "parameters": {"hand": "gripper", **given}},
        },
    }
    file = folder.parent / "hands.yaml"
    file.write_text(yaml.safe_dump(scenario, sort_keys=False), encoding="utf-8")
    run = session(load_scenario(file), options=RunOptions(source=str(folder))).run()
    told = (event_from_summary(one) for one in run.events if one["name"] == JUDGED)
    held = [one.arguments for one in told if one.arguments["claim"] == "held"]
    return dict(held[-1]) if held else {"known": None, "probability": None, "reason": "not judged"}


def stops_at(kind: Kind, random: int = 9) -> NDArray[np.float64]:
    """Where the joints stop when the hand closes on nothing, as one recording of that shows."""
    lift = Lift(kind, block=False)
    readings, *_ = lift.record(np.random.default_rng(random))
    last = [one.positions[1:] for one in readings if one.time < lift.closed_at]
    return np.asarray(np.median(last[-20:], axis=0))


def measure(name: str) -> dict[str, Any]:
    """Return what is known of one hand, with the block and without it."""
    kind, rows = HANDS[name], {}
    if not kind.joints:
        return {"hand": name, "note": kind.note, "error": _refused(kind)}
    reference = stops_at(kind)
    for block in (True, False):
        with tempfile.TemporaryDirectory(prefix="hands-") as folder:
            lift = Lift(kind, block=block)
            for what, wrench, empty in (
                ("alone", False, ()),
                ("beside an empty closing", False, tuple(reference.tolist())),
                ("with a wrench", True, ()),
            ):
                place = Path(folder) / what.replace(" ", "_")
                place.mkdir()
                highest = write(place / "recording", lift, wrench=wrench, seed=4)
                claim = judged(place / "recording", kind, empty)
                rows[f"{'block' if block else 'nothing'}, {what}"] = {
                    "lifted_m": round(highest, 3),
                    "probability": claim["probability"],
                    "known": claim["known"],
                    "voices": [
                        one["source"]
                        for one in claim.get("voices", [])
                        if one["quantity"] is not None
                    ],
                }
    return {"hand": name, "note": kind.note, "rows": rows}


def cost(rounds: int) -> dict[str, float]:
    """Return processor time of the model's steps, the least of several rounds: load of others only adds to it.

    Returns:
        ``without_signals``, the share of a whole run, and ``per_second_ms``, of each simulated second with 500 Hz of
        wrench, without decoding.
    """
    kind, plain = HANDS["fast"], Evidence.step
    shares, times = [], []
    spent = 0.0

    def timed(model: Evidence, tick: Tick) -> Changes:
        nonlocal spent
        if len(tick.scene.tables):
            _ = tick.scene.wrenches  # decoded here, and not counted
        begun = thread_time()
        changes = plain(model, tick)
        spent += thread_time() - begun
        return changes

    Evidence.step = timed  # type: ignore[method-assign, assignment]
    try:
        for _ in range(rounds):
            for wrench in (False, True):
                with tempfile.TemporaryDirectory(prefix="hands-") as folder:
                    place, lift = Path(folder) / "recording", Lift(kind, block=True)
                    write(place, lift, wrench=wrench, seed=4, period_steps=2)
                    spent, begun = 0.0, process_time()
                    judged(place, kind)
                    if wrench:
                        times.append(1000.0 * spent / lift.end)
                    else:
                        shares.append(spent / (process_time() - begun))
    finally:
        Evidence.step = plain  # type: ignore[method-assign]
    return {"without_signals": min(shares), "per_second_ms": min(times)}


def _refused(kind: Kind) -> str:
    """What the model says of a hand without fingers."""
    with tempfile.TemporaryDirectory(prefix="hands-") as folder:
        place = Path(folder)
        write(place / "recording", Lift(kind, block=True), wrench=True, seed=4)
        try:
            judged(place / "recording", kind)
        except Exception as error:
            return str(error)
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--hands", default=",".join(HANDS), help="names, separated by commas")
    parser.add_argument("--cost", type=int, metavar="ROUNDS", help="measure what the model costs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    if given.cost:
        print(json.dumps({"machine": machine(), **cost(given.cost)}, indent=1))
        return 0
    names = given.hands.split(",")
    if unknown := [name for name in names if name not in HANDS]:
        print(f"no such hand: {unknown[0]}, expected one of {', '.join(HANDS)}", file=sys.stderr)
        return 2
    found = [measure(name) for name in names]
    if given.json:
        print(json.dumps({"machine": machine(), "hands": found}, indent=1))
        return 0
    for one in found:
        print(f"{one['hand']}: {one['note']}")
        if "error" in one:
            print(f"  {one['error']}")
        for what, row in one.get("rows", {}).items():
            sure = "not judged" if row["probability"] is None else f"{row['probability']:.2f}"
            said = {True: "held", False: "not held", None: "not known"}[row["known"]]
            print(f"  {what}: {said}, {sure} ({', '.join(row['voices']) or 'nothing speaks'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
