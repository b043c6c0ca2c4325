"""What a robot tells of its program: its tasks, and what it believes."""
