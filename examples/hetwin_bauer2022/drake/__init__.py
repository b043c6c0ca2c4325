"""An independent reality for recordings: the same robot and program in Drake, without code of MuJoCo."""
