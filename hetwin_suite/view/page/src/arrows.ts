// Forces as arrows, all in one mesh.

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

const MOST = 512;
const ALONG = new Vector3(0, 0, 1);

/** An arrow: where it begins, and where it points; both [m]. */
export interface Arrow {
  from: Vector3;
  along: Vector3;
}

/** Many arrows in one colour, drawn over everything. */
export class Arrows extends InstancedMesh {
  constructor(colour: Color) {
    super(arrowGeometry(), new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }), MOST);
    this.renderOrder = 10;
    this.frustumCulled = false;
    this.count = 0;
  }

  /** Draw these, at most so many as there is room for. */
  put(arrows: readonly Arrow[], width: number): void {
    this.count = Math.min(arrows.length, MOST);
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

/** An arrow of length and width 1 along z. */
function arrowGeometry(): BufferGeometry {
  const shaft = new CylinderGeometry(0.2, 0.2, 0.7, 8).translate(0, 0.35, 0);
  const head = new ConeGeometry(0.5, 0.3, 12).translate(0, 0.85, 0);
  return mergeGeometries([shaft, head]).rotateX(Math.PI / 2);
}
