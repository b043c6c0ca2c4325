"""Matches recorded joint names with a robot's joint names that differ by a prefix or another pattern.

Names are compared as words: `left/arm_1_joint`, `Left.Arm-1` and `left_arm1` are all (left, arm, 1). The pattern that
matches most joints is applied first. A name that two patterns match equally well remains ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]

REPLACED = 4
"""Rank of patterns that replace words by other words; they need at least `MIN_SERIES` joints."""
MIN_SERIES = 3
"""Minimum number of joints in a numbered series."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IGNORED = {"joint", "joints"}
_GENERIC = {*_IGNORED, "a", "axis", "j", "jnt", "q"}
_SIDES = {"left", "right", "l", "r", "front", "rear", "back", "upper", "lower"}
"""Words that distinguish parts of one robot; none of them may replace another."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The result of matching recorded joints with a robot's joints.

    Attributes:
        joints: recorded name -> the robot's name, in the recorded order.
        how: sentences about the matching of names that differ.
        ambiguous: recorded name -> the robot's names between which no pattern decides.
    """

    joints: dict[str, str]
    how: tuple[str, ...] = ()
    ambiguous: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def renamed(self) -> dict[str, str]:
        """Recorded name -> the robot's name, for names that differ."""
        return {recorded: own for recorded, own in self.joints.items() if recorded != own}


@dataclass(frozen=True, slots=True, order=True)
class Pattern:
    """The difference between a recorded name and a robot's name.

    Attributes:
        rank: kind of the difference: 0 same words, 1 additional words before or after, 2 additional words between,
            3 same words in another order, 4 other words before or after.
        longer: the name with the additional words, ``recorded`` or ``robot``; empty for other ranks than 1 and 2.
        before, after: words before and after the common words: additional ones, or for rank 4 the recorded ones.
        between: additional words between the common words.
        instead: for rank 4, the robot's words before and after the common words.
    """

    rank: int
    longer: str = ""
    before: Words = ()
    after: Words = ()
    between: Words = ()
    instead: tuple[Words, Words] = ((), ())


