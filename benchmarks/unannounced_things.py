"""How many phantoms are left of things that appear, move, vanish and are contradicted while runs go on.

Each run is the shipped pick and place with a detector: its positions have a noise of 1 cm, it misses a tenth, a tenth
of its messages has something that is not there, and it calls the scenario's box by another name. At the end, each
object that stands for a thing is compared with the things that are there.

Usage: unannounced_things.py [--runs N] [--seed FIRST] [--json]
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

RECORDING = resource("scenarios", "episodes", "pick_and_place")
DETECTIONS = "vision_msgs/msg/Detection3DArray"
TOPIC = "/detections"
SCENARIO = """\
extends: pick_and_place
scenario: unannounced
source: {{recording: {recording}, topics: [/detections]}}
scene:
{things}
entities:
{entities}
models:
  things: {{type: unannounced, parameters: {{topic: /detections, things: ["thing_*"]{parameters}}}}}
"""
SIZES = ("small", "small", "medium", "medium", "large")


class Detection(NamedTuple):
    """A detection: class id, x y z [m], side of its box [m], score."""

    kind: str
    at: tuple[float, float, float]
    size: float = 0.05
    score: float = 0.9


def write(folder: Path, messages: Mapping[float, Sequence[Detection]]) -> Path:
    """Write the shipped recording anew, with detections at some times of it [s]."""
    store = known_types()
    with AnyReader([RECORDING], default_typestore=store) as reader:
        start_ns = reader.start_time
        topics = [Topic(c.topic.removeprefix("/"), c.msgtype, "") for c in reader.connections]
        known = {topic.name: topic for topic in topics}
        rows = [
            Encoded(known[c.topic.removeprefix("/")], time_ns, memoryview(raw))
            for c, time_ns, raw in reader.messages()
        ]
    topic = Topic(TOPIC.removeprefix("/"), DETECTIONS, "")
    for at, found in messages.items():
        stamp_ns = start_ns + round(at * 1e9)
        data = store.serialize_cdr(_message(found, stamp_ns), DETECTIONS)
        rows.append(Encoded(topic, stamp_ns, data))
    out = folder / "recording"
    write_recording(out, rows, [*topics, topic], store)
    return out


def scenario(
    folder: Path, messages: Mapping[float, Sequence[Detection]], parameters: str = ""
) -> Path:
    """Write a scenario with such a recording, and five objects in reserve."""
    recording = write(folder, messages)
    things = "".join(
        f"  thing_{i}: {{model: worlds/thing_{size}.sdf, pose: [{1000 + 2 * i}, 0, 50, 1, 0, 0, 0]}}\n"
        for i, size in enumerate(SIZES)
    )
    entities = "".join(f"  thing_{i}: {{tags: [graspable]}}\n" for i in range(len(SIZES)))
    file = folder / "unannounced.yaml"
    file.write_text(
        SCENARIO.format(
            recording=recording, things=things, entities=entities, parameters=parameters
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
    box = types["vision_msgs/msg/BoundingBox3D"](center=place, size=vector_message([one.size] * 3))
    return types["vision_msgs/msg/Detection3D"](header=head, results=[result], bbox=box, id="")


PERIOD_S, LAST_S = 0.1, 5.9
NOISE_M, MISSED, SPURIOUS = 0.01, 0.1, 0.1
"""Noise of a position, shares of what is not seen, and of messages with what is not there."""
NEAR_M = 0.08
BOX, LIFTED_S = (0.45, 0.2, 0.8), 4.5
"""Where the scenario's own box stands, which the detector calls something else, until when [m, s]."""


class Truth(NamedTuple):
    """A thing: class, from when until when it is there [s], where [m], and how fast it moves [m/s]."""

    kind: str
    begin: float
    end: float
    at: tuple[float, float, float]
    velocity: tuple[float, float]

    def place(self, time: float) -> tuple[float, float, float]:
        """Where it is at a time [s]."""
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


def drawn(seed: int) -> tuple[list[Truth], dict[float, list[Detection]]]:
    """Return up to four things at a time, far from each other, and the messages of a detector."""
    random = np.random.default_rng([seed, 54])
    things = []
    for column in range(4):
        if random.random() < 0.25:
            continue
        begin = float(random.uniform(0.2, 3.0))
        end = 10.0 if random.random() < 0.5 else begin + float(random.uniform(0.6, 2.5))
        x, y = -0.6 + 0.4 * column + random.uniform(-0.05, 0.05), random.uniform(0.6, 0.8)
        speed = random.uniform(0.0, 0.05) if random.random() < 0.4 else 0.0
        at = (float(x), float(y), 0.8)
        things.append(Truth(f"class_{random.integers(3)}", begin, end, at, (0.0, float(speed))))
    return things, _seen(things, random)


def _seen(things: Sequence[Truth], random: np.random.Generator) -> dict[float, list[Detection]]:
    messages: dict[float, list[Detection]] = {}
    for time in np.arange(PERIOD_S, LAST_S, PERIOD_S).round(3).tolist():
        found = [Detection("blob", _noisy(BOX, random), 0.08)] if time < LIFTED_S else []
        found += [
            Detection(thing.kind, _noisy(thing.place(time), random))
            for thing in things
            if thing.begin <= time < thing.end and random.random() >= MISSED
        ]
        if random.random() < SPURIOUS:
            x, y = random.uniform(-0.8, 0.8, 2).tolist()
            found.append(Detection("ghost", (x, y, 0.8)))
        messages[time] = found
    return messages


def _noisy(
    at: tuple[float, float, float], random: np.random.Generator
) -> tuple[float, float, float]:
    x, y, z = (np.array(at) + NOISE_M * random.standard_normal(3)).tolist()
    return x, y, z


def judged(summary: Summary, things: Sequence[Truth]) -> Judged:
    """Compare the objects that stand for something at the end with the things that are there."""
    episode = open_episode(summary.folder)
    end = LAST_S - PERIOD_S
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
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found: list[Judged] = []
    for seed in range(given.seed, given.seed + given.runs):
        things, messages = drawn(seed)
        with tempfile.TemporaryDirectory() as folder:
            file = scenario(Path(folder), messages)
            summary = hetwin_suite.run(file, out=Path(folder) / "run", duration=LAST_S + 0.1)
            found.append(judged(summary, things))
    total = {key: sum(getattr(one, key) for one in found) for key in Judged._fields}
    document = {
        "runs": len(found),
        **total,
        "share_of_phantoms": total["phantoms"] / max(1, total["stand"]),
    }
    print(
        json.dumps(document) if given.json else "\n".join(f"{k}: {v}" for k, v in document.items())
    )


if __name__ == "__main__":
    main()
