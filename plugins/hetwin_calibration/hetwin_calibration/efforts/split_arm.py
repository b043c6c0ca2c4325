"""The split of an arm's efforts, its cross-validation, and its texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hetwin_calibration.efforts.bodies import (
    Bodies,
    explained_share,
    fitted_bodies,
    link_loads,
)
from hetwin_calibration.efforts.carried import TemporaryLoad, carried_load
from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.samples import Dynamics, Samples
from hetwin_calibration.efforts.splitting import Claim, Split, in_odd_block
from hetwin_suite.model import Floats

_BLOCK_S = 5.0
_CONFIRMED = 0.1
"""Maximum difference between the explained shares of all and of held-out parts, for a confirmed fit."""
_WORDS = {
    "dry": "dry friction",
    "viscous": "viscous friction",
    "stribeck": "more dry friction at rest",
    "offset": "an offset",
    "ratio": "a factor",
    "lag": "a lag",
    "mass": "a load",
    "mass_x": "a load's place",
    "mass_y": "a load's place",
    "mass_z": "a load's place",
}


@dataclass(frozen=True, slots=True)
class SplitArm:
    """The split of the efforts of an arm, a chain of n joints.

    Attributes:
        joints: names of the joints.
        units: unit of each joint's effort, N m or N.
        last: name of the link that carries a load.
        found: the split.
        held: (n,) explained share on held-out blocks; NaN if the recording is too short.
        samples: the samples that were split.
        begin: start of the recording, in the time of the samples [s].
        bodies: fit of masses; None if the description's masses explain as much.
        carried: temporary load, whose efforts the samples exclude; None if there is none.
    """

    joints: tuple[str, ...]
    units: tuple[str, ...]
    last: str
    found: Split
    held: Floats
    samples: Samples
    begin: float
    bodies: Bodies | None = None
    carried: TemporaryLoad | None = None

    @property
    def left(self) -> Floats:
        """Residual efforts (m, n), after the fit of masses if there is one."""
        return self.found.left(self.samples) if self.bodies is None else self.bodies.left

    @property
    def signs(self) -> Floats:
        """Signs (n,) of the efforts: -1 if reversed, unless masses explain that."""
        return self.found.signs if self.bodies is None else self.bodies.signs

    @property
    def after(self) -> Floats:
        """RMS (n,) of the residual efforts; without a fit of masses, outliers are weighted down."""
        if self.bodies is None:
            return self.found.after
        found: Floats = np.sqrt(np.nanmean(self.bodies.left**2, axis=0))
        return found

    def unit(self, joint: int) -> str:
        """Return the unit of a joint's efforts."""
        return self.units[joint] if self.found.is_torque else "as recorded"

    def unit_of(self, name: str, joint: int) -> str:
        """Return the unit of a joint's parameter."""
        unit = self.unit(joint)
        per = "rad" if self.units[joint] == "N m" else "m"
        named = {"dry": unit, "stribeck": unit, "offset": unit, "lag": "s", "ratio": ""}
        return named.get(name, f"{unit} per {per}/s")

    def claims(self, joint: int | None) -> list[Claim]:
        """Return the claims about a joint; None: about the load."""
        return [claim for claim in self.found.claims if claim.joint == joint]

    def is_confirmed(self, joint: int) -> bool:
        """Return whether the split explains held-out parts of a joint about as well."""
        return float(self.held[joint]) >= self.found.share(joint) - _CONFIRMED

    def friction(self, joint: int) -> dict[str, float]:
        """Return ``damping`` and ``friction`` of a joint, without unknown ones; empty without unambiguous friction."""
        claims = {claim.name: claim for claim in self.claims(joint)}
        if not {"viscous", "dry"} & set(claims) or any(
            claim.instead for name, claim in claims.items() if name in ("viscous", "dry")
        ):
            return {}
        return {
            key: float(self.found.values(name)[joint])
            for key, name in (("damping", "viscous"), ("friction", "dry"))
            if name not in self.found.unknown[joint]
        }

    def name(self, claim: tuple[str, int | None]) -> str:
        """Return the text for a parameter."""
        what, joint = claim
        return _WORDS[what] if joint is None else f"{_WORDS[what]} of {self.joints[joint]}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of the arm in `hetwin calibrate efforts --json`."""
        found = self.found
        names = [[None if c.joint is None else self.joints[c.joint], c.name] for c in found.claims]
        return {
            "link": self.last,
            "efforts": "torques" if found.is_torque else "currents",
            "load": self._numbers(None),
            "carried": None if self.carried is None else self.carried.to_json(self.begin),
            "joints": {name: self._of_joint(j) for j, name in enumerate(self.joints)},
            "covariance": {"of": names, "values": found.covariance.tolist()},
        }

    def _of_joint(self, joint: int) -> dict[str, Any]:
        found, held = self.found, float(self.held[joint])
        return {
            **self._numbers(joint),
            "unit": self.unit(joint),
            "sign": int(self.signs[joint]),
            "factor": float(found.factors[joint]),
            "noise": _finite(found.noise[joint]),
            "before": _finite(found.before[joint]),
            "after": _finite(found.after[joint]),
            "explains": _finite(found.share(joint)),
            "explains_not_fitted": _finite(held),
            "confirmed": self.is_confirmed(joint),
            "not_known": list(found.unknown[joint]),
            "with_masses": self._with_masses(joint),
        }

    def _with_masses(self, joint: int) -> dict[str, Any] | None:
        if self.bodies is None:
            return None
        return {
            "explains": _finite(self.bodies.share[joint]),
            "explains_not_fitted": _finite(self.bodies.held[joint]),
            "after": _finite(self.after[joint]),
        }

    def _numbers(self, joint: int | None) -> dict[str, Any]:
        return {
            claim.name: {
                "value": claim.value,
                "sd": claim.sd,
                "or": [self.name(other) for other in claim.instead],
            }
            for claim in self.claims(joint)
        }

    def lines(self) -> Iterator[str]:
        """Return the result as lines of text."""
        if not self.found.is_torque:
            which = f"{self.joints[0]} to {self.joints[-1]}"
            yield f"{which}: these efforts are currents, not torques; each joint has a factor of its own"
        for claim in self.claims(None):
            if claim.name == "mass":
                yield f"{self.last} carries {claim.value:.3g} +- {claim.sd:.2g} kg{self._alternatives(claim)}"
        if self.carried is not None:
            yield f"{self.last} carries {self.carried.words(self.begin)}"
        for j, name in enumerate(self.joints):
            yield self._line(j, name)
        if self.bodies is not None:
            yield self._of_masses(self.bodies)

    def claimed_lines(self) -> Iterator[str]:
        """Return the result as lines of text, without joints that have no claims."""
        for line in self.lines():
            if "nothing is claimed" not in line:
                yield line

    def _of_masses(self, bodies: Bodies) -> str:
        """Return a line about the fit of masses."""
        shares = ", ".join(
            f"{100 * share:.0f} ({100 * held:.0f})"
            for share, held in zip(bodies.share.tolist(), bodies.held.tolist(), strict=True)
            if np.isfinite(share)
        )
        joints = f"{self.joints[0]} to {self.joints[-1]}"
        text = f"{joints}: the masses of this robot differ from its description's; fitted as well, they explain"
        return f"{text} {shares} % by joint (where they were not fitted)"

    def _line(self, joint: int, name: str) -> str:
        found, unit = self.found, self.unit(joint)
        if np.isnan(found.noise[joint]):
            return f"{name}: has no efforts"
        claims = [self._claim_text(claim) for claim in self.claims(joint)]
        if self.signs[joint] < 0.0:
            claims.insert(
                0, "its effort counts the other way round, or the arm is moved from outside"
            )
        text = f"{name}: {'; '.join(claims) or 'nothing is claimed'}"
        if claims:
            text += f"; explains {100 * found.share(joint):.0f} % of what its description leaves"
            if np.isfinite(self.held[joint]):
                text += f", {100 * self.held[joint]:.0f} % where it was not fitted"
                text += "" if self.is_confirmed(joint) else ", so this is not confirmed"
        text += f"; {found.after[joint]:.2g} {unit} are left"
        if "dry" in found.unknown[joint]:
            text += "; it moves too little to know its friction"
        return text

    def _claim_text(self, claim: Claim) -> str:
        joint = claim.joint or 0
        value = self.found.factors[joint] if claim.name == "ratio" else claim.value
        words = f"{_WORDS[claim.name]} of {value:.3g} +- {claim.sd:.2g}"
        return f"{words} {self.unit_of(claim.name, joint)}".rstrip() + self._alternatives(claim)

    def _alternatives(self, claim: Claim) -> str:
        """Return the indistinguishable alternatives of a claim, in brackets."""
        others = sorted({self.name(other) for other in claim.instead})
        return f" (or {' or '.join(others)}: this recording cannot tell)" if others else ""


