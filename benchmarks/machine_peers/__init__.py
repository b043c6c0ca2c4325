"""The same chart in the systems of others, each as its documentation has it.

Each module has `make(count)`: that many machines, with `tick(go)` for one cycle of all of them and `now()` for their
states and counters.
"""
