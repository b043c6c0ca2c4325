"""Networks of state machines that one can see through; nothing of ROS, nothing else of hetwin."""
