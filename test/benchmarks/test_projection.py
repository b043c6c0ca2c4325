"""The benchmark of questions: what counts as right, what each system is given, and what it cannot be asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hetwin_sql", reason="hetwin_sql is not installed")

import projection
from in_turn import Absent
from projection_peers.questions import QUESTIONS, right
from projection_peers.raw import Names, Raw, spans, touching, truths
from projection_peers.rerun_peer import Rerun
from projection_peers.segmind_peer import Segmind

NAMES = Names("box", "finger", "table", "tray", "", 3.0, 0.2)
TIMES = np.arange(0.0, 10.0, 0.01)
ENTITIES = ("box", "finger", "table", "tray")


def raw() -> Raw:
    """A box on a table is touched from 2 to 5 s, leaves the table at 3 s, and comes to the tray at 4.5 s."""
    box = np.zeros((len(TIMES), 7))
    box[:, 2] = 0.5
    box[:, 0] = np.interp(TIMES, [3.0, 4.5], [0.0, 0.6])
    flat = np.zeros((len(TIMES), 7))
    poses = {"box": box, "finger": flat, "table": flat, "tray": flat}
    pairs = [(1, 2.0, 5.0), (2, 0.0, 3.0), (3, 4.5, 10.0)]
    rows = [(t, 0, b, 0.0) for b, begin, end in pairs for t in TIMES if begin <= t < end]
    said = np.arange(0.0, 3.0, 0.1)
    contacts = np.array(sorted(rows))
    return Raw(
        Path("made"),
        NAMES,
        TIMES,
        poses,
        contacts,
        ENTITIES,
        (said, np.tile([0, 0, 0.5], (30, 1))),
        [],
    )


class Known:
    """A system that has all answers but one, which is wrong."""

    def ask(self, question: str) -> Any:
        if question == "cause":
            return None
        return [] if question == "touched" else truths(raw())[question]


def test_what_is_right_is_read_state_by_state() -> None:
    found = truths(raw())
    assert found["at_end"] == ["box"]
    assert found["touched"] == [pytest.approx((2.0, 5.0), abs=0.011)]
    assert found["picked"] == [pytest.approx(3.0, abs=0.011)]
    assert found["pose"][0] == pytest.approx(0.0, abs=0.01)
    assert found["believed_wrongly"] == [pytest.approx((3.05, 9.99), abs=0.02)]
    assert found["always_high"] is True


def test_a_contact_outlasts_a_few_states_without_it() -> None:
    made = raw()
    gone = np.isin(np.round(made.contacts[:, 0], 2), [2.5, 2.51, 2.52])
    kept = made.contacts[~(gone & (made.contacts[:, 2] == 1))]
    less = Raw(*{**vars(made), "contacts": kept}.values())
    assert touching(less, "finger", "box") == touching(made, "box", "finger")
    assert len(spans(TIMES, np.isin(np.arange(len(TIMES)), [1, 2, 9]))) == 2


def test_answers_are_right_near_enough_and_wrong_otherwise() -> None:
    assert right("picked", [3.1], [3.0])
    assert not right("picked", [3.2], [3.0])
    assert not right("picked", [3.0, 8.0], [3.0])
    assert not right("touched", [], [(2.0, 5.0)])
    assert right("at_end", ["b", "a"], ["a", "b"])
    assert not right("pose", [0.0, 0.0, 0.002], np.zeros(3))
    assert not right("cause", ["retreat.1"], [15.8])


def test_rows_have_times_and_verdicts_and_null_for_what_cannot_be_asked() -> None:
    rows = list(projection.measured("known", Known, raw(), projection.NOTHING, 2))
    assert [row.question for row in rows] == [projection.READ_IN, *QUESTIONS.values()]
    verdicts = {row.question: row.right for row in rows}
    assert verdicts[QUESTIONS["touched"]] is False
    assert verdicts[QUESTIONS["picked"]] is True
    assert rows[-1].right is rows[-1].ms is None
    assert all(row.ms is not None and row.ms >= 0 for row in rows[:-1])


def test_duckdb_on_raw_tables_answers_rightly_or_not_at_all() -> None:
    pytest.importorskip("duckdb", reason="the extra tables is not installed")
    from projection_peers.duckdb_raw import DuckDbRaw

    made, answers = raw(), truths(raw())
    system = DuckDbRaw(made)
    for question in QUESTIONS:
        found = system.ask(question)
        assert found is None if question == "cause" else right(question, found, answers[question])


def test_a_system_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Absent, match="--segmind names their folder"):
        Segmind(raw(), tmp_path)
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(Absent, match="rerun-sdk is not installed"):
        Rerun(raw(), tmp_path / "episode.rrd")
    monkeypatch.setattr(projection, "read", lambda run, names: raw())
    monkeypatch.setattr(
        projection, "systems", lambda *_: {"known": Known, "segmind": lambda: Segmind(raw(), None)}
    )
    assert projection.main(["--run", str(tmp_path), "--rounds", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["system"] for row in told["rows"]} == {"known"}
    assert told["skipped"] == [
        {
            "system": "segmind",
            "reason": "segmind's sources are not there; --segmind names their folder",
        }
    ]
