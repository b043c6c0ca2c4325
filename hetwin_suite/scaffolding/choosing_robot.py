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
    check_robot_joints,
    map_by_hand,
)
from hetwin_suite.scaffolding.joint_names import Matching, match_joints, rule_of
from model_nodes.main_physics.sources.recording import Recording
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.robot_xml import joints_of

MIN_MATCH = 0.5
"""Minimum fraction of the recorded joints that a fitting robot has."""
MAX_CANDIDATES = 8
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
        robot = _find_named(named, packages)
        robot_joints = joints_of(robot.file, Resources(robot.file.parent, packages=packages))
        matching = _match_known(recorded, robot_joints, by_hand)
        return _checked(recording, ChosenRobot(robot, "as named", matching), robot_joints)
    if recording.robot_description is not None:
        file = folder / RECORDED_FILE
        file.write_text(recording.robot_description, encoding="utf-8")
        robot = KnownFile("", file)
        robot_joints = moving_joints(file)
        matching = _match_known(recorded, robot_joints, by_hand)
        chosen = ChosenRobot(robot, "as recorded", matching, recording.robot_description)
        return _checked(recording, chosen, robot_joints)
    nearby = _urdfs_beside(recording)
    fits = sorted((_fit(recorded, robot, by_hand) for robot in nearby), key=lambda fit: -fit.count)
    if fits and _is_unique_best(fits, recorded):
        why = "whose description lies beside the recording"
        return ChosenRobot(fits[0].robot, why, fits[0].matching)
    fits = [_fit(recorded, robot, by_hand) for robot in known_robots().values()]
    fits.sort(key=lambda fit: -fit.count)
    if not _is_unique_best(fits, recorded):
        raise _no_choice_error(recording, fits)
    best = fits[0]
    why = f"the only robot here with {best.count} of the {len(recorded)} recorded joints"
    return ChosenRobot(best.robot, why, best.matching)


def _find_named(text: str, packages: Mapping[str, Path] | None) -> KnownFile:
    if not text.startswith(SCHEMES):
        return find_known(text, Kind.ROBOT, where="--robot")
    try:
        return KnownFile("", Resources(Path.cwd(), packages=packages).find(text), text)
    except BadInput as error:
        raise error.at("--robot") from None


def _match_known(
    recorded: Sequence[str], robot_joints: Sequence[str], by_hand: dict[str, str]
) -> Matching:
    check_robot_joints(by_hand, robot_joints)
    return match_joints(recorded, robot_joints, known=True, by_hand=by_hand)


def _fit(recorded: Sequence[str], robot: KnownFile, by_hand: dict[str, str]) -> _Fit:
    return _Fit(robot, match_joints(recorded, moving_joints(robot.file), by_hand=by_hand))


def _urdfs_beside(recording: Recording) -> list[KnownFile]:
    """Return the URDF files in the recording's folder, or in the folder of its file."""
    folder = recording.path if recording.path.is_dir() else recording.path.parent
    return [
        KnownFile("", file.resolve())
        for file in sorted(folder.glob("*.urdf"))
        if moving_joints(file)
    ]


def _is_unique_best(fits: Sequence[_Fit], recorded: Sequence[str]) -> bool:
    """Whether the first candidate fits, and fits better than the second."""
    best, *others = fits
    if best.count < max(min(2, len(recorded)), MIN_MATCH * len(recorded)):
        return False
    return all(other.count < best.count for other in others[:1])


def _checked(recording: Recording, chosen: ChosenRobot, robot_joints: Sequence[str]) -> ChosenRobot:
    """Return the robot if it has half of the recorded joints, or half of its own joints were recorded.

    Raises:
        BadInput: if neither is the case, so that this is another robot.
    """
    recorded = list(recording.joints())
    if not recorded:
        return chosen  # checked when the transforms are read
    found = len(chosen.matching.joints)
    if found and found >= MIN_MATCH * min(len(recorded), len(robot_joints)):
        return chosen
    if chosen.matching.ambiguous:
        name, candidates = next(iter(chosen.matching.ambiguous.items()))
        raise BadInput(
            "the recorded names match several of the robot's joints",
            file=chosen.robot.file,
            where=name,
            found=" or ".join(candidates),
            expected=f"a robot with one such joint, or {_suggestion(list(chosen.matching.ambiguous), robot_joints)}",
        )
    missing = [name for name in recorded if name not in chosen.matching.joints]
    count = "none" if not found else f"only {found}"
    raise BadInput(
        f"this is another robot: {count} of the {len(recorded)} recorded joints is the robot's",
        file=chosen.robot.file,
        where="--robot" if not chosen.description else None,
        found=some(missing),
        expected=f"joints such as {some(robot_joints)}, or, if it is the robot, {_suggestion(missing, robot_joints)}"
        if robot_joints
        else "a robot with joints that move",
    )


def _suggestion(recorded: Sequence[str], robot_joints: Sequence[str]) -> str:
    """Return the suggestion of a `--joint` option, which the user has to check."""
    return f"which joint is which: {as_option(rule_of(recorded, robot_joints))}"


def _no_choice_error(recording: Recording, fits: Sequence[_Fit]) -> BadInput:
    recorded = list(recording.joints())
    near = [fit for fit in fits if fit.count][:MAX_CANDIDATES]
    more = "" if example_robots() else f"; {EXTRA} brings 60 more robots"
    if not near:
        return BadInput(
            "no robot here has the recorded joints",
            file=recording.path,
            found=some(recorded),
            expected=f"--robot with the URDF of the robot{more}",
        )
    named = ", ".join(f"{fit.robot.label} ({fit.count} of {len(recorded)})" for fit in near)
    problem = "no robot was recorded or named, and none fits well enough"
    if near[0].count >= MIN_MATCH * len(recorded):
        problem = "no robot was recorded or named, and more than one fits"
    return BadInput(
        problem,
        file=recording.path,
        found=some(recorded),
        expected=f"--robot with a URDF or one of {named}{more}",
    )
