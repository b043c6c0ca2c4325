"""A model that judges claims about the object in a hand with probabilities, from all sensors of the robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from hetwin_evidence.closings import Closing, RestDetector
from hetwin_evidence.heard import Reports
from hetwin_evidence.likelihood import Claim, Voice, against, claim, judged, voice
from hetwin_evidence.shaken import Jolts
from hetwin_evidence.wrist import Wrist
from hetwin_suite.model import (
    JUDGED,
    WRENCHES,
    Amount,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    Event,
    File,
    FingerMotion,
    Hand,
    Model,
    Parameters,
    Snapshot,
    Strict,
    Tick,
    WatchedRobot,
    WatchLayout,
    parameter,
    read_json,
)

_STILL = 0.03
"""Maximum motion of resting fingers, as a share of their travel."""
_REST_NS = 100_000_000
_IMPACT_NS = 1_000_000_000
"""Time before the loss of an object in which a jolt of the hand counts as evidence."""


class Calibration(Strict):
    """A hand's calibration by `hetwin calibrate hand`.

    Attributes:
        empty: end positions of the fingers, one list for each kind of empty closing [rad or m].
        tactile: maximum of the third highest taxel in empty closings; None: not learned.
        tool_mass: mass that the force sensor carries, including the hand [kg]; None: not learned.
        inverted: whether the sensor reports the force that the hand exerts; None: not learned.
    """

    empty: list[list[float]] = Field([])
    tactile: float | None = None
    tool_mass: float | None = Field(None, ge=0.0)
    inverted: bool | None = None


class Settings(Parameters):
    """Parameters of the model."""

    hand: Hand = parameter("the hand whose claims are judged")
    prior: float = parameter("probability of each claim before anything is felt", 0.5, gt=0, lt=1)
    inverted: bool = parameter(
        "whether the sensor reports the force that the hand exerts, so that a load's weight points up",
        False,
    )
    empty: list[list[float]] = parameter(
        "end positions of the fingers when they close on nothing, in the order of the hand's joints; one list for each"
        " kind of empty closing",
        [],
        "rad or m",
    )
    calibration: File | None = parameter(
        "file of `hetwin calibrate hand` for this hand; `empty` and `tool_mass` take precedence",
        None,
    )
    tool_mass: float = parameter(
        "mass that the force sensor carries, including the hand; 0: not known",
        0.0,
        "kg",
        ge=0,
    )
    min_closing: Amount = parameter(
        "fingers that close by this fraction of their travel begin a closing", 0.05, "of the travel"
    )
    release_opening: Amount = parameter(
        "fingers that open by this fraction of their travel end it", 0.1, "of the travel"
    )
    lift: Amount = parameter("minimum rise of the hand that counts as a lift", 0.02, "m")
    largest_turn: Amount = parameter(
        "maximum rotation of the wrist against gravity at which a load is weighed without a known `tool_mass`",
        15.0,
        "deg",
    )
    least_pull: Amount = parameter("minimum pull whose end counts as evidence", 5.0, "N")
    watch: WatchedRobot = parameter("reports of the main model about the robot", None)


class Evidence(Model[Settings]):
    """Judges the outcome of a grasp or a connection by a hand's sensors, with probabilities.

    The model raises ``judged`` for the claims ``held`` and ``released`` after each closing of the fingers, as soon as
    the hand has risen and stands still; for ``lost`` if a held object is lost, at the latest when the hand opens; for
    ``connected`` when the hand opens after a push; and for ``touched`` when its fingers start to close or have opened.
    Each claim has its probability and the evidence of every source: a quantity with unit, log-likelihood ratio and
    stamp, or the reason why the source abstains. A claim with a probability between 0.2 and 0.8 is not known.
    """

    summary = "Judges by wrench, fingers and gripper how likely it is that a hand holds an object."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        JUDGED: "a claim was judged: claim, hand, known (true, false, or null), probability, reason, voices"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Check the hand and the references.

        Raises:
            BadInput: if the hand's description is incomplete, or a reference does not fit its joints.
        """
        hand = settings.hand
        self._fingers = FingerMotion(hand, _STILL)
        known = _calibration(settings.calibration)
        self._empty, self._tactile = settings.empty or known.empty, known.tactile
        self._inverted = settings.inverted or bool(known.inverted)
        self._tool_mass = settings.tool_mass or known.tool_mass or 0.0
        for number, positions in enumerate(self._empty):
            if len(positions) != len(hand.joints):
                raise BadInput(
                    "an empty closing does not fit the hand",
                    file=None if settings.empty else settings.calibration,
                    where=f"empty.{number}",
                    found=f"{len(positions)} positions",
                    expected=f"one for each of {', '.join(hand.joints)}",
                )
        scene.needs((hand.robot, "joint_positions"), ("*", "pose"), ("*", WRENCHES))

    def start(self, scene: Snapshot) -> None:
        """Find the finger joints, and the links in whose frames a sensor of this hand may report.

        Raises:
            BadInput: if the robot lacks a finger joint.
        """
        limits, layout = self.settings, scene.layout
        hand, joints = limits.hand, layout.entity(limits.hand.robot).joints
        missing = [joint for joint in hand.joints if joint not in joints]
        if missing:
            where = f"hand {hand.name}: joints"
            raise BadInput(f"{hand.robot} has no such joint", where=where, found=missing)
        first = layout.range_of(hand.robot, "joint_positions").start
        self._joints = _places([first + joints.index(joint) for joint in hand.joints])
        self._place = layout.range_of(hand.link, "pose").start
        turn, pull = limits.largest_turn, limits.least_pull
        self._wrist = Wrist(layout, hand.link, self._inverted, self._tool_mass, turn, pull)
        hands = layout.of_kind(EntityKind.HAND)
        self._heard = Reports(hand, hands, self._empty, self._tactile, self._slides())
        self._shaken = Jolts(layout, hand.link)
        self._rest = RestDetector()
        self._most_open, self._open_ns = 1.0, scene.time_ns
        self._free_ns = scene.time_ns
        self._closing: Closing | None = None

    def _slides(self) -> bool:
        """Return whether the fingers are prismatic; without reports about the robot they count as revolute."""
        watch = self.settings.watch
        robots = None if watch is None else WatchLayout.from_json(watch)
        return robots is not None and any(
            robots.unit(joint) == "m" for joint in self.settings.hand.joints
        )

    def step(self, tick: Tick) -> Changes:
        """Track fingers, hand and wrist, and judge claims when the hand has lifted, lost or released an object."""
        scene, changes, limits = tick.scene, tick.changes(), self.settings
        if tick.events:
            self._heard.note(tick.events)
            self._shaken.note(tick.events, scene)
        if WRENCHES in scene.tables:
            self._wrist.feel(scene)
        self._fingers.update(scene.time_ns, scene.values[self._joints])
        closing = self._closing
        if closing is None:
            changes.events += self._await_closing(scene)
            return changes
        self._most_open = max(self._most_open, self._fingers.closing)
        opened = self._most_open - self._fingers.closing >= limits.release_opening
        if (
            not closing.judged or closing.holds
        ):  # otherwise nothing is left to judge until the fingers open
            changes.events += self._follow(closing, scene, opened)
        if opened:
            changes.events += self._end(closing, scene)
        return changes

    def _follow(self, closing: Closing, scene: Snapshot, opened: bool) -> list[Event]:
        """Judge a closing when the hand rests after a lift, and from then on whether the held object is lost."""
        place = scene.values[self._place : self._place + 3].tolist()
        height, rests = place[2], self._rest.update(scene.time_ns, place)
        if closing.closed_ns is None:
            if scene.time_ns - self._fingers.still_since_ns >= _REST_NS:
                closing.closed_ns, closing.height = scene.time_ns, height
        elif not rests or opened:
            pass
        elif not closing.judged and height - closing.height >= self.settings.lift:
            found = self._judge(closing, scene, scene.time_ns)
            closing.height = height
            return found
        elif closing.holds and closing.height - height < self.settings.lift:
            return self._watch(closing, scene)
        return []

    def _await_closing(self, scene: Snapshot) -> list[Event]:
        closing, now_ns = self._fingers.closing, scene.time_ns
        if closing <= self._most_open:
            self._most_open = closing
        if closing - self._most_open <= 0.5 * self.settings.min_closing:
            self._open_ns = now_ns
        elif closing - self._most_open >= self.settings.min_closing:
            before, down = self._wrist.settled(self._open_ns), self._wrist.down()
            self._closing, self._rest = Closing(before, down, self._open_ns), RestDetector()
            self._most_open = closing
            return self._touched(self._free_ns, self._open_ns)
        return []

    def _judge(self, closing: Closing, scene: Snapshot, risen_ns: int | None) -> list[Event]:
        """Judge the claims of a closing.

        Args:
            closing: the closing.
            scene: current state.
            risen_ns: time when the hand rested after the lift; None: it opened before that.
        """
        closing.judged, time_ns = True, scene.time_ns
        voices = [self._wrist.weight(closing, risen_ns)]
        if risen_ns is not None:
            voices += self._heard.voices(scene.values[self._joints], time_ns)
        held = self._claim("held", voices)
        closing.holds, closing.held_at = held.known is True, self._fingers.closing
        closing.held_ns, closing.weight = time_ns, voices[0].quantity
        released = self._claim("released", [self._wrist.release(closing, time_ns)])
        return [self._event(one, time_ns) for one in (held, released)]

    def _watch(self, closing: Closing, scene: Snapshot) -> list[Event]:
        """Judge whether the held object is lost; the hand rests, and has not been lowered by the height of a lift."""
        weight = self._wrist.lost_weight(closing, scene.time_ns)
        shortfall = self._heard.shortfall(scene.values[self._joints], scene.time_ns)
        gave = voice(
            "fingers_gave_way", self._fingers.closing - closing.held_at, scene.time_ns / 1e9
        )
        shaken = self._shaken.voices(scene.time_ns - _IMPACT_NS, scene.time_ns)
        closing.lost = self._claim("lost", [weight, against(shortfall), gave, *shaken])
        if closing.lost.known is not True:
            return []
        closing.holds = False
        return [self._event(closing.lost, scene.time_ns)]

    def _end(self, closing: Closing, scene: Snapshot) -> list[Event]:
        """Judge the remaining claims when the fingers have opened."""
        self._closing, self._most_open = None, self._fingers.closing
        self._free_ns = scene.time_ns
        events = [] if closing.judged else self._judge(closing, scene, None)
        if closing.holds and closing.lost is not None:
            events.append(self._event(closing.lost, scene.time_ns))
        if pushed := self._wrist.connection(closing, scene.time_ns):
            events.append(self._event(self._claim("connected", pushed), scene.time_ns))
        if closing.holds:
            events += self._touched(closing.held_ns, scene.time_ns)
        return events

    def _touched(self, from_ns: int, to_ns: int) -> list[Event]:
        """Judge whether the hand or its load touched something in a time interval."""
        voices = self._shaken.voices(from_ns, to_ns)
        if self._wrist.sensor >= 0:
            voices.insert(0, self._wrist.contact(from_ns, to_ns))
        return [self._event(self._claim("touched", voices), to_ns)] if voices else []

    def _claim(self, name: str, voices: list[Voice]) -> Claim:
        return claim(name, [*voices, *self._heard.felt(name)], self.settings.prior)

    def _event(self, found: Claim, time_ns: int) -> Event:
        return judged(found, self.settings.hand.name, time_ns)


def _places(numbers: list[int]) -> slice | NDArray[np.int32]:
    """Return indices of values, as a slice if they are contiguous, since slices are read much faster."""
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return slice(numbers[0], numbers[0] + len(numbers))
    return np.array(numbers, np.int32)


def _calibration(file: Path | None) -> Calibration:
    """Return a hand's calibration from a file.

    Raises:
        BadInput: if the file cannot be read, or is not a calibration.
    """
    if file is None:
        return Calibration()
    try:
        return Calibration.model_validate(read_json(file))
    except (OSError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        why = str(error) if first is None else f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise BadInput(
            "the calibration of the hand cannot be used",
            file=file,
            found=why,
            expected="what `hetwin calibrate hand` writes",
        ) from None
