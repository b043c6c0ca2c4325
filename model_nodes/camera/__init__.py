"""A camera that looks at objects: visibility, and detections in its pictures."""

from model_nodes.camera.model import Camera as Camera
