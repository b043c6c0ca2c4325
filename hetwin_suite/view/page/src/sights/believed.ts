// Shows the poses that the robot believes objects to have, as wireframes; red while the belief is wrong.

import { Group, Mesh, MeshBasicMaterial } from "three";
import type { Cast, Figure } from "../cast";
import type { Layer } from "../layers";
import type { Sight } from "./sight";

const RIGHT = "#2a6fc9";
const WRONG = "#d62f2f";

interface Copy {
  group: Group;
  wires: MeshBasicMaterial;
}

export class Believed implements Sight {
  readonly name = "Where the robot believed it";
  readonly object = new Group();
  readonly #copies = new Map<number, Copy>();

  constructor(
    readonly layer: Layer,
    readonly cast: Cast,
  ) {}

  update(time: number): void {
    for (const { group } of this.#copies.values()) group.visible = false;
    for (const [body = -1, x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1, wrong = 0] of this.layer.rowsAt(time)) {
      const copy = this.#copy(Math.round(body));
      if (!copy) continue;
      copy.group.visible = true;
      copy.group.position.set(x, y, z);
      copy.group.quaternion.set(qx, qy, qz, qw).normalize();
      copy.wires.color.set(wrong > 0.5 ? WRONG : RIGHT);
    }
  }

  #copy(body: number): Copy | undefined {
    const known = this.#copies.get(body);
    const figure = this.cast.figures[body];
    if (known || !figure) return known;
    const wires = new MeshBasicMaterial({ wireframe: true });
    const made = { group: wired(figure, wires), wires };
    this.#copies.set(body, made);
    this.object.add(made.group);
    return made;
  }
}

function wired(figure: Figure, material: MeshBasicMaterial): Group {
  const group = new Group();
  for (const { part, mesh } of figure.pieces) {
    if (!part.drawn) continue;
    const copy = new Mesh(mesh.geometry, material);
    copy.position.copy(mesh.position);
    copy.quaternion.copy(mesh.quaternion);
    group.add(copy);
  }
  return group;
}
