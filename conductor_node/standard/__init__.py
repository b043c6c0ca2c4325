"""The services of the ROS standard for simulators, package ``simulation_interfaces``, where that is installed."""
