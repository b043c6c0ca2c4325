"""What many outcomes say: shares with intervals, when to stop, and what goes with failure."""
