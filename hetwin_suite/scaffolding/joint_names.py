"""Which joint of a robot a recorded joint is, if their names differ by a prefix or another pattern.

Names are compared as words: `left/arm_1_joint`, `Left.Arm-1` and `left_arm1` are all (left, arm, 1). A pattern that
holds for several joints in the same way is preferred over one that holds for fewer, and a name that two patterns
explain equally well is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]

EXCHANGED = 4
"""Rank of patterns in which words stand for others: they count only if several joints support them."""
LEAST_SERIES = 3
"""Joints that are numbered make a series from this length on."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SAY_NOTHING = {"joint", "joints"}
_WORDLESS = {*_SAY_NOTHING, "a", "axis", "j", "jnt", "q"}
_SIDES = {"left", "right", "l", "r", "front", "rear", "back", "upper", "lower"}
"""Words that distinguish two parts of one robot: none stands for another."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The joints of a robot that recorded joints are.

    Attributes:
        joints: recorded name -> the robot's name, in the recorded order.
        how: in words, how names that differ were matched.
        ambiguous: recorded name -> names of the robot that it may be, where no pattern decides.
    """

    joints: dict[str, str]
    how: tuple[str, ...] = ()
    ambiguous: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def renamed(self) -> dict[str, str]:
        """The joints whose names differ."""
        return {recorded: own for recorded, own in self.joints.items() if recorded != own}


@dataclass(frozen=True, slots=True, order=True)
class Pattern:
    """How two names differ: the words that one has before and after the words of the other.

    Attributes:
        rank: how far the names are from equal: 0 the same words, 1 more words before or after, 2 more words
            between, 3 the same words in another order, 4 other words before or after.
        longer: which of them has more words, ``recorded`` or ``robot``.
        instead: the robot's words in place of those before and after.
    """

    rank: int
    longer: str = ""
    before: Words = ()
    after: Words = ()
    between: Words = ()
    instead: tuple[Words, Words] = ((), ())


def words_of(name: str) -> Words:
    """The words of a joint's name in lower case, without the word `joint`."""
    words = tuple(word.lower() for word in _WORD.findall(name))
    return tuple(word for word in words if word not in _SAY_NOTHING) or words


def match_joints(
    recorded: Sequence[str],
    robot: Sequence[str],
    *,
    known: bool = False,
    by_hand: Mapping[str, str] | None = None,
) -> Matching:
    """Match recorded joints with those of a robot, each at most once.

    Args:
        recorded: names in the recording.
        robot: names of the robot's joints that move.
        known: whether the robot is known to be the right one. Then names without any word of their own, such as
            `joint_1`, are matched too: by a prefix, or in order with the only series of the robot that is as long;
            and `a_joint_1` is `b_joint_1` if that holds for all of a series.
        by_hand: recorded name -> the robot's name, by the user; unknown names are left out.
    """
    said = by_hand or {}
    joints = {one: own for one, own in said.items() if one in recorded and own in robot}
    by_said = list(joints.items())
    taken = {*joints.values()}
    joints |= {n: n for n in recorded if n not in joints and n in robot and n not in taken}
    rest = [name for name in recorded if name not in joints]
    free = [name for name in robot if name not in joints.values()]
    found, ambiguous = _by_patterns(rest, free, known)
    how = [f"{_words(by_said)}, by hand"] if by_said else []
    how += [_words(pairs) for pairs in found]
    for pairs in found:
        joints.update(pairs)
    if known:
        rest = [name for name in recorded if name not in joints]
        free = [name for name in robot if name not in joints.values()]
        numbered = _by_number(rest, free)
        if numbered:
            joints.update(numbered)
            how.append(f"{_words(numbered)}, by their numbers")
            ambiguous = {name: own for name, own in ambiguous.items() if name not in joints}
    ordered = {name: joints[name] for name in recorded if name in joints}
    return Matching(ordered, tuple(how), ambiguous)


# ---------------------------------------------------------------------- patterns


def _by_patterns(
    recorded: Sequence[str], robot: Sequence[str], known: bool
) -> tuple[list[list[Pair]], dict[str, tuple[str, ...]]]:
    """Pairs of each pattern that was accepted, and ambiguous names."""
    candidates = _candidates(recorded, robot, known)
    accepted: list[list[Pair]] = []
    ambiguous: dict[str, tuple[str, ...]] = {}
    while candidates:
        best = max(candidates, key=lambda pattern: _worth(pattern, candidates[pattern]))
        pairs = candidates.pop(best)
        if rivals := _rivals(pairs, _worth(best, pairs), candidates):
            ambiguous.update(rivals)
            candidates = _without(candidates, set(rivals), set())
            pairs = [pair for pair in pairs if pair[0] not in rivals]
        if pairs:
            accepted.append(pairs)
            candidates = _without(candidates, {r for r, _ in pairs}, {m for _, m in pairs})
    return accepted, ambiguous


