// Draws particles, such as those of a fluid, in the frame of the body that they belong to.

import { Color, DynamicDrawUsage, InstancedMesh, Matrix4, MeshLambertMaterial, SphereGeometry, type Group } from "three";
import type { Block } from "./block";
import type { ArrayPlace } from "./scene";

/** The particles of a body in a film: their number at each time, and x y z and radius of all of them. */
export interface CloudHeader {
  body: number;
  counts: ArrayPlace;
  rows: ArrayPlace;
}

const ROW = 4;
const COLOUR = new Color().setRGB(0.25, 0.55, 0.85, "srgb");

/** Draws the particles of one body. */
export class Cloud {
  readonly #begins: Uint32Array;
  readonly #rows: Float32Array;
  readonly #balls: InstancedMesh;

  constructor(header: CloudHeader, block: Block<unknown>, frame: Group) {
    const counts = block.array(header.counts) as Uint32Array;
    this.#rows = block.array(header.rows) as Float32Array;
    this.#begins = new Uint32Array(counts.length + 1);
    counts.forEach((count, i) => (this.#begins[i + 1] = this.#begins[i]! + count));
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    this.#balls = new InstancedMesh(new SphereGeometry(1, 8, 6), new MeshLambertMaterial({ color: COLOUR }), most);
    this.#balls.instanceMatrix.setUsage(DynamicDrawUsage);
    this.#balls.frustumCulled = false;
    frame.add(this.#balls);
  }

  /** Show the particles at a state of the film. */
  show(state: number): void {
    const from = this.#begins[state] ?? 0;
    const to = this.#begins[state + 1] ?? from;
    const place = new Matrix4();
    for (let i = from; i < to; i++) {
      const [x = 0, y = 0, z = 0, radius = 0] = this.#rows.subarray(i * ROW, (i + 1) * ROW);
      this.#balls.setMatrixAt(i - from, place.makeScale(radius, radius, radius).setPosition(x, y, z));
    }
    this.#balls.count = to - from;
    this.#balls.instanceMatrix.needsUpdate = true;
  }
}
