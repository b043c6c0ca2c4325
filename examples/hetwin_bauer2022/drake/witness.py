"""Records the true path of an object in Drake's world and in the palm, and its contacts."""

from __future__ import annotations

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from hetwin_bauer2022.two_hands.joints import PALM
from hetwin_bauer2022.two_hands.witness import Sample
from hetwin_suite.model import Floats

_FINGER = "right_hand_finger_"


class DrakePathRecorder:
    """Samples the state of an object.

    Args:
        plant: multibody dynamics of the world.
        thing: name of the object's body.

    Attributes:
        samples: samples so far.
    """

    def __init__(self, plant: MultibodyPlant, thing: str) -> None:
        self._plant = plant
        self._thing, self._palm = plant.GetBodyByName(thing), plant.GetBodyByName(PALM)
        self.samples: list[Sample] = []

    def observe(self, time: float, context: Context) -> None:
        """Sample the current state.

        Args:
            time: simulated time [s].
            context: context of the plant.
        """
        pose = self._plant.EvalBodyPoseInWorld(context, self._thing)
        palm = self._plant.EvalBodyPoseInWorld(context, self._palm)
        fingers, others = self._forces(context)
        in_palm = _numbers(palm.inverse().multiply(pose))
        self.samples.append(Sample(round(time, 6), _numbers(pose), in_palm, fingers, others))

    def _forces(self, context: Context) -> tuple[Floats, float]:
        """Return (4,) normal force of each finger, and the sum of all other contacts [N]."""
        fingers, others = np.zeros(4), 0.0
        results = self._plant.get_contact_results_output_port().Eval(context)
        for number in range(results.num_point_pair_contacts()):
            contact = results.point_pair_contact_info(number)
            bodies = contact.bodyA_index(), contact.bodyB_index()
            if self._thing.index() not in bodies:
                continue
            other = bodies[0] if bodies[1] == self._thing.index() else bodies[1]
            force = abs(float(contact.contact_force() @ contact.point_pair().nhat_BA_W))
            name = self._plant.get_body(other).name()
            if name.startswith(_FINGER):
                fingers[int(name.split("_")[3]) - 1] += force
            else:
                others += force
        return fingers, others


def _numbers(pose: RigidTransform) -> Floats:
    """Return x y z, qw qx qy qz."""
    return np.concatenate([pose.translation(), pose.rotation().ToQuaternion().wxyz()])
