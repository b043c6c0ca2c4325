"""Questions to an episode about states, events, and the robot's beliefs, tasks and effects.

After Mösenlechner and Beetz, ICAPS 2009, Tables 2 and 3. A question is put as a Python term or as an expression in CEL;
both are read off the same tables. Each answer names the rows that it rests on.
"""
