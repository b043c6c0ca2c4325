"""Physical quantities that indicate the outcome of a grasp or a connection, as functions of arrays.

Each is computed from the readings of one sensor, in SI units, and none of them is trained: a curve of ``likelihood``
turns a quantity into evidence. No function uses the time of day, a duration, a posture or a programmed force: on
recordings of real robots these distinguish batches of trials, not their outcomes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hetwin_suite.model import Floats, conjugate, rotate

RELEASE_SHARE = 0.035
"""Time in which a pull vanishes when the hold on an object breaks, as a share of the pull's rise time.

Fingers that slide off take longer. This share has the largest AUC on the proxy picks of PickApp (velasale, MIT).
It is relative, so that the quantity does not depend on the speed of the pull.
"""

SMOOTHING_S = 0.02
"""Averaging time of forces before the detection of peaks [s]."""

SETTLED_S = 0.3
"""Averaging time of a weight, before and after [s]."""

LEAST_RATE_HZ = 20.0
"""Minimum sampling rate of forces [Hz]."""


def abrupt_release(stamps: ArrayLike, forces: ArrayLike) -> float:
    """Return the share of the largest pull that vanishes at once: near 1 when the hold on an object broke.

    "At once" means within `RELEASE_SHARE` of the time in which the pull rose from 10 to 90 %, but at least one sample.

    Args:
        stamps: times of the samples [s], increasing, shape (n,).
        forces: force at the wrist during the pull [N], shape (n, 3), in a frame that rotates little. An offset of the
            sensor does not matter: the mean over the first quarter of the rise time is subtracted.

    Raises:
        ValueError: if the shapes of stamps and forces differ, they are not finite, or their rate is below 20 Hz.
    """
    times, samples = _checked(stamps, forces)
    rise = _rise_s(times, samples - samples[0])
    samples = samples - samples[times <= times[0] + 0.25 * rise].mean(axis=0)
    window = max(RELEASE_SHARE * _rise_s(times, samples), 1.0 / _rate(times))
    pull = _smooth(times, samples, 0.5 * window)
    later = np.interp(times + window, times, pull)
    largest = float(pull.max())
    return float((pull - later).max()) / largest if largest > 0.0 else 0.0


def weight_change(before: ArrayLike, after: ArrayLike, down: ArrayLike) -> float:
    """Return the increase of the force at a wrist along gravity [N], which is the weight of the grasped object.

    Args:
        before: force before the fingers close [N], shape (n, 3), in the sensor's frame, positive along ``down`` for a
            load on the sensor.
        after: the same after the robot has moved away.
        down: direction of gravity in the sensor's frame, shape (3,), of any positive length.

    Raises:
        ValueError: if a force is missing or not finite, or ``down`` has no direction.
    """
    direction = np.asarray(down, dtype=np.float64)
    length = float(np.linalg.norm(direction))
    if direction.shape != (3,) or not length > 0.0:
        raise ValueError(f"down is {down!r}, expected a direction (x, y, z)")
    change = _mean_force(after, "after") - _mean_force(before, "before")
    return float(change @ direction) / length


def gravity_direction(orientation: ArrayLike) -> Floats:
    """Return the direction of gravity in a frame whose orientation in the world is (x, y, z, w); shape (3,)."""
    x, y, z, w = np.asarray(orientation, dtype=np.float64).tolist()
    return np.array(rotate(conjugate((w, x, y, z)), (0.0, 0.0, -1.0)))


def finger_shortfall(end: ArrayLike, references: ArrayLike) -> float:
    """Return the distance of the fingers from the end of an empty closing, the mean over the joints [rad or m].

    There may be several kinds of empty closings (a thumb above or below the fingers); the nearest reference is used.

    Args:
        end: positions at which the joints stopped, shape (joints,); larger is further closed.
        references: positions at which they stop in empty closings of the same hand, shape (closings, joints).

    Raises:
        ValueError: if there is no reference, or the shapes do not match.
    """
    stopped, empty = (
        np.asarray(end, dtype=np.float64),
        np.atleast_2d(np.asarray(references, dtype=np.float64)),
    )
    if not empty.size or stopped.shape != empty.shape[1:]:
        raise ValueError(
            f"an end of shape {stopped.shape} does not fit references of shape {empty.shape}"
        )
    short = empty - stopped
    nearest = int(np.abs(short).mean(axis=1).argmin())
    return float(short[nearest].mean())


def snaps(stamps: ArrayLike, forces: ArrayLike, least: float = 15.0) -> list[float]:
    """Return the times of snaps [s]: peaks of a push far above its previous level that fall at once.

    A snap does not prove a connection: parts that latch wrongly snap harder (HIRO_SA_DATA).

    Args:
        stamps: times of the samples [s], increasing, shape (n,).
        forces: force at the wrist [N], shape (n, 3).
        least: minimum force of a snap [N].
    """
    times, samples = _checked(stamps, forces)
    push = _pull(times, samples, 0.01)
    found: list[float] = []
    second, window = _samples_in(1.0, times), _samples_in(0.1, times)
    strong = np.flatnonzero(push[second : len(times) - window] >= least) + second
    for index in strong.tolist():
        peak = push[index]
        if peak < push[index - window : index + window + 1].max():
            continue
        level = float(np.median(push[index - second : index - window]))
        fell = peak - push[index : index + window + 1].min()
        touched = level > 0.15 * least
        if (
            touched
            and peak > 1.8 * level
            and fell > 0.1 * peak
            and not (found and times[index] < found[-1] + 1.0)
        ):
            found.append(float(times[index]))
    return found


def pull_test(pulls: ArrayLike, travels: ArrayLike, enough: float = 5.0) -> float | None:
    """Return the displacement of a part when a pull first reaches a given force [m]; None if it never does.

    A loose part offers too little resistance for that force: if it moves by more than 3 mm, its maximum displacement
    is returned.

    Args:
        pulls: force along the pull [N], shape (n,).
        travels: displacement of the hand along the pull since its start [m], shape (n,).
        enough: minimum force of a conclusive pull [N].

    Raises:
        ValueError: if the shapes differ, or the arrays are empty.
    """
    forces, displacements = (
        np.asarray(pulls, dtype=np.float64),
        np.asarray(travels, dtype=np.float64),
    )
    if forces.shape != displacements.shape or not forces.size:
        raise ValueError(
            f"pulls {forces.shape} and travels {displacements.shape}: expected the same number, at least one"
        )
    hard = np.flatnonzero(forces >= enough)
    if hard.size:
        return float(displacements[hard[0]])
    return float(displacements.max()) if displacements.max() > 0.003 else None


def contact_force(stamps: ArrayLike, forces: ArrayLike) -> float:
    """Return the largest deviation of the force from its median, averaged over 20 ms [N].

    The median is that of free motion, since a touch is shorter than the whole motion.

    Args:
        stamps: times of the samples [s], increasing, shape (n,).
        forces: force at the wrist [N], shape (n, 3), without the hand's weight, or of a hand that rotates little.

    Raises:
        ValueError: as `abrupt_release`.
    """
    times, samples = _checked(stamps, forces)
    return float(_smooth(times, samples - np.median(samples, axis=0), SMOOTHING_S).max())


def pull_after_push(
    forces: ArrayLike, places: ArrayLike, least: float = 5.0
) -> tuple[Floats, Floats] | None:
    """Return pulling forces (m,) [N] and displacements (m,) [m] of a hand after a push; None if it never pushed.

    Args:
        forces: force on the hand along the world's axes [N], without the force before the push, shape (n, 3).
        places: positions of the hand [m], shape (n, 3).
        least: minimum force of a push [N].

    Raises:
        ValueError: if the shapes differ.
    """
    felt, at = np.asarray(forces, dtype=np.float64), np.asarray(places, dtype=np.float64)
    if felt.shape != at.shape or felt.ndim != 2 or felt.shape[1] != 3:
        raise ValueError(f"forces {felt.shape} and places {at.shape}: expected (n, 3) of both")
    strong = np.flatnonzero(np.linalg.norm(felt, axis=1) >= least)
    if not len(strong):
        return None
    back = felt[strong[0]] / np.linalg.norm(felt[strong[0]])
    along = felt @ back
    end = int(np.flatnonzero(along >= least)[-1])
    freed = np.flatnonzero(along[end:] <= 0.1 * least)
    if not len(freed):
        return np.zeros(0), np.zeros(0)
    begin = end + int(freed[0])
    return -along[begin:], (at[begin:] - at[begin]) @ back


def _checked(stamps: ArrayLike, forces: ArrayLike) -> tuple[Floats, Floats]:
    times, samples = np.asarray(stamps, dtype=np.float64), np.asarray(forces, dtype=np.float64)
    if times.ndim != 1 or samples.shape != (*times.shape, 3) or len(times) < 2:
        raise ValueError(
            f"stamps {times.shape} and forces {samples.shape}: expected (n,) and (n, 3), n at least 2"
        )
    if not (np.isfinite(times).all() and np.isfinite(samples).all()):
        raise ValueError("a stamp or a force is not finite")
    if not (np.diff(times) > 0.0).all():
        raise ValueError("the stamps do not increase")
    rate = _rate(times)
    if rate < LEAST_RATE_HZ:
        raise ValueError(f"samples come at {rate:.1f} Hz, at least {LEAST_RATE_HZ:g} Hz are needed")
    return times, samples


def _rise_s(times: Floats, forces: Floats) -> float:
    """Return the time in which the largest force rose from 10 to 90 % [s]."""
    values = np.linalg.norm(forces, axis=1)
    peak = int(values.argmax())
    low, high = (np.flatnonzero(values[: peak + 1] <= share * values[peak]) for share in (0.1, 0.9))
    return float(times[high[-1]] - times[low[-1]]) if len(low) else 0.0


def _mean_force(forces: ArrayLike, when: str) -> Floats:
    samples = np.atleast_2d(np.asarray(forces, dtype=np.float64))
    if not samples.size or samples.shape[1] != 3 or not np.isfinite(samples).all():
        raise ValueError(f"no finite force {when}: shape {samples.shape}, expected (n, 3)")
    mean: Floats = samples.mean(axis=0)
    return mean


def _rate(times: Floats) -> float:
    return (len(times) - 1) / float(times[-1] - times[0])


def _samples_in(seconds: float, times: Floats) -> int:
    return max(1, round(seconds * _rate(times)))


def _pull(times: Floats, forces: Floats, over_s: float) -> Floats:
    """Return the deviation of the forces from those of the first 0.1 s, averaged over a duration [N]."""
    return _smooth(times, forces - forces[times <= times[0] + 0.1].mean(axis=0), over_s)


def _smooth(times: Floats, forces: Floats, over_s: float) -> Floats:
    """Return the norms of forces, averaged over a duration [N]."""
    values = np.linalg.norm(forces, axis=1)
    count = _samples_in(over_s, times)
    padded = np.pad(values, (count // 2, count - 1 - count // 2), mode="edge")
    smooth: Floats = np.convolve(padded, np.full(count, 1.0 / count), "valid")
    return smooth
