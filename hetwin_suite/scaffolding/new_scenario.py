"""Makes a scenario from a recording."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_suite.scaffolding.by_hand import (
    HAND_OPTION,
    SYNTAX,
    JointRule,
    RecordingOptions,
    check_declared,
    declared_hand,
)
from hetwin_suite.scaffolding.choosing_robot import RECORDED_FILE, ChosenRobot, choose_robot
from hetwin_suite.scaffolding.grasping import (
    Grasp,
    Motion,
    beyond_limits,
    first_grasp,
    has_motion,
    replay,
)
from hetwin_suite.scaffolding.hands import (
    FoundHand,
    find_hands,
    joints_without_position,
    why_no_hand,
    without_joints,
)
from hetwin_suite.scaffolding.joint_names import Matching
from hetwin_suite.scaffolding.palms import GRIPPING
from hetwin_suite.scaffolding.reach import standing_height
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.recording import Recording
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

SAMPLES = 200
"""Number of recorded postures from which the robot's height above the floor is computed."""

_NOT_A_WORD = re.compile(r"\W+", re.ASCII)


_DEFAULT_OPTIONS = RecordingOptions()


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a recording's scenario.

    Attributes:
        name: name of the scenario.
        recording: the recording.
        topics: topics from which the joint positions are read.
        chosen: the robot, with the matching of its joints.
        body: the robot's description.
        hands: hands of the robot.
        watched: names of the hands whose recorded fingers move.
        height: height of the robot's root link in the world frame [m].
        start: unrecorded joint whose limits exclude 0 -> its position [rad or m].
        grasp: the first grasp; None if no hand closes.
        packages: name of a package:// -> its folder.
        warnings: warnings for the user.
        reading: how to interpret the recording.
    """

    name: str
    recording: Recording
    topics: tuple[str, ...]
    chosen: ChosenRobot
    body: Body
    hands: tuple[FoundHand, ...]
    watched: tuple[str, ...]
    height: float
    start: Mapping[str, float]
    grasp: Grasp | None
    packages: Mapping[str, str]
    warnings: tuple[str, ...]
    reading: RecordingOptions = _DEFAULT_OPTIONS

    @property
    def only_recorded(self) -> list[str]:
        """Recorded joints that the robot does not have."""
        return [name for name in self.recording.joints() if name not in self.chosen.matching.joints]

    @property
    def only_model(self) -> list[str]:
        """Moving joints of the robot that mimic no other joint and were not recorded."""
        known = set(self.chosen.matching.joints.values())
        free = (joint for joint in self.body.moving_joints if joint.mimic is None)
        return [joint.name for joint in free if joint.name not in known]


def draft_scenario(
    recording: Path,
    *,
    robot: str | None = None,
    packages: Mapping[str, str] | None = None,
    reading: RecordingOptions = _DEFAULT_OPTIONS,
    joints: Sequence[str] = (),
    hands: Sequence[str] = (),
    warnings: Sequence[str] = (),
    now: Callable[[str], object] = str,
) -> Draft:
    """Read a recording, choose its robot, and derive the scenario's content.

    Args:
        recording: file or folder of the recording.
        robot: file or known name of the robot; None: the recorded one, or the only one that fits.
        packages: name of a package:// -> its folder.
        reading: how to interpret the recording.
        joints: the user's values of `--joint`; see `JointRule`.
        hands: the user's values of `--hand`; see `declared_hand`.
        warnings: warnings about the origin of the recording, which precede all others.
        now: called with the current activity, in words.

    Raises:
        BadInput: if the recording cannot be used, or no robot or more than one fits.
    """
    rules = [JointRule.from_text(text) for text in joints]
    named = [declared_hand(text) for text in hands]
    found = Recording.open(recording, reading.stamps)
    _check_has_positions(found)
    notes = Notes()
    folders = {name: Path(path) for name, path in (packages or {}).items()}
    now("looking for the robot, and reading its description and meshes")
    with TemporaryDirectory() as folder:
        chosen = choose_robot(found, robot, Path(folder), rules, folders)
        body = _body(chosen, folders, notes)
    check_declared(named, body)
    matching = chosen.matching
    from_transforms = not found.joints()
    recorded = found.joints(set(matching.joints))
    topics = tuple(found.chosen_topics(set(matching.joints)))
    now("replaying the recording")
    motion = replay(_source(recording, topics, matching.renamed) | reading.keys(), body)
    if from_transforms:
        matching = Matching({name: name for name in motion.positions}, ("read from transforms",))
        chosen = replace(chosen, matching=matching)
    facts = JointFacts([body])
    ranges = {
        own: recorded[name].times(facts.si_per(own, reading.units))
        for name, own in matching.joints.items()
        if name in recorded
    }
    all_hands = find_hands(body, motion.ranges, named)
    unknown = {
        hand.name: joints_without_position(body, hand, motion.positions) for hand in all_hands
    }
    own_hands = tuple(_with_known_joints(hand, unknown[hand.name]) for hand in all_hands)
    watched = [hand for hand in own_hands if has_motion(hand, motion.ranges)]
    height = standing_height(body, motion.subsampled(SAMPLES))
    return Draft(
        name=scenario_name(recording),
        recording=found,
        topics=topics,
        chosen=chosen,
        body=body,
        hands=own_hands,
        watched=tuple(hand.name for hand in watched),
        height=height,
        start=_start(body, motion),
        grasp=first_grasp(body, watched, motion, height),
        packages=dict(packages or {}),
        warnings=(
            *warnings,
            *([found.unreadable] if found.unreadable else []),
            *motion.notes,
            *_ambiguous(chosen),
            *_hand_warnings(body, own_hands, unknown),
            *_omitted(notes, chosen),
            *beyond_limits(body, ranges),
        ),
        reading=reading,
    )


def _with_known_joints(hand: FoundHand, unknown: Sequence[str]) -> FoundHand:
    """Return the hand without joints of unknown position, unless all its joints are unknown."""
    return without_joints(hand, unknown) if len(unknown) < len(hand.joints) else hand


def _hand_warnings(
    body: Body, hands: Sequence[FoundHand], unknown: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield warnings for the user about the hands."""
    named = any(GRIPPING.search(joint.name) for joint in body.moving_joints)
    why = why_no_hand(body, hands)
    if why and named:
        yield f"no hand: {why}; if there is one, `{HAND_OPTION} {SYNTAX}` declares it"
    for hand in hands:
        if len(unknown[hand.name]) > 0 and not set(unknown[hand.name]) & set(hand.joints):
            yield (
                f"{hand.name}: {some(unknown[hand.name])} are neither recorded nor coupled to a recorded joint: the"
                f"twin's stay at their start, and the other joints alone show how far it is closed"
            )
        if hand.unsure:
            more = f"; `{HAND_OPTION} {SYNTAX}` declares it" if hand.guessed else ""
            yield f"{hand.name}: {hand.unsure}{more}"


