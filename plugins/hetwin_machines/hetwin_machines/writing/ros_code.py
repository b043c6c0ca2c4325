"""Generate a ROS 2 node for a network: the generated Python code with topics and a timer."""

from __future__ import annotations

from hetwin_machines.network import Network
from hetwin_machines.written_code import code_of

_MAIN = "def main() -> int:"
_NODE = '''
import rclpy
from rclpy.node import Node
from std_msgs.msg import String


class NetworkNode(Node):
    """Executes a step of the network per period; reads `~/inputs` and publishes each cycle on `~/cycles`, as JSON."""

    def __init__(self, **options: Any) -> None:
        super().__init__("network", **options)
        self._network = make_network()
        self._waiting: list[dict[str, Value]] = []
        self._cycles = self.create_publisher(String, "~/cycles", 100)
        self.create_subscription(String, "~/inputs", self.on_inputs, 100)
        period = self.declare_parameter("period", 0.05).value
        self.create_timer(float(period), self.tick)

    def on_inputs(self, message: String) -> None:
        """Queue inputs and events for a separate step; a malformed message is reported and ignored."""
        try:
            row = json.loads(message.data)
            for name, value in row.items():
                whole_or_real = isinstance(value, (int, float)) and value - value == 0
                if name not in (*INPUTS, *EVENTS) or not whole_or_real:
                    raise ValueError(f"{name} is {value!r}; expected values of {[*INPUTS, *EVENTS]}")
        except (AttributeError, RecursionError, ValueError) as error:
            self.get_logger().warning(f"a message could not be used: {error}")
            return
        self._waiting.append(row)

    def tick(self) -> list[dict[str, Any]]:
        """Execute a step, publish its cycles, and return them."""
        if self._network.is_over:
            return []
        row = self._waiting.pop(0) if self._waiting else {}
        lines = list(take_step(self._network, row, SIGNALS))
        for line in lines:
            self._cycles.publish(String(data=json.dumps(line)))
        return lines


def main() -> int:
    """Run the node until it is interrupted."""
    rclpy.init()
    node = NetworkNode()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''


def ros_code(network: Network, name: str) -> str:
    """Return the text of a Python file that is a ROS 2 node; it needs rclpy and std_msgs.

    Args:
        network: the network.
        name: name of the network's file, for the docstring.
    """
    text = code_of(network, name)
    return text[: text.index(_MAIN)] + _NODE.lstrip("\n")
