"""Results of checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hetwin_core.ensemble.errors import HetwinError


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the suite.

    Attributes:
        check: what the model has to do.
        ok: whether it does.
        detail: what was found, and what was expected; if the check passed, what it covered.
    """

    check: str
    ok: bool
    detail: str = ""


class Broken(Exception):
    """A model breaks its contract; the text says how, and what was expected."""


class Report:
    """Collects the results of checks.

    Args:
        begins: called with the name of each check before it.
        ends: called with the result of each.
    """

    def __init__(
        self,
        begins: Callable[[str], None] = lambda _: None,
        ends: Callable[[CheckResult], None] = lambda _: None,
    ) -> None:
        self._begins = begins
        self._ends = ends
        self.results: list[CheckResult] = []

    def run(self, check: str, work: Callable[[], str | None]) -> bool:
        """Run one check; what it raises is a result too.

        Args:
            check: what the model has to do.
            work: returns what it covered; raises if the model does not do it.
        """
        self._begins(check)
        result = _outcome(check, work)
        self.results.append(result)
        self._ends(result)
        return result.ok


def _outcome(check: str, work: Callable[[], str | None]) -> CheckResult:
    try:
        return CheckResult(check, True, work() or "")
    except (Broken, HetwinError) as error:
        return CheckResult(check, False, str(error))
    except Exception as error:  # a third party's model may raise anything
        return CheckResult(check, False, f"raised {type(error).__name__}: {error}")
