"""The `hetwin` command."""