def _worth(pattern: Pattern, pairs: Sequence[Pair]) -> tuple[int, int]:
    return len(pairs), -pattern.rank


def _candidates(
    recorded: Sequence[str], robot: Sequence[str], known: bool
) -> dict[Pattern, list[Pair]]:
    words = {name: words_of(name) for name in (*recorded, *robot)}
    found: dict[Pattern, list[Pair]] = {}
    for one in recorded:
        for other in robot:
            pattern = _pattern(words[one], words[other])
            if pattern is not None and (
                _says_enough(one, other) or (known and _extends(one, other))
            ):
                found.setdefault(pattern, []).append((one, other))
            elif known and (exchanged := _exchanged(words[one], words[other])) is not None:
                found.setdefault(exchanged, []).append((one, other))
    return {
        pattern: pairs
        for pattern, pairs in found.items()
        if _one_to_one(pairs)
        and _numbers_agree(pairs, recorded, robot)
        and (pattern.rank < EXCHANGED or _is_whole(pairs, robot))
    }


def _pattern(recorded: Words, robot: Words) -> Pattern | None:
    if recorded == robot:
        return Pattern(0)
    if len(recorded) == len(robot):
        return Pattern(3) if sorted(recorded) == sorted(robot) else None
    longer, shorter, who = (
        (recorded, robot, "recorded") if len(recorded) > len(robot) else (robot, recorded, "robot")
    )
    count = len(shorter)
    for start in (len(longer) - count, *range(len(longer) - count)):
        if longer[start : start + count] == shorter:
            return Pattern(1, who, longer[:start], longer[start + count :])
    for start in range(1, count):
        end = start + len(longer) - count
        if longer[:start] + longer[end:] == shorter:
            return Pattern(2, who, between=longer[start:end])
    return None


def _exchanged(recorded: Words, robot: Words) -> Pattern | None:
    """The pattern of two names that begin or end differently around the same words: `fer_joint1`, `panda_joint1`."""
    shared = _shared(recorded, robot)
    if shared is None:
        return None
    start, own, count = shared
    before, after = recorded[:start], recorded[start + count :]
    instead = robot[:own], robot[own + count :]
    words, others = {*before, *after}, {*instead[0], *instead[1]}
    sides = words & _SIDES, others & _SIDES
    if not words or not others or (all(sides) and sides[0] != sides[1]):
        return None
    return Pattern(EXCHANGED, before=before, after=after, instead=instead)


def _shared(one: Words, other: Words) -> tuple[int, int, int] | None:
    """Where the longest run of words begins that both have, the last of several, and its length."""
    best = None
    for i in range(len(one)):
        for j in range(len(other)):
            count = 0
            while one[i + count : i + count + 1] == other[j + count : j + count + 1] != ():
                count += 1
            if count and (best is None or count >= best[2]):
                best = i, j, count
    return best


def _says_enough(one: str, other: str) -> bool:
    """Whether both names have a word of their own: numbers alone may be any robot's."""
    return not (_is_generic(words_of(one)) or _is_generic(words_of(other)))


def _is_generic(words: Words) -> bool:
    return all(word.isdigit() or word in _SAY_NOTHING for word in words)


