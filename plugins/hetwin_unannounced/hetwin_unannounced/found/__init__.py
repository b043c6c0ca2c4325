"""Finders of objects for `scene: {from: NAME}`: MoveIt's planning scene, and maps."""
