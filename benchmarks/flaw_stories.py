"""What the arm does in recordings of `flaws.py`: it fetches things to a tray, and tells its tasks and beliefs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from flaw_motion import TABLE_TOP, Motion, Thing, at_angle, pose, up

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._robots.bag import write_bag
from hetwin_suite._robots.telling import ProgramMessages
from hetwin_tables.pick_and_place import START_NS

HAND = "gripper"
TRAY_HALF, TRAY_HEIGHT = 0.12, 0.08
BELIEF_PERIOD_S = 0.1


@dataclass
class Tasks:
    """Tells tasks, on their topic or as annotations.

    Attributes:
        motion: of the arm.
        telling: takes the messages.
        annotated: as annotations.
        ended: id -> when it ended [s].
        begun: id -> when it began [s].
    """

    motion: Motion
    telling: ProgramMessages
    annotated: bool
    begun: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def doing(
        self,
        name: str,
        variables: Mapping[str, Json],
        *,
        goal: str = "",
        parent: str = "",
        after: Sequence[str] = (),
        end: str = "done",
        delay: float = 0.0,
    ) -> Iterator[None]:
        """Tell a task around what is planned inside; its operation is its id without the number."""
        operation = name.partition(".")[0]
        self.begun[name] = self.motion.now
        about: dict[str, Json] = {"parent": parent, "after": list(after), "goal": goal}
        if self.annotated:
            told: dict[str, Json] = {"task": name, **{k: v for k, v in about.items() if v}}
            announcements = self.motion.program.announcements
            with self.motion.program.doing(operation, {**told, **variables}):
                yield
            if end != "done":
                last = announcements.pop()
                arguments = {**last.arguments, "status": end}
                announcements.append(type(last)(last.time, operation, "end", arguments))
        else:
            at = self.motion.now
            more: dict[str, Any] = {"goal": goal, "parent": parent, "after": after}
            self.telling.task(at, name, "active", operation, **more, variables=variables)
            yield
            self.telling.task(self.motion.now + delay, name, end)
        self.ended[name] = self.motion.now


@dataclass
class Story:
    """One recording, and the scene that it was made for.

    Attributes:
        seed: of everything that is drawn.
        things: what can be fetched, `box` first.
        places: thing -> its middle at the start (3,).
        tray: middle of the tray (3,).
    """

    seed: int
    random: np.random.Generator
    motion: Motion
    tasks: Tasks
    telling: ProgramMessages
    things: list[Thing]
    places: dict[str, Floats]
    tray: Floats
    released: dict[str, float] = field(default_factory=dict)
    more: list[tuple[Thing, Floats, bool]] = field(default_factory=list)
    wrong: dict[str, list[tuple[float, float, Floats | None]]] = field(default_factory=dict)
    planted: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def drawn(cls, seed: int, things: int = 1, annotated: bool | None = None) -> Story:
        """Draw a scene and a pace; the arm has not moved yet."""
        random = np.random.default_rng([seed, 77])
        side = random.choice([-1.0, 1.0])
        motion = Motion(pace=float(random.uniform(0.6, 0.95)))
        telling = ProgramMessages()
        known = [
            Thing("box"),
            Thing("cup", 0.05, 0.09, "cylinder", 0.2),
            Thing("brick", 0.044, 0.07),
        ]
        middle = at_angle(random.uniform(0.44, 0.5), -side * random.uniform(0.52, 0.62), 0.0)
        places = {}
        for number, thing in enumerate(known[:things]):
            angle = side * (0.68 - 0.4 * number + random.uniform(-0.05, 0.05))
            height = TABLE_TOP + thing.height / 2
            places[thing.name] = at_angle(random.uniform(0.42, 0.5), angle, height)
        tray = middle + up(TABLE_TOP + TRAY_HEIGHT / 2)
        told = bool(random.integers(2)) if annotated is None else annotated
        tasks = Tasks(motion, telling, told)
        return cls(seed, random, motion, tasks, telling, known[:things], places, tray)

    def goal(self, number: int) -> Floats:
        """Return (3,) where on the tray the thing of a number is to stand: its bottom."""
        aside = [-0.055, 0.06, 0.0][number]
        across = float(self.random.uniform(-0.03, 0.03))
        place: Floats = self.tray + np.array([aside, across, TRAY_HEIGHT / 2 + 0.001])
        return place

    def fetch(
        self,
        number: int,
        *,
        to: Floats | None = None,
        after: Sequence[str] = (),
        slips: bool = False,
        end: str = "done",
        sideways: Floats | None = None,
    ) -> None:
        """Fetch a thing to the tray, or to where `to` is.

        Args:
            number: of the thing.
            to: where its bottom is to be.
            after: tasks that come before.
            slips: the fingers open for a moment on the way.
            end: how the program says that it ended.
            sideways: the hand leaves the thing in this direction before it goes up [m].
        """
        motion, tasks, thing = self.motion, self.tasks, self.things[number]
        start = self.places[thing.name]
        bottom = self.goal(number) if to is None else to
        place = bottom + up(thing.height / 2)
        carried = up(0.08)
        lifted = np.array([*start[:2], place[2] + 0.08])
        n = number + 1
        own: dict[str, Json] = {"object": thing.name, "hand": HAND}
        held, there = f'held("{thing.name}", "{HAND}")', f'on("{thing.name}", "tray")'
        top, pick, put = f"fetch.{n}", f"pick_up.{n}", f"place.{n}"
        with tasks.doing(top, own, goal=there, after=after, end=end):
            with tasks.doing(pick, own, goal=held, parent=top, end=end):
                with tasks.doing(f"reach.{n}", own, parent=pick):
                    motion.reach(thing, start)
                with tasks.doing(f"grasp.{n}", own, parent=pick):
                    motion.close(thing)
                with tasks.doing(f"lift.{n}", own, parent=pick):
                    motion.line(lifted, 1.3)
            with tasks.doing(f"carry.{n}", own, parent=top, after=[pick]):
                if slips:
                    motion.line((lifted + place + carried) / 2, 1.0)
                    self.planted["slip"] = motion.now
                    motion.slip()
                motion.line(place + carried, 1.8)
            onto = {**own, "target": "tray"}
            with tasks.doing(put, onto, goal=there, parent=top, after=[pick], end=end):
                with tasks.doing(f"lower.{n}", onto, parent=put):
                    motion.line(place, 1.0)
                    motion.wait(0.2)
                with tasks.doing(f"release.{n}", own, parent=put):
                    self.released[thing.name] = motion.now
                    motion.open()
        self.places[thing.name] = place
        with tasks.doing(f"retreat.{n}", {"hand": HAND}, after=[put]):
            if sideways is not None:
                motion.line(place + sideways, 1.5)
            motion.home()
        motion.wait(0.3)

    def believe(self) -> None:
        """Publish where things are believed to be, ten times a second; `wrong` says where they are not."""
        for thing in self.things:
            frozen: list[float] | None = None
            for time in np.arange(0.02, self.motion.now, BELIEF_PERIOD_S).tolist():
                at = (
                    self.motion.believed(thing.name, time)
                    if thing.name in self.motion.places
                    else None
                )
                if at is None:
                    at = [*self.places[thing.name].tolist(), 1.0, 0.0, 0.0, 0.0]
                silent = False
                for begin, end, off in self.wrong.get(thing.name, ()):
                    if not begin <= time < end:
                        continue
                    if off is None:
                        frozen = frozen or at
                        at, silent = frozen, self.seed % 2 == 0
                    else:
                        at = [*(np.array(at[:3]) + off).tolist(), *at[3:]]
                at[:3] = (np.array(at[:3]) + self.random.normal(0.0, 0.001, 3)).tolist()
                if not silent:
                    self.telling.pose(time, f"/believed/{thing.name}", at)

    def write(self, folder: Path) -> Path:
        """Write the recording and a scenario for it; returns the scenario's file."""
        folder.mkdir(parents=True)
        plain = folder / "plain"
        write_bag(
            plain,
            START_NS,
            self.motion.readings(self.random),
            self.motion.program.announcements,
            self.random,
        )
        self.telling.add_to(plain, folder / "recording")
        return self._scenario(folder)

    def _scenario(self, folder: Path) -> Path:
        source: dict[str, Any] = {"recording": "recording"}
        if any(one.topic.startswith("/believed/") for one in self.telling.messages):
            names = [thing.name for thing in self.things]
            source["beliefs"] = [{"topic": f"/believed/{name}", "entity": name} for name in names]
        scene: dict[str, Any] = {"tray": pose(self.tray)}
        for thing in self.things:
            first = self.motion.places.get(thing.name)
            at = first[0][1] if first else self.places[thing.name]
            scene[thing.name] = pose(at)
            if thing.name != "box":
                (folder / f"{thing.name}.sdf").write_text(thing.sdf(), encoding="utf-8")
                scene[thing.name]["model"] = f"{thing.name}.sdf"
        tags = {thing.name: {"tags": ["graspable"]} for thing in self.things}
        content = {
            "scenario": "fetching",
            "rate": 200,
            "source": source,
            "scene": scene,
            "entities": tags,
        }
        file = folder / "fetching.yaml"
        base = resource("scenarios", "pick_and_place.yaml")
        (folder / "base.yaml").write_text(base.read_text(encoding="utf-8"), encoding="utf-8")
        file.write_text(f"extends: base.yaml\n{_yaml(content)}", encoding="utf-8")
        return file

    def added(self, folder: Path) -> dict[str, Any]:
        """Return what stands in the way, as `--scene` takes it; writes its models."""
        scene: dict[str, Any] = {}
        for thing, at, static in self.more:
            file = folder / f"{thing.name}.sdf"
            file.write_text(thing.sdf(static=static), encoding="utf-8")
            scene[thing.name] = {"model": str(file), **pose(at)}
        return scene


def _yaml(content: dict[str, Any]) -> str:
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in content.items())
