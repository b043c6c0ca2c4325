// Shows the frames of objects and hands: x red, y green, z blue.

import { AxesHelper, Group } from "three";
import type { Cast } from "../cast";
import type { Sight } from "./sight";

const LENGTH_M = 0.1;

export class Frames implements Sight {
  readonly name = "Frames";
  readonly object = new Group();
  readonly #axes: [Group, AxesHelper][] = [];

  constructor(cast: Cast) {
    for (const { body, frame } of cast.figures) {
      if (body.kind !== "object" && body.kind !== "hand") continue;
      const axes = new AxesHelper(LENGTH_M);
      axes.renderOrder = 9;
      for (const material of [axes.material].flat()) material.depthTest = false;
      this.object.add(axes);
      this.#axes.push([frame, axes]);
    }
  }

  update(): void {
    for (const [frame, axes] of this.#axes) {
      axes.visible = frame.visible;
      axes.position.copy(frame.position);
      axes.quaternion.copy(frame.quaternion);
    }
  }
}
