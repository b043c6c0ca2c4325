"""What people run: the `hetwin` command, the proving ground, and the front door for programs."""
