"""Names of frames in the scene."""

from __future__ import annotations

from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.world.description import Body, Joint


def frame_name(body: Body, link: str) -> str:
    """Return the scene's name of a link: of the only robot as in the URDF; of the root of a model, the model's name.

    Other links of models, and the links of several robots, are ``model::link``, as in SDFormat.
    """
    if body.robot and not body.one_of_several and link != WORLD:
        return link
    if not body.robot and link == body.links[0].name:
        return body.name
    return f"{body.name}::{link}"


def joint_name(body: Body, joint: Joint) -> str:
    """Return the scene's name of a joint: of the only robot as in the URDF, else ``model::joint``."""
    return joint.name if body.robot and not body.one_of_several else f"{body.name}::{joint.name}"
