"""A camera: visibility of objects, and detections in its pictures."""

from model_nodes.camera.model import Camera as Camera
