"""What a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hetwin_suite.ensemble.errors import HetwinError


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the suite.

    Attributes:
        check: what the model has to do.
        ok: whether it does.
        says: what was found, and what was expected; with a check that went well, what it looked at.
    """

    check: str
    ok: bool
    says: str = ""


class Broken(Exception):
    """A model breaks its contract; the text says how, and what was expected."""


class Report:
    """Collects the results of checks."""

    def __init__(self) -> None:
        self.results: list[CheckResult] = []

    def run(self, check: str, work: Callable[[], str | None]) -> bool:
        """Run one check; whatever it raises is a result too.

        Args:
            check: what the model has to do.
            work: answers what it looked at; raises if the model does not do it.
        """
        try:
            says = work()
        except (Broken, HetwinError) as error:
            self.results.append(CheckResult(check, False, str(error)))
            return False
        except Exception as error:  # a model of anyone's may raise anything
            says = f"raised {type(error).__name__}: {error}"
            self.results.append(CheckResult(check, False, says))
            return False
        self.results.append(CheckResult(check, True, says or ""))
        return True
