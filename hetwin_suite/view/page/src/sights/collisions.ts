// Shows collision geometry instead of visual geometry.

import { Group } from "three";
import type { Cast } from "../cast";
import type { Sight } from "./sight";

export class Collisions implements Sight {
  readonly name = "Collision shapes";
  readonly object = new Group();
  #shown = false;

  constructor(readonly cast: Cast) {}

  update(): void {
    if (this.#shown === this.object.visible) return;
    this.#shown = this.object.visible;
    for (const { pieces } of this.cast.figures) {
      for (const { part, mesh } of pieces) mesh.visible = this.#shown ? part.collides : part.drawn;
    }
  }
}
