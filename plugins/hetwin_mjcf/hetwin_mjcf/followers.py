"""Finds the joints of an MJCF model that follow others, by equalities or through closed loops of links.

A URDF is a tree in which a joint can follow another one linearly. A loop is therefore opened, and its passive joints
follow the driven one on the line that fits their positions in the closed loop best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_mjcf.compiled import not_carried_over
from hetwin_suite.model import Floats

SAMPLES = 9
"""Number of positions of a driven joint at which its loops are closed for the fit."""
MAX_ITERATIONS = 50
"""Maximum number of iterations to close the loops at one position."""
MAX_GAP = 1e-4
"""Maximum gap of a closed loop [m]."""
MAX_DEVIATION = 0.1
"""Maximum deviation from the fitted line of a joint that counts as following it [rad or m]."""
_MIN_SLOPE = 1e-3
_ONE_DOF_TYPES = (mj.mjtJoint.mjJNT_HINGE, mj.mjtJoint.mjJNT_SLIDE)
_JOINT_TRANSMISSIONS = (mj.mjtTrn.mjTRN_JOINT, mj.mjtTrn.mjTRN_JOINTINPARENT)

Line = tuple[int, float, float]
"""A joint that follows, with factor and offset of its position."""


class Followers:
    """The joints that follow others.

    Args:
        model: compiled model of MuJoCo.
        name: returns the name of a joint.

    Attributes:
        notes: parts that could not be carried over, or only approximately.
    """

    def __init__(self, model: Any, name: Callable[[int], str]) -> None:
        self._m, self._name = model, name
        self.notes: list[str] = []
        self._driven_joints = _driven_joints(model)
        self._lines: dict[int, Line] = {}
        self._add_equalities()
        self._add_loops()
        for i in range(model.neq):
            kind = mj.mjtEq(int(model.eq_type[i]))
            if kind not in (mj.mjtEq.mjEQ_JOINT, mj.mjtEq.mjEQ_CONNECT):
                word = kind.name.removeprefix("mjEQ_").lower()
                self.notes.append(not_carried_over(f"{word} equality", [model.eq(i).name]))

    def of(self, joint: int) -> tuple[str, float, float] | None:
        """Return the leading joint, multiplier and offset of a joint; None if it follows none."""
        line = self._lines.get(joint)
        return None if line is None else (self._name(line[0]), line[1], line[2])

    def _reference_position(self, joint: int) -> float:
        return float(self._m.qpos0[self._m.jnt_qposadr[joint]])

    # -------------------------------------------------------------- equalities

    def _add_equalities(self) -> None:
        connected: dict[int, list[Line]] = {}
        for i in range(self._m.neq):
            if int(self._m.eq_type[i]) != mj.mjtEq.mjEQ_JOINT:
                continue
            first, second = int(self._m.eq_obj1id[i]), int(self._m.eq_obj2id[i])
            offset, slope, *higher = (float(v) for v in self._m.eq_data[i, :5])
            if second < 0 or abs(slope) < _MIN_SLOPE or any(higher):
                self.notes.append(
                    f"{self._name(first)} does not depend linearly on one other joint: not carried over"
                )
                continue
            # one - its zero = offset + slope * (other - its zero)
            offset += self._reference_position(first) - slope * self._reference_position(second)
            connected.setdefault(second, []).append((first, slope, offset))
            connected.setdefault(first, []).append((second, 1 / slope, -offset / slope))
        while connected:
            leader = min(connected, key=lambda joint: (joint not in self._driven_joints, joint))
            self._follow(leader, connected)

    def _follow(self, leader: int, connected: dict[int, list[Line]]) -> None:
        """Let all joints connected with a joint follow it, directly or indirectly."""
        relation = {leader: (1.0, 0.0)}
        waiting = [leader]
        while waiting:
            joint = waiting.pop()
            multiplier, offset = relation[joint]
            for other, slope, constant in connected.pop(joint, []):
                if other not in relation:
                    relation[other] = slope * multiplier, slope * offset + constant
                    self._lines[other] = (leader, *relation[other])
                    waiting.append(other)
        self._driven_joints.add(leader)

    # -------------------------------------------------------------- loops

    def _add_loops(self) -> None:
        loops = [i for i in range(self._m.neq) if int(self._m.eq_type[i]) == mj.mjtEq.mjEQ_CONNECT]
        if not loops:
            return
        joints = sorted(
            {j for i in loops for body in self._ends(i) for j in self._ancestor_joints(body)}
        )
        passive = [j for j in joints if j not in self._lines and j not in self._driven_joints]
        leaders = sorted(
            {self._lines[j][0] if j in self._lines else j for j in joints} - {*passive}
        )
        if not passive or not leaders:
            self.notes.append(not_carried_over("closed loop", [self._m.eq(i).name for i in loops]))
            return
        closer = _LoopCloser(self._m, loops, passive, self._lines)
        candidates: dict[int, list[Line]] = {}
        for leader in leaders:
            samples = np.linspace(*self._travel(leader), SAMPLES)
            positions = closer.positions(leader, samples)
            if positions is None:
                self.notes.append(f"the loops that {self._name(leader)} moves cannot be closed")
                continue
            for column, joint in enumerate(passive):
                slope, offset = np.polyfit(samples, positions[:, column], 1)
                deviation = float(np.abs(slope * samples + offset - positions[:, column]).max())
                if abs(slope) > _MIN_SLOPE:
                    candidates.setdefault(joint, []).append((leader, float(slope), float(offset)))
                    self._note_opened_loop(joint, leader, deviation)
        for joint, lines in candidates.items():
            if len(lines) == 1:
                self._lines[joint] = lines[0]
            else:
                self.notes.append(
                    f"{self._name(joint)} follows {len(lines)} joints: not carried over"
                )

    def _note_opened_loop(self, joint: int, leader: int, deviation: float) -> None:
        verb = (
            "follows"
            if deviation < MAX_DEVIATION
            else "does not follow linearly, but is approximated as following"
        )
        self.notes.append(
            f"a loop is opened: {self._name(joint)} {verb} {self._name(leader)}, off by at most {deviation:.2g}"
        )

    def _travel(self, joint: int) -> tuple[float, float]:
        if self._m.jnt_limited[joint]:
            lower, upper = self._m.jnt_range[joint]
            return float(lower), float(upper)
        return self._reference_position(joint) - 0.5, self._reference_position(joint) + 0.5

    def _ends(self, equality: int) -> Iterator[int]:
        yield from (body for body, _ in _ends(self._m, equality))

    def _ancestor_joints(self, body: int) -> Iterator[int]:
        while body:
            first = int(self._m.body_jntadr[body])
            for joint in range(first, first + int(self._m.body_jntnum[body])):
                if mj.mjtJoint(int(self._m.jnt_type[joint])) in _ONE_DOF_TYPES:
                    yield joint
            body = int(self._m.body_parentid[body])


class _LoopCloser:
    """Closes loops by moving their passive joints."""

    def __init__(
        self, model: Any, loops: list[int], passive: list[int], lines: dict[int, Line]
    ) -> None:
        self._m, self._d = model, mj.MjData(model)
        self._loops, self._lines = loops, lines
        self._passive = np.array(passive)
        self._columns = model.jnt_dofadr[self._passive]
        self._rows = model.jnt_qposadr[self._passive]

    def positions(self, leader: int, samples: Floats) -> Floats | None:
        """Return (n, passive) the passive joints at (n,) positions of a driven one; None if loops stay open."""
        zero = self._m.qpos0[self._m.jnt_qposadr[leader]]
        order = np.argsort(np.abs(samples - zero), kind="stable")
        positions = np.zeros((len(samples), len(self._passive)))
        self._d.qpos[:] = self._m.qpos0
        start = self._d.qpos[self._rows].copy()
        for i in order:
            nearest = min(
                (k for k in order[: list(order).index(i)]),
                key=lambda k: abs(samples[k] - samples[i]),
                default=None,
            )
            self._d.qpos[self._rows] = start if nearest is None else positions[nearest]
            self._set(leader, float(samples[i]))
            if not self._close():
                return None
            positions[i] = self._d.qpos[self._rows]
        return positions

    def _set(self, leader: int, value: float) -> None:
        self._d.qpos[self._m.jnt_qposadr[leader]] = value
        for joint, (other, multiplier, offset) in self._lines.items():
            if other == leader:
                self._d.qpos[self._m.jnt_qposadr[joint]] = multiplier * value + offset

    def _close(self) -> bool:
        for _ in range(MAX_ITERATIONS):
            gaps, jacobian = self._gaps()
            if np.abs(gaps).max() < MAX_GAP:
                return True
            step = np.linalg.lstsq(jacobian, -gaps, rcond=1e-6)[0]
            self._d.qpos[self._rows] += np.clip(step, -0.2, 0.2)
        return False

    def _gaps(self) -> tuple[Floats, Floats]:
        """Return (3 n,) gaps of the loops [m], and their derivatives by the passive joints."""
        mj.mj_kinematics(self._m, self._d)
        mj.mj_comPos(self._m, self._d)
        gaps, rows = [], []
        for loop in self._loops:
            points, jacobians = [], []
            for body, local in _ends(self._m, loop):
                point = self._d.xpos[body] + self._d.xmat[body].reshape(3, 3) @ local
                jacobian = np.zeros((3, self._m.nv))
                mj.mj_jac(self._m, self._d, jacobian, None, point, body)
                points.append(point)
                jacobians.append(jacobian[:, self._columns])
            gaps.append(points[0] - points[1])
            rows.append(jacobians[0] - jacobians[1])
        return np.concatenate(gaps), np.concatenate(rows)


def _ends(model: Any, equality: int) -> Iterator[tuple[int, Floats]]:
    """Yield the two bodies that a loop connects, with (3,) the connected point of each [m]."""
    ids = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    if int(model.eq_objtype[equality]) == mj.mjtObj.mjOBJ_SITE:
        for site in ids:
            yield int(model.site_bodyid[site]), model.site_pos[site]
        return
    for k, body in enumerate(ids):
        yield body, model.eq_data[equality, 3 * k : 3 * k + 3]


def _driven_joints(model: Any) -> set[int]:
    """Return the joints with an actuator, directly or through a tendon."""
    driven: set[int] = set()
    for i in range(model.nu):
        target = int(model.actuator_trnid[i, 0])
        kind = mj.mjtTrn(int(model.actuator_trntype[i]))
        if kind in _JOINT_TRANSMISSIONS:
            driven.add(target)
        elif kind == mj.mjtTrn.mjTRN_TENDON:
            first = int(model.tendon_adr[target])
            for k in range(first, first + int(model.tendon_num[target])):
                if int(model.wrap_type[k]) == mj.mjtWrap.mjWRAP_JOINT:
                    driven.add(int(model.wrap_objid[k]))
    return driven
