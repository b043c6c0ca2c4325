"""The twin in a Gazebo that is already running: a view for a person, on which no model depends."""

from hetwin_gazebo.view.model import GazeboView as GazeboView
