"""Generate code for networks in other languages; `runtime.c` and `runtime.lua` implement operators and cycles."""