def words_of(name: str) -> Words:
    """Return the words of a joint's name in lower case, without the word `joint` unless it is the only one."""
    words = tuple(word.lower() for word in _WORD.findall(name))
    return tuple(word for word in words if word not in _IGNORED) or words


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
        known: whether the robot is known to be the right one. If so, generic names such as `joint_1` are matched too:
            by a prefix, or in order with the only series of the robot with the same length; and `a_joint_1` is matched
            with `b_joint_1` if this is possible for a whole series.
        by_hand: recorded name -> the robot's name, by the user; names that do not exist are ignored.
    """
    named_pairs = by_hand or {}
    joints = {name: own for name, own in named_pairs.items() if name in recorded and own in robot}
    pairs_by_hand = list(joints.items())
    taken = {*joints.values()}
    joints |= {n: n for n in recorded if n not in joints and n in robot and n not in taken}
    unmatched = [name for name in recorded if name not in joints]
    free = [name for name in robot if name not in joints.values()]
    found, ambiguous = _by_patterns(unmatched, free, known)
    how = [f"{_words(pairs_by_hand)}, by hand"] if pairs_by_hand else []
    how += [_words(pairs) for pairs in found]
    for pairs in found:
        joints.update(pairs)
    if known:
        unmatched = [name for name in recorded if name not in joints]
        free = [name for name in robot if name not in joints.values()]
        numbered = _by_number(unmatched, free)
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
    """Return the matched pairs of each accepted pattern, and recorded name -> candidates for ambiguous names."""
    candidates = _candidates(recorded, robot, known)
    accepted: list[list[Pair]] = []
    ambiguous: dict[str, tuple[str, ...]] = {}
    while candidates:
        best = max(candidates, key=lambda pattern: _score(pattern, candidates[pattern]))
        pairs = candidates.pop(best)
        if rivals := _rivals(pairs, _score(best, pairs), candidates):
            ambiguous.update(rivals)
            candidates = _without(candidates, set(rivals), set())
            pairs = [pair for pair in pairs if pair[0] not in rivals]
        if pairs:
            accepted.append(pairs)
            candidates = _without(candidates, {r for r, _ in pairs}, {m for _, m in pairs})
    return accepted, ambiguous


def _score(pattern: Pattern, pairs: Sequence[Pair]) -> tuple[int, int]:
    return len(pairs), -pattern.rank


def _candidates(
    recorded: Sequence[str], robot: Sequence[str], known: bool
) -> dict[Pattern, list[Pair]]:
    words = {name: words_of(name) for name in (*recorded, *robot)}
    found: dict[Pattern, list[Pair]] = {}
    for recorded_name in recorded:
        for robot_name in robot:
            pattern = _pattern(words[recorded_name], words[robot_name])
            if pattern is not None and (
                _are_specific(recorded_name, robot_name)
                or (known and _extends(recorded_name, robot_name))
            ):
                found.setdefault(pattern, []).append((recorded_name, robot_name))
            elif (
                known
                and (exchanged := _replacement_pattern(words[recorded_name], words[robot_name]))
                is not None
            ):
                found.setdefault(exchanged, []).append((recorded_name, robot_name))
    return {
        pattern: pairs
        for pattern, pairs in found.items()
        if _one_to_one(pairs)
        and _numbers_agree(pairs, recorded, robot)
        and (pattern.rank < REPLACED or _is_whole(pairs, robot))
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


def _replacement_pattern(recorded: Words, robot: Words) -> Pattern | None:
    """Return the pattern of two names with different words around common ones, such as `fer_joint1`, `panda_joint1`."""
    shared = _longest_common_run(recorded, robot)
    if shared is None:
        return None
    start, own, count = shared
    before, after = recorded[:start], recorded[start + count :]
    instead = robot[:own], robot[own + count :]
    words, others = {*before, *after}, {*instead[0], *instead[1]}
    sides = words & _SIDES, others & _SIDES
    if not words or not others or (all(sides) and sides[0] != sides[1]):
        return None
    return Pattern(REPLACED, before=before, after=after, instead=instead)


def _longest_common_run(first: Words, second: Words) -> tuple[int, int, int] | None:
    """Find the longest common run of words; the last one if there are several.

    Returns:
        Its start in each name, and its length; None if there is none.
    """
    best = None
    for i in range(len(first)):
        for j in range(len(second)):
            count = 0
            while first[i + count : i + count + 1] == second[j + count : j + count + 1] != ():
                count += 1
            if count and (best is None or count >= best[2]):
                best = i, j, count
    return best


def _are_specific(first: str, second: str) -> bool:
    """Whether both names contain more than numbers and the word `joint`, which may belong to any robot."""
    return not (_is_generic(words_of(first)) or _is_generic(words_of(second)))


def _is_generic(words: Words) -> bool:
    return all(word.isdigit() or word in _IGNORED for word in words)


def _extends(first: str, second: str) -> bool:
    """Whether one name is the other with a prefix or suffix that ends or begins with a separator."""
    longer, shorter = (first, second) if len(first) > len(second) else (second, first)
    prefix = longer.removesuffix(shorter) if longer.endswith(shorter) else ""
    if prefix:
        return not prefix[-1].isalnum()
    suffix = longer.removeprefix(shorter) if longer.startswith(shorter) else ""
    return bool(suffix) and not suffix[0].isalnum()


def _one_to_one(pairs: Sequence[Pair]) -> bool:
    return len({r for r, _ in pairs}) == len({m for _, m in pairs}) == len(pairs)


def _is_whole(pairs: Sequence[Pair], robot: Sequence[str]) -> bool:
    """Whether enough joints match a pattern, and of each numbered series of the robot either all joints or none."""
    if len(pairs) < MIN_SERIES:
        return False
    own = {other for _, other in pairs}
    return all(
        own.isdisjoint(numbered.values()) or own.issuperset(numbered.values())
        for numbered in _series(robot).values()
    )


def _rivals(
    pairs: Sequence[Pair], worth: tuple[int, int], others: dict[Pattern, list[Pair]]
) -> dict[str, tuple[str, ...]]:
    """Return recorded name -> candidates for names that an equally good pattern maps to another joint of the robot.

    Also included are names that compete with another recorded name for the same joint.
    """
    rivals: dict[str, tuple[str, ...]] = {}
    for pattern, claims in others.items():
        if _score(pattern, claims) != worth:
            continue
        for recorded_name, robot_name in pairs:
            for name, claimed in claims:
                if name == recorded_name and claimed != robot_name:
                    rivals[recorded_name] = tuple(
                        dict.fromkeys([*rivals.get(recorded_name, (robot_name,)), claimed])
                    )
                elif claimed == robot_name and name != recorded_name:
                    rivals.setdefault(recorded_name, (robot_name,))
                    rivals.setdefault(name, (robot_name,))
    return rivals


def _without(
    candidates: dict[Pattern, list[Pair]], recorded: set[str], robot: set[str]
) -> dict[Pattern, list[Pair]]:
    remaining = {
        pattern: [(r, m) for r, m in pairs if r not in recorded and m not in robot]
        for pattern, pairs in candidates.items()
    }
    return {pattern: pairs for pattern, pairs in remaining.items() if pairs}


# ---------------------------------------------------------------------- numbers


def _template(name: str) -> tuple[Words, int] | None:
    """Return the words of a numbered name with `#` in place of its last number, and that number; None without one."""
    words = list(words_of(name))
    for index in range(len(words) - 1, -1, -1):
        if words[index].isdigit():
            return (*words[:index], "#", *words[index + 1 :]), int(words[index])
    return None


def _series(names: Iterable[str]) -> dict[Words, dict[int, str]]:
    """Return template -> number -> name, for series of at least `MIN_SERIES` names."""
    found: dict[Words, dict[int, str]] = {}
    for name in names:
        if (known := _template(name)) is not None:
            found.setdefault(known[0], {})[known[1]] = name
    return {words: numbered for words, numbered in found.items() if len(numbered) >= MIN_SERIES}


def _numbers_agree(pairs: Sequence[Pair], recorded: Sequence[str], robot: Sequence[str]) -> bool:
    """Whether paired series have the same numbering; False if one counts from 0 and the other from 1."""
    of_recorded, of_robot = _series(recorded), _series(robot)
    for recorded_name, robot_name in pairs:
        a, b = _template(recorded_name), _template(robot_name)
        if a is None or b is None or a[0] not in of_recorded or b[0] not in of_robot:
            continue
        numbers, own = set(of_recorded[a[0]]), set(of_robot[b[0]])
        if not (numbers <= own or numbers >= own):
            return False
    return True


def _by_number(recorded: Sequence[str], robot: Sequence[str]) -> list[Pair]:
    """Pair each generic recorded series, in order, with the only series of the robot that has the same length."""
    found: list[Pair] = []
    series, of_robot = _series(recorded), _series(robot).values()
    of_recorded = [numbered for words, numbered in series.items() if _is_generic_series(words)]
    for numbered in of_recorded:
        same = [own for own in of_robot if len(own) == len(numbered)]
        alike = [other for other in of_recorded if len(other) == len(numbered)]
        if len(same) == len(alike) == 1:
            found += zip(_in_order(numbered), _in_order(same[0]), strict=True)
    return found


def _is_generic_series(template: Words) -> bool:
    return all(word == "#" or word.isdigit() or word in _GENERIC for word in template)


def rule_of(recorded: Sequence[str], robot: Sequence[str]) -> list[str]:
    """Guess values of `--joint` that match two lists of names; the user has to check them.

    Returns:
        One pattern if the robot has a series with the same numbers, otherwise one pair of names per joint, in order.
    """
    of_robot = _series(robot).values()
    for numbered in sorted(_series(recorded).values(), key=len, reverse=True):
        own = max(of_robot, key=lambda s: _likeness(numbered, s), default={})
        recorded_affixes, robot_affixes = _common_affixes(numbered), _common_affixes(own)
        if recorded_affixes is not None and robot_affixes is not None and {*numbered} <= {*own}:
            front, back = (re.escape(part) for part in recorded_affixes)
            return [rf"{front}(\d+){back}={robot_affixes[0]}\1{robot_affixes[1]}"]
        if len(own) == len(numbered):
            pairs = zip(_in_order(numbered), _in_order(own), strict=True)
            return [f"{re.escape(name)}={joint}" for name, joint in pairs]
    return [f"{re.escape(name)}={joint}" for name, joint in zip(recorded, robot, strict=False)]


def _likeness(numbered: Mapping[int, str], own: Mapping[int, str]) -> tuple[bool, bool, bool]:
    return {*numbered} == {*own}, len(numbered) == len(own), {*numbered} <= {*own}


def _common_affixes(numbered: Mapping[int, str]) -> tuple[str, str] | None:
    """Return the common prefix and suffix of the names in a series; None if they differ."""
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
