"""Recordings that are odd in several ways at once: no traceback, no hang, and never fine when samples are missing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.hetwin_command import hetwin
from support.odd_recordings import (
    COUNT,
    NAN,
    PERIOD_NS,
    cut,
    in_degrees,
    logged_before_the_clock,
    messages,
)
from support.random_examples import examples
from support.recorded_bags import EPOCH_NS, MS, Recorded, joints, storage_file, write_bag
from support.robot_files import ROOT, TABLETOP_ARM
from support.tabletop import JOINTS, tabletop

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_suite import run
from model_nodes.main_physics.sources.repairs import RepairKind

SHORT = 60
FINE = 0.95

Mutation = tuple[str, int, int]
"""What is done, from which message on, and how much."""


def changed(one: Recorded, **fields: Any) -> Recorded:
    """A message with other times or positions; all count from `EPOCH_NS`."""
    stamp_ns = fields.get("stamp_ns", stamp_of(one))
    positions = fields.get("positions", one.message.position)
    return joints(fields.get("log_ns", one.time_ns), JOINTS, positions, stamp_ns=stamp_ns)


def mutated(made: list[Recorded], mutation: Mutation) -> list[Recorded]:
    """Do one thing to a recording."""
    what, at, much = mutation
    if what == "before_clock":
        return logged_before_the_clock(made, min(at, much) // 4, 0)
    first = stamp_of(made[at])
    some = range(at, at + 1 + much % 20)
    found = []
    for k, one in enumerate(made):
        stamp, fields = stamp_of(one), {}
        if what == "late" and k == at:
            fields = {"log_ns": one.time_ns + much * MS}
        elif what == "pace":
            fields = {"stamp_ns": 10**10 - EPOCH_NS + min(max(stamp, 0), 10**10) * much // 100}
        elif what in _STAMPS and k in _STAMPS[what](at, much):
            fields = {
                "stamp_ns": {"set_back": stamp - much * MS, "stands": first}.get(what, -EPOCH_NS)
            }
        elif what in _VALUES and k in some:
            fields = {"positions": _VALUES[what](list(one.message.position), much)}
        found.append(changed(one, **fields) if fields else one)
    return found


def stamp_of(one: Recorded) -> int:
    """The stamp of a message, from `EPOCH_NS` on."""
    stamp = one.message.header.stamp
    return int(stamp.sec * 10**9 + stamp.nanosec - EPOCH_NS)


_STAMPS: dict[str, Callable[[int, int], range]] = {
    "set_back": lambda at, _: range(at, SHORT),
    "stands": lambda at, much: range(at, at + 1 + much % 20),
    "zero": lambda at, much: range(min(at, much)),
}
"""What is done to stamps -> to which messages."""


def _odd(values: list[float], much: int) -> list[float]:
    return [
        (NAN, math.inf, -math.inf)[much % 3] if i % 3 == much % 3 else v
        for i, v in enumerate(values)
    ]


_VALUES = {
    "odd": _odd,
    "odd_all": lambda values, _: [NAN] * len(values),
    "empty": lambda values, _: [],
    "few": lambda values, much: values[: much % len(JOINTS)],
}

mutations = st.lists(
    st.tuples(
        st.sampled_from(["late", "set_back", "stands", "zero", "before_clock", "pace", *_VALUES]),
        st.integers(0, SHORT - 1),
        st.integers(1, 900),
    ),
    max_size=4,
)


@settings(examples(6, random=500), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    what=mutations,
    kept=st.sampled_from([1.0, 1.0, 1.0, 0.97, 0.8, 0.5, 0.2]),
    storage=st.sampled_from(list(StoragePlugin)),
    compression=st.sampled_from([CompressionMode.NONE, CompressionMode.STORAGE]),
)
def test_no_recording_is_a_traceback_or_fine_without_its_samples(
    what: list[Mutation], kept: float, storage: StoragePlugin, compression: CompressionMode
) -> None:
    made = messages(count=SHORT, efforts=lambda _: [0.0] * len(JOINTS))
    for mutation in what:
        made = mutated(made, mutation)
    made.sort(key=lambda one: one.time_ns)
    packed = compression if storage is StoragePlugin.MCAP else CompressionMode.NONE
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = tabletop(folder, recording=False)
        cut_file = cut(folder, kept, made, storage=storage, compression=packed)
        out = folder / "run"
        try:
            summary = run(file, source=cut_file, out=out)
        except (BadInput, RunFailed):
            return
        written = yaml.safe_load((out / "summary.json").read_text())
        assert written["simulated_time"] <= 2.0 + SHORT * PERIOD_NS / 1e9
        usable = sum(_is_good(one) for one in made) / SHORT
        if usable < FINE or kept < FINE:
            assert summary.verdict != "fine"
            concerns = {c["name"] for c in written["concerns"] if c["severity"] != "note"}
            assert concerns, "nothing is doubtful about it"


def _is_good(one: Recorded) -> bool:
    """Whether all positions of a message can be used, and it was not logged at 0."""
    positions: Sequence[float] = one.message.position
    whole = len(positions) == len(JOINTS) and bool(np.isfinite(positions).all())
    return whole and one.time_ns > -EPOCH_NS // 2


# --- what the user sees


def test_the_table_of_the_documentation_has_all_that_is_mended() -> None:
    page = (ROOT / "docs" / "reference" / "recordings.md").read_text()
    rows = page.split("## Repairs")[1].split("\n## ")[0]
    named = set(
        re.findall(
            r"`(\w+)`",
            " ".join(row.split("|")[3] for row in rows.splitlines() if row.startswith("| ")),
        )
    )
    assert named == {*RepairKind, "breaks_off", "other_units"}


def _new(folder: Path, recording: Path, *options: str) -> str:
    said = hetwin("new", recording, "--robot", TABLETOP_ARM, "--out", folder / "twin", *options)
    assert said.code == 0, said.err
    return str(said.out)


def test_new_and_run_say_what_was_mended(tmp_path: Path) -> None:
    made = messages(log=lambda k, t: t + (70 * MS if k == 111 else 0), count=COUNT)
    out = _new(tmp_path, write_bag(tmp_path / "late", made), "--run")
    text = "1 of 240 messages on /joint_states came up to 0.06 s out of order and were sorted"
    assert f"warning: {text}" in out
    assert f"note: {text}" in out
    summary = yaml.safe_load((tmp_path / "twin" / "run" / "summary.json").read_text())
    (row,) = [row for row in summary["coverage"] if row["claim"] == "time"]
    assert (row["checked"], row["holds"]) == (True, True)
    assert text in row["why"]
    (concern,) = [one for one in summary["concerns"] if one["name"] == "mended"]
    assert concern["arguments"]["count"] == 1


def test_a_recording_that_breaks_off_is_doubtful(tmp_path: Path) -> None:
    out = _new(tmp_path, cut(tmp_path, 0.7), "--run")
    assert "doubtful" in out
    assert "bag.mcap was cut off or not closed" in out


def test_units_and_stamps_are_options_of_both_commands(tmp_path: Path) -> None:
    begin = 20 * 10**9 - EPOCH_NS
    made = messages(stamp=lambda _, t: begin + t // 2, positions=in_degrees)
    bag = write_bag(tmp_path / "bag", made)
    out = _new(tmp_path, bag, "--units", "degrees", "--stamps", "header")
    assert "look like" not in out
    assert "1.5 s" in out
    file = tmp_path / "twin" / "bag.yaml"
    source = yaml.safe_load(file.read_text())["source"]
    assert (source["stamps"], source["units"]) == ("header", ["degrees"])
    plain = tmp_path / "plain"
    _new(plain, bag)
    run_file = plain / "twin" / "bag.yaml"
    options = ("--no-page", "--duration", "0.2", "--out")
    doubted = hetwin("run", run_file, *options, tmp_path / "a")
    assert "look like degrees" in doubted.out
    read = hetwin(
        "run", run_file, "--units", "degrees", "--stamps", "log", *options, tmp_path / "b"
    )
    assert read.code == 0, read.err
    assert "look like degrees" not in read.out


def test_options_that_say_nothing_are_refused(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", messages(count=5))
    for option, value in (("--units", "inches"), ("--stamps", "wall")):
        said = hetwin("new", bag, "--out", tmp_path / "twin", option, value)
        assert said.code == 2
        assert option in said.err
        assert storage_file(bag).exists()
