"""The link of real and virtual robot: on random tables as an implementation written apart from it, and by hand."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

import pytest
from support.naive_link import Row
from support.naive_link import played as naively

from hetwin_machines.link.link import Link
from hetwin_machines.link.logger import Logger
from hetwin_machines.link.messages import Message, Side, State
from hetwin_machines.link.playback import PlayResult, play, read_messages
from hetwin_machines.table import TableError


def table(rows: list[Row]) -> list[str]:
    return ["time,from,id,message", *(",".join(map(str, row)) for row in rows)]


def ours(rows: list[Row], period: str, timeout: str) -> dict[str, list[Any]]:
    played = play(read_messages(table(rows)), float(period), float(timeout))
    entries = [
        (e.id, e.cycle, e.state, e.rotation, e.displacement, e.lap1, e.lap2, e.D)
        for e in played.entries
    ]
    return {
        "entries": sorted(entries),
        "replies": sorted(map(tuple, played.replies)),
        "alarms": sorted(map(tuple, played.alarms)),
    }


def made_up(rng: random.Random, period: float) -> list[Row]:
    """Commands that overlap, with answers that are lost, late, doubled, unasked or contradict each other."""
    rows: list[Row] = []
    time = 0.0
    robots = rng.choice([("real", "virtual"), ("real", "virtual"), ("virtual",), ("real",)])
    for id_ in rng.sample(range(100), rng.randint(1, 12)):
        time += rng.choice([0.0, period, rng.uniform(0.0, 1.0)])
        rows.append((f"{time:.2f}", "l1", id_, rng.choice(["1 90 0.5", "1 -12.5 0", "2", "3"])))
        for robot in robots:
            for _ in range(rng.choices([0, 1, 2], [1, 6, 1])[0]):
                answer = max(0.0, time + rng.uniform(-0.1, 1.3))
                rows.append((f"{answer:.2f}", robot, id_, rng.choice(["ok", "ok", "ok", "far"])))
        if rng.random() < 0.1:
            rows.append((f"{time + rng.random():.2f}", rng.choice(robots), 200, "ok"))
    if rng.random() < 0.7:
        rows.sort(key=lambda row: float(row[0]))
    return rows


@pytest.mark.parametrize("seed", range(300))
def test_random_tables(seed: int) -> None:
    rng = random.Random(seed)
    period = rng.choice(["0.05", "0.1", "0.02", "0.3", "1"])
    timeout = rng.choice(["0", "0.1", "0.5", "0.52", "1"])
    rows = made_up(rng, float(period))
    assert ours(rows, period, timeout) == naively(rows, period, timeout)


def test_random_tables_have_all_that_can_happen() -> None:
    states, kinds = set(), set()
    for seed in range(100):
        played = naively(made_up(random.Random(seed), 0.1), "0.1", "0.5")
        states |= {entry[2] for entry in played["entries"]}
        kinds |= {alarm[1:3] for alarm in played["alarms"]}
    assert states == {"AHEAD", "BEHIND", "SYNC", "NONE"}
    assert len(kinds) == 5


def played_of(*rows: Row, period: float = 0.1, timeout: float = 0.5) -> PlayResult:
    return play(read_messages(table(list(rows))), period, timeout)


def test_a_command_that_both_answer() -> None:
    played = played_of(
        ("1.1", "l1", 7, "1 90 0.5"), ("1.25", "real", 7, "ok"), ("1.5", "virtual", 7, "ok")
    )
    (entry,) = played.entries
    assert entry[:4] == (7, 15, 11, State.BEHIND)
    assert entry[4:] == (90.0, 0.5, 0.2, 0.4, 2)
    assert (entry.lap_real, entry.lap_virtual) == (0.2, 0.4)
    assert played.replies == ((13, 7, "ok"),)
    assert played.alarms == ()


def test_the_last_cycle_in_time_and_the_first_late_one() -> None:
    rows: list[Row] = [("0", "l1", 1, "2"), ("0.1", "virtual", 1, "ok")]
    assert played_of(*rows, ("0.5", "real", 1, "ok")).replies == ((5, 1, "ok"),)
    late = played_of(*rows, ("0.51", "real", 1, "ok"))
    assert late.replies == ((6, 1, "timeout"),)
    assert late.alarms == ((6, "timeout", "real", 1), (6, "out_of_context", "real", 1))


def test_cycles_are_counted_without_errors_of_rounding() -> None:
    """1.1 / 0.1 is a little more than 11 to a computer."""
    assert play(read_messages(table([("1.1", "l1", 1, "2")])), 0.1, 0.0).entries[0].sent == 11


def test_long_timeouts_take_no_time() -> None:
    played = played_of(("0", "l1", 1, "2"), ("1e8", "real", 9, "ok"), period=1e-6, timeout=1e6)
    assert played.entries[0].cycle == 10**12 + 1


def test_a_real_robot_that_goes_away_leaves_no_command_without_an_answer() -> None:
    link = Link(0.1, 1.0)
    link.next([Message(Side.L1, 1, "2"), Message(Side.VIRTUAL, 1, "ok")])
    link.has_real = False
    turn = link.next()
    assert turn.replies == ((1, 1, "ok"),)
    assert turn.entries[0].state is State.AHEAD
    assert link.is_idle


def test_without_a_virtual_robot_none_is_waited_for() -> None:
    link = Link(0.1, 1.0, has_virtual=False)
    link.next([Message(Side.L1, 1, "1 0 2")])
    turn = link.next([Message(Side.REAL, 1, "ok")])
    assert turn.entries[0][3:] == (State.BEHIND, 0.0, 2.0, 0.1, None, 0)


def test_an_open_command_keeps_its_id() -> None:
    link = Link(0.1, 1.0)
    link.next([Message(Side.L1, 1, "2")])
    with pytest.raises(ValueError, match="the id 1 of an open command"):
        link.next([Message(Side.L1, 1, "2")])


def test_the_logger_has_a_row_for_each_command() -> None:
    link, logger = Link(0.1, 0.3), Logger(0.1)
    messages = {
        2: [Message(Side.L1, 1, "1 90 0.5"), Message(Side.REAL, 5, "ok")],
        3: [Message(Side.REAL, 1, "ok"), Message(Side.REAL, 1, "ok")],
        4: [Message(Side.VIRTUAL, 1, "far")],
        5: [Message(Side.L1, 2, "2")],
    }
    for cycle in range(12):
        logger.record(link.next(messages.get(cycle, ())))
    file = io.StringIO()
    logger.write(file)
    first, second = csv.DictReader(io.StringIO(file.getvalue()))
    assert (first["T"], first["rotation"], first["displacement"]) == ("0.2", "90.0", "0.5")
    assert (first["lap_real"], first["lap_virtual"], first["state"]) == ("0.1", "0.2", "BEHIND")
    assert (first["D"], first["alarms"]) == ("1", "out_of_context:real inconsistent")
    assert (second["lap_real"], second["alarms"]) == ("", "timeout:real timeout:virtual")
    assert [alarm.id for alarm in logger.stray] == [5]


BAD = {
    "a column is missing": (["time,from,id", "0,l1,1"], "line 1: found 'time,from,id'"),
    "a row is too short": (["time,from,id,message", "0,l1,1"], "line 2: found 3 columns"),
    "no robot": (["time,from,id,message", "0,l2,1,2"], "line 2, column from: found 'l2'"),
    "no number": (["time,from,id,message", "0,l1,x,2"], "line 2, column id: found 'x'"),
    "no time": (["time,from,id,message", "nan,l1,1,2"], "line 2, column time: found 'nan'"),
    "before the beginning": (["time,from,id,message", "-1,l1,1,2"], "column time: found '-1'"),
    "no displacement": (["time,from,id,message", "0,l1,1,1 90"], "column message: found '1 90'"),
    "two commands of one id": (
        ["time,from,id,message", "0,l1,1,2", "3,l1,1,2"],
        "line 3, column id: found 1, the id of the command in line 2",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_tables(kind: str) -> None:
    lines, words = BAD[kind]
    with pytest.raises(TableError, match=words):
        read_messages(lines)


@pytest.mark.parametrize(("period", "timeout"), [(0.0, 1.0), (-1.0, 1.0), (0.1, -1.0)])
def test_bad_times(period: float, timeout: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        Link(period, timeout)
