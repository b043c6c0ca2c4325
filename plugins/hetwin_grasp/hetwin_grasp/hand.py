"""Finds the finger joints of a hand in a MuJoCo model, and their positions in the open and in the closed hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import mujoco as mj
import numpy as np

from hetwin_suite.model import BadInput, Ints, one_of

_MIN_TRAVEL = 0.001
"""Minimum travel of a fingertip towards the other fingers for a joint to count as closing the hand [m]."""
_MAX_DISTANCE = 1.0


@dataclass(frozen=True, slots=True)
class MujocoHand:
    """A hand of a MuJoCo model.

    Attributes:
        name: name of the hand's base body, to which the fingers are attached.
        bodies: ids of the base body and of all its descendants.
        joints: ids of the finger joints; empty: the hand holds by suction.
        opened, closed: positions of the joints in the open hand, and in the hand closed without an object [m or rad].
    """

    name: str
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    opened: tuple[float, ...]
    closed: tuple[float, ...]


def find_hand(
    model: mj.MjModel, name: str, fingers: Mapping[str, tuple[float, float]]
) -> MujocoHand:
    """Find a hand by its base body.

    Args:
        model: the MuJoCo model.
        name: name of the base body, to which the fingers are attached.
        fingers: joint -> opened and closed position; empty: derived from the fingers' shapes and joint limits.

    Raises:
        BadInput: if there is no such body or joint, or the opened and closed positions cannot be derived.
    """
    names = [body_name(model, body) for body in range(model.nbody)]
    bodies = subtree(model, _index_of(name, names, "hand"))
    known = [joint_name(model, joint) for joint in range(model.njnt)]
    ends = {_index_of(joint, known, "fingers"): ends for joint, ends in fingers.items()}
    joints = _finger_joints(model, bodies[1:])
    if joints and not ends and not (ends := _OpenEndFinder(model, bodies, joints).find()):
        raise BadInput(
            "the shapes and limits of the finger joints do not show at which end the hand is open",
            where=f"hand {name}",
            found=[known[joint] for joint in joints],
            expected="fingers={joint: (opened, closed), ...}",
        )
    opened, closed = zip(*ends.values(), strict=True) if ends else ((), ())
    return MujocoHand(name, bodies, tuple(ends), opened, closed)


def _index_of(name: str, names: Sequence[str], where: str) -> int:
    if name not in names:
        raise BadInput("is not in the model", where=where, found=name, expected=one_of(name, names))
    return names.index(name)


def subtree(model: mj.MjModel, body: int) -> tuple[int, ...]:
    """The ids of a body and of all its descendants."""
    found = [body]
    found += (b for b in range(body + 1, model.nbody) if model.body_parentid[b] in found)
    return tuple(found)


def joint_name(model: mj.MjModel, joint: int) -> str:
    """The joint's name, or `joint N` if it has none."""
    return model.joint(joint).name or f"joint {joint}"


def body_name(model: mj.MjModel, body: int) -> str:
    """The body's name, or `body N` if it has none."""
    return model.body(body).name or f"body {body}"


def _finger_joints(model: mj.MjModel, bodies: Iterable[int]) -> tuple[int, ...]:
    """The limited joints of a hand without those coupled to others; only the actuated ones, if there are any."""
    inside = set(bodies)
    limited = [
        j for j in range(model.njnt) if model.jnt_bodyid[j] in inside and _is_limited(model, j)
    ]
    actuated = set[int]()
    for kind, (target, _) in zip(model.actuator_trntype, model.actuator_trnid, strict=True):
        if kind == mj.mjtTrn.mjTRN_TENDON.value:
            begin = model.tendon_adr[target]
            wrapped = slice(begin, begin + model.tendon_num[target])
            actuated.update(
                model.wrap_objid[wrapped][model.wrap_type[wrapped] == mj.mjtWrap.mjWRAP_JOINT.value]
            )
        elif kind == mj.mjtTrn.mjTRN_JOINT.value:
            actuated.add(int(target))
    leaders = [j for j in limited if j not in _followers(model)]
    return tuple([j for j in leaders if j in actuated] or leaders)


