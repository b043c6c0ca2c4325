"""Writes the scenario of a recording, and describes the result as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

from hetwin_core.ensemble.nearest import counted, some
from hetwin_core.ensemble.writing import write_files
from hetwin_suite.scaffolding.choosing_robot import RECORDED_FILE
from hetwin_suite.scaffolding.new_scenario import Draft
from hetwin_suite.scaffolding.scenario_text import OBJECTS, objects, scenario_text
from model_nodes.main_physics.sources.recording import RecordedTopic

_SHOWN_TOPICS = 4
_SHOWN_WARNINGS = 5


@dataclass(frozen=True, slots=True)
class WrittenScenario:
    """A written scenario.

    Attributes:
        file: file of the scenario.
        draft: content of the scenario.
    """

    file: Path
    draft: Draft

    def printed(self, run: PrintedRun | None) -> NewScenario:
        """Return the output of `hetwin new --json`.

        Args:
            run: the run of the scenario; None without `--run`.
        """
        draft = self.draft
        return NewScenario(
            scenario=str(self.file.resolve()),
            robot=self._robot,
            joints=draft.chosen.matching.joints,
            only_recorded=draft.only_recorded,
            only_model=draft.only_model,
            hands={hand.name: _printed(PrintedHand, hand) for hand in draft.hands},
            duration=draft.recording.duration_s,
            topics=[_printed(PrintedTopic, topic) for topic in draft.recording.topics.values()],
            warnings=list(draft.warnings),
            run=run,
        )

    @property
    def _robot(self) -> str:
        """Name of the robot, or path of its recorded description."""
        chosen = self.draft.chosen
        described = self.file.parent / RECORDED_FILE
        return str(described.resolve()) if chosen.description else chosen.robot.label

    def lines(self) -> Iterator[str]:
        """Yield a description of the recording and the scenario, for a person."""
        draft = self.draft
        recording, matching = draft.recording, draft.chosen.matching
        yield (
            f"{short_path(recording.path)}: {recording.duration_s:.1f} s,"
            f" {counted(len(recording.topics), 'topic')}, {counted(len(recording.joints()), 'joint')}"
        )
        yield from _topic_lines(list(recording.topics.values()))
        file = draft.chosen.robot.reference or short_path(Path(self._robot))
        yield f"  robot: {draft.body.name}, {draft.chosen.why} ({file})"
        how = f"; {'; '.join(matching.how)}" if matching.how else ""
        count = len(recording.joints()) or len(matching.joints)
        yield f"  joints: {len(matching.joints)} of {count} move the robot{how}"
        if draft.only_recorded:
            yield f"  recorded, but not the robot's: {some(draft.only_recorded)}"
        if draft.only_model:
            yield f"  the robot's, but not recorded: {some(draft.only_model)}"
        for hand in draft.hands:
            joints = f", {counted(len(hand.joints), 'finger joint')}" if hand.joints else ""
            is_still = bool(joints) and hand.name not in draft.watched
            still = ", whose fingers do not move" if is_still else ""
            yield f"  hand: {hand.name} on {hand.link}{joints}{still} ({hand.kind})"
        for warning in draft.warnings[:_SHOWN_WARNINGS]:
            yield f"  warning: {warning}"
        if len(draft.warnings) > _SHOWN_WARNINGS:
            yield f"  and {len(draft.warnings) - _SHOWN_WARNINGS} more warnings (--json has all)"
        yield f"  scenario: {short_path(self.file)}"


def write_scenario(draft: Draft, out: Path) -> WrittenScenario:
    """Write the scenario and its example objects into a new or empty folder.

    Raises:
        BadInput: if a file cannot be written; all files are removed then.
    """
    file = out / f"{draft.name}.yaml"
    texts = {out / OBJECTS / name: text for name, text in objects(draft).items()}
    if draft.chosen.description:
        texts[out / RECORDED_FILE] = draft.chosen.description
    texts[file] = scenario_text(draft, out)
    write_files(texts, out, "the scenario", "--out")
    return WrittenScenario(file, draft)


def _printed(kind: type[Printed], found: object) -> Printed:
    return kind.model_validate(found, from_attributes=True)


def _topic_lines(topics: Sequence[RecordedTopic]) -> Iterator[str]:
    width = max((len(topic.name) for topic in topics[:_SHOWN_TOPICS]), default=0)
    for topic in topics[:_SHOWN_TOPICS]:
        line = f"  {topic.name:{width}}  {topic.type}, {counted(topic.count, 'message')}"
        if topic.rate_hz is not None:
            line += f", {topic.rate_hz:.1f} Hz"
        if topic.longest_gap_s is not None:
            line += f", longest gap {topic.longest_gap_s:.2g} s"
        yield line
    if len(topics) > _SHOWN_TOPICS:
        others = [topic.name for topic in topics[_SHOWN_TOPICS:]]
        yield f"  and {some(others)}"


Printed = TypeVar("Printed", bound=BaseModel)


class PrintedTopic(BaseModel):
    """A topic of the recording."""

    name: str
    type: str
    count: int = Field(description="number of messages")
    rate_hz: float | None = Field(description="mean rate; null with fewer than two messages")
    longest_gap_s: float | None = Field(description="longest time between two messages [s]; null")


class PrintedHand(BaseModel):
    """A hand of the robot."""

    link: str = Field(description="link to which the fingers are attached")
    joints: list[str] = Field(description="finger joints; empty: no fingers")
    kind: str = Field(description="kind of the hand, in words")
    unsure: Annotated[str | None, BeforeValidator(lambda text: text or None)] = Field(
        description="properties that cannot be derived, in words; null: none"
    )


class PrintedRun(BaseModel):
    """The run of the scenario."""

    folder: str = Field(description="folder with log and summary")
    page: str | None = Field(description="its page; null if none could be made")
    verdict: str | None = Field(description="fine, doubtful or absurd; null for a run that failed")


class NewScenario(BaseModel):
    """A scenario made from a recording, as printed by `hetwin new --json`."""

    scenario: str = Field(description="path of the scenario")
    robot: str = Field(description="name of the robot, or path of its URDF")
    joints: dict[str, str] = Field(description="recorded joint -> joint of the robot")
    only_recorded: list[str] = Field(description="recorded joints that the robot does not have")
    only_model: list[str] = Field(description="joints of the robot that were not recorded")
    hands: dict[str, PrintedHand] = Field(description="hands of the robot")
    duration: float = Field(description="duration of the recording [s]")
    topics: list[PrintedTopic] = Field(description="topics of the recording")
    warnings: list[str] = Field(description="warnings about recording, robot and scenario")
    run: PrintedRun | None = Field(description="null without --run")


def short_path(path: Path) -> str:
    """Return a path relative to the working directory if it is below it, otherwise unchanged."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
