"""Behind `hetwin_suite.testing`: the plugin of pytest, which loads nothing heavy before a recording is replayed."""