def split_arm(
    joints: Sequence[str],
    units: tuple[str, ...],
    last: str,
    samples: Samples,
    links: Sequence[Dynamics],
    begin: float,
) -> SplitArm:
    """Split the efforts of an arm, and judge the split on held-out blocks.

    Args:
        joints: names of the arm's joints, from the base on.
        units: unit of each joint's effort, N m or N.
        last: name of the link that carries a load.
        samples: samples of the recording.
        links: dynamics of the first joint, of the first two, and so on.
        begin: start of the recording, in the time of the samples [s].
    """
    found, loads = split(samples), link_loads(samples, links)
    carried = carried_load(samples, loads, found)
    if carried is not None:
        measured = samples.measured - found.signs * carried.efforts(samples)
        samples = replace(samples, measured=measured)
        found = split(samples)
    fitted = ~in_odd_block(samples, _BLOCK_S)
    if fitted.all():
        held = np.full(len(joints), np.nan)
        return SplitArm(tuple(joints), units, last, found, held, samples, begin, carried=carried)
    half, others = split(samples.where(fitted)), samples.where(~fitted)
    held = explained_share(half.left(others), half.bodies_left(others))
    bodies = fitted_bodies(samples, loads, found, fitted, half)
    return SplitArm(tuple(joints), units, last, found, held, samples, begin, bodies, carried)


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
