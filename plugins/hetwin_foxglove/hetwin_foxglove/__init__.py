"""Shows runs in Foxglove and Lichtblick without ROS: live, replayed, and as a file."""
