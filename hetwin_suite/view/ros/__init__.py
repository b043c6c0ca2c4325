"""A run over ROS 2, as its topics show it and its services take it in hand."""
