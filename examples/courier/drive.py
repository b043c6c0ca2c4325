import time

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

rclpy.init()
node = rclpy.create_node("driver")
commands = node.create_publisher(Twist, "cmd_vel", 10)
latest = {}
node.create_subscription(Odometry, "odom", lambda message: latest.update(odom=message), 10)
node.create_subscription(
    LaserScan, "scan", lambda message: latest.update(scan=message), qos_profile_sensor_data
)
while not commands.get_subscription_count() or len(latest) < 2:
    rclpy.spin_once(node, timeout_sec=0.1)

for seconds, forward, yaw_rate in [(2.0, 0.3, 0.0), (2.0, 0.3, 0.6), (1.0, 0.0, 0.0)]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        command = Twist()
        command.linear.x, command.angular.z = forward, yaw_rate
        commands.publish(command)
        rclpy.spin_once(node, timeout_sec=0.05)
position = latest["odom"].pose.pose.position
print(f"at {position.x:.2f} {position.y:.2f} m, nearest {min(latest['scan'].ranges):.2f} m")
