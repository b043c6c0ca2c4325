"""Names of frames in the scene."""

from __future__ import annotations

from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.world.description import Body, Joint


def frame_name(body: Body, link: str) -> str:
    """Return the scene's name of a link: for robots as in the URDF; for the root of a model, the model's name.

    Other links of models are ``model::link``, as in SDFormat.
    """
    if body.robot and link != WORLD:
        return link
    if not body.robot and link == body.links[0].name:
        return body.name
    return f"{body.name}::{link}"


def joint_name(body: Body, joint: Joint) -> str:
    """Return the scene's name of a joint: for robots as in the URDF, else ``model::joint``."""
    return joint.name if body.robot else f"{body.name}::{joint.name}"
