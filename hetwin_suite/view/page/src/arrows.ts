// Draws forces as arrows, all in one mesh.

import {
  BufferGeometry,
  type Color,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const MAX_ARROWS = 512;
const ALONG = new Vector3(0, 0, 1);

/** An arrow: its start, and the vector from there to its tip [m]. */
export interface Arrow {
  from: Vector3;
  along: Vector3;
}

/** Many arrows of one colour, drawn on top of everything else. */
export class Arrows extends InstancedMesh {
  constructor(colour: Color) {
    super(arrowGeometry(), new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }), MAX_ARROWS);
    this.renderOrder = 10;
    this.frustumCulled = false;
    this.count = 0;
  }

  /** Draw these arrows; those beyond the capacity of the mesh are left out. */
  put(arrows: readonly Arrow[], width: number): void {
    this.count = Math.min(arrows.length, MAX_ARROWS);
    const turn = new Quaternion();
    for (let i = 0; i < this.count; i++) {
      const { from, along } = arrows[i]!;
      const length = along.length();
      turn.setFromUnitVectors(ALONG, along.clone().divideScalar(length || 1));
      this.setMatrixAt(i, new Matrix4().compose(from, turn, new Vector3(width, width, length)));
    }
    this.instanceMatrix.needsUpdate = true;
  }
}

/** Geometry of an arrow of length 1 and width 1 along z. */
function arrowGeometry(): BufferGeometry {
  const shaft = new CylinderGeometry(0.2, 0.2, 0.7, 8).translate(0, 0.35, 0);
  const head = new ConeGeometry(0.5, 0.3, 12).translate(0, 0.85, 0);
  return mergeGeometries([shaft, head]).rotateX(Math.PI / 2);
}
