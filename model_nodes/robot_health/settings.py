"""From which measure on which severity counts."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from pydantic import model_validator

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.parameters import Amount, Parameters, WatchedRobot, parameter
from hetwin_core.ensemble.validation import Strict, Text


class Scale(Strict):
    """The least measure of each severity; None: never."""

    note: Amount | None = None
    warning: Amount | None = None
    absurd: Amount | None = None

    def severity(self, measure: float) -> Severity | None:
        """The severity of a measure; None if it is not worth a note."""
        if self.absurd is not None and measure >= self.absurd:
            return Severity.ABSURD
        if self.warning is not None and measure >= self.warning:
            return Severity.WARNING
        if self.note is not None and measure >= self.note:
            return Severity.NOTE
        return None

    @property
    def least(self) -> float:
        """The least measure that is worth anything; infinite if none is."""
        given = (self.note, self.warning, self.absurd)
        return min((limit for limit in given if limit is not None), default=float("inf"))


class KnownTouch(Strict):
    """A pair whose overlap is ignored, such as coarse shapes of links that pass each other."""

    link: Text
    partner: Text

    def covers(self, link: str, partner: str) -> bool:
        """Whether these two are such a pair, in either order."""
        return any(
            fnmatchcase(a, self.link) and fnmatchcase(b, self.partner)
            for a, b in ((link, partner), (partner, link))
        )


class Settings(Parameters):
    """The parameters of the model: a scale for each of its events.

    A scenario need give only those severities of a scale that it changes; null switches one off.
    """

    watch: WatchedRobot = parameter("the robot that the main model reports about", None)
    link_touches: Scale = parameter(
        "depth of a link inside a static body or another link",
        Scale(note=1e-6, warning=0.002, absurd=0.02),
        "m",
    )
    base_in_floor: Scale = parameter(
        "the same for a link that no joint moves, in a plane, where robots are often mounted",
        Scale(note=1e-6, warning=0.1),
        "m",
    )
    wheel_in_floor: Scale = parameter(
        "the same for a link of a robot with odometry, in a plane, on which it rolls",
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
        "how far a recorded position is beyond its limit, in shares of the range, at most of 1 rad or 1 m",
        Scale(note=0.005, warning=0.05, absurd=0.5),
    )
    velocity_limit: Scale = parameter(
        "recorded speed of a joint, in shares of its limit",
        Scale(note=1.02, warning=1.2, absurd=10.0),
    )
    effort_limit: Scale = parameter(
        "recorded effort of a joint, in shares of its limit",
        Scale(note=1.02, warning=1.2, absurd=10.0),
    )
    deviates: Scale = parameter(
        "how far the twin's joint is from the recording",
        Scale(note=0.001, warning=0.01, absurd=0.2),
        "rad or m",
    )
    jump: Scale = parameter(
        "step in the recording that no robot makes", Scale(warning=0.0, absurd=1.0), "rad or m"
    )
    gap: Scale = parameter(
        "time without a sample in the recording", Scale(note=0.0, warning=1.0), "s"
    )
    contradiction: Scale = parameter(
        "difference between what two topics say of one joint",
        Scale(warning=0.0, absurd=0.5),
        "rad or m",
    )
    mended: Scale = parameter(
        "number of messages or positions that were out of order, misdated or no numbers",
        Scale(note=0.0),
    )
    left_out: Scale = parameter(
        "share of the samples of a joint that are not used", Scale(note=0.0, warning=0.05)
    )
    breaks_off: Scale = parameter(
        "share of a file of the recording that cannot be read, as its recorder was killed",
        Scale(warning=0.0),
    )
    other_units: Scale = parameter(
        "factor by which positions look to be in other units than rad and m", Scale(warning=0.0)
    )
    clock_offset: Scale = parameter(
        "by how much the times of a wrist's, gripper's or controller's topic are off those of the joints",
        Scale(note=0.0),
        "s",
    )
    gripper_says: Scale = parameter(
        "how long the twin believes otherwise from when a gripper says that it stalled, or reached its goal closed",
        Scale(warning=0.5),
        "s",
    )
    flung: Scale = parameter(
        "speed of an object beyond 1.3 times what explains it; a warning is a note if the robot meant it to move",
        Scale(warning=1.0, absurd=3.0),
        "m/s",
    )
    fell: Scale = parameter(
        "how far an object fell; a warning is a note if the robot meant it to move, and what a hand lost is a warning",
        Scale(warning=0.05),
        "m",
    )
    toppled: Scale = parameter(
        "how far an object tilted; a warning is a note if the robot meant it to move",
        Scale(warning=45.0),
        "deg",
    )
    struck: Scale = parameter(
        "depth of a link that belongs to no hand in an object, unless the robot meant it",
        Scale(warning=0.002),
        "m",
    )
    struck_away: Scale = parameter(
        "how far such a link moves an object, unless the robot meant it",
        Scale(warning=0.005),
        "m",
    )
    left_the_world: Scale = parameter(
        "how far an object is below everything, or beyond the space that the world takes up",
        Scale(warning=0.5),
        "m",
    )
    unexpected_effort: Scale = parameter(
        "measured effort of a joint beside the expected one, for up to 1 s, in shares of its limit",
        Scale(warning=0.12),
    )
    unexplained_load: Scale = parameter(
        "the same for longer, which is what a load that the scene does not know does",
        Scale(note=0.08, warning=0.25),
    )

    efforts: Text | None = parameter(
        "file of `hetwin calibrate efforts --out`: friction, offsets, factors and lags of this robot",
        None,
    )

    @model_validator(mode="before")
    @classmethod
    def _over_the_defaults(cls, data: Any) -> Any:
        """Replace only the given parts of a scale."""
        if not isinstance(data, Mapping):
            return data
        return {key: _merged(cls, key, value) for key, value in data.items()}


def _merged(cls: type[Settings], key: object, value: Any) -> Any:
    field = cls.model_fields.get(str(key))
    if field is None or not isinstance(field.default, Scale) or not isinstance(value, Mapping):
        return value
    return {**field.default.model_dump(), **value}
