"""Skills: what makes a motion of joints of an operation and its arguments; others are installed beside these."""
