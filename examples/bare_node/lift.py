"""A lift as a bare ROS 2 node: a model for hetwin that uses only its messages, not its Python code."""

import json
import os
import socket

import rclpy
from rclpy.node import Node

from hetwin.msg import ModelCall, ModelOutput
from hetwin.srv import RegisterModel


class Lift(Node):
    def __init__(self):
        super().__init__("lift")
        self.carried, self.asked = {}, False  # slot -> pose and twist
        self.output = self.create_publisher(ModelOutput, "~/output", 1000)
        self.create_subscription(ModelCall, "~/call", self.on_call, 1000)
        self.client = self.create_client(RegisterModel, "hetwin/register_model")
        self.timer = self.create_timer(0.5, self.register)  # until the first call arrives

    def register(self):
        me = RegisterModel.Request(name="lift", type="node", node=self.get_fully_qualified_name())
        me.host, me.pid = socket.gethostname(), os.getpid()
        self.client.call_async(me)

    def on_call(self, call):
        self.timer.cancel()
        output = ModelOutput(sequence=call.sequence, run=call.run)
        if hasattr(self, f"on_{call.call}"):
            getattr(self, f"on_{call.call}")(call, output)
        self.output.publish(output)
        if call.call == "stop":
            raise SystemExit

    def on_initialize(self, call, output):
        self.given = json.loads(call.more)["parameters"]
        output.more = '{"reads": []}'

    def on_start(self, call, output):
        slots = json.loads(call.more)["layout"]["slots"]
        self.slots = [[slot["entity"], slot["attribute"]] for slot in slots]

    def on_take(self, call, output):
        self.carried[call.index[-3]] = list(call.numbers[-13:])

    def on_release(self, call, output):
        slot = self.slots.index(json.loads(call.more))
        self.fill(output, call.index[0], {slot: self.carried.pop(slot)})

    def on_step(self, call, output):
        now, speed, more = call.index[0], self.given["speed"], {}
        if not self.asked:
            self.asked, more = True, {"requests": [["take", self.given["object"], "pose"]]}
        for slot, pose in self.carried.items():
            pose[2] += speed * call.index[1] / 1e9
            pose[7:] = [0.0, 0.0, speed, 0.0, 0.0, 0.0]
            if pose[2] >= self.given["up_to"]:
                more["events"] = [["lifted", now, "", "", 0, {"object": self.slots[slot][0]}]]
                more["requests"] = [["give_back", *self.slots[slot]]]
        self.fill(output, now, self.carried)
        output.more = json.dumps(more) if more else ""

    def fill(self, output, now, poses):
        output.index = [now, -1, 0, *(n for slot in poses for n in (slot, -1, now, 13))]
        output.numbers = [number for pose in poses.values() for number in pose]


rclpy.init()
try:
    rclpy.spin(Lift())
except (SystemExit, KeyboardInterrupt):
    rclpy.try_shutdown()
