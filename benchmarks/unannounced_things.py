"""How many phantoms are left of things that appear, move, vanish and are contradicted while runs go on.

Each run is a shipped recording with a detector: its positions have a noise of 1 cm, it misses a tenth, and a tenth of
its messages has something that is not there. Things have sides of 2 to 40 cm, so most are unlike all five objects in
reserve. The recordings take turns: the pick and place, whose box it calls by another name; the same without the box in
the scenario, which the detector sees, and a hand closes on, carries and puts down; the pouring; the table that is set.
At the end, each object that stands for a thing is compared with the things that are there. The first runs are repeated
over ROS 2.

Usage: unannounced_things.py [--runs N] [--seed FIRST] [--over-ros N] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.highlevel import AnyReader

import hetwin_suite
from hetwin_core.ensemble.topics import Encoded, Topic
from hetwin_core.episodes.bag import write_recording
from hetwin_core.episodes.messages import header, message, pose_message, vector_message
from hetwin_suite import Summary
from hetwin_suite.command import resource
from hetwin_suite.episode import open_episode
from model_nodes.main_physics.sources.bag_types import known_types

TRUTH = resource("scenarios", "episodes", "pick_and_place_truth.json")
DETECTIONS = "vision_msgs/msg/Detection3DArray"
TOPIC = "/detections"
SCENARIO = """\
extends: {of}
scenario: unannounced
source: {{recording: {recording}, topics: [{topic}]}}
scene:
{things}
entities:
{entities}
models:
  things: {{type: unannounced, rate: {rate}, parameters: {{topic: {topic}, things: ["thing_*"]{parameters}}}}}
"""
SIZES = ("small", "small", "medium", "medium", "large")


class Detection(NamedTuple):
    """A detection: class id, x y z [m], sides of its box, or the one of all [m], score."""

    kind: str
    at: tuple[float, float, float]
    size: float | tuple[float, float, float] = 0.05
    score: float = 0.9


class Story(NamedTuple):
    """A shipped recording: its scenario, where things may be (x y z of the first [m]), how long it goes on [s]."""

    of: str
    corner: tuple[float, float, float]
    duration: float = 6.0


PICKED = Story("pick_and_place", (-0.6, 0.6, 0.8))
FELT = Story("pick_and_place", (-0.6, 0.6, 0.8), 12.0)
STORIES = (
    PICKED,
    FELT,
    Story("pouring", (4.0, 4.0, 0.8)),
    Story("setting_the_table", (4.0, 4.0, 0.8)),
)


def write(
    folder: Path, messages: Mapping[float, Sequence[Detection]], story: Story = PICKED
) -> Path:
    """Write a shipped recording anew, with detections at some times of it [s]."""
    store = known_types()
    recorded = resource("scenarios", "episodes", story.of)
    with AnyReader([recorded], default_typestore=store) as reader:
        start_ns = reader.start_time
        topics = [Topic(c.topic.removeprefix("/"), c.msgtype, "") for c in reader.connections]
        known = {topic.name: topic for topic in topics}
        rows = [
            Encoded(known[c.topic.removeprefix("/")], time_ns, memoryview(raw))
            for c, time_ns, raw in reader.messages()
        ]
    topic = Topic(topic_of(story).removeprefix("/"), DETECTIONS, "")
    for at, found in messages.items():
        stamp_ns = start_ns + round(at * 1e9)
        data = store.serialize_cdr(_message(found, stamp_ns), DETECTIONS)
        rows.append(Encoded(topic, stamp_ns, data))
    out = folder / "recording"
    write_recording(out, rows, [*topics, topic], store)
    return out


def topic_of(story: Story) -> str:
    """The detector's topic; one recording has another of the usual name."""
    return TOPIC if story.of != "setting_the_table" else "/things"


