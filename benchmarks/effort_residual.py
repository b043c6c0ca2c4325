"""Compares the residual of a real Baxter's efforts with the force that its wrist measures, while it carries a load.

The residual of the seven joints of the right arm is mapped to a vertical force at the gripper by least squares over the
joints' levers; and with each joint's error of the model taken out, a line over the expected effort that is fitted
while nothing hangs on the gripper. Needs the recording (HETWIN_DATA) and the extra `robots`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from machine import machine
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.poses import rotation_matrices
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode
from hetwin_suite import run
from hetwin_suite.episode import open_episode
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

ARM = tuple(f"right_{name}" for name in ("s0", "s1", "e0", "e1", "w0", "w1", "w2"))
HAND = "right_hand"
ROBOT = "package://example-robot-data/robots/baxter_description/urdf/baxter.urdf"
DELAY_S = 0.1
"""How far the residual is behind the run (`Watch.delay_ns`) [s]."""
CLOSES_S, OPENS_S = 11.0, 25.5
"""The gripper is empty before and after [s]."""
LIFTED_S, DOWN_S = (12.0, 14.0), (24.0, 25.5)
"""Between which times the load is lifted and put down [s]."""
_PLATEAU = (13.5, 24.0)
_MEAN_S = 0.2


@dataclass(frozen=True, slots=True)
class Row:
    """How a force from efforts compares with the measured one.

    Attributes:
        estimate: what it is computed from.
        correlation: with the measured force over the whole recording.
        shifted: the largest correlation at any delay up to 1 s.
        delay: at that delay [s]; positive: the estimate is later.
        plateau: mean while the load hangs less that before the gripper closes [N].
        measured: the same of the measured force [N].
        lifted: how much later it crosses half its plateau than the measured force, at lifting [s].
        put_down: and at putting down [s].
    """

    estimate: str
    correlation: float
    shifted: float
    delay: float
    plateau: float
    measured: float
    lifted: float
    put_down: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args(arguments)
    recording = data_folder() / "baxter_pnp_mcap"
    if not recording.is_dir():
        print(f"needs {recording} (set HETWIN_DATA)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        summary = run("baxter_pick_and_place", out=Path(folder) / "run")
        rows = compare(open_episode(summary.folder), recording)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": [asdict(row) for row in rows]}))
        return 0
    heads = ("correlation", "at a delay", "of s", "plateau N", "measured N", "lifted s", "down s")
    print(f"{'estimate':34s}", *(f"{head:>11s}" for head in heads))
    for row in rows:
        name, *numbers = asdict(row).values()
        print(f"{name:34s}", *(f"{number:11.3f}" for number in numbers))
    return 0


def compare(episode: Episode, recording: Path) -> list[Row]:
    """Compare all estimates with the measured force."""
    entity = next(e for e in episode.layout.entities if e.name == "baxter")
    columns = [entity.joints.index(joint) for joint in ARM]
    times = np.asarray(episode.times, np.float64) / 1e9
    residual = episode.attribute("baxter", "effort_residual")[:, columns]
    shown = times > 0.5  # before, the residual is not known yet
    times, residual = times[shown] - DELAY_S, residual[shown]
    measured_efforts = episode.attribute("baxter", "joint_efforts")[:, columns]
    late = np.clip(np.searchsorted(times, times - DELAY_S), 0, len(times) - 1)
    expected = measured_efforts[shown][late] - residual
    levers = _levers(episode)[shown]
    force = _smooth(times, np.interp(times, *wrist_force(recording)))
    empty = (times < CLOSES_S) | (times > OPENS_S)
    straight = np.stack(
        [_straightened(r, e, empty) for r, e in zip(residual.T, expected.T, strict=True)], axis=1
    )
    estimates = {
        "arm, as it is": _force(residual, levers),
        "arm, without the model's error": _force(straight, levers),
        "shoulder lift, as it is": residual[:, 1] / levers[:, 1],
        "shoulder lift, without the error": straight[:, 1] / levers[:, 1],
        "elbow bend, without the error": straight[:, 3] / levers[:, 3],
    }
    return [_row(name, times, _smooth(times, one), force) for name, one in estimates.items()]


def wrist_force(recording: Path) -> tuple[Floats, Floats]:
    """Times [s] and vertical force at the wrist [N]."""
    times, forces = [], []
    with AnyReader([recording]) as reader:
        connections = [c for c in reader.connections if c.topic == "/wrench"]
        for connection, time_ns, raw in reader.messages(connections):
            message = reader.deserialize(raw, connection.msgtype)
            times.append((time_ns - reader.start_time) / 1e9)
            forces.append(message.wrench.force.z)  # type: ignore[attr-defined]
    return np.array(times), np.array(forces)


def _levers(episode: Episode) -> Floats:
    """(m, 7) torque of each joint of the arm that bears 1 N of weight at the gripper [m]."""
    body = read_urdf(Resources(Path.cwd()).find(ROBOT), Notes())
    joints = {joint.name: joint for joint in body.joints}
    hand = episode.pose(HAND)[:, :3]
    found = []
    for name in ARM:
        poses = episode.pose(joints[name].child)
        axis = rotation_matrices(poses[:, 3:7]) @ np.array(joints[name].axis)
        arm = hand - poses[:, :3]
        found.append(axis[:, 0] * arm[:, 1] - axis[:, 1] * arm[:, 0])  # axis . (arm x up)
    return np.stack(found, axis=1)


def _force(residual: Floats, levers: Floats) -> Floats:
    """(m,) the weight that explains the residuals best [N]."""
    force: Floats = (levers * residual).sum(axis=1) / (levers**2).sum(axis=1)
    return force


def _straightened(residual: Floats, expected: Floats, fit: NDArray[np.bool_]) -> Floats:
    """A residual less the line over the expected effort that fits it best where `fit`."""
    line = np.stack((np.ones_like(expected), expected), axis=1)
    factors = np.linalg.lstsq(line[fit], residual[fit], rcond=None)[0]
    straight: Floats = residual - line @ factors
    return straight


def _smooth(times: Floats, values: Floats) -> Floats:
    width = max(1, round(_MEAN_S / float(np.median(np.diff(times)))))
    padded = np.pad(values, (width // 2, width - 1 - width // 2), mode="edge")
    return np.convolve(padded, np.full(width, 1.0 / width), mode="valid")


def _row(name: str, times: Floats, estimate: Floats, force: Floats) -> Row:
    step = float(np.median(np.diff(times)))
    most = round(1.0 / step)
    lags = range(-most, most + 1)
    correlations = [_correlation(estimate, force, lag) for lag in lags]
    best = int(np.argmax(correlations))
    hangs = (times > _PLATEAU[0]) & (times < _PLATEAU[1])
    before = times < CLOSES_S
    crossings = [
        _crossing(times, estimate, span, sign) - _crossing(times, force, span, sign)
        for span, sign in ((LIFTED_S, 1.0), (DOWN_S, -1.0))
    ]
    return Row(
        name,
        _correlation(estimate, force, 0),
        correlations[best],
        lags[best] * step,
        float(estimate[hangs].mean() - estimate[before].mean()),
        float(force[hangs].mean() - force[before].mean()),
        *crossings,
    )


def _correlation(estimate: Floats, force: Floats, lag: int) -> float:
    """Correlation when the estimate is `lag` samples late."""
    a = estimate[max(lag, 0) : len(estimate) + min(lag, 0)]
    b = force[max(-lag, 0) : len(force) - max(lag, 0)]
    return float(np.corrcoef(a, b)[0, 1])


def _crossing(times: Floats, values: Floats, span: tuple[float, float], sign: float) -> float:
    """When values cross the middle between those at both ends of a span [s]."""
    inside = (times >= span[0]) & (times <= span[1])
    t, v = times[inside], values[inside]
    edge = max(1, len(v) // 8)
    middle = 0.5 * (v[:edge].mean() + v[-edge:].mean())
    return float(t[int(np.argmax(sign * (v - middle) > 0.0))])


if __name__ == "__main__":
    sys.exit(main())
