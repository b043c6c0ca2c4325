"""A camera that looks at objects: what is visible, and what a detector makes of its pictures."""

from model_nodes.camera.model import Camera as Camera
