"""``python -m model_nodes.ros_node --ros-args -r __node:=NAME -p type:=TYPE``."""

from model_nodes.ros_node.main import main

if __name__ == "__main__":
    main()