def _extends(one: str, other: str) -> bool:
    """Whether one name is the other with something before or after it that a separator sets off."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    rest = longer.removesuffix(shorter) if longer.endswith(shorter) else ""
    if rest:
        return not rest[-1].isalnum()
    rest = longer.removeprefix(shorter) if longer.startswith(shorter) else ""
    return bool(rest) and not rest[0].isalnum()


def _one_to_one(pairs: Sequence[Pair]) -> bool:
    return len({r for r, _ in pairs}) == len({m for _, m in pairs}) == len(pairs)


def _is_whole(pairs: Sequence[Pair], robot: Sequence[str]) -> bool:
    """Whether several joints were exchanged, and all of each series of the robot of which one was."""
    if len(pairs) < LEAST_SERIES:
        return False
    own = {other for _, other in pairs}
    return all(
        own.isdisjoint(numbered.values()) or own.issuperset(numbered.values())
        for numbered in _series(robot).values()
    )


def _rivals(
    pairs: Sequence[Pair], worth: tuple[int, int], others: dict[Pattern, list[Pair]]
) -> dict[str, tuple[str, ...]]:
    """Recorded joints that another pattern explains as well, but as another joint; or that fight for one joint."""
    rivals: dict[str, tuple[str, ...]] = {}
    for pattern, claims in others.items():
        if _worth(pattern, claims) != worth:
            continue
        for one, other in pairs:
            for name, claimed in claims:
                if name == one and claimed != other:
                    rivals[one] = tuple(dict.fromkeys([*rivals.get(one, (other,)), claimed]))
                elif claimed == other and name != one:
                    rivals.setdefault(one, (other,))
                    rivals.setdefault(name, (other,))
    return rivals


def _without(
    candidates: dict[Pattern, list[Pair]], recorded: set[str], robot: set[str]
) -> dict[Pattern, list[Pair]]:
    left = {
        pattern: [(r, m) for r, m in pairs if r not in recorded and m not in robot]
        for pattern, pairs in candidates.items()
    }
    return {pattern: pairs for pattern, pairs in left.items() if pairs}


# ---------------------------------------------------------------------- numbers


def _template(name: str) -> tuple[Words, int] | None:
    """The words of a numbered name with its last number left out, and that number."""
    words = list(words_of(name))
    for index in range(len(words) - 1, -1, -1):
        if words[index].isdigit():
            return (*words[:index], "#", *words[index + 1 :]), int(words[index])
    return None


def _series(names: Iterable[str]) -> dict[Words, dict[int, str]]:
    """Numbered names, by template and number."""
    found: dict[Words, dict[int, str]] = {}
    for name in names:
        if (known := _template(name)) is not None:
            found.setdefault(known[0], {})[known[1]] = name
    return {words: numbered for words, numbered in found.items() if len(numbered) >= LEAST_SERIES}


def _numbers_agree(pairs: Sequence[Pair], recorded: Sequence[str], robot: Sequence[str]) -> bool:
    """Whether no pair joins two series of which one counts from 0 and the other from 1."""
    of_recorded, of_robot = _series(recorded), _series(robot)
    for one, other in pairs:
        a, b = _template(one), _template(other)
        if a is None or b is None or a[0] not in of_recorded or b[0] not in of_robot:
            continue
        numbers, own = set(of_recorded[a[0]]), set(of_robot[b[0]])
        if not (numbers <= own or numbers >= own):
            return False
    return True


def _by_number(recorded: Sequence[str], robot: Sequence[str]) -> list[Pair]:
    """Pairs of a recorded series without words and the only series of the robot that is as long, in order."""
    found: list[Pair] = []
    series, of_robot = _series(recorded), _series(robot).values()
    of_recorded = [numbered for words, numbered in series.items() if _is_wordless(words)]
    for numbered in of_recorded:
        same = [own for own in of_robot if len(own) == len(numbered)]
        alike = [other for other in of_recorded if len(other) == len(numbered)]
        if len(same) == len(alike) == 1:
            found += zip(_in_order(numbered), _in_order(same[0]), strict=True)
    return found


def _is_wordless(template: Words) -> bool:
    return all(word == "#" or word.isdigit() or word in _WORDLESS for word in template)


def rule_of(recorded: Sequence[str], robot: Sequence[str]) -> list[str]:
    """The value of `--joint` that matches two lists of names, as far as it can be guessed: the user has to look at it.

    It is one pattern if the robot has a series with the same numbers, else a pair of names for each joint, in order.
    """
    of_robot = _series(robot).values()
    for numbered in sorted(_series(recorded).values(), key=len, reverse=True):
        own = max(of_robot, key=lambda s: _likeness(numbered, s), default={})
        one, other = _around(numbered), _around(own)
        if one is not None and other is not None and {*numbered} <= {*own}:
            front, back = (re.escape(part) for part in one)
            return [rf"{front}(\d+){back}={other[0]}\1{other[1]}"]
        if len(own) == len(numbered):
            pairs = zip(_in_order(numbered), _in_order(own), strict=True)
            return [f"{re.escape(name)}={joint}" for name, joint in pairs]
    return [f"{re.escape(name)}={joint}" for name, joint in zip(recorded, robot, strict=False)]


def _likeness(numbered: Mapping[int, str], own: Mapping[int, str]) -> tuple[bool, bool, bool]:
    return {*numbered} == {*own}, len(numbered) == len(own), {*numbered} <= {*own}


def _around(numbered: Mapping[int, str]) -> tuple[str, str] | None:
    """Common prefix and suffix of the names of a series; None if they differ."""
    parts = {
        (name[: match.start()], name[match.end() :])
        for number, name in numbered.items()
        for match in [*re.finditer(r"\d+", name)][-1:]
        if match[0] == str(number)
    }
    return parts.pop() if len(parts) == 1 else None


def _in_order(numbered: Mapping[int, str]) -> list[str]:
    return [numbered[number] for number in sorted(numbered)]


def _words(pairs: Sequence[Pair]) -> str:
    recorded, own = pairs[0]
    more = f" and {len(pairs) - 1} more in the same way" if len(pairs) > 1 else ""
    return f"{recorded} is {own}{more}"
