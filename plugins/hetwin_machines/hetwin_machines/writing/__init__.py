"""Writes networks in other languages, with what they need of the cycles in `runtime.c` and `runtime.lua`."""
