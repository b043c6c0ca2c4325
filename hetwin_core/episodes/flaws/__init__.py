"""Finds the flaws of an episode, each with its causes and evidence.

After Mösenlechner and Beetz, ICAPS 2009, section Evaluation: unexpected events, incorrect beliefs, unachieved
intentions. The rules are files of queries in ``rules``.
"""
