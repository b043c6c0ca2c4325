"""Tables of an episode's log, as intervals and moments: occasions, events, tasks, beliefs, and their errors.

After Mösenlechner and Beetz, Using physics- and sensor-based simulation for high-fidelity temporal projection of
realistic robot behavior, ICAPS 2009: occasions are states that hold over intervals, events happen at an instant
(Tables 1 and 4).
"""
