"""The name under which hetwin's rooms are installed.

The rooms lie at the root of the repository, as a ROS 2 package; installed as top-level Python packages,
names like ``ensemble`` would clash with other people's, and ``hetwin`` belongs to the generated interfaces.
cmake/link_rooms.py links them into this folder.
"""
