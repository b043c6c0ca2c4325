"""What is drawn anew for each run."""
