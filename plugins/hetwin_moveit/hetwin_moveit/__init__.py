"""The twin's objects in MoveIt's planning scene."""
