"""The boxes of a world file, for the stand-in and the robot's program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_stand_ins.solids import Solid, read_solids
from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput


@dataclass(frozen=True, slots=True)
class Block:
    """One upright box with collisions.

    Attributes:
        model: name of its model.
        center: (3,) centre in the world [m].
        size: (3,) full lengths [m].
        mass: mass of its link [kg]; 0 for a static model.
        friction: coefficient of sliding friction.
    """

    model: str
    center: Floats
    size: Floats
    mass: float
    friction: float

    @property
    def top(self) -> float:
        """Height of the upper face in the world [m]."""
        return float(self.center[2] + self.size[2] / 2)


def read_blocks(world: Path) -> tuple[Block, ...]:
    """Read all collision boxes of an SDFormat world of upright models.

    Raises:
        BadInput: if a box is rotated, has no size, or belongs to a moving model without a mass.
    """
    boxes = [solid for solid in read_solids(world) if solid.kind == "box"]
    for box in boxes:
        _check(box, world)
    return tuple(Block(b.model, b.position, b.size, b.mass, b.friction) for b in boxes)


def find_block(blocks: tuple[Block, ...], model: str) -> Block:
    """Return the first box of a model; for a table, its top.

    Raises:
        BadInput: if the model has none.
    """
    for block in blocks:
        if block.model == model:
            return block
    names = sorted({block.model for block in blocks})
    raise BadInput("the world has no such box", found=model, expected=f"one of {names}")


def _check(box: Solid, world: Path) -> None:
    where = f"model {box.model}"
    if box.moves and box.mass <= 0.0:
        raise BadInput(
            "a moving box has no mass",
            file=world,
            where=where,
            expected="<inertial><mass> above 0",
        )
    if np.any(box.quaternion != [1.0, 0.0, 0.0, 0.0]):
        raise BadInput(
            "only upright boxes are supported here",
            file=world,
            where=where,
            found=box.quaternion.tolist(),
            expected="the quaternion 1 0 0 0",
        )
