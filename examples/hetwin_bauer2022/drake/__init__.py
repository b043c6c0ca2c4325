"""An independent reality for recordings: the same robot and program in Drake, which shares no code with MuJoCo."""
