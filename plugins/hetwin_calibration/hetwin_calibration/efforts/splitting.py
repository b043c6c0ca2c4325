"""Which part of measured efforts friction, offsets, a load, ratios and lags explain, and which is left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.efforts.samples import Samples
from hetwin_suite.model import Floats

OF_JOINT = ("dry", "viscous", "stribeck", "offset", "ratio", "lag")
"""Parameters of a joint: friction in N m (N) and per rad/s (m/s), excess dry friction at rest, a sensor's offset,
the factor of efforts less 1, and how late they are [s]."""
OF_LOAD = ("mass", "mass_x", "mass_y", "mass_z")
"""A load's mass [kg] and products of mass and place [kg m] in the frame of the last link."""

Bools = NDArray[np.bool_]
Name = tuple[str, int | None]
"""Of a parameter: its name, and the index of its joint; None: it is of the load."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A parameter that the recording speaks for.

    Attributes:
        name: one of `OF_JOINT` or `OF_LOAD`.
        joint: index of the joint; None: it is of the load.
        value: in SI units.
        sd: its standard deviation.
        instead: an equal explanation, as far as this recording knows.
    """

    name: str
    joint: int | None
    value: float
    sd: float
    instead: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """The explanation of the efforts of n joints.

    Attributes:
        claims: supported by the recording.
        covariance: of their values.
        signs: (n,) -1 where the efforts count the other way round, else 1.
        factors: (n,) measured efforts per unit of the bodies' efforts; 1 and the ratio where efforts are torques.
        is_torque: whether the efforts are torques (or forces); else friction and offsets are in measured units.
        noise: (n,) standard deviation of a sample's residual; NaN for joints that are not judged.
        before, after: (n,) root mean square without the bodies' efforts, and without all of it, outliers less.
        unknown: (n,) parameters of each joint that the recording cannot determine.
    """

    claims: tuple[Claim, ...]
    covariance: Floats
    signs: Floats
    factors: Floats
    is_torque: bool
    noise: Floats
    before: Floats
    after: Floats
    unknown: tuple[tuple[str, ...], ...]

    def values(self, name: str) -> Floats:
        """(n,) a parameter of all joints; 0 where it is not claimed."""
        found = np.zeros(len(self.signs))
        for one in self.claims:
            if one.name == name and one.joint is not None:
                found[one.joint] = one.value
        return found

    @property
    def load(self) -> Floats:
        """(4,) the load, as `OF_LOAD`; 0 where it is not claimed."""
        known = {one.name: one.value for one in self.claims if one.joint is None}
        return np.array([known.get(name, 0.0) for name in OF_LOAD])

    def friction(self, velocities: Floats, dry: Floats, stribeck: Floats) -> Floats:
        """Return (m, n) friction and offset."""
        parts = self.values("viscous") * velocities + self.values("dry") * dry
        found: Floats = parts + self.values("stribeck") * stribeck + self.values("offset")
        return found

    def explained(self, samples: Samples) -> Floats:
        """Return (m, n) the efforts that should have been measured."""
        late = samples.at(self.values("lag"))
        bodies = self.factors * (late.expected + late.loads @ self.load)
        friction = self.friction(late.velocities, late.dry, late.stribeck)
        found: Floats = self.signs * (bodies + (self.factors if self.is_torque else 1.0) * friction)
        return found

    def left(self, samples: Samples) -> Floats:
        """Return (m, n) measured efforts beyond that."""
        return samples.measured - self.explained(samples)

    def bodies_left(self, samples: Samples) -> Floats:
        """Return (m, n) measured efforts beyond those of the bodies, of efforts that count as the joints do."""
        usual = 1.0 if self.is_torque else self.factors
        found: Floats = self.signs * samples.measured - usual * samples.expected
        return found

    def share(self, joint: int) -> float:
        """The explained share of a joint's efforts beyond the bodies', of its mean square."""
        return 1.0 - (float(self.after[joint]) / max(float(self.before[joint]), 1e-300)) ** 2


def in_odd_block(samples: Samples, length_s: float) -> Bools:
    """(m,) whether samples are in every second block of a recording, for a judgement of a fit to the others."""
    number = np.floor((samples.times - samples.times[0]) / length_s).astype(np.intp)
    found: Bools = number % 2 == 1
    return found


def upright(samples: Samples, signs: Floats) -> Samples:
    """Samples whose efforts count as the joints do."""
    return replace(samples, measured=samples.measured * signs)
