"""In-hand localization: where in the hand is the object, from finger joints, torques and its shape."""

from model_nodes.in_hand_localization.model import InHandLocalization

__all__ = ["InHandLocalization"]
