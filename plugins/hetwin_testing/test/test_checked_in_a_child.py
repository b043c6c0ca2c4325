"""A model that hangs or crashes ends the check of it, with an error that names the check."""

from __future__ import annotations

import pytest

from hetwin_suite.model import BadInput
from hetwin_testing import command

PATIENCE_S = 2.5
"""Little, and far more than a call that goes well takes on a busy machine."""


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PATIENCE_S", PATIENCE_S)


@pytest.mark.parametrize(
    ("name", "check", "says"),
    [
        ("HangsInPython", "step", f"no answer within {PATIENCE_S:g} s; it is in "),
        ("HangsInC", "start", f"no answer within {PATIENCE_S:g} s; it is in "),
        ("Crashes", "start", "its process was killed by SIGSEGV"),
    ],
)
def test_the_check_that_hangs_is_the_last_one(name: str, check: str, says: str) -> None:
    results = command.check_model_watched(f"support.stuck_models:{name}", {})
    assert [r.ok for r in results[:-1]] == [True] * (len(results) - 1)
    assert (results[-1].check, results[-1].ok) == (check, False)
    assert results[-1].detail.startswith(says)
    assert "SIGSEGV" in says or "stuck_models.py" in results[-1].detail


def test_what_goes_well_is_told_in_full() -> None:
    results = command.check_model_watched("support.toys:ToyCup", {})
    assert [r.check for r in results if not r.ok] == []
    assert results[-1].check == "stop, and stop again"


def test_an_error_of_the_input_stays_one() -> None:
    with pytest.raises(BadInput, match="cannot be imported"):
        command.check_model_watched("support.stuck_models:Nobody", {})
