// Shows the paths in many possible futures of a moment, one line for each, green if the future succeeds.

import { BufferGeometry, Group, Line, LineBasicMaterial, Vector3 } from "three";
import type { Layer } from "../layers";
import type { Sight } from "./sight";

const GOOD = "#23845a";
const BAD = "#c53d3d";

export class Futures implements Sight {
  readonly name = "Paths in all futures";
  readonly shown = true;
  readonly object = new Group();

  constructor(layer: Layer) {
    const lines = new Map<number, { points: Vector3[]; good: boolean }>();
    for (const [number = 0, x = 0, y = 0, z = 0, succeeds = 0] of layer.rowsAt(Infinity)) {
      const line = lines.get(Math.round(number)) ?? { points: [], good: succeeds > 0.5 };
      line.points.push(new Vector3(x, y, z));
      lines.set(Math.round(number), line);
    }
    const [good, bad] = [GOOD, BAD].map((color) => new LineBasicMaterial({ color, transparent: true, opacity: 0.7 }));
    for (const { points, good: succeeds } of lines.values()) {
      this.object.add(new Line(new BufferGeometry().setFromPoints(points), succeeds ? good : bad));
    }
  }

  update(): void {}
}
