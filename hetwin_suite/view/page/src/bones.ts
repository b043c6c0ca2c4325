// Draws robots without geometry as bones between the frames of their links.

import { CylinderGeometry, Group, Mesh, MeshLambertMaterial, SphereGeometry, Vector3 } from "three";

/** Half the width of a bone, relative to the length of the longest bone. */
const THICKNESS = 0.055;
const MIN_SIZE = 0.005;
const COLOUR = 0x9ea8b8;
const UP = new Vector3(0, 1, 0);

/** A bone between two frames. */
interface Bone {
  from: Group;
  to: Group;
  shaft: Mesh;
  joint: Mesh;
}

/** All bones of a run. */
export class Bones {
  readonly group = new Group();
  readonly #bones: Bone[];

  constructor(pairs: [Group, Group][]) {
    const material = new MeshLambertMaterial({ color: COLOUR });
    const shaft = new CylinderGeometry(1, 1, 1, 6);
    const joint = new SphereGeometry(1.7, 10, 8);
    this.#bones = pairs.map(([from, to]) => ({
      from,
      to,
      shaft: new Mesh(shaft, material),
      joint: new Mesh(joint, material),
    }));
    for (const bone of this.#bones) this.group.add(bone.shaft, bone.joint);
  }

  /** Move the bones to the current frames. */
  place(): void {
    const ways = this.#bones.map(({ from, to }) => to.position.clone().sub(from.position));
    const thick = Math.max(MIN_SIZE, THICKNESS * Math.max(0, ...ways.map((way) => way.length())));
    this.#bones.forEach(({ from, to, shaft, joint }, i) => {
      const length = ways[i]!.length();
      const there = from.visible && to.visible;
      shaft.visible = there && length > MIN_SIZE;
      joint.visible = there;
      joint.position.copy(to.position);
      joint.scale.setScalar(thick);
      if (!shaft.visible) return;
      shaft.position.copy(from.position).addScaledVector(ways[i]!, 0.5);
      shaft.quaternion.setFromUnitVectors(UP, ways[i]!.divideScalar(length));
      shaft.scale.set(thick, length, thick);
    });
  }
}
