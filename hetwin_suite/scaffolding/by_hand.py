"""The user's options about a recording: hands, joint names, stamps and units."""

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
from hetwin_core.ensemble.scenario.recorded import PositionUnit, Stamps
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from model_nodes.main_physics.world.description import Body, Joint

if TYPE_CHECKING:
    from model_nodes.main_physics.sources.datasets import Episode

HAND_OPTION = "--hand"
SYNTAX = "LINK=JOINT[:OPENED:CLOSED],..."


@dataclass(frozen=True, slots=True)
class DeclaredHand:
    """A hand as the user declares it.

    Attributes:
        link: base link, to which the fingers are attached.
        joints: finger joints; empty: no moving fingers.
        sides: joint -> opened and closed position [rad or m], for joints whose positions are declared.
    """

    link: str
    joints: tuple[str, ...]
    sides: dict[str, tuple[float, float]]


def declared_hand(text: str) -> DeclaredHand:
    """Parse `LINK=JOINT[:OPENED:CLOSED],...`.

    Raises:
        BadInput: if the text has another form.
    """
    link, equals, listed = text.partition("=")
    joints: list[str] = []
    sides: dict[str, tuple[float, float]] = {}
    for part in filter(None, (part.strip() for part in listed.split(","))):
        joint, *values = part.rsplit(":", 2) if part.count(":") >= 2 else [part]
        if values:
            try:
                sides[joint] = float(values[0]), float(values[1])
            except ValueError:
                joint = part
        joints.append(joint)
    if not link or not equals:
        raise BadInput("this is not a hand", where=HAND_OPTION, found=text, expected=SYNTAX)
    return DeclaredHand(link, tuple(joints), sides)


def check_declared(hands: Iterable[DeclaredHand], body: Body) -> None:
    """Check that the robot has the links and joints of declared hands.

    Raises:
        BadInput: if it does not.
    """
    links = [link.name for link in body.links]
    joints = [joint.name for joint in body.moving_joints]
    for hand in hands:
        _check_known(hand.link, links, "link")
        for joint in hand.joints:
            _check_known(joint, joints, "joint that moves")


