"""The same trivial ensemble for each system that `benchmarks/coupling.py` compares.

One source counts up; all others follow it: they read its level, move a tenth of the way to it, and publish theirs.
Each module is a program that takes the numbers of models and steps and prints the wall time of all steps in s.
"""
