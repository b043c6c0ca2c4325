"""The same trivial ensemble, written for each system that `benchmarks/coupling.py` compares.

One source counts up; all others follow it: they read its level, take a tenth of the way to it, and tell their own.
Each module is a program that takes the number of models and steps and prints seconds of wall time for all steps.
"""
