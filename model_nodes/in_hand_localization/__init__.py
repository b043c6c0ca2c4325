"""In-hand localization: the pose of an object in a hand, from finger joints, torques and its shape."""

from model_nodes.in_hand_localization.model import InHandLocalization

__all__ = ["InHandLocalization"]
