"""Skills: functions from an operation and its arguments to a motion of joints; others are installed beside these."""