def scenario(
    folder: Path,
    messages: Mapping[float, Sequence[Detection]],
    parameters: str = "",
    story: Story = PICKED,
    things: int = len(SIZES),
) -> Path:
    """Write a scenario with such a recording, and some objects in reserve."""
    recording = write(folder, messages, story)
    added = "".join(
        f"  thing_{i}: {{model: worlds/thing_{SIZES[i % len(SIZES)]}.sdf, pose: [{1000 + 2 * i}, 0, 50, 1, 0, 0, 0]}}\n"
        for i in range(things)
    )
    entities = "".join(f"  thing_{i}: {{tags: [graspable]}}\n" for i in range(things))
    if story is FELT:
        added += "  box: {pose: [1000, 10, 50, 1, 0, 0, 0]}\n"
        parameters += ", hands: [gripper]"
    file = folder / "unannounced.yaml"
    file.write_text(
        SCENARIO.format(
            of=story.of,
            topic=topic_of(story),
            rate=100 if story is FELT else 20,
            recording=recording,
            things=added,
            entities=entities,
            parameters=parameters,
        )
    )
    return file


def _message(found: Sequence[Detection], stamp_ns: int) -> Any:
    types: Mapping[str, Any] = known_types().types
    head = header(stamp_ns, "world")
    return types[DETECTIONS](header=head, detections=[_detection(types, head, d) for d in found])


def _detection(types: Mapping[str, Any], head: Any, one: Detection) -> Any:
    place = pose_message((*one.at, 1.0, 0.0, 0.0, 0.0))
    covariance = np.diag([1e-4] * 3 + [1e-2] * 3).ravel()
    covered = message("geometry_msgs/msg/PoseWithCovariance", pose=place, covariance=covariance)
    hypothesis = types["vision_msgs/msg/ObjectHypothesis"](class_id=one.kind, score=one.score)
    result = types["vision_msgs/msg/ObjectHypothesisWithPose"](hypothesis=hypothesis, pose=covered)
    sides = one.size if isinstance(one.size, tuple) else (one.size,) * 3
    box = types["vision_msgs/msg/BoundingBox3D"](center=place, size=vector_message([*sides]))
    return types["vision_msgs/msg/Detection3D"](header=head, results=[result], bbox=box, id="")


PERIOD_S = 0.1
NOISE_M, MISSED, SPURIOUS = 0.01, 0.1, 0.1
"""Noise of a position, shares of what is not seen, and of messages with what is not there."""
NEAR_M = 0.08
BOX, LIFTED_S = (0.45, 0.2, 0.8), 4.5
"""Where the scenario's own box stands, which the detector calls something else, until when [m, s]."""


class Truth(NamedTuple):
    """A thing: class, from when until when it is there [s], where [m], how fast it moves [m/s], its sides [m]."""

    kind: str
    begin: float
    end: float
    at: tuple[float, float, float]
    velocity: tuple[float, float]
    size: float | tuple[float, float, float] = 0.05
    path: tuple[tuple[float, ...], ...] = ()

    def place(self, time: float) -> tuple[float, float, float]:
        """Where it is at a time [s]."""
        if self.path:
            rows = np.array(self.path)
            x, y, z = (float(np.interp(time, rows[:, 0], rows[:, i])) for i in (1, 2, 3))
            return x, y, z
        x, y, z = self.at
        return (
            x + self.velocity[0] * (time - self.begin),
            y + self.velocity[1] * (time - self.begin),
            z,
        )


class Judged(NamedTuple):
    """Objects that stand for nothing at the end, and for a thing twice; things without any, all things, all objects."""

    phantoms: int
    doubles: int
    missing: int
    there: int
    stand: int


def carried_box() -> Truth:
    """The box of the shipped recording, as it was measured."""
    path = json.loads(TRUTH.read_text(encoding="utf-8"))["path"]
    rows = tuple(tuple(row[:4]) for row in path)
    x, y, z = rows[0][1:]
    return Truth("blob", 0.0, 100.0, (x, y, z), (0.0, 0.0), 0.08, rows)


