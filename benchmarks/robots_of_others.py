"""Runs a scenario of a recording of every robot of example-robot-data, and checks its hands against its meshes.

The recording moves all joints a little, and the hands that the robot has from open to half closed and back. Whether a
hand's open side is right is measured here, on points of the meshes as their files have them, with kinematics of the
benchmark's own: how far the tips of the fingers are from each other (of one jaw: from the part that it is on; of a hand
whose joints move by themselves: from the palm), open and closed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from health_recording import JointSeries, Recording, write_recording
from machine import machine
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat

import hetwin_suite
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.resources import example_robots, known_robots
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.scaffolding.hands import FoundHand, find_hands, hands_of_file
from hetwin_suite.scaffolding.new_scenario import draft_scenario
from hetwin_suite.scaffolding.written import write_scenario
from model_nodes.main_physics.world.resources import Resources

EXAMPLES = """examples:
  python benchmarks/robots_of_others.py --jobs 2                # all of them, some minutes
  python benchmarks/robots_of_others.py --only so100 panda --json
  python benchmarks/robots_of_others.py --jobs 2 --markdown     # the table of docs/reference/robots_of_others.md
"""
LONGEST_S = 120
SECONDS, RATE = 2.0, 50
SWING = 0.05
POINTS = 1500
TIP_SHARE = 0.25
Row = dict[str, Any]


def measure(folder: Path, file: Path) -> Row:
    """Make, run and check the scenario of one robot."""
    begun = time.monotonic()
    names = {robot.file: name for name, robot in known_robots().items()}
    row: Row = {"robot": str(file.relative_to(folder)), "name": names.get(file, file.stem)}
    row |= {"hands": [], "words": "", "verdict": None}
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST_S)
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin-robots-") as place:
            row |= _made(file, Path(place))
    except (BadInput, HetwinError, TimeoutError) as error:
        row["words"] = str(error).replace(str(folder), "").strip(" :/")
    finally:
        signal.alarm(0)
    return {**row, "seconds": time.monotonic() - begun}


def _too_long(_number: int, _frame: object) -> None:
    raise TimeoutError(f"it takes more than {LONGEST_S} s")


def _made(file: Path, place: Path) -> Row:
    geometry = Robot(file)
    if not geometry.free:
        return {"words": "no joint of it moves"}
    hands, why = hands_of_file(file)
    recording = write_recording(geometry.recording(hands), place / "recording")
    draft = draft_scenario(recording, robot=str(file))
    written = write_scenario(draft, place / "twin")
    summary = hetwin_suite.run(written.file, out=place / "run")
    return {
        "hands": [_hand(geometry, hand) for hand in find_hands(draft.body, {})],
        "words": why,
        "verdict": summary.verdict,
        "watched": len(draft.watched),
    }


def _hand(geometry: Robot, hand: FoundHand) -> Row:
    opened, closed = geometry.room(hand, hand.opened), geometry.room(hand, hand.closed)
    return {
        "name": hand.name,
        "kind": hand.kind,
        "unsure": hand.unsure,
        "guessed": hand.guessed,
        "open_mm": None if opened is None else 1000.0 * opened,
        "closed_mm": None if closed is None else 1000.0 * closed,
    }


# ---------------------------------------------------------------------- a robot, read by the benchmark


class Robot:
    """The kinematics and the points of the meshes of a URDF.

    Attributes:
        free: joints that move and follow no other.
    """

    def __init__(self, file: Path) -> None:
        self._resources = Resources(file.parent)
        root = ET.parse(file).getroot()
        self._links = {str(link.get("name")): link for link in root.findall("link")}
        self._joints = {str(joint.get("name")): joint for joint in root.findall("joint")}
        self._by_child = {_named(j, "child"): j for j in self._joints.values()}
        kinds = ("revolute", "prismatic", "continuous")
        moving = [n for n, j in self._joints.items() if j.get("type") in kinds]
        self._follows = {n: m for n in moving if (m := self._joints[n].find("mimic")) is not None}
        self.free = [name for name in moving if name not in self._follows]
        self._points: dict[str, Floats] = {}

    def recording(self, hands: Sequence[FoundHand]) -> Recording:
        """All joints swing a little around where they rest; those of hands close by half, and open again."""
        times = np.arange(round(SECONDS * RATE)) / RATE
        columns = {name: self._swing(name, times) for name in self.free}
        closing = 0.5 * np.interp(times, [0.2, 0.8, 1.4, 1.8], [0.0, 1.0, 1.0, 0.0])
        for hand in hands:
            for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True):
                if name in columns:
                    columns[name] = opened + closing * (closed - opened)
        positions = np.stack(list(columns.values()), axis=1)
        speeds = np.gradient(positions, 1.0 / RATE, axis=0)
        stamps = 1_700_000_000_000_000_000 + np.round(times * 1e9).astype(np.int64)
        nothing = np.empty((len(times), 0))
        series = JointSeries(tuple(columns), stamps, positions, speeds, nothing)
        return Recording((series,), (), int(stamps[0]))

    def _swing(self, name: str, times: Floats) -> Floats:
        limit = self._joints[name].find("limit")
        low, high = -1.0, 1.0
        if limit is not None and self._joints[name].get("type") != "continuous":
            low, high = float(limit.get("lower", 0.0)), float(limit.get("upper", 0.0))
            low, high = max(low, -np.pi), min(high, np.pi)  # some have limits that are none
        rest = min(max(0.0, low), high)
        way = SWING * (high - low) * (1.0 if rest + SWING * (high - low) <= high else -1.0)
        return np.asarray(rest + way * 0.5 * (1.0 - np.cos(2.0 * np.pi * times / SECONDS)))

    def room(self, hand: FoundHand, positions: Sequence[float]) -> float | None:
        """How far the tips are apart [m]; None if there are no meshes or shapes to see it by."""
        at = dict(zip(hand.joints, positions, strict=True))
        frames = self._frames(at)
        palm = [link for link in self._links if self._root_of(link) == self._root_of(hand.link)]
        tips = [self._tip(finger, frames) for finger in self._fingers(hand)]
        tips = [tip for tip in tips if len(tip)]
        whole = np.concatenate([_moved(self._of(link), frames[link]) for link in palm])
        driving = [name for name in hand.joints if name not in self._follows]
        if not tips:
            return None
        if len(tips) == 1 or (len(tips) > 2 and len(driving) > 1):
            return None if len(whole) == 0 else float(np.mean([_away(t, whole) for t in tips]))
        if len(tips) == 2:
            return _away(tips[0], tips[1])
        middles = [tip.mean(axis=0) for tip in tips]
        return float(np.mean([np.linalg.norm(a - b) for a, b in combinations(middles, 2)]))

    def _fingers(self, hand: FoundHand) -> list[list[str]]:
        """The links of each finger, from the palm outwards."""
        children = {_named(self._joints[n], "child") for n in hand.joints}
        fingers: dict[str, list[str]] = {}
        for link in self._links:
            chain = [link]
            while chain[-1] in self._by_child:
                chain.append(_named(self._by_child[chain[-1]], "parent"))
            inside = [each for each in chain if each in children]
            if inside:
                fingers.setdefault(inside[-1], []).append(link)
        depth = {link: len(self._above(link)) for link in self._links}
        return [sorted(links, key=depth.__getitem__) for links in fingers.values()]

    def _tip(self, finger: Sequence[str], frames: Mapping[str, Floats]) -> Floats:
        """(n, 3) the outermost points of a finger."""
        points = np.concatenate([_moved(self._of(link), frames[link]) for link in finger])
        if len(points) == 0:
            return points
        rest = self._frames({})
        still = np.concatenate([_moved(self._of(link), rest[link]) for link in finger])
        away = np.linalg.norm(still - rest[finger[0]][:3, 3], axis=1)
        found: Floats = points[away >= away.max() - TIP_SHARE * np.ptp(away)]
        return found

    def _above(self, link: str) -> list[str]:
        chain = []
        while link in self._by_child:
            link = _named(self._by_child[link], "parent")
            chain.append(link)
        return chain

    def _root_of(self, link: str) -> str:
        while link in self._by_child and self._by_child[link].get("type") == "fixed":
            link = _named(self._by_child[link], "parent")
        return link

    def _frames(self, at: Mapping[str, float]) -> dict[str, Floats]:
        """Link -> (4, 4) its frame in the root's."""
        frames: dict[str, Floats] = {}

        def frame(link: str) -> Floats:
            if link not in frames:
                joint = self._by_child.get(link)
                frames[link] = np.eye(4) if joint is None else frame(
                    _named(joint, "parent")
                ) @ _origin(joint) @ self._motion(joint, at)  # fmt: skip
            return frames[link]

        for link in self._links:
            frame(link)
        return frames

    def _motion(self, joint: ET.Element, at: Mapping[str, float]) -> Floats:
        moved, position = np.eye(4), self._position(str(joint.get("name")), at)
        element = joint.find("axis")
        axis = np.array([1.0, 0.0, 0.0] if element is None else _numbers(str(element.get("xyz"))))
        if joint.get("type") == "prismatic":
            moved[:3, 3] = position * axis
        elif joint.get("type") in ("revolute", "continuous"):
            moved[:3, :3] = axangle2mat(axis, position)
        return moved

    def _position(self, name: str, at: Mapping[str, float]) -> float:
        if name in at:
            return at[name]
        mimic = self._follows.get(name)
        if mimic is None or str(mimic.get("joint")) not in at:
            return 0.0
        factor, offset = float(mimic.get("multiplier", 1.0)), float(mimic.get("offset", 0.0))
        return factor * at[str(mimic.get("joint"))] + offset

    def _of(self, link: str) -> Floats:
        """(n, 3) points on what is seen of a link, in its frame; on what collides where nothing is."""
        if link not in self._points:
            element = self._links[link]
            shapes = element.findall("visual") or element.findall("collision")
            clouds = [cloud for shape in shapes for cloud in self._cloud(shape)]
            self._points[link] = np.concatenate(clouds) if clouds else np.empty((0, 3))
        return self._points[link]

    def _cloud(self, shape: ET.Element) -> Iterator[Floats]:
        geometry = shape.find("geometry")
        solid: Any = None if geometry is None else self._solid(geometry[0])
        if solid is not None:
            import trimesh  # slow

            points, _ = trimesh.sample.sample_surface(solid, POINTS, seed=1)
            yield _moved(np.asarray(points, np.float64), _origin(shape))

    def _solid(self, element: ET.Element) -> Any:
        import trimesh  # slow

        if element.tag == "box":
            return trimesh.creation.box(_numbers(str(element.get("size"))))
        if element.tag == "sphere":
            return trimesh.creation.icosphere(radius=float(str(element.get("radius"))))
        if element.tag == "cylinder":
            radius, length = float(str(element.get("radius"))), float(str(element.get("length")))
            return trimesh.creation.cylinder(radius, length)
        try:
            found = self._resources.find(str(element.get("filename")))
        except BadInput:  # the scenario says that it is left out
            return None
        mesh: Any = trimesh.load(found, force="mesh")
        return mesh.apply_scale(_numbers(element.get("scale", "1 1 1")))


