"""Records moves of the stand-in for a lab robot: wheel angles, true poses, and the duration of each move."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.episode import (
    JOINT_STATES,
    Encoded,
    Take,
    Topic,
    encoded,
    header,
    joint_state,
    pose_message,
    record_episodes,
    write_recording,
)
from hetwin_suite.model import Event, Floats
from hetwin_suite.robot import nearest_turn
from hetwin_suite.runs import BadInput, Scenario, load_scenario
from hetwin_twin_lab.hidden import HiddenParameters
from hetwin_twin_lab.robot import LabRobot

DRIVE, LAPS, ROBOT, TRUTH = "drive.csv", "laps.csv", "robot.json", "truth.json"
BAG = "recording"
TRUE_POSE = Topic("truth", "geometry_msgs/msg/PoseStamped", "true pose")
MOVES = 15
MAX_FRICTION = 10.0
SCENARIO, CONTROLLER = "twin_lab", "reactive"
_FREE_AREA = (-2.2, -0.4, -0.5, 1.4)
"""Free part of the lab's floor: x from, to, y from, to [m]."""
_MIN_DISTANCE, _MAX_DISTANCE = 0.4, 1.5
_REST_NS, _TIMEOUT_NS = 600_000_000, 40_000_000_000


@dataclass(frozen=True, slots=True)
class Move:
    """A command, and its durations by the real robot and by one as in the data sheet [s]."""

    sent: float
    rotation: float
    displacement: float
    real: float | None
    virtual: float | None


class Recorder:
    """Commands a robot to a series of positions, and logs its motion.

    Args:
        scenario: scenario of the lab.
        hidden: differences from the data sheet.
        random: generator of the positions.
    """

    def __init__(
        self, scenario: Scenario, hidden: HiddenParameters, random: np.random.Generator
    ) -> None:
        self._scenario, self._hidden, self._random = scenario, hidden, random
        self._robot = LabRobot(scenario, CONTROLLER, hidden)
        self._sheet = LabRobot(scenario, CONTROLLER, HiddenParameters())
        self.rows: list[tuple[float, ...]] = []
        self.moves: list[Move] = []

    @property
    def wheels(self) -> tuple[str, str]:
        """Names of the joints of its wheels, left and right."""
        wheels = self._robot.wheels
        return wheels.left[0], wheels.right[0]

    @property
    def sheet(self) -> dict[str, float]:
        """Dimensions of the robot in its data sheet [m]."""
        wheels = self._robot.wheels
        return {"wheel_radius": wheels.radius, "base": wheels.separation}

    def record(self, moves: int) -> None:
        """Make some moves."""
        for number in range(1, moves + 1):
            rotation, displacement = self._next()
            sent = self._robot.time_ns * 1e-9
            command = _command(number, rotation, displacement)
            self._sheet.align(*_planar(self._robot.pose))
            real = self._lap(self._robot, command, self.rows)
            virtual = self._lap(self._sheet, command, [])
            lag = 2.0 * self._hidden.lag
            move = Move(sent, rotation, displacement, None if real is None else real + lag, virtual)
            self.moves.append(move)

    def close(self) -> None:
        """End the simulations."""
        self._robot.close()
        self._sheet.close()

    def _next(self) -> tuple[float, float]:
        """Return rotation [rad] and distance [m] to a random position."""
        x, y, yaw = _planar(self._robot.pose)
        while True:
            target = self._random.uniform(_FREE_AREA[0::2], _FREE_AREA[1::2])
            distance = math.hypot(target[0] - x, target[1] - y)
            if _MIN_DISTANCE <= distance <= _MAX_DISTANCE:
                rotation = nearest_turn(math.atan2(target[1] - y, target[0] - x) - yaw)
                return rotation, distance

    def _lap(self, robot: LabRobot, command: Event, rows: list[tuple[float, ...]]) -> float | None:
        """Return the duration of a robot's move [s]; None if it is not completed."""
        start_ns, pending, lap = robot.time_ns, [command], None
        end_ns = start_ns + _TIMEOUT_NS
        while robot.time_ns < end_ns:
            is_due = robot.takes_commands
            events = robot.step(pending if is_due else [])
            pending = [] if is_due else pending
            if is_due:
                left, right = robot.wheel_angles.tolist()
                rows.append((robot.time_ns * 1e-9, left, right, *_planar(robot.pose)))
            for event in events:
                if event.name == "reply" and lap is None:
                    completed = event.arguments.get("code") == 1
                    lap = (robot.time_ns - start_ns) * 1e-9 if completed else math.nan
                    end_ns = robot.time_ns + _REST_NS
        return None if lap is None or math.isnan(lap) else lap


