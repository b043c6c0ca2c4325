"""Parameters of the model: minimum measures of each severity."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from pydantic import model_validator

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.parameters import Amount, Parameters, WatchedRobot, parameter
from hetwin_core.ensemble.validation import Strict, Text


class Scale(Strict):
    """Minimum measure of each severity; None if that severity is never used."""

    note: Amount | None = None
    warning: Amount | None = None
    absurd: Amount | None = None

    def severity(self, measure: float) -> Severity | None:
        """Return the severity of a measure; None if it is below all limits."""
        if self.absurd is not None and measure >= self.absurd:
            return Severity.ABSURD
        if self.warning is not None and measure >= self.warning:
            return Severity.WARNING
        if self.note is not None and measure >= self.note:
            return Severity.NOTE
        return None

    @property
    def least(self) -> float:
        """The smallest limit; infinite if there is none."""
        given = (self.note, self.warning, self.absurd)
        return min((limit for limit in given if limit is not None), default=float("inf"))


class KnownTouch(Strict):
    """A pair whose overlap is ignored, for example coarse shapes of links that pass each other."""

    link: Text
    partner: Text

    def covers(self, link: str, partner: str) -> bool:
        """Return whether these two are such a pair, in either order."""
        return any(
            fnmatchcase(a, self.link) and fnmatchcase(b, self.partner)
            for a, b in ((link, partner), (partner, link))
        )


class Settings(Parameters):
    """The parameters of the model: a scale for each of its events.

    A scenario gives only the severities of a scale that it changes; null disables one.
    """

    watch: WatchedRobot = parameter("the robot that the main model reports about", None)
    link_touches: Scale = parameter(
        "depth of a link inside a static body or another link",
        Scale(note=1e-6, warning=0.002, absurd=0.02),
        "m",
    )
    base_in_floor: Scale = parameter(
        "the same for a link that no joint moves, in a plane; robots are often mounted in the floor",
        Scale(note=1e-6, warning=0.1),
        "m",
    )
    wheel_in_floor: Scale = parameter(
        "the same for a link of a robot with odometry, in a plane, such as a wheel on the floor",
        Scale(note=1e-3, warning=0.01),
        "m",
    )
    known_touches: tuple[KnownTouch, ...] = parameter(
        "pairs that are not reported: a list of {link, partner}, each a name or a pattern", ()
    )
    starts_inside: Scale = parameter(
        "depth of a link or an object inside something else at the start",
        Scale(note=0.0005, warning=0.002, absurd=0.02),
        "m",
    )
    object_in_link: Scale = parameter(
        "the same for an object in a link of the robot, such as one that is gripped from the start",
        Scale(note=0.0005, warning=0.01, absurd=0.05),
        "m",
    )
    position_limit: Scale = parameter(
        "excess of a recorded position over its limit, as a share of the range (of at most 1 rad or 1 m)",
        Scale(note=0.005, warning=0.05, absurd=0.5),
    )
    velocity_limit: Scale = parameter(
        "recorded speed of a joint, as a share of its limit",
        Scale(note=1.02, warning=1.2, absurd=10.0),
    )
    effort_limit: Scale = parameter(
        "recorded effort of a joint, as a share of its limit",
        Scale(note=1.02, warning=1.2, absurd=10.0),
    )
    deviates: Scale = parameter(
        "deviation of the twin's joint from the recording",
        Scale(note=0.001, warning=0.01, absurd=0.2),
        "rad or m",
    )
    jump: Scale = parameter(
        "step in the recording, too fast for a robot", Scale(warning=0.0, absurd=1.0), "rad or m"
    )
    gap: Scale = parameter(
        "time without a sample in the recording", Scale(note=0.0, warning=1.0), "s"
    )
    contradiction: Scale = parameter(
        "difference between two topics about one joint",
        Scale(warning=0.0, absurd=0.5),
        "rad or m",
    )
    mended: Scale = parameter(
        "number of messages or positions that were out of order, misdated or not numbers",
        Scale(note=0.0),
    )
    left_out: Scale = parameter(
        "share of the samples of a joint that are not used", Scale(note=0.0, warning=0.05)
    )
    breaks_off: Scale = parameter(
        "share of a file of the recording that cannot be read, because its recorder was killed",
        Scale(warning=0.0),
    )
    other_units: Scale = parameter(
        "factor by which positions appear to be in other units than rad and m", Scale(warning=0.0)
    )
    clock_offset: Scale = parameter(
        "offset of the times of a wrist's, gripper's or controller's topic from those of the joints",
        Scale(note=0.0),
        "s",
    )
    gripper_says: Scale = parameter(
        "time for which the twin contradicts a gripper that reports a stall, or its closed goal reached",
        Scale(warning=0.5),
        "s",
    )
    flung: Scale = parameter(
        "speed of an object beyond 1.3 times the explained speed; a warning is a note if the motion was intended",
        Scale(warning=1.0, absurd=3.0),
        "m/s",
    )
    fell: Scale = parameter(
        "height of a fall; a warning is a note if it was intended; an object lost by a hand is a warning",
        Scale(warning=0.05),
        "m",
    )
    toppled: Scale = parameter(
        "tilt of an object; a warning is a note if the motion was intended",
        Scale(warning=45.0),
        "deg",
    )
    struck: Scale = parameter(
        "depth inside an object of a link that belongs to no hand, unless it was intended",
        Scale(warning=0.002),
        "m",
    )
    struck_away: Scale = parameter(
        "distance by which such a link moves an object, unless it was intended",
        Scale(warning=0.005),
        "m",
    )
    left_the_world: Scale = parameter(
        "distance of an object below everything, or beyond the world's bounding box",
        Scale(warning=0.5),
        "m",
    )
    unexpected_effort: Scale = parameter(
        "deviation of a joint's measured effort from the expected one for at most 1 s, as a share of its limit",
        Scale(warning=0.12),
    )
    unexplained_load: Scale = parameter(
        "the same for longer, as caused by a load that is not in the scene",
        Scale(note=0.08, warning=0.25),
    )

    efforts: Text | None = parameter(
        "file of `hetwin calibrate efforts --out`: friction, offsets, factors and lags of this robot",
        None,
    )

    @model_validator(mode="before")
    @classmethod
    def _over_the_defaults(cls, data: Any) -> Any:
        """Merge the given severities of each scale with the default ones."""
        if not isinstance(data, Mapping):
            return data
        return {key: _merged(cls, key, value) for key, value in data.items()}


def _merged(cls: type[Settings], key: object, value: Any) -> Any:
    field = cls.model_fields.get(str(key))
    if field is None or not isinstance(field.default, Scale) or not isinstance(value, Mapping):
        return value
    return {**field.default.model_dump(), **value}
