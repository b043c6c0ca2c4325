"""In-hand localization: the pose of an object in a hand, from finger joints, torques and its shape."""

from hetwin_in_hand.model import InHandLocalization

__all__ = ["InHandLocalization"]
