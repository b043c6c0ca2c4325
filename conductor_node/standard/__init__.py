"""The services of the ROS standard for simulators, if its package ``simulation_interfaces`` is installed."""
