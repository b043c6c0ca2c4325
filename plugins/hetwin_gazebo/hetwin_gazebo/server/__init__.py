"""A world in a separate Gazebo server, stepped over gz-transport."""