def _check_has_positions(recording: Recording) -> None:
    """Check that the recording holds joint positions, or transforms from which they can be read.

    Raises:
        BadInput: if it holds neither; if it has unusable joint states, the error gives the reason.
    """
    if recording.joints():
        return
    for topic in recording.joint_topics:
        if topic.problem is not None:
            raise topic.problem
    if recording.has_tf:
        return
    topics_found = [f"{topic.name} ({topic.type})" for topic in recording.topics.values()]
    raise BadInput(
        "the recording holds no joint positions",
        file=recording.path,
        found=some(topics_found) if topics_found else "no topic",
        expected=f"a topic of type {JOINT_STATE} with positions, or transforms",
    )


def _source(recording: Path, topics: Sequence[str], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return the scenario's `source`."""
    named = {"joint_states": list(topics)} if topics else {}
    return {"recording": str(recording.resolve()), "joints": dict(renamed), **named}


def _start(body: Body, motion: Motion) -> dict[str, float]:
    """Return unrecorded joint whose limits exclude 0 -> its limit nearest to 0 [rad or m]."""
    return {
        joint.name: joint.resting
        for joint in body.moving_joints
        if joint.name not in motion.positions and joint.mimic is None and joint.resting
    }


def scenario_name(recording: Path) -> str:
    """Return a name for the scenario of a recording, derived from its file name."""
    path = recording if recording.name else recording.resolve()
    stem = path.name if path.is_dir() else path.stem
    name = _NOT_A_WORD.sub("_", stem).strip("_") or "recording"
    return (f"twin_{name}" if name[0].isdigit() else name)[:64]


def _body(chosen: ChosenRobot, packages: Mapping[str, Path], notes: Notes) -> Body:
    file = chosen.robot.file
    try:
        return read_urdf(file, notes, resources=Resources(file.parent, packages=packages))
    except BadInput as error:
        if chosen.description:
            raise error.at(error.where, f"the recorded {RECORDED_FILE}") from None
        raise


def _omitted(notes: Notes, chosen: ChosenRobot) -> tuple[str, ...]:
    """Return notes about omitted parts of the description: meshes, and features of MJCF that URDF lacks."""
    return notes.mesh_notes() if chosen.robot.file.suffix in (".urdf", ".xacro") else notes.all()


def _ambiguous(chosen: ChosenRobot) -> list[str]:
    return [
        f"{name} may be {' or '.join(own)}; --joint {re.escape(name)}=NAME selects one"
        for name, own in chosen.matching.ambiguous.items()
    ]
