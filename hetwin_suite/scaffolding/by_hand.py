"""Options of the user about a recording: its hands, its joints, and its reading."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetwin_core.ensemble.conductor.start.sources import named_source
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.ensemble.resources import known_robots
from hetwin_core.ensemble.scenario.recorded import Stamps, Units
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from model_nodes.main_physics.world.description import Body, Joint

if TYPE_CHECKING:
    from model_nodes.main_physics.sources.datasets import Episode

HAND_OPTION = "--hand"
SYNTAX = "LINK=JOINT[:OPENED:CLOSED],..."


@dataclass(frozen=True, slots=True)
class NamedHand:
    """A hand as the user names it.

    Attributes:
        link: that the fingers start from.
        joints: of its fingers; none: it has no fingers that move.
        sides: joint -> its position when the hand is open and when it is closed, where they are given [rad or m].
    """

    link: str
    joints: tuple[str, ...]
    sides: dict[str, tuple[float, float]]


def named_hand(text: str) -> NamedHand:
    """Read `LINK=JOINT[:OPENED:CLOSED],...`.

    Raises:
        BadInput: if it is something else.
    """
    link, equals, rest = text.partition("=")
    joints: list[str] = []
    sides: dict[str, tuple[float, float]] = {}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        joint, *values = part.rsplit(":", 2) if part.count(":") >= 2 else [part]
        if values:
            try:
                sides[joint] = float(values[0]), float(values[1])
            except ValueError:
                joint = part
        joints.append(joint)
    if not link or not equals:
        raise BadInput("this is no hand", where=HAND_OPTION, found=text, expected=SYNTAX)
    return NamedHand(link, tuple(joints), sides)


def check_named(hands: Iterable[NamedHand], body: Body) -> None:
    """Make sure that the robot has the links and joints.

    Raises:
        BadInput: if it does not.
    """
    links = [link.name for link in body.links]
    joints = [joint.name for joint in body.moving_joints]
    for hand in hands:
        _need(hand.link, links, "link")
        for joint in hand.joints:
            _need(joint, joints, "joint that moves")


def _need(name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        raise BadInput(
            f"the robot has no {what} of this name",
            where=HAND_OPTION,
            found=name,
            expected=one_of(name, known),
        )


def fingers_of(hand: NamedHand, body: Body) -> tuple[tuple[Joint, ...], ...]:
    """The joints of each finger of a named hand, from the palm outwards."""
    by_child = {joint.child: joint for joint in body.joints}
    fingers: dict[str, list[Joint]] = {}
    for joint in body.joints:  # parents come before their children
        if joint.name not in hand.joints:
            continue
        first, above = joint, by_child.get(joint.parent)
        while above is not None:
            first = above if above.name in hand.joints else first
            above = by_child.get(above.parent)
        fingers.setdefault(first.name, []).append(joint)
    return tuple(map(tuple, fingers.values()))


OPTION = "--joint"
_LIKE = r"PATTERN=NAME, such as 'fer_joint(\d)=panda_joint\1'"


@dataclass(frozen=True, slots=True)
class JointRule:
    r"""A user's rule for some joints.

    Attributes:
        text: as given.
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


@dataclass(frozen=True, slots=True)
class Reading:
    """How a recording is to be read.

    Attributes:
        stamps: the clock that dates its messages; None: stamps that are near the log times, else these.
        units: of its positions, where they are not rad and m.
    """

    stamps: Stamps | None = None
    units: tuple[Units, ...] = ()

    @classmethod
    def of(cls, stamps: str | None, units: str | None) -> Reading:
        """Read the options `--stamps` and `--units`.

        Raises:
            BadInput: if one of them has no such value.
        """
        words = [word.strip() for word in (units or "").split(",") if word.strip()]
        for word in words:
            if word not in set(Units):
                expected = " or ".join(Units)
                raise BadInput(
                    "there are no such units", where="--units", found=word, expected=expected
                )
        if stamps is not None and stamps not in set(Stamps):
            expected = " or ".join(Stamps)
            raise BadInput(
                "nothing like that dates messages",
                where="--stamps",
                found=stamps,
                expected=expected,
            )
        given = tuple(Units(word) for word in dict.fromkeys(words))
        return cls(None if stamps is None else Stamps(stamps), given)

    def said(self) -> dict[str, Any]:
        """Return it as a key of a source."""
        stamps = {} if self.stamps is None else {"stamps": self.stamps.value}
        return stamps | ({"units": [unit.value for unit in self.units]} if self.units else {})

    def source(self, source: str | None) -> str | None:
        """Return a source that is read so: the one that a command names, or the scenario's (None).

        Raises:
            BadInput: if it is no recording.
        """
        said = self.said()
        if not said:
            return source
        named = {} if source is None else named_source(source)
        if kind_of(named) not in (None, SourceKind.RECORDING):
            raise BadInput(
                "this says how a recording is read, and the source is none",
                where=" and ".join(f"--{key}" for key in said),
                found=source,
                expected="a recording, or no such option",
            )
        if isinstance(path := named.get("recording"), str):
            named["recording"] = str(Path(path).expanduser().resolve())
        return json.dumps(named | said)


_FOLLOWS = "_follower"
"""How LeRobot ends the name of an arm that is moved by another."""


@contextmanager
def written_for(episode: Episode, source: Path, out: Path, *, as_it_is: bool) -> Iterator[Path]:
    """Write an episode as a recording into the folder of a scenario, and remove it if a later step fails.

    Args:
        episode: to write.
        source: the data set; errors about the recording name it.
        out: the folder, new or empty.
        as_it_is: whether positions stay in the data set's units.

    Raises:
        BadInput: if it cannot be written.
    """
    from model_nodes.main_physics.sources.datasets import write_episode

    was_there = out.exists()
    try:
        yield write_episode(episode, out, as_it_is=as_it_is)
    except BaseException as error:
        recording = out / episode.name
        shutil.rmtree(recording, ignore_errors=True)
        if not was_there:
            with suppress(OSError):
                out.rmdir()
        if isinstance(error, BadInput) and error.file in (str(recording), str(recording.resolve())):
            raise error.at(error.where, source) from error
        raise


def robot_of(episode: Episode) -> str | None:
    """The known robot that the data set names; None if it names none, or one that is not known."""
    name = episode.robot.casefold().removesuffix(_FOLLOWS)
    return name if name in known_robots() else None
