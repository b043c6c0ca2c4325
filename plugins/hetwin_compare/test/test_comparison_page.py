"""The page of two runs says first what was given differently, and where they part."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.small_run import SmallRun

from hetwin_compare.comparison import (
    Apart,
    Comparison,
    Difference,
    Divergence,
    Parting,
    What,
)
from hetwin_compare.page import comparison_page


def found(*given: Difference, **changed: Any) -> Comparison:
    known: dict[str, Any] = {
        "divergence": Divergence(),
        "given": given,
        "chain": (),
        "objects": {},
        "only_here": (),
        "only_there": (),
        "from_ns": 0,
        "to_ns": 3_000_000_000,
        **changed,
    }
    return Comparison(**known)


def told(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'id="hetwin-comparison">(.*?)</script>', page)
    data: dict[str, Any] = json.loads(text)
    return data


def body(page: str) -> str:
    return page.partition("<body>")[2].partition("<script")[0]


def test_seed_engine_and_rate_are_named_before_all_else(small_run: SmallRun) -> None:
    given = (
        Difference(What.SEED, "seed", 1, 2),
        Difference(What.RATE, "rate", 400.0, 200.0),
        Difference(What.PARAMETER, "grasp.force", 3.0, {"least": 1}),
    )
    parted = Divergence(state=Parting(1_500_000_000, ("box",), None, None))
    page = body(comparison_page(found(*given, divergence=parted), small_run.out, small_run.out))
    settings = page.index("seed 1 here, 2 there; rate 400.0 here, 200.0 there")
    assert settings < page.index("box moves differently")
    assert page.index("box moves differently") < page.index("grasp.force")


def test_each_first_difference_is_marked_and_one_click_away(small_run: SmallRun) -> None:
    row = {
        "time": 1.0,
        "entity": "box",
        "attribute": "pose",
        "from": "a<b",
        "to": "c",
        "cause": "x",
    }
    compared = found(
        divergence=Divergence(state=Parting(1_500_000_000, ("box",), None, None)),
        chain=("1.50 s: box moves <differently>", "at the end: box is 0.1 m off"),
        objects={"box": Apart(1_600_000_000, 0.2, 0.1), "ball": Apart(None, 0.0, 0.0)},
        only_there=(row, {**row, "time": 2.0}),
    )
    page = comparison_page(compared, small_run.out, small_run.out)
    assert [mark["time"] for mark in told(page)["first"]] == [1.0, 1.5]
    shown = body(page)
    assert 'data-time="1.5"' in shown
    assert 'data-time="1.6"' in shown
    assert "box moves &lt;differently&gt;" in shown
    assert shown.count("<td>there</td>") == 2
    assert "a&lt;b" in shown
    assert "<td>ball</td>" not in shown


def test_no_difference(small_run: SmallRun) -> None:
    page = comparison_page(found(), small_run.out, small_run.out)
    assert "No difference" in body(page)
    assert told(page)["first"] == []


def test_runs_are_called_by_what_tells_them_apart(small_run: SmallRun, tmp_path: Path) -> None:
    copies = [tmp_path / name / "run" for name in ("one", "two")]
    for copy in copies:
        copy.parent.mkdir()
        copy.symlink_to(small_run.out)
    page = comparison_page(found(), *copies)
    assert told(page)["names"] == ["one/run (here)", "two/run (there)"]


def test_the_page_loads_nothing(small_run: SmallRun) -> None:
    page = comparison_page(found(), small_run.out, small_run.out)
    assert re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", page.partition("<script>")[0]) == []
