"""Probability of a claim: each quantity contributes a likelihood ratio, or abstains with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import exp, log

from hetwin_suite.model import JUDGED, KNOWN_ABOVE, KNOWN_BELOW, Event, Json

DEPENDENCE_DISCOUNT = 0.8
"""Factor on the sum of log-likelihood ratios, since the quantities of one motion are not independent."""


@dataclass(frozen=True)
class Curve:
    """Log-likelihood ratio of a claim as a function of a quantity: linear, and clipped at both ends.

    Attributes:
        unit: unit of the quantity.
        neutral: quantity at which the log-likelihood ratio is 0.
        slope: change of the log-likelihood ratio per unit.
        lowest: lower limit (negative); near 0 if the absence of a signal proves little.
        highest: upper limit.
        origin: source of the constants.
    """

    unit: str
    neutral: float
    slope: float
    lowest: float
    highest: float
    origin: str

    def log_ratio(self, quantity: float) -> float:
        """Return the log-likelihood ratio of the claim against its opposite, given the quantity."""
        return min(self.highest, max(self.lowest, self.slope * (quantity - self.neutral)))


PICKAPP = "fitted on 209 picks from an apple proxy, PickApp (velasale/PickApp, MIT)"
ICUB = "chosen by hand from the spread of empty closings of an iCub (clear-nus/icub_grasp_dataset, H. Soh 2012)"
PULL_TEST = "a connector that holds 5 N and yields less than 1 mm is connected"
SNAP = "weak by design: parts that latched incorrectly also snap (HongminWu/HIRO_SA_DATA)"
SLIDING = "chosen by hand: a prismatic finger that stops less than 1 mm before its end is treated as closed on nothing"
WEAK = "weak by design: a hand that closes on nothing also stops short of a goal beyond its travel"
GIVING = "chosen by hand: fingers that hold an object yield by less than 5 % of their travel"
IMPACTS = (
    "weak by design: jolts separate the outcomes of 209 picks of PickApp (velasale/PickApp, MIT) with an AUC of only "
    "0.78, even at 8.5 m/s2; a soft touch has no jolt"
)
RAW = "free motion of an arm with an unknown tool stays below 1.74 N (HongminWu/HIRO_SA_DATA)"
KNOWN = "free motion of an arm with a known tool stays below 0.31 N (HongminWu/HIRO_SA_DATA)"

CURVES = {
    "abrupt_release": Curve("", 0.521, 13.4, -4.0, 4.0, PICKAPP),
    "weight_change": Curve("N", 0.461, 3.26, -4.0, 4.0, PICKAPP),
    "weight_loss": Curve("N", 0.461, 3.26, -4.0, 4.0, PICKAPP),
    "finger_shortfall": Curve("rad", 0.04, 60.0, -1.5, 4.0, ICUB),
    "gap_left": Curve("m", 0.001, 2500.0, -1.5, 4.0, SLIDING),
    "gripper_feedback": Curve("", 0.5, 1.4, -0.7, 0.7, WEAK),
    "position_error": Curve("of the travel", 0.05, 28.0, -0.7, 0.7, WEAK),
    "fingers_gave_way": Curve("of the travel", 0.05, 40.0, -0.3, 2.0, GIVING),
    "contact_force": Curve("N", 1.74, 2.0, -2.0, 4.0, RAW),
    "contact_force_of_known_tool": Curve("N", 0.31, 10.0, -2.0, 4.0, KNOWN),
    "impact": Curve("m/s2", 8.5, 0.2, -0.2, 0.7, IMPACTS),
    "tactile_rise": Curve("counts", 4.0, 0.8, -1.5, 4.0, ICUB),
    "pull_test": Curve("m", 0.001, -3000.0, -4.0, 4.0, PULL_TEST),
    "snap": Curve("", 0.5, 1.0, -0.5, 0.5, SNAP),
}
"""The curve of each quantity."""


@dataclass(frozen=True)
class Voice:
    """The evidence of one source for a claim.

    Attributes:
        source: name of the quantity.
        quantity: value of the quantity; None if the source abstains.
        unit: unit of the quantity.
        log_ratio: log-likelihood ratio of the claim against its opposite; 0 if the source abstains.
        stamp_s: time of the measurement [s]; None without a time.
        reason: reason why the source abstains.
    """

    source: str
    quantity: float | None
    unit: str
    log_ratio: float
    stamp_s: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim and its probability.

    Attributes:
        name: name of the claim (``held``, ``released``, ``connected`` ...).
        probability: posterior probability of the claim; the prior if all sources abstain.
        voices: evidence of each source.
        reason: reason why the claim is not known; empty if it is known.
    """

    name: str
    probability: float
    voices: tuple[Voice, ...]
    reason: str

    @property
    def known(self) -> bool | None:
        """Whether the claim is true; None: not known."""
        return None if self.reason else self.probability > 0.5


def voice(source: str, quantity: float, stamp_s: float | None = None) -> Voice:
    """Return the evidence of a quantity.

    Raises:
        KeyError: if no curve has the source's name.
    """
    curve = CURVES[source]
    return Voice(source, quantity, curve.unit, curve.log_ratio(quantity), stamp_s)


def against(evidence: Voice) -> Voice:
    """Return the evidence of a source for the opposite claim."""
    return replace(evidence, log_ratio=-evidence.log_ratio)


def silent(source: str, reason: str) -> Voice:
    """Return an abstaining source, with its reason."""
    return Voice(source, None, CURVES[source].unit, 0.0, None, reason)


def claim(name: str, voices: Iterable[Voice], prior: float = 0.5) -> Claim:
    """Return a claim with its probability, given the evidence of all sources.

    Args:
        name: name of the claim.
        voices: evidence of the sources, including those that abstain.
        prior: probability of the claim without evidence.

    Raises:
        ValueError: if the prior is not between 0 and 1.
    """
    if not 0.0 < prior < 1.0:
        raise ValueError(f"prior is {prior}, expected a number between 0 and 1")
    evidence = tuple(voices)
    contributing = [item for item in evidence if item.quantity is not None]
    weight = DEPENDENCE_DISCOUNT if len(contributing) > 1 else 1.0
    odds = log(prior / (1.0 - prior)) + weight * sum(item.log_ratio for item in contributing)
    probability = 1.0 / (1.0 + exp(-odds))
    if not contributing:
        why = "; ".join(f"{item.source}: {item.reason}" for item in evidence) or "no signal"
        return Claim(name, probability, evidence, f"all sources abstain ({why})")
    between = KNOWN_BELOW <= probability <= KNOWN_ABOVE
    reason = (
        f"probability {probability:.2f} lies between {KNOWN_BELOW} and {KNOWN_ABOVE}"
        if between
        else ""
    )
    return Claim(name, probability, evidence, reason)


def judged(found: Claim, hand: str, time_ns: int) -> Event:
    """Return the event with the probability of a claim about a hand."""
    voices: list[Json] = [
        {
            "source": one.source,
            "quantity": one.quantity,
            "unit": one.unit,
            "log_ratio": one.log_ratio,
            "stamp": one.stamp_s,
            "reason": one.reason,
        }
        for one in found.voices
    ]
    arguments: dict[str, Json] = {
        "claim": found.name,
        "hand": hand,
        "known": found.known,
        "probability": found.probability,
        "reason": found.reason,
        "voices": voices,
    }
    return Event(JUDGED, time_ns, arguments=arguments)
