"""What people run: the `hetwin` command, the proving ground, and the front door for programs."""

from hetwin_suite import _moved

_moved.install()