def _named(joint: ET.Element, end: str) -> str:
    element = joint.find(end)
    assert element is not None
    return str(element.get("link"))


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def _origin(element: ET.Element) -> Floats:
    frame, origin = np.eye(4), element.find("origin")
    if origin is not None:
        frame[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
        frame[:3, :3] = euler2mat(*_numbers(origin.get("rpy", "0 0 0")), axes="sxyz")
    return frame


def _moved(points: Floats, frame: Floats) -> Floats:
    return np.asarray(points @ frame[:3, :3].T + frame[:3, 3])


def _away(points: Floats, others: Floats) -> float:
    """The median distance of points from the nearest of others [m]."""
    return float(np.median([np.linalg.norm(others - point, axis=1).min() for point in points]))


# ---------------------------------------------------------------------- all of them


def is_right(hand: Row) -> bool | None:
    """Whether its tips are farther apart where it is said to be open; None if no mesh shows it."""
    if hand["open_mm"] is None or hand["closed_mm"] is None:
        return None
    return bool(hand["open_mm"] > hand["closed_mm"])


def cells(row: Row) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table for a robot."""
    name, ran = row["name"], row["verdict"] or "not run"
    if not row["hands"]:
        yield name, ran, "none", "", row["words"]
    for hand in row["hands"]:
        gap = "no meshes"
        if is_right(hand) is not None:
            gap = f"{hand['open_mm']:.0f} / {hand['closed_mm']:.0f}"
        said = "; ".join(filter(None, (hand["unsure"], row["words"])))
        yield name, ran, f"{hand['name']}: {hand['kind']}", gap, said


HEAD = ("robot (verdict of its run)", "hand", "tips apart, open / closed [mm]", "what is said")


def markdown(rows: Sequence[Row]) -> str:
    """The table of the docs; robots of which the same is so are in one line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        for name, ran, *rest in cells(row):
            alike.setdefault(tuple(rest), []).append(f"{name} ({ran})")
    lines = [HEAD, ("---",) * len(HEAD)]
    lines += [(", ".join(dict.fromkeys(names)), *rest) for rest, names in alike.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def parsed() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=[], help="robots whose file is called so")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table of the docs")
    return parser.parse_args()


def main() -> int:
    """Measure; returns 1 if a scenario does not run without words why, or a hand is open on the wrong side."""
    options, folder = parsed(), example_robots()
    if folder is None:
        print("the package example-robot-data is not installed", file=sys.stderr)
        return 2
    files = sorted((folder / "robots").rglob("*.urdf"))
    files = [file for file in files if not options.only or file.stem in options.only]
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=8) as pool:
        rows = pool.map(partial(measure, folder / "robots"), files, chunksize=1)
    hands = [hand for row in rows for hand in row["hands"]]
    wrong = [h for h in hands if is_right(h) is False and not h["guessed"]]
    silent = [row for row in rows if not row["hands"] and not row["words"]]
    figures = {
        "robots": len(rows),
        "run": sum(row["verdict"] is not None for row in rows),
        "hands": len(hands),
        "right": sum(is_right(hand) is True for hand in hands),
        "wrong": len(wrong),
        "not_seen": sum(is_right(hand) is None for hand in hands),
        "without_hand_and_words": len(silent),
        "seconds": sum(row["seconds"] for row in rows),
    }
    if options.json:
        print(json.dumps({"machine": machine(), "figures": figures, "rows": rows}, indent=1))
    elif options.markdown:
        print(markdown(rows))
    else:
        for row in rows:
            for line in cells(row):
                print("  ".join(line))
        print(figures)
    failed = [row for row in rows if row["verdict"] is None and not row["words"]]
    return 1 if wrong or silent or failed else 0


if __name__ == "__main__":
    sys.exit(main())
