"""Puts random questions to episodes, and compares the answers with a naive reading of their logs, message by message.

The questions are about fluents, events, beliefs, values and tasks; what is not known counts like any other answer. The
runs are given by folders; `benchmarks/README.md` says how those of the published figures were made.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from naive.believed import Believed
from naive.happened import Happened
from naive.log import read
from naive.tasks import Task, tasks_of
from naive.unseen import Unseen
from naive.world import World

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.tables.open import open_tables

SEED = 20261127
EACH = 20
FLUENTS = {
    "contact": "bb",
    "on": "sb",
    "borne_by": "sb",
    "attached": "ol",
    "moving": "m",
    "visible": "o",
    "held": "oh",
    "dropped": "oh",
    "in_container": "os",
    "connected": "oo",
}
"""Fluent -> what its arguments may be: o objects, s statics, too, l links, h hands, m whatever moves, b all bodies."""
EVENTS = {
    **dict.fromkeys(("collision", "collision_end"), "bb"),
    **dict.fromkeys(("pick_up", "picked_up", "grasped", "released", "lost", "dropped"), "oh"),
    **dict.fromkeys(("set_down", "put_down"), "os"),
    **dict.fromkeys(("fell", "toppled", "perceived"), "o"),
    "loc_change": "r",
}
RELATIONS: dict[str, Callable[[int, int, int, int], bool]] = {
    "before": lambda _a, b, c, _d: b < c,
    "after": lambda a, _b, _c, d: d < a,
    "overlaps": lambda a, b, c, d: a < c < b < d,
    "contains": lambda a, b, c, d: a < c and d < b,
    "starts": lambda a, b, c, d: a == c and b < d,
    "equals": lambda a, b, c, d: (a, b) == (c, d),
}
Known = bool | None


@dataclass
class Question:
    """A question, and the answer of the naive reading."""

    text: str
    right: Any


class Draw:
    """Draws questions about one run.

    Args:
        run: its folder.
        random: draws.
    """

    def __init__(self, run: Path, random: Random) -> None:
        self.log = read(run)
        self.world = World(self.log)
        self.believed = Believed(self.world)
        self.tasks = tasks_of(self.log)
        operations = {task.operation for task in self.tasks.values()}
        operations |= {e["name"] for e in self.log.events if e["kind"] == "action"}
        self.happened = Happened(self.world, operations)
        self.unseen = Unseen(self.world)
        self.random = random

    def all(self, count: int) -> Iterator[Question]:
        """Yield random questions."""
        sorts = [self.holds] * 5 + [self.composed] * 2 + [self.occurs] * 3 + [self.value] * 2
        sorts += [self.believes] * 3 + [self.wrong]
        if self.tasks:
            sorts += [self.variable, self.goal, self.related, self.status]
        while count:
            found = self.random.choice(sorts)()
            if found is not None:
                yield found
                count -= 1

    # ------------------------------------------------------------------ what is asked about

    def some(self, sort: str) -> str:
        """Return the name of some entity that an argument may be; those about which the log says most are likelier."""
        kinds = {
            "o": ("object",),
            "s": ("object", "static"),
            "l": ("link",),
            "h": ("hand",),
            "m": ("object", "link"),
            "b": ("object", "static", "link", "hand"),
            "r": ("object", "robot"),
        }[sort]
        names = self.log.of_kind(*kinds)
        busy = [n for n in names if n in self.busy]
        return self.random.choice(busy if busy and self.random.random() < 0.7 else names)

    @property
    def busy(self) -> set[str]:
        """What events are about."""
        said = [e["arguments"].values() for e in self.log.events if e["kind"] == "model"]
        return {v for values in said for v in values if isinstance(v, str)} | set(
            self.log.of_kind("hand")
        )

    def moment(self) -> int:
        """Return a time in whole milliseconds [ns]."""
        return self.random.randint(self.log.start // 10**6 + 1, self.log.end // 10**6 - 1) * 10**6

    def time(self) -> tuple[str, str, int, int]:
        """Return a time as text, what it asks for, and its first and last moment."""
        first, sort = self.moment(), self.random.choice(("at", "at", "during", "throughout"))
        last = (
            first
            if sort == "at"
            else min(first + self.random.randint(1, 4000) * 10**6, self.log.end)
        )
        numbers = f"{first / 1e9}" if sort == "at" else f"{first / 1e9}, {last / 1e9}"
        return f"{sort}({numbers})", sort, first, last

    # ------------------------------------------------------------------ fluents

    def atom(self) -> tuple[str, Callable[[int], Known], list[tuple[int, int]]]:
        """Return a fluent as text, whether it holds in a state, and spans of it between states."""
        name = self.random.choice([*FLUENTS, "loc"])
        if name == "loc":
            return self.place()
        names = [self.some(sort) for sort in FLUENTS[name]]
        free = len(names) == 2 and self.random.random() < 0.3
        # a body that is not said: any other; of a hand, which is none of the bodies, its links
        pairs = self.pairs(name, names, free)
        text = f'{name}("{names[0]}"{", any" if free else "".join(f", {json.dumps(n)}" for n in names[1:])})'
        exact = [span for pair in pairs for span in self.world.exact(name, *pair)]
        truths = [self.world.holds(name, *pair) for pair in pairs]
        blind = self.unseen.of(name, names[0], "" if free or len(names) < 2 else names[1])

        def at(state: int) -> Known:
            if not self.unseen.recorded(name):
                return None
            now = [None if t is None else t[state] for t in truths]
            if any(now):
                return True
            time = self.log.times[state]
            unknown = None in now or any(f <= time < t for f, t in blind)
            return None if unknown else False

        return text, at, exact

    def pairs(self, name: str, names: list[str], free: bool) -> list[tuple[str, str]]:
        """Return the pairs of entities that arguments stand for."""
        sort = FLUENTS[name]
        touching = name in ("contact", "attached")
        firsts = self.world.links_of(names[0]) if touching else (names[0],)
        if len(sort) == 1:
            return [(a, "") for a in firsts]
        kinds = ("hand",) if sort[1] == "h" else ("object", "static", "link")
        seconds = self.log.of_kind(*kinds) if free else [names[1]]
        if touching and not free:
            seconds = list(self.world.links_of(names[1]))
        found = [(a, b) for a in firsts for b in seconds if a != b]
        return [*found, *((a, "") for a in firsts if free and name == "dropped")]

    def place(self) -> tuple[str, Callable[[int], Known], list[tuple[int, int]]]:
        """Return that something is near a place where it was at some time."""
        name = self.some("r")
        pose = self.world.pose(name, self.log.number(self.moment()))
        near = [round(float(x), 3) for x in pose[:3]]
        within = self.random.choice((0.02, 0.05, 0.2))
        text = f'loc("{name}", {{"near": {near}, "within": {within}}})'

        def at(state: int) -> Known:
            return bool(np.linalg.norm(self.world.pose(name, state)[:3] - near) <= within)

        return text, at, []

    def holds(self) -> Question:
        """Ask whether a fluent holds."""
        text, at, exact = self.atom()
        return self.over(text, at, exact)

    def composed(self) -> Question:
        """Ask whether one of two fluents holds and another does not, and the like."""
        (one, at1, _), (two, at2, _) = self.plain_atom(), self.plain_atom()
        if self.random.random() < 0.5:
            return self.over(f"{one} && !{two}", lambda s: both(at1(s), negated(at2(s))), [])
        return self.over(f"!{one} || {two}", lambda s: negated(both(at1(s), negated(at2(s)))), [])

    def plain_atom(self) -> tuple[str, Callable[[int], Known], list[tuple[int, int]]]:
        """Return a fluent without `any`, and without touches between states."""
        while True:
            found = self.atom()
            if "any" not in found[0] and not found[2]:
                return found

    def over(self, text: str, at: Callable[[int], Known], exact: list[tuple[int, int]]) -> Question:
        """Ask for a time; `exact` are further spans in which it holds."""
        when, sort, first, last = self.time()
        states = range(self.log.number(first), self.log.number(last) + 1)
        now = [at(state) for state in states]
        touched = any(f <= last and first < t for f, t in exact)
        if sort == "throughout":
            right = False if False in now else None if None in now else True
            if touched and right is not True:
                return self.holds()  # whether two spans leave a gap cannot be read off states
        else:
            right = True if touched or True in now else None if None in now else False
        return Question(f"holds({text}, {when})", right)

    # ------------------------------------------------------------------ events, values

    def occurs(self) -> Question | None:
        """Ask which events happened."""
        name = self.random.choice([*EVENTS])
        wanted = self.some(EVENTS[name][0]) if self.random.random() < 0.6 else ""
        when, sort, first, last = self.time()
        if sort == "at" or self.random.random() < 0.3:
            when, first, last = "during(start, end)", self.log.start, self.log.end
        names = (
            self.world.links_of(wanted) if wanted and name.startswith("collision") else (wanted,)
        )
        found = [
            event
            for event in self.happened.all(name)
            if first <= event[0] <= last and self.is_about(event, names, name)
        ]
        right: Any = [(time, said) for time, _, said in found]
        missing = name.startswith("collision") and not self.unseen.recorded("contact")
        missing |= name in ("pick_up", "set_down") and not self.unseen.recorded("on")
        if missing or (not found and self.unseen.event_missed(name, wanted, first, last)):
            right = None
        argument = json.dumps(wanted) if wanted else "any"
        return Question(f"occurs({name}({argument}), {when})", right)

    def is_about(self, event: Any, names: tuple[str, ...], name: str) -> bool:
        """Whether an event is about an entity, if one is wanted."""
        said = [v for v in event[2].values() if isinstance(v, str)]
        if not names[0]:
            return True
        if name.startswith("collision"):
            return bool(set(names) & set(said))
        return bool(event[2].get("object") == names[0])

    def value(self) -> Question:
        """Ask for a pose, a twist, or any attribute."""
        time = self.moment()
        state = self.log.number(time)
        if self.random.random() < 0.4:
            name, sort = self.some("r"), self.random.choice(("loc", "twist"))
            pose = self.world.pose(name, state)
            numbers = pose[:7] if sort == "loc" else pose[7:]
            return Question(f'value({sort}("{name}"), at({time / 1e9}))', numbers.tolist())
        slots = [s for s in self.log.registry["slots"] if s["meaning"] == "quantity"]
        slot = self.random.choice(slots)
        numbers = self.log.values[state][slot["offset"] : slot["offset"] + slot["size"]].tolist()
        right = numbers[0] if len(numbers) == 1 else numbers
        return Question(f'value({slot["attribute"]}("{slot["entity"]}"), at({time / 1e9}))', right)

    # ------------------------------------------------------------------ beliefs

    def believes(self) -> Question | None:
        """Ask what the robot believed."""
        time, sort = self.moment(), self.random.choice(("loc", "held", "on", "moving", "attached"))
        name = self.some("r" if sort in ("loc", "moving") else "o")
        when = f"at({time / 1e9})"
        match sort:
            case "loc":
                told = self.believed.messages("loc", name)
                pose = (
                    self.random.choice(told)["pose"] if told else self.world.pose(name, 0).tolist()
                )
                near = [round(x, 3) for x in pose[:3]]
                right = self.believed.near(name, near, 0.03, time)
                return Question(
                    f'believed(loc("{name}", {{"near": {near}, "within": 0.03}}), {when})', right
                )
            case "moving":
                return Question(
                    f'believed(moving("{name}"), {when})', self.believed.moving(name, time)
                )
            case "on":
                other = self.some("s")
                right = self.believed.held(name, other, time, "on")
                return Question(f'believed(on("{name}", "{other}"), {when})', right)
        hands = self.log.of_kind("hand")
        if not hands:
            return None
        hand = self.random.choice(hands)
        right = self.believed.held(name, hand, time)
        return Question(f'believed({sort}("{name}", "{hand}"), {when})', right)

    def wrong(self) -> Question | None:
        """Ask whether a believed place was wrong."""
        name, (when, sort, first, last) = self.some("r"), self.time()
        spans = self.believed.wrong(name)
        right: Known = None
        if spans is not None:
            now = any(f <= last and first < t for f, t in spans)
            right = now if sort != "throughout" else any(f <= first and last < t for f, t in spans)
        return Question(f'incorrect_belief(loc("{name}"), {when})', right)

    # ------------------------------------------------------------------ tasks

    def some_task(self) -> Task:
        """Return some task."""
        return self.random.choice([*self.tasks.values()])

    def variable(self) -> Question | None:
        """Ask for a variable of the innermost task that has it."""
        names = sorted({n for t in self.tasks.values() for _, said in t.settings for n in said})
        if not names:
            return None
        name, time = self.random.choice(names), self.moment()
        active = [t for t in self.tasks.values() if t.begin <= time <= t.end]
        active.sort(key=lambda t: (-t.begin, -self.depth(t)))
        right = next((v for t in active if (v := t.variable(name, time)) is not None), None)
        return Question(f'variable("{name}", at({time / 1e9}))', right)

    def depth(self, task: Task) -> int:
        """Return how many tasks a task is a part of."""
        above = self.tasks.get(task.parent)
        return 0 if above is None else 1 + self.depth(above)

    def goal(self) -> Question | None:
        """Ask whether the goal of a task held when it ended."""
        task = self.some_task()
        name, _, rest = task.goal.partition("(")
        names = [n.strip().strip('"') for n in rest.rstrip(")").split(",")]
        if name not in ("on", "held") or len(names) != 2 or "{" in task.goal:
            return None
        truth = self.world.holds(name, *names)
        right = None if truth is None else truth[self.log.number(task.end)]
        if not right and any(f <= task.end < t for f, t in self.unseen.of(name, *names)):
            right = None
        return Question(f'holds(goal(task("{task.id}")), at(task("{task.id}").end))', right)

    def related(self) -> Question:
        """Ask for one of Allen's relations between two tasks."""
        one, two, name = self.some_task(), self.some_task(), self.random.choice([*RELATIONS])
        right = RELATIONS[name](one.begin, one.end, two.begin, two.end)
        return Question(f'{name}(task("{one.id}"), task("{two.id}"))', right)

    def status(self) -> Question:
        """Ask how a task ended, and what it is a part of."""
        task = self.some_task()
        above = task.parent if task.parent in self.tasks else "none"
        text = f'task("{task.id}").status + " " + '
        text += f'(supertask(task("{task.id}")) == null ? "none" : supertask(task("{task.id}")).id)'
        return Question(text, f"{task.statuses[-1][1]} {above}")


