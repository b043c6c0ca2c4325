"""What both kinds of node share of ROS 2: codecs of messages, names, quality of service, spinning."""
