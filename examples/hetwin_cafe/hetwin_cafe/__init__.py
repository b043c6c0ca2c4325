"""Models of a user's own, with responsibilities other than poses."""
