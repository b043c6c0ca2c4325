"""A camera: visibility of objects, and detections in its pictures."""

from hetwin_programs.camera.model import Camera as Camera
