"""Events about objects: flung, fell, toppled, left the world."""

from model_nodes.robot_health.objects.story import ObjectStory

__all__ = ["ObjectStory"]
