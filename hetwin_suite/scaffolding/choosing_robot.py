"""Choose the robot of a recording: the one named by the user, the recorded one, or the only one that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.resources import (
    EXTRA,
    Kind,
    KnownFile,
    example_robots,
    find_known,
    known_robots,
    moving_joints,
)
from hetwin_suite.scaffolding.by_hand import (
    JointRule,
    as_option,
    check_exist,
    map_by_hand,
)
from hetwin_suite.scaffolding.joint_names import Matching, match_joints, rule_of
from model_nodes.main_physics.sources.recording import Recording
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.robot_xml import joints_of

FITS_FROM = 0.5
"""Minimum fraction of the recorded joints that a fitting robot has."""
LISTED = 8
"""Maximum number of candidates in an error."""
RECORDED_FILE = "robot_description.urdf"
"""File name of a recorded description."""


@dataclass(frozen=True, slots=True)
class ChosenRobot:
    """The chosen robot.

    Attributes:
        robot: the robot's file.
        why: reason for the choice, in words.
        matching: recorded joints -> the robot's joints.
        description: the recorded URDF if this is the recorded robot, otherwise empty.
    """

    robot: KnownFile
    why: str
    matching: Matching
    description: str = ""


@dataclass(frozen=True, slots=True)
class _Fit:
    robot: KnownFile
    matching: Matching

    @property
    def count(self) -> int:
        return len(self.matching.joints)


def choose_robot(
    recording: Recording,
    named: str | None,
    folder: Path,
    rules: Sequence[JointRule] = (),
    packages: Mapping[str, Path] | None = None,
) -> ChosenRobot:
    """Choose the robot of a recording.

    Args:
        recording: the recording.
        named: the user's robot, a file or a known name; None: the user named none.
        folder: folder to which a recorded description is written.
        rules: the user's rules for joints whose names differ.
        packages: name of a package:// -> its folder.

    Raises:
        BadInput: if no robot or more than one fits, or the named or recorded robot does not.
    """
    recorded = list(recording.joints())
    by_hand = map_by_hand(rules, recorded)
    if not recorded and named is None and recording.robot_description is None:
        raise BadInput(
            "the recording holds transforms and no joint states, so its robot must be named",
            file=recording.path,
            expected="--robot with a URDF, whose kinematics the transforms are read with",
        )
    if named is not None:
        robot = _named(named, packages)
        own = joints_of(robot.file, Resources(robot.file.parent, packages=packages))
        matching = _of_known(recorded, own, by_hand)
        return _checked(recording, ChosenRobot(robot, "as named", matching), own)
    if recording.robot_description is not None:
        file = folder / RECORDED_FILE
        file.write_text(recording.robot_description, encoding="utf-8")
        robot = KnownFile("", file)
        own = moving_joints(file)
        matching = _of_known(recorded, own, by_hand)
        chosen = ChosenRobot(robot, "as recorded", matching, recording.robot_description)
        return _checked(recording, chosen, own)
    beside = _beside(recording)
    fits = sorted((_fit(recorded, robot, by_hand) for robot in beside), key=lambda fit: -fit.count)
    if fits and _is_alone(fits, recorded):
        why = "whose description lies beside the recording"
        return ChosenRobot(fits[0].robot, why, fits[0].matching)
    fits = [_fit(recorded, robot, by_hand) for robot in known_robots().values()]
    fits.sort(key=lambda fit: -fit.count)
    if not _is_alone(fits, recorded):
        raise _undecided(recording, fits)
    best = fits[0]
    why = f"the only robot here with {best.count} of the {len(recorded)} recorded joints"
    return ChosenRobot(best.robot, why, best.matching)


def _named(text: str, packages: Mapping[str, Path] | None) -> KnownFile:
    if not text.startswith(SCHEMES):
        return find_known(text, Kind.ROBOT, where="--robot")
    try:
        return KnownFile("", Resources(Path.cwd(), packages=packages).find(text), text)
    except BadInput as error:
        raise error.at("--robot") from None


def _of_known(recorded: Sequence[str], own: Sequence[str], by_hand: dict[str, str]) -> Matching:
    check_exist(by_hand, own)
    return match_joints(recorded, own, known=True, by_hand=by_hand)


def _fit(recorded: Sequence[str], robot: KnownFile, by_hand: dict[str, str]) -> _Fit:
    return _Fit(robot, match_joints(recorded, moving_joints(robot.file), by_hand=by_hand))


def _beside(recording: Recording) -> list[KnownFile]:
    """Return the URDF files in the recording's folder, or in the folder of its file."""
    folder = recording.path if recording.path.is_dir() else recording.path.parent
    return [
        KnownFile("", file.resolve())
        for file in sorted(folder.glob("*.urdf"))
        if moving_joints(file)
    ]


def _is_alone(fits: Sequence[_Fit], recorded: Sequence[str]) -> bool:
    """Whether the first candidate fits, and fits better than the second."""
    best, *others = fits
    if best.count < max(min(2, len(recorded)), FITS_FROM * len(recorded)):
        return False
    return all(other.count < best.count for other in others[:1])


def _checked(recording: Recording, chosen: ChosenRobot, own: Sequence[str]) -> ChosenRobot:
    """Return the robot if it has half of the recorded joints, or half of its own joints were recorded.

    Raises:
        BadInput: if neither is the case, so that this is another robot.
    """
    recorded = list(recording.joints())
    if not recorded:
        return chosen  # checked when the transforms are read
    found = len(chosen.matching.joints)
    if found and found >= FITS_FROM * min(len(recorded), len(own)):
        return chosen
    if chosen.matching.ambiguous:
        name, which = next(iter(chosen.matching.ambiguous.items()))
        raise BadInput(
            "which of the robot's joints were recorded cannot be told from their names",
            file=chosen.robot.file,
            where=name,
            found=" or ".join(which),
            expected=f"a robot with one such joint, or {_line(list(chosen.matching.ambiguous), own)}",
        )
    missing = [name for name in recorded if name not in chosen.matching.joints]
    count = "none" if not found else f"only {found}"
    raise BadInput(
        f"this is another robot: {count} of the {len(recorded)} recorded joints is the robot's",
        file=chosen.robot.file,
        where="--robot" if not chosen.description else None,
        found=some(missing),
        expected=f"joints such as {some(own)}, or, if it is the robot, {_line(missing, own)}"
        if own
        else "a robot with joints that move",
    )


def _line(recorded: Sequence[str], own: Sequence[str]) -> str:
    """Return the suggestion of a `--joint` option, which the user has to check."""
    return f"which joint is which: {as_option(rule_of(recorded, own))}"


def _undecided(recording: Recording, fits: Sequence[_Fit]) -> BadInput:
    recorded = list(recording.joints())
    near = [fit for fit in fits if fit.count][:LISTED]
    more = "" if example_robots() else f"; {EXTRA} brings 60 robots more"
    if not near:
        return BadInput(
            "no robot here has the recorded joints",
            file=recording.path,
            found=some(recorded),
            expected=f"--robot with the URDF of the robot{more}",
        )
    named = ", ".join(f"{fit.robot.label} ({fit.count} of {len(recorded)})" for fit in near)
    problem = "no robot was recorded or named, and none fits well enough"
    if near[0].count >= FITS_FROM * len(recorded):
        problem = "no robot was recorded or named, and more than one fits"
    return BadInput(
        problem,
        file=recording.path,
        found=some(recorded),
        expected=f"--robot with a URDF or one of {named}{more}",
    )
