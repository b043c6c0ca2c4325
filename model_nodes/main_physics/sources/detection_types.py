"""Definitions of vision_msgs that detections consist of, as ROS 2 has them from Humble on.

They are here since they need not be installed to be read; with what they use of other packages, as bags carry them.
"""

DETECTIONS = """\
MSG: vision_msgs/msg/Detection3DArray
std_msgs/Header header
vision_msgs/Detection3D[] detections
================================================================================
MSG: vision_msgs/msg/Detection3D
std_msgs/Header header
vision_msgs/ObjectHypothesisWithPose[] results
vision_msgs/BoundingBox3D bbox
string id
================================================================================
MSG: vision_msgs/msg/ObjectHypothesisWithPose
vision_msgs/ObjectHypothesis hypothesis
geometry_msgs/PoseWithCovariance pose
================================================================================
MSG: vision_msgs/msg/ObjectHypothesis
string class_id
float64 score
================================================================================
MSG: vision_msgs/msg/BoundingBox3D
geometry_msgs/Pose center
geometry_msgs/Vector3 size
"""
