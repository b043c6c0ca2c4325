"""One generic ROS 2 node that serves any model: the model's contract as services and topics.

Started as ``ros2 run hetwin model --ros-args -r __node:=grasp -p type:=grasp_monitor``, it registers with the conductor
and then serves its calls.
"""
