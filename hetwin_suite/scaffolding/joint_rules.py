"""Joints that the user matches by hand: `PATTERN=NAME`, a regular expression and what it becomes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps

OPTION = "--joint"
_LIKE = r"PATTERN=NAME, such as 'fer_joint(\d)=panda_joint\1'"


@dataclass(frozen=True, slots=True)
class JointRule:
    r"""What the user said of some joints.

    Attributes:
        text: as it was said.
        pattern: matches the whole of a recorded name.
        name: of the robot's joint; ``\\1`` and so on are groups of the pattern.
    """

    text: str
    pattern: re.Pattern[str]
    name: str

    @classmethod
    def from_text(cls, text: str) -> JointRule:
        """Read one.

        Raises:
            BadInput: if it is no pattern with a name.
        """
        pattern, equals, name = text.rpartition("=")
        if not (pattern and equals and name):
            raise BadInput("this is no pattern and name", where=OPTION, found=text, expected=_LIKE)
        try:
            compiled = re.compile(pattern)
            re.sub(compiled, name, "")
        except (re.error, IndexError) as error:
            problem = f"this is no regular expression and its replacement: {error}"
            raise BadInput(problem, where=OPTION, found=text, expected=_LIKE) from None
        return cls(text, compiled, name)

    def of(self, recorded: Sequence[str]) -> dict[str, str]:
        """Recorded name -> name of the robot's joint, of the names that match."""
        matches = ((name, self.pattern.fullmatch(name)) for name in recorded)
        return {name: match.expand(self.name) for name, match in matches if match is not None}


def said_by_hand(rules: Sequence[JointRule], recorded: Sequence[str]) -> dict[str, str]:
    """Recorded name -> name of the robot's joint, by the first rule that matches.

    Raises:
        BadInput: if a rule matches no recorded joint, or two joints become one.
    """
    said: dict[str, str] = {}
    for rule in rules:
        found = rule.of(recorded)
        if not found:
            raise BadInput(
                "no recorded joint has such a name",
                where=OPTION,
                found=rule.text,
                expected=f"a pattern of {', '.join(recorded) or 'recorded joints'}",
            )
        said = {**found, **said}
    owners: dict[str, str] = {}
    for name, own in said.items():
        if owners.setdefault(own, name) != name:
            raise BadInput(
                f"two recorded joints become {own}",
                where=OPTION,
                found=f"{owners[own]} and {name}",
                expected="a joint of its own for each",
            )
    return said


def check_are_there(said: dict[str, str], robot: Sequence[str]) -> None:
    """Check that the robot has the joints that were named.

    Raises:
        BadInput: if it does not.
    """
    for name, own in said.items():
        if own not in robot:
            raise BadInput(
                "the robot has no such joint that moves",
                where=OPTION,
                found=f"{own} (for {name})",
                expected=f"one of {', '.join(robot)}{perhaps(own, robot)}",
            )


def as_option(rules: Sequence[str]) -> str:
    """The option as it is typed in a shell."""
    return " ".join(f"{OPTION} {shlex.quote(rule)}" for rule in rules)
