"""The state of objects as numbers, texts and arrays, and objects as they were when that was taken."""