def both(one: Known, two: Known) -> Known:
    """Return one and the other, by the logic of three values."""
    return False if False in (one, two) else None if None in (one, two) else True


def negated(one: Known) -> Known:
    """Return the other."""
    return None if one is None else not one


def agrees(answer: Any, right: Any) -> bool:
    """Return whether an answer is the right one."""
    if isinstance(right, list) and right and isinstance(right[0], tuple):
        if not isinstance(answer, list) or len(answer) != len(right):
            return False
        return sorted(map(_event, answer)) == sorted(
            _event({"time": t / 1e9, "arguments": a}) for t, a in right
        )
    if isinstance(right, list) and right and not isinstance(right[0], str):
        return isinstance(answer, list) and bool(np.allclose(answer, right, rtol=0, atol=1e-12))
    return bool(answer == right) and (answer is None) == (right is None)


def _event(event: Any) -> Any:
    said = event["arguments"]
    names = sorted(str(v) for k, v in said.items() if isinstance(v, str) and k != "hand")
    return round(event["time"] * 1e6), names


def compared(run: Path, seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield each question with both answers."""
    asked = AskedTables(open_tables(run))
    for question in Draw(run, Random(f"{seed} {run.name}")).all(count):
        try:
            answer = asked.ask(question.text)
            value, why = answer.value, answer.why
        except BadInput as error:
            value, why = f"refused: {error}", ""
        row = {"run": run.name, "question": question.text, "answer": value, "why": why}
        yield {**row, "right": question.right, "agrees": agrees(value, question.right)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 1 if an answer is another one than the naive reading's."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", type=int, default=EACH, help="questions to each run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    rows = [row for run in given.runs for row in compared(run, given.seed, given.each)]
    wrong = [row for row in rows if not row["agrees"]]
    unknown = sum(row["right"] is None for row in rows)
    figures = {"questions": len(rows), "equal": len(rows) - len(wrong), "not known": unknown}
    if given.json:
        print(json.dumps({**figures, "wrong": wrong}, default=str))
    else:
        for row in wrong:
            print(
                f"{row['run']}: {row['question']}: {row['answer']} {row['why']}, but it is {row['right']}"
            )
        print(", ".join(f"{key} {value}" for key, value in figures.items()))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
