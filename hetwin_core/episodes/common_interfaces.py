"""Definitions of the common interfaces that a log uses, as ROS 2 has them from Jazzy on.

They are here since a library's whole collection of them takes a fifth of a second to load. Without comments, each after
its name, as bags carry them.
"""

DEFINITIONS = """\
MSG: builtin_interfaces/msg/Duration
int32 sec
uint32 nanosec
================================================================================
MSG: builtin_interfaces/msg/Time
int32 sec
uint32 nanosec
================================================================================
MSG: diagnostic_msgs/msg/DiagnosticArray
std_msgs/Header header
diagnostic_msgs/DiagnosticStatus[] status
================================================================================
MSG: diagnostic_msgs/msg/DiagnosticStatus
byte OK=0
byte WARN=1
byte ERROR=2
byte STALE=3
byte level
string name
string message
string hardware_id
diagnostic_msgs/KeyValue[] values
================================================================================
MSG: diagnostic_msgs/msg/KeyValue
string key
string value
================================================================================
MSG: geometry_msgs/msg/Point
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/msg/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
================================================================================
MSG: geometry_msgs/msg/PoseStamped
std_msgs/Header header
geometry_msgs/Pose pose
================================================================================
MSG: geometry_msgs/msg/PoseWithCovariance
geometry_msgs/Pose pose
float64[36] covariance
================================================================================
MSG: geometry_msgs/msg/PoseWithCovarianceStamped
std_msgs/Header header
geometry_msgs/PoseWithCovariance pose
================================================================================
MSG: geometry_msgs/msg/Quaternion
float64 x
float64 y
float64 z
float64 w
================================================================================
MSG: geometry_msgs/msg/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
================================================================================
MSG: geometry_msgs/msg/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
================================================================================
MSG: geometry_msgs/msg/Twist
geometry_msgs/Vector3 linear
geometry_msgs/Vector3 angular
================================================================================
MSG: geometry_msgs/msg/TwistWithCovariance
geometry_msgs/Twist twist
float64[36] covariance
================================================================================
MSG: geometry_msgs/msg/Vector3
float64 x
float64 y
float64 z
================================================================================
MSG: nav_msgs/msg/Odometry
std_msgs/Header header
string child_frame_id
geometry_msgs/PoseWithCovariance pose
geometry_msgs/TwistWithCovariance twist
================================================================================
MSG: rosgraph_msgs/msg/Clock
builtin_interfaces/Time clock
================================================================================
MSG: sensor_msgs/msg/CompressedImage
std_msgs/Header header
string format
uint8[] data
================================================================================
MSG: sensor_msgs/msg/JointState
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: sensor_msgs/msg/LaserScan
std_msgs/Header header
float32 angle_min
float32 angle_max
float32 angle_increment
float32 time_increment
float32 scan_time
float32 range_min
float32 range_max
float32[] ranges
float32[] intensities
================================================================================
MSG: std_msgs/msg/ColorRGBA
float32 r
float32 g
float32 b
float32 a
================================================================================
MSG: std_msgs/msg/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: std_msgs/msg/String
string data
================================================================================
MSG: tf2_msgs/msg/TFMessage
geometry_msgs/TransformStamped[] transforms
================================================================================
MSG: visualization_msgs/msg/Marker
int32 ARROW=0
int32 CUBE=1
int32 SPHERE=2
int32 CYLINDER=3
int32 LINE_STRIP=4
int32 LINE_LIST=5
int32 CUBE_LIST=6
int32 SPHERE_LIST=7
int32 POINTS=8
int32 TEXT_VIEW_FACING=9
int32 MESH_RESOURCE=10
int32 TRIANGLE_LIST=11
int32 ARROW_STRIP=12
int32 ADD=0
int32 MODIFY=0
int32 DELETE=2
int32 DELETEALL=3
std_msgs/Header header
string ns
int32 id
int32 type
int32 action
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
std_msgs/ColorRGBA color
builtin_interfaces/Duration lifetime
bool frame_locked
geometry_msgs/Point[] points
std_msgs/ColorRGBA[] colors
string texture_resource
sensor_msgs/CompressedImage texture
visualization_msgs/UVCoordinate[] uv_coordinates
string text
string mesh_resource
visualization_msgs/MeshFile mesh_file
bool mesh_use_embedded_materials
================================================================================
MSG: visualization_msgs/msg/MarkerArray
visualization_msgs/Marker[] markers
================================================================================
MSG: visualization_msgs/msg/MeshFile
string filename
uint8[] data
================================================================================
MSG: visualization_msgs/msg/UVCoordinate
float32 u
float32 v
"""
