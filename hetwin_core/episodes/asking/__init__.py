"""Questions to an episode about states, events, and the robot's beliefs, tasks and effects.

After Mösenlechner and Beetz, ICAPS 2009, Tables 2 and 3. A question is a Python term or an expression in CEL; both
use the same tables. Each answer names the rows that support it.
"""
