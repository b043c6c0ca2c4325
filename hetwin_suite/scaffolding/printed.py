"""What `hetwin new --json` prints."""

from __future__ import annotations

from pydantic import BaseModel, Field


class PrintedTopic(BaseModel):
    """A topic of the recording."""

    name: str
    type: str
    count: int = Field(description="number of messages")
    rate_hz: float | None = Field(description="mean rate; null with fewer than two messages")
    longest_gap_s: float | None = Field(description="longest time between two messages [s]; null")


class PrintedHand(BaseModel):
    """A hand of the robot."""

    link: str = Field(description="link that the fingers start from")
    joints: list[str] = Field(description="joints of the fingers; none: it holds without fingers")
    kind: str = Field(description="what it is, in words")
    unsure: str | None = Field(description="what of it cannot be judged, in words; null")


class PrintedRun(BaseModel):
    """The run of the scenario."""

    folder: str = Field(description="folder with log and summary")
    page: str | None = Field(description="its page; null if none could be made")
    verdict: str | None = Field(description="fine, doubtful or absurd; null for a run that failed")


class NewScenario(BaseModel):
    """A scenario that was made from a recording, as `hetwin new --json` prints it."""

    scenario: str = Field(description="path of the scenario")
    robot: str = Field(description="name of the robot, or path of its URDF")
    joints: dict[str, str] = Field(description="recorded joint -> joint of the robot")
    only_recorded: list[str] = Field(description="recorded joints that the robot does not have")
    only_model: list[str] = Field(description="joints of the robot that were not recorded")
    hands: dict[str, PrintedHand] = Field(description="hands of the robot")
    duration: float = Field(description="of the recording [s]")
    topics: list[PrintedTopic] = Field(description="of the recording")
    warnings: list[str] = Field(description="what to know about it, in words")
    run: PrintedRun | None = Field(description="null without --run")