def drawn(seed: int, story: Story = PICKED) -> tuple[list[Truth], dict[float, list[Detection]]]:
    """Return up to four things at a time, far from each other, and the messages of a detector."""
    random = np.random.default_rng([seed, 54])
    things = []
    left, near, height = story.corner
    for column in range(4):
        if random.random() < 0.25:
            continue
        begin = float(random.uniform(0.2, 3.0))
        end = 100.0 if random.random() < 0.5 else begin + float(random.uniform(0.6, 2.5))
        x, y = left + 0.4 * column + random.uniform(-0.05, 0.05), near + random.uniform(0.0, 0.2)
        speed = random.uniform(0.0, 0.05) if random.random() < 0.4 else 0.0
        a, b, c = np.exp(random.uniform(np.log(0.02), np.log(0.4), 3)).tolist()
        at = (float(x), float(y), height)
        kind = f"class_{random.integers(3)}"
        things.append(Truth(kind, begin, end, at, (0.0, float(speed)), (a, b, c)))
    if story is FELT:
        things.append(carried_box())
    return things, _seen(things, story, random)


def _seen(
    things: Sequence[Truth], story: Story, random: np.random.Generator
) -> dict[float, list[Detection]]:
    messages: dict[float, list[Detection]] = {}
    left, near, height = story.corner
    for time in np.arange(PERIOD_S, story.duration - 0.1, PERIOD_S).round(3).tolist():
        known = story is PICKED and time < LIFTED_S
        found = [Detection("blob", _noisy(BOX, random), 0.08)] if known else []
        found += [
            Detection(thing.kind, _noisy(thing.place(time), random), thing.size)
            for thing in things
            if thing.begin <= time < thing.end and random.random() >= MISSED
        ]
        if random.random() < SPURIOUS:
            x, y = random.uniform(-0.2, 1.4, 2).tolist()
            found.append(Detection("ghost", (left + x, near + y, height)))
        messages[time] = found
    return messages


def _noisy(
    at: tuple[float, float, float], random: np.random.Generator
) -> tuple[float, float, float]:
    x, y, z = (np.array(at) + NOISE_M * random.standard_normal(3)).tolist()
    return x, y, z


def judged(summary: Summary, things: Sequence[Truth], story: Story = PICKED) -> Judged:
    """Compare the objects that stand for something at the end with the things that are there."""
    episode = open_episode(summary.folder)
    end = story.duration - 0.1 - PERIOD_S
    places = [np.array(thing.place(end)) for thing in things if thing.end > end]
    stands: list[int] = []
    phantoms = 0
    for i in range(5):
        at = episode.pose(f"thing_{i}")[-1, :3]
        if at[0] > 500.0:
            continue
        near = [k for k, place in enumerate(places) if np.linalg.norm(place - at) < NEAR_M]
        phantoms += not near
        stands += near[:1]
    doubles = len(stands) - len(set(stands))
    return Judged(
        phantoms, doubles, len(places) - len(set(stands)), len(places), phantoms + len(stands)
    )


def main() -> None:
    """Run, and print what is left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100, help="how many runs (default: 100)")
    parser.add_argument("--seed", type=int, default=1000, help="of the first run (default: 1000)")
    parser.add_argument("--over-ros", type=int, default=0, help="how many are repeated over ROS 2")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found: list[Judged] = []
    same = 0
    for number in range(given.runs):
        seed, story = given.seed + number, STORIES[number % len(STORIES)]
        things, messages = drawn(seed, story)
        with tempfile.TemporaryDirectory() as folder:
            file = scenario(Path(folder), messages, story=story)
            summary = hetwin_suite.run(file, out=Path(folder) / "run", duration=story.duration)
            found.append(judged(summary, things, story))
            if number < given.over_ros:
                out = Path(folder) / "ros"
                again = hetwin_suite.run(file, out=out, duration=story.duration, transport="ros")
                same += again.digest == summary.digest
        if not given.json:
            print(f"{number}: seed {seed}, {story.of}: {found[-1]}", flush=True)
    total = {key: sum(getattr(one, key) for one in found) for key in Judged._fields}
    document = {
        "runs": len(found),
        **total,
        "share_of_phantoms": total["phantoms"] / max(1, total["stand"]),
        "over_ros": given.over_ros,
        "same_digest": same,
    }
    print(
        json.dumps(document) if given.json else "\n".join(f"{k}: {v}" for k, v in document.items())
    )


if __name__ == "__main__":
    main()