def _is_limited(model: mj.MjModel, joint: int) -> bool:
    is_movable = model.jnt_type[joint] in (
        mj.mjtJoint.mjJNT_HINGE.value,
        mj.mjtJoint.mjJNT_SLIDE.value,
    )
    return is_movable and bool(model.jnt_limited[joint])


def _followers(model: mj.MjModel) -> dict[int, int]:
    """Joint -> the equality constraint that couples it to another joint."""
    coupled = np.flatnonzero((model.eq_type == mj.mjtEq.mjEQ_JOINT.value) & (model.eq_obj2id >= 0))
    return {int(model.eq_obj1id[equality]): int(equality) for equality in coupled}


class _OpenEndFinder:
    """Finds which limit of each finger joint opens the hand: the one with the fingertip farther from the others."""

    def __init__(self, model: mj.MjModel, bodies: Sequence[int], joints: Sequence[int]) -> None:
        self._model, self._data, self._joints = model, mj.MjData(model), joints
        self._followers = _followers(model)
        self._fingers: dict[int, int] = {}
        for body in bodies[1:]:
            parent_finger = self._fingers.get(int(model.body_parentid[body]), 0)
            self._fingers[body] = parent_finger or (body if model.body_jntnum[body] else 0)
        self._geoms: dict[int, list[int]] = {}
        for geom in solid_geoms(model, bodies).tolist():
            body = int(model.geom_bodyid[geom])
            self._geoms.setdefault(self._fingers.get(body, 0), []).append(geom)

    def find(self) -> dict[int, tuple[float, float]]:
        """Joint -> opened and closed position; joints with an ambiguous direction are omitted."""
        ends = {}
        for joint in self._joints:
            low, high = self._model.jnt_range[joint].tolist()
            distance_gain = self._tip_distance(joint, low) - self._tip_distance(joint, high)
            if abs(distance_gain) > _MIN_TRAVEL:
                ends[joint] = (high, low) if distance_gain < 0 else (low, high)
        return ends

    def _tip_distance(self, joint: int, position: float) -> float:
        """Distance of a fingertip from the mean of the other tips; of a single finger, from the palm [m]."""
        model, data = self._model, self._data
        for j in self._joints:
            self._move(j, float(model.jnt_range[j].mean()))
        self._move(joint, position)
        mj.mj_kinematics(model, data)
        finger = self._fingers.get(int(model.jnt_bodyid[joint]), 0)
        own = self._geoms.get(finger, [])
        others = [geoms for root, geoms in self._geoms.items() if root not in (finger, 0)]
        if own and others:
            centre = np.mean([self._tip(geoms) for geoms in others], axis=0)
            return float(np.linalg.norm(self._tip(own) - centre))
        pairs = product(own, self._geoms.get(0, []) if finger else [])
        return min(
            (mj.mj_geomDistance(model, data, a, b, _MAX_DISTANCE, None) for a, b in pairs),
            default=0,
        )

    def _tip(self, geoms: Sequence[int]) -> np.ndarray:
        """(3,) mean position of the geoms of a finger's last body, in the world frame [m]."""
        bodies = self._model.geom_bodyid[geoms]
        return np.asarray(self._data.geom_xpos[geoms][bodies == bodies.max()].mean(axis=0))

    def _move(self, joint: int, position: float) -> None:
        model, qpos = self._model, self._data.qpos
        qpos[model.jnt_qposadr[joint]] = position
        for follower, equality in self._followers.items():
            if model.eq_obj2id[equality] == joint:
                offset = position - model.qpos0[model.jnt_qposadr[joint]]
                displacement = np.polynomial.polynomial.polyval(offset, model.eq_data[equality, :5])
                address = model.jnt_qposadr[follower]
                qpos[address] = model.qpos0[address] + displacement


def solid_geoms(model: mj.MjModel, bodies: Iterable[int]) -> Ints:
    """The ids of the bodies' geoms that take part in contacts."""
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    return np.flatnonzero(np.isin(model.geom_bodyid, list(bodies)) & collides).astype(np.int32)
