"""A world that runs in a Gazebo server of its own, stepped over gz-transport."""
