"""Runs and checks, as the `hetwin` command and the front door start them."""