@dataclass(frozen=True, slots=True)
class Moves(Take):
    """An episode of moves.

    Attributes:
        friction: friction of the robot's wheels on the floor; None: as in the world's file.
    """

    friction: float | None = None


def record_moves(
    count: int,
    seed: int,
    out: Path,
    *arguments: Any,
    friction: float | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Record episodes of one robot; see `hetwin_suite.episode.record_episodes`.

    Raises:
        BadInput: if the friction is out of range; see also `record_episodes`.
    """
    if friction is not None and not 0.0 <= friction <= MAX_FRICTION:
        raise BadInput(
            "not a coefficient of friction",
            where="--friction",
            found=friction,
            expected=f"0 to {MAX_FRICTION:g}",
        )
    first = Moves(seed, 0, friction)
    return record_episodes("lab_robot", record, first, count, out, *arguments, **options)


def record(folder: Path, take: Moves, random: np.random.Generator) -> dict[str, Any]:
    """Record an episode and return its summary; all episodes of a seed are of the same robot.

    Args:
        folder: folder of the episode; must not exist.
        take: recipe of the episode; its seed determines the hidden parameters.
        random: generator of the moves.
    """
    scenario = load_scenario(SCENARIO)
    return record_robot(
        scenario, folder, HiddenParameters.draw(take.seed, take.friction), random, MOVES
    )


def record_robot(
    scenario: Scenario,
    folder: Path,
    hidden: HiddenParameters,
    random: np.random.Generator,
    moves: int,
) -> dict[str, Any]:
    """Record moves of a robot into a folder; see `record`."""
    recorder = Recorder(scenario, hidden, random)
    try:
        recorder.record(moves)
    finally:
        recorder.close()
    folder.mkdir(parents=True)
    rows = with_late_wheel_angles(recorder.rows, hidden.lag)
    _write_csv(folder / DRIVE, "t,left,right,x,y,yaw", rows.tolist())
    write_drive_bag(folder / BAG, rows, recorder.wheels)
    names = "T,rotation,displacement,lap_real,lap_virtual"
    _write_csv(folder / LAPS, names, list(_laps(recorder.moves)))
    _write_json(folder / ROBOT, recorder.sheet)
    truth = {"hidden": hidden.to_json(), "robot": SCENARIO}
    completed = sum(move.real is not None for move in recorder.moves)
    label = "success" if completed == moves else "failure"
    summary = {"label": label, "cause": "" if completed == moves else "blocked", "moves": moves}
    _write_json(folder / TRUTH, {**truth, **summary, "done": completed})
    return summary


def write_drive_bag(folder: Path, rows: Floats, wheels: tuple[str, str]) -> None:
    """Write, as a rosbag2, rows (n, 6) of t [s], left, right [rad], x, y [m], yaw [rad].

    Args:
        folder: path of the bag; must not exist.
        rows: rows of the log, in which wheel angles have late stamps.
        wheels: names of the joints of the left and of the right wheel.
    """
    messages: list[Encoded] = []
    for time, left, right, x, y, yaw in rows.tolist():
        at_ns = round(time * 1e9)
        pose = pose_message((x, y, 0.0, math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)))
        messages += [
            joint_state(JOINT_STATES, at_ns, at_ns, wheels, np.array((left, right))),
            encoded(TRUE_POSE, at_ns, header=header(at_ns), pose=pose),
        ]
    write_recording(folder, messages, (JOINT_STATES, TRUE_POSE))


def with_late_wheel_angles(rows: Sequence[Sequence[float]], lag: float) -> Floats:
    """Return rows (n, 6) of t, left, right, x, y, yaw, in which wheel angles are stamped `lag` [s] later than poses."""
    table = np.array(rows, np.float64)
    for column in (1, 2):
        table[:, column] = np.interp(table[:, 0] - lag, table[:, 0], table[:, column])
    return table


def _laps(moves: Sequence[Move]) -> Iterator[list[float | str]]:
    for move in moves:
        laps = ["" if lap is None else lap for lap in (move.real, move.virtual)]
        yield [move.sent, move.rotation, move.displacement, *laps]


def _planar(pose: Floats) -> tuple[float, float, float]:
    x, y, _, w, i, j, k = pose[:7].tolist()
    return x, y, math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))


def _command(number: int, rotation: float, displacement: float) -> Event:
    arguments: dict[str, Any] = {"id": number, "operation": 1}
    arguments |= {"rotation": rotation, "displacement": displacement}
    return Event("command", 0, source="link", arguments=arguments)


def _write_csv(file: Path, names: str, rows: Sequence[Sequence[float | str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names.split(","))
        writer.writerows(rows)


def _write_json(file: Path, data: dict[str, Any]) -> None:
    file.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
