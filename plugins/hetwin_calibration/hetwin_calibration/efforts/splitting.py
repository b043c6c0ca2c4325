"""The split of measured efforts into friction, offsets, a load, ratios and lags, and a residual."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.efforts.samples import Samples
from hetwin_suite.model import Floats

OF_JOINT = ("dry", "viscous", "stribeck", "offset", "ratio", "lag")
"""Parameters of a joint: dry friction [N m or N], viscous friction [per rad/s or m/s], excess of static friction,
offset of the sensor, scale factor of the efforts minus 1, and lag of the efforts [s]."""
JOINT_WORDS = {
    "dry": "dry friction",
    "viscous": "viscous friction",
    "stribeck": "more dry friction at rest",
    "offset": "offset",
    "ratio": "factor less 1",
    "lag": "lag",
}
"""Words for the parameters of a joint in tables."""
OF_LOAD = ("mass", "mass_x", "mass_y", "mass_z")
"""Parameters of a load: mass [kg] and first moments [kg m] in the frame of the last link."""

Bools = NDArray[np.bool_]
Name = tuple[str, int | None]
"""Name of a parameter and index of its joint; None: a parameter of the load."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A significant parameter.

    Attributes:
        name: one of `OF_JOINT` or `OF_LOAD`.
        joint: index of the joint; None: a parameter of the load.
        value: value in SI units.
        sd: standard deviation of the value.
        instead: other parameters that would explain the recording as well.
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
        claims: significant parameters.
        covariance: covariance of their values.
        signs: (n,) -1 if the efforts are reversed, else 1.
        factors: (n,) measured efforts per unit of rigid-body efforts; 1 + ratio for torques.
        is_torque: whether the efforts are torques (or forces); else friction and offsets are in measured units.
        noise: (n,) standard deviation of a sample's residual; NaN for joints without enough samples.
        before, after: (n,) RMS of the efforts beyond rigid-body dynamics, and of the residual; outliers are
            weighted down.
        unknown: (n,) parameters of each joint that the recording does not determine.
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
        """Return a parameter of all joints (n,); 0 if not claimed."""
        found = np.zeros(len(self.signs))
        for claim in self.claims:
            if claim.name == name and claim.joint is not None:
                found[claim.joint] = claim.value
        return found

    @property
    def load(self) -> Floats:
        """Parameters (4,) of the load, in the order of `OF_LOAD`; 0 if not claimed."""
        known = {claim.name: claim.value for claim in self.claims if claim.joint is None}
        return np.array([known.get(name, 0.0) for name in OF_LOAD])

    def friction(self, velocities: Floats, dry: Floats, stribeck: Floats) -> Floats:
        """Return the sum (m, n) of friction and offset, for the quantities (m, n) of `DelayedMotion`."""
        parts = self.values("viscous") * velocities + self.values("dry") * dry
        found: Floats = parts + self.values("stribeck") * stribeck + self.values("offset")
        return found

    def explained(self, samples: Samples) -> Floats:
        """Return the efforts (m, n) that the split predicts."""
        late = samples.at(self.values("lag"))
        bodies = self.factors * (late.expected + late.loads @ self.load)
        friction = self.friction(late.velocities, late.dry, late.stribeck)
        found: Floats = self.signs * (bodies + (self.factors if self.is_torque else 1.0) * friction)
        return found

    def left(self, samples: Samples) -> Floats:
        """Return the residuals (m, n) of the measured efforts."""
        return samples.measured - self.explained(samples)

    def bodies_left(self, samples: Samples) -> Floats:
        """Return the measured efforts (m, n) beyond rigid-body dynamics, with corrected signs."""
        usual = 1.0 if self.is_torque else self.factors
        found: Floats = self.signs * samples.measured - usual * samples.expected
        return found

    def share(self, joint: int) -> float:
        """Return the explained share of the mean square of a joint's efforts beyond rigid-body dynamics."""
        return 1.0 - (float(self.after[joint]) / max(float(self.before[joint]), 1e-300)) ** 2


def in_odd_block(samples: Samples, length_s: float) -> Bools:
    """Return a mask (m,) of the samples in every second block of a recording, for cross-validation."""
    number = np.floor((samples.times - samples.times[0]) / length_s).astype(np.intp)
    found: Bools = number % 2 == 1
    return found


def upright(samples: Samples, signs: Floats) -> Samples:
    """Return the samples with corrected signs of the measured efforts."""
    return replace(samples, measured=samples.measured * signs)
