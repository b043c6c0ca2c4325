"""Rows that are kept, compared, bisected and set beside labels."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_night.bisecting import bisect
from hetwin_night.comparison import compare, paired_difference
from hetwin_night.labels import compare_with_labels
from hetwin_night.page import night_page
from hetwin_night.recordings import Recording
from hetwin_night.row import BAD, FAULT, GOOD, UNKNOWN, Row, row_from_json
from hetwin_night.row_store import FILE, RowStore, read_night
from hetwin_night.tables import CSV, write_tables
from hetwin_suite.command import BadInput


def recording(index: int) -> Recording:
    name = f"bag_{index:03d}"
    return Recording(name, Path(name), f"stamp {index}")


def row(index: int, bad: bool = False) -> Row:
    return Row(recording(index).name, "doubtful" if bad else "fine")


def test_outcomes() -> None:
    assert Row("a", "fine").outcome == GOOD
    assert Row("a", "doubtful").outcome == Row("a", "fine", {"x": False}).outcome == BAD
    assert Row("a", "unchecked").outcome == Row("a", "fine", {"x": None}).outcome == UNKNOWN
    assert Row("a", "unchecked", {"x": False}).outcome == BAD
    assert {Row("a", one).outcome for one in ("broken", "hangs", "died", "failed")} == {FAULT}


def test_a_row_that_was_cut_off_is_judged_again(tmp_path: Path) -> None:
    with RowStore(tmp_path, "question") as kept:
        kept.add(recording(0), row(0))
        kept.add(recording(1), row(1, bad=True))
    file = tmp_path / FILE
    file.write_text(file.read_text()[:-20])
    with RowStore(tmp_path, "question") as kept:
        assert kept.get(recording(0)) == row(0)
        assert kept.get(recording(1)) is None
        kept.add(recording(1), row(1))
    with RowStore(tmp_path, "another question") as kept:
        assert kept.get(recording(0)) is None
    assert read_night(tmp_path, "--diff") == [row(0), row(1)]
    with pytest.raises(BadInput, match="not the folder of a night"):
        read_night(tmp_path / "none", "--diff")


@given(
    st.builds(
        Row,
        st.text(),
        st.sampled_from(["fine", "doubtful", "broken"]),
        st.dictionaries(st.text(), st.sampled_from([True, False, None])),
        first_at_s=st.none() | st.floats(0, 1e6),
        first=st.text(),
        checked=st.lists(st.text()).map(tuple),
        about=st.dictionaries(st.text(), st.text()),
    )
)
def test_a_row_comes_back_as_it_was(kept: Row) -> None:
    assert row_from_json(json.loads(json.dumps(kept.to_json()))) == kept


@pytest.mark.parametrize("seed", range(20))
def test_the_planted_change_is_found_in_eight_looks(seed: int) -> None:
    changed = int(np.random.default_rng(seed).integers(1, 64))
    looks: list[str] = []

    def judge(one: Recording) -> Row:
        looks.append(one.name)
        index = int(one.name[-3:])
        return row(index, bad=index >= changed)

    found = bisect([recording(i) for i in range(64)], judge)
    assert found.changed == row(changed, bad=True)
    assert found.before == recording(changed - 1).name
    assert found.flips == 1
    assert len(looks) == found.looked_at <= 8


def test_an_outcome_that_does_not_change_or_changes_often_is_said_so() -> None:
    same = bisect([recording(i) for i in range(9)], lambda one: row(int(one.name[-3:])))
    assert same.changed is None
    assert "and so is the last of 9 recordings" in same.lines[0]
    bad = {4, 5}

    def judge(one: Recording) -> Row:
        index = int(one.name[-3:])
        return row(index, bad=index in bad)

    often = bisect([recording(i) for i in range(9)], judge)
    assert often.changed is None
    assert often.flips == 2
    assert "not once" in often.lines[-1]


def test_what_is_known_already_costs_no_look() -> None:
    rows = {recording(i).name: row(i, bad=i >= 5) for i in range(9)}
    recordings = [recording(i) for i in range(9)]

    def judge(one: Recording) -> Row:
        raise AssertionError(one)

    found = bisect(recordings, judge, lambda one: rows.get(one.name))
    assert found.changed == row(5, bad=True)


def test_nights_are_compared_in_pairs() -> None:
    before = [row(i, bad=i < 2) for i in range(20)]
    after = [row(i, bad=i in (1, 5, 6, 7)) for i in range(1, 21)]
    found = compare(before, after)
    assert (found.both, found.judged, found.to_bad, found.to_good) == (19, 19, 3, 0)
    assert found.only_before == ("bag_000",)
    assert found.only_after == ("bag_020",)
    assert [change.name for change in found.changes] == ["bag_005", "bag_006", "bag_007"]
    assert found.difference == pytest.approx(3 / 19)
    assert found.low < found.difference < found.high
    assert "3 became bad and 0 good" in "\n".join(found.lines)
    with pytest.raises(BadInput, match="no recording in common"):
        compare([row(1)], [row(2)])


def test_the_interval_of_a_paired_difference_holds_the_truth_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(11)
    holds = 0
    for _ in range(2000):
        ups, downs = rng.multinomial(80, [0.15, 0.05, 0.8])[:2]
        _, low, high = paired_difference(int(ups), int(downs), 80)
        holds += low <= 0.1 <= high
    assert 0.93 < holds / 2000 < 0.98
    assert math.isclose(paired_difference(0, 0, 0)[2], 1.0)


def test_labels(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("name,success\nbag_000,yes\nbag_001,0\nbag_002,1\nelsewhere,1\n")
    rows = [row(0), row(1), row(2, bad=True), row(3)]
    found = compare_with_labels(rows, file)
    assert found.labelled == 3
    assert found.disagree == ("bag_001", "bag_002")
    assert found.without == 1
    assert "successes named good: 50% (" in "\n".join(found.lines)
    file.write_text("name,success\nbag_000,perhaps\n")
    with pytest.raises(BadInput, match="this label is invalid"):
        compare_with_labels(rows, file)
    file.write_text("name,success\nelsewhere,1\n")
    with pytest.raises(BadInput, match="no label belongs to a recording"):
        compare_with_labels(rows, file)


def test_labels_of_a_claim_score_its_probabilities(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("name,held\nbag_000,yes\nbag_001,no\nbag_002,yes\nbag_003,no\n")
    claimed = (0.95, 0.1, 0.05, 0.5)
    rows = [replace(row(k), probabilities={"held": p}) for k, p in enumerate(claimed)]
    found = compare_with_labels([*rows, row(4)], file)
    assert found.labelled == 0
    scores = found.scored["held"]
    assert (scores.of, scores.decided.p, scores.sensitivity.p) == (4, 0.75, 0.5)
    assert found.wrong == {"held": {"bag_002": "wrongly denied"}}
    lines = "\n".join(found.lines)
    assert "held: claims 4, decided 75% of 4 (" in lines
    assert "held wrongly denied: bag_002" in lines
    file.write_text("name,lost\nbag_000,yes\n")
    with pytest.raises(BadInput, match="success of bag_000: this label is invalid"):
        compare_with_labels(rows, file)
    file.write_text("name,held\nbag_000,mostly\n")
    with pytest.raises(BadInput, match="held of bag_000: this label is invalid"):
        compare_with_labels(rows, file)


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    evil = '</script><img src=x onerror="alert(1)"> \u202e,"'
    rows = [Row(evil, "doubtful", {evil: False}, first_at_s=1.0, first=evil, about={evil: evil})]
    page = night_page(rows, evil, evil)
    assert "<img" not in page
    assert page.count("</script>") == 2
    write_tables(rows, tmp_path)
    assert (tmp_path / CSV).read_text().count("\n") == 2
