// Makes three.js geometry of the shapes of a scene.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
} from "three";
import type { Part } from "./scene";

const AROUND = 28;
/** Half the side of the square that an infinite plane is drawn as. */
const FAR = 25;

/** The geometry of a part, in its own frame. */
export function geometryOf(part: Part, meshes: BufferGeometry[]): BufferGeometry {
  const [a = 0, b = 0, c = 0] = part.size;
  switch (part.kind) {
    case "box":
      return new BoxGeometry(a, b, c);
    case "sphere":
      return new SphereGeometry(a, AROUND, AROUND / 2);
    case "ellipsoid":
      return new SphereGeometry(1, AROUND, AROUND / 2).scale(a, b, c);
    case "cylinder":
      return new CylinderGeometry(a, a, b, AROUND).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(a, b, AROUND / 4, AROUND).rotateX(Math.PI / 2);
    case "plane":
      return new PlaneGeometry(cut(a), cut(b));
    case "mesh":
      return meshes[part.mesh] ?? new BufferGeometry();
  }
}

/** A mesh of vertices (x y z ...) and triangles (three indices each), with one normal per triangle. */
export function meshGeometry(vertices: Float32Array, faces: Uint32Array): BufferGeometry {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(vertices, 3));
  indexed.setIndex(new BufferAttribute(faces, 1));
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function cut(length: number): number {
  return length > 0 ? Math.min(length, 2 * FAR) : 2 * FAR;
}
