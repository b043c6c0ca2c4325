"""Shows the twin in a running Gazebo; no model depends on it."""

from hetwin_gazebo.view.model import GazeboView as GazeboView
