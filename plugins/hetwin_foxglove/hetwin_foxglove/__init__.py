"""A run in Foxglove and Lichtblick, without ROS: while it goes on, afterwards, and as a file."""