def _check_known(name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        raise BadInput(
            f"the robot has no {what} of this name",
            where=HAND_OPTION,
            found=name,
            expected=one_of(name, known),
        )


def fingers_of(hand: DeclaredHand, body: Body) -> tuple[tuple[Joint, ...], ...]:
    """Return the joints of each finger of a declared hand, from the palm outwards."""
    by_child = {joint.child: joint for joint in body.joints}
    fingers: dict[str, list[Joint]] = {}
    for joint in body.joints:  # parents come before their children
        if joint.name not in hand.joints:
            continue
        first, outer = joint, by_child.get(joint.parent)
        while outer is not None:
            first = outer if outer.name in hand.joints else first
            outer = by_child.get(outer.parent)
        fingers.setdefault(first.name, []).append(joint)
    return tuple(map(tuple, fingers.values()))


OPTION = "--joint"
_JOINT_SYNTAX = r"PATTERN=NAME, such as 'fer_joint(\d)=panda_joint\1'"


@dataclass(frozen=True, slots=True)
class JointRule:
    r"""A user's rule that maps recorded joint names to the robot's.

    Attributes:
        text: the rule as typed.
        pattern: regular expression for a whole recorded name.
        name: name of the robot's joint; ``\\1`` etc. refer to groups of the pattern.
    """

    text: str
    pattern: re.Pattern[str]
    name: str

    @classmethod
    def from_text(cls, text: str) -> JointRule:
        """Parse `PATTERN=NAME`.

        Raises:
            BadInput: if the text has another form, or the pattern is not a valid regular expression.
        """
        pattern, equals, name = text.rpartition("=")
        if not (pattern and equals and name):
            raise BadInput(
                "this is not a pattern and a name", where=OPTION, found=text, expected=_JOINT_SYNTAX
            )
        try:
            compiled = re.compile(pattern)
            re.sub(compiled, name, "")
        except (re.error, IndexError) as error:
            problem = f"this is not a regular expression with its replacement: {error}"
            raise BadInput(problem, where=OPTION, found=text, expected=_JOINT_SYNTAX) from None
        return cls(text, compiled, name)

    def map_names(self, recorded: Sequence[str]) -> dict[str, str]:
        """Return recorded name -> name of the robot's joint, for the names that match."""
        matches = ((name, self.pattern.fullmatch(name)) for name in recorded)
        return {name: match.expand(self.name) for name, match in matches if match is not None}


def map_by_hand(rules: Sequence[JointRule], recorded: Sequence[str]) -> dict[str, str]:
    """Return recorded name -> name of the robot's joint, by the first rule that matches.

    Raises:
        BadInput: if a rule matches no recorded joint, or two recorded joints map to one.
    """
    mapped: dict[str, str] = {}
    for rule in rules:
        found = rule.map_names(recorded)
        if not found:
            raise BadInput(
                "no recorded joint has such a name",
                where=OPTION,
                found=rule.text,
                expected=f"a pattern of {', '.join(recorded) or 'recorded joints'}",
            )
        mapped = {**found, **mapped}
    owners: dict[str, str] = {}
    for name, robot_joint in mapped.items():
        if owners.setdefault(robot_joint, name) != name:
            raise BadInput(
                f"two recorded joints become {robot_joint}",
                where=OPTION,
                found=f"{owners[robot_joint]} and {name}",
                expected="a joint of its own for each",
            )
    return mapped


def check_robot_joints(mapped: dict[str, str], robot: Sequence[str]) -> None:
    """Check that the robot has the joints to which the user's rules map.

    Raises:
        BadInput: if it does not.
    """
    for name, robot_joint in mapped.items():
        if robot_joint not in robot:
            raise BadInput(
                "the robot has no such joint that moves",
                where=OPTION,
                found=f"{robot_joint} (for {name})",
                expected=f"one of {', '.join(robot)}{perhaps(robot_joint, robot)}",
            )


def as_option(rules: Sequence[str]) -> str:
    """Return the option `--joint` as it is typed in a shell."""
    return " ".join(f"{OPTION} {shlex.quote(rule)}" for rule in rules)


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """How to interpret a recording.

    Attributes:
        stamps: the clock that dates its messages; None: header stamps if these are near the log times, or log times.
        units: units of its positions that are not in rad and m.
    """

    stamps: Stamps | None = None
    units: tuple[PositionUnit, ...] = ()

    @classmethod
    def of(cls, stamps: str | None, units: str | None) -> RecordingOptions:
        """Parse the options `--stamps` and `--units`.

        Raises:
            BadInput: if one of the values is unknown.
        """
        words = [word.strip() for word in (units or "").split(",") if word.strip()]
        for word in words:
            if word not in set(PositionUnit):
                expected = " or ".join(PositionUnit)
                raise BadInput(
                    "there are no such units", where="--units", found=word, expected=expected
                )
        if stamps is not None and stamps not in set(Stamps):
            expected = " or ".join(Stamps)
            raise BadInput(
                "there is no such clock for messages",
                where="--stamps",
                found=stamps,
                expected=expected,
            )
        given = tuple(PositionUnit(word) for word in dict.fromkeys(words))
        return cls(None if stamps is None else Stamps(stamps), given)

    def keys(self) -> dict[str, Any]:
        """Return the keys `stamps` and `units` of a source in a scenario."""
        stamps = {} if self.stamps is None else {"stamps": self.stamps.value}
        return stamps | ({"units": [unit.value for unit in self.units]} if self.units else {})

    def source(self, source: str | None) -> str | None:
        """Add the options to a source.

        Args:
            source: value of `--source`; None: the scenario's source.

        Raises:
            BadInput: if the source is not a recording.
        """
        keys = self.keys()
        if not keys:
            return source
        named = {} if source is None else named_source(source)
        if kind_of(named) not in (None, SourceKind.RECORDING):
            raise BadInput(
                "this option applies to recordings, but the source is not a recording",
                where=" and ".join(f"--{key}" for key in keys),
                found=source,
                expected="a recording, or no such option",
            )
        if isinstance(path := named.get("recording"), str):
            named["recording"] = str(Path(path).expanduser().resolve())
        return json.dumps(named | keys)


_FOLLOWER = "_follower"
"""Suffix that LeRobot uses for teleoperated arms."""


@contextmanager
def written_recording(
    episode: Episode, source: Path, out: Path, *, as_it_is: bool
) -> Iterator[Path]:
    """Write an episode of a data set as a recording, and remove it if the body of the context fails.

    Args:
        episode: the episode.
        source: path of the data set, which replaces the recording's path in errors.
        out: folder of the scenario, new or empty.
        as_it_is: whether positions keep the data set's units.

    Raises:
        BadInput: if the recording cannot be written.
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
    """Return the robot that the data set names; None if it names none, or an unknown one."""
    name = episode.robot.casefold().removesuffix(_FOLLOWER)
    return name if name in known_robots() else None
