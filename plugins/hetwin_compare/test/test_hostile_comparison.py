"""Names and texts with markup stay text on the page of two runs."""

from __future__ import annotations

from support.hostile import IMAGE, MARK, assert_harmless
from support.small_run import SmallRun

from hetwin_compare.comparison import Apart, Comparison, Difference, Divergence, Parting, What
from hetwin_compare.page import comparison_page


def test_a_comparison(small_run: SmallRun) -> None:
    row = {
        "time": 1.0,
        "entity": IMAGE,
        "attribute": MARK,
        "from": MARK,
        "to": IMAGE,
        "cause": MARK,
    }
    compared = Comparison(
        divergence=Divergence(state=Parting(1_500_000_000, (MARK,), None, None)),
        given=(
            Difference(What.SEED, IMAGE, IMAGE, None),
            Difference(What.PARAMETER, MARK, 1, IMAGE),
        ),
        chain=(f"1.50 s: {MARK}", MARK),
        objects={MARK: Apart(1_600_000_000, 0.2, 0.1)},
        only_here=(row,),
        only_there=(row,),
        from_ns=0,
        to_ns=3_000_000_000,
    )
    assert_harmless(comparison_page(compared, small_run.out, small_run.out))
