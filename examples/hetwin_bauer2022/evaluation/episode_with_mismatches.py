"""Writes a recorded episode with mismatches into a new folder."""

from __future__ import annotations

import copy
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hetwin_bauer2022.evaluation.episodes import (
    ROBOT,
    WORLD,
    LabelledEpisode,
    read_episode,
)
from hetwin_bauer2022.evaluation.handled_objects import handled_in
from hetwin_bauer2022.mismatch import (
    BeliefAxis,
    EpisodeFacts,
    HandFacts,
    Mismatch,
    Place,
    RecordingAxis,
    TwinAxis,
    TwinFiles,
    check_places,
    read_recording,
    sorted_mismatches,
    start_time_ns,
    write_recording,
)
from hetwin_suite.episode import read_labelled, write_episode
from hetwin_suite.runs import BadInput, Scenario, load_scenario

REPLAY_PLACES = (Place.RECORDING, Place.BELIEF, Place.TWIN)
"""The parts of a recorded episode that mismatches can change."""
RECORD_INSTEAD = "to record with it: hetwin record drop|insertion --mismatch ..."


def check_mismatches(mismatches: Sequence[Mismatch], episodes: Sequence[LabelledEpisode]) -> None:
    """Check that no axis acts during recording, and that each axis affects at least one episode.

    Raises:
        BadInput: if a mismatch fails a check; the error names it.
    """
    check_places(mismatches, REPLAY_PLACES, RECORD_INSTEAD)
    grasps = sorted({episode.grasp for episode in episodes})
    for mismatch in mismatches:
        if not any(map(mismatch.axis.concerns, grasps)):
            raise BadInput(
                f"{mismatch.axis.name} affects none of these episodes",
                where="--mismatch",
                found=f"episodes with {', '.join(grasps)}",
                expected=f"with {' or '.join(mismatch.axis.grasps)}",
            )


def write_with_mismatches(
    episode: LabelledEpisode, mismatches: Sequence[Mismatch], folder: Path
) -> LabelledEpisode:
    """Write an episode with mismatches into a folder, and return it.

    Axes that do not concern this kind of episode change nothing.

    Args:
        episode: recorded episode.
        mismatches: mismatches of recording, belief or twin; combined in the order of places and names.
        folder: folder to write; must not exist.

    Raises:
        BadInput: if an axis acts on reality, or a level is not possible for this recording.
    """
    check_places(mismatches, REPLAY_PLACES, RECORD_INSTEAD)
    affecting = [
        mismatch
        for mismatch in sorted_mismatches(mismatches)
        if mismatch.axis.concerns(episode.grasp)
    ]
    scenario = load_scenario(episode.scenario)
    twin = _twin_of(episode, scenario)
    facts = _facts(episode, scenario, copy.deepcopy(twin.robot))
    truth = read_labelled(episode.folder).truth
    levels = {mismatch.axis.name: mismatch.level for mismatch in affecting}
    truth["mismatch"] = {**truth.get("mismatch", {}), **levels}

    def write(recording: Path) -> None:
        _write_recording(recording, episode, affecting, facts)
        _write_twin(recording.parent, episode, twin, affecting, facts)

    write_episode(folder, episode.scenario, _scene(episode, affecting, facts), truth, write)
    return read_episode(folder)


def _write_recording(
    folder: Path, episode: LabelledEpisode, mismatches: Sequence[Mismatch], facts: EpisodeFacts
) -> None:
    changes = [
        (mismatch.axis, mismatch.level)
        for mismatch in mismatches
        if isinstance(mismatch.axis, RecordingAxis)
    ]
    if not changes:
        shutil.copytree(episode.recording, folder)
        return
    recording = read_recording(episode.recording)
    joint_states = recording.joint_states
    for axis, level in changes:
        joint_states = axis.change(joint_states, level, facts)
    connections = {
        topic: connection
        for topic, connection in recording.connections.items()
        if all(axis.keeps(connection.msgtype, level) for axis, level in changes)
    }
    other_messages = [message for message in recording.others if message.topic in connections]
    write_recording(
        folder,
        replace(
            recording,
            joint_states=joint_states,
            others=other_messages,
            connections=connections,
        ),
    )


def _scene(
    episode: LabelledEpisode, mismatches: Sequence[Mismatch], facts: EpisodeFacts
) -> dict[str, Any]:
    scene = episode.scene
    for mismatch in mismatches:
        if isinstance(mismatch.axis, BeliefAxis):
            scene = mismatch.axis.change(scene, mismatch.level, facts)
    return scene


def _write_twin(
    folder: Path,
    episode: LabelledEpisode,
    twin: TwinFiles,
    mismatches: Sequence[Mismatch],
    facts: EpisodeFacts,
) -> None:
    """Write world and robot files if they differ from those of the scenario."""
    changes = [
        (mismatch.axis, mismatch.level)
        for mismatch in mismatches
        if isinstance(mismatch.axis, TwinAxis)
    ]
    for axis, level in changes:
        axis.change(twin, level, facts)
    for name, own_file, root in (
        (WORLD, episode.world, twin.world),
        (ROBOT, episode.robot, twin.robot),
    ):
        if own_file is not None or changes:
            ET.ElementTree(root).write(folder / name, encoding="utf-8", xml_declaration=True)


def _twin_of(episode: LabelledEpisode, scenario: Scenario) -> TwinFiles:
    world = episode.world or _file(scenario, scenario.file.world, "world")
    return TwinFiles(
        ET.parse(world).getroot(),
        ET.parse(episode.robot or _file(scenario, scenario.robot_file, "robot")).getroot(),
    )


def _file(scenario: Scenario, name: str | None, description: str) -> Path:
    path = scenario.path_of(name) if name else None
    if path is None:
        raise BadInput(f"the scenario has no such {description}", file=scenario.path, found=name)
    return path


def _facts(episode: LabelledEpisode, scenario: Scenario, robot: ET.Element) -> EpisodeFacts:
    handled = handled_in(episode.scenario)
    hands = tuple(
        HandFacts(
            hand.link,
            dict(zip(hand.joints, hand.opened, strict=False)),
            dict(zip(hand.joints, hand.closed, strict=False)),
        )
        for hand in scenario.file.hands.values()
    )
    return EpisodeFacts(
        scenario=episode.scenario,
        thing=handled.thing,
        support=handled.support,
        target=handled.target,
        held_part=handled.held_part,
        held_at=handled.held_at,
        hands=hands,
        robot=robot,
        key=episode.key or (start_time_ns(episode.recording),),
    )
