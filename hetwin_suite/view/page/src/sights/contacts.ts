// Shows contacts and contact forces.

import { Color, Vector3 } from "three";
import { Arrows, type Arrow } from "../arrows";
import type { Layer } from "../layers";
import type { Sight } from "./sight";

const COLOUR = new Color("#d6336c");
const MIN_LENGTH_M = 0.03;
const METRES_PER_NEWTON = 0.012;
const MAX_LENGTH_M = 0.25;
const WIDTH_M = 0.016;

export class Contacts implements Sight {
  readonly name = "Contacts and forces";
  readonly object = new Arrows(COLOUR);

  constructor(readonly layer: Layer) {}

  update(time: number): void {
    const arrows = this.layer.rowsAt(time).map(([, , x = 0, y = 0, z = 0, fx = 0, fy = 0, fz = 0]): Arrow => {
      const along = new Vector3(fx, fy, fz);
      const length = Math.min(MAX_LENGTH_M, MIN_LENGTH_M + METRES_PER_NEWTON * along.length());
      return { from: new Vector3(x, y, z), along: along.setLength(length) };
    });
    this.object.put(arrows, WIDTH_M);
  }
}
