// Shows the uncertainty of the estimated position of a held object, as ellipsoids.

import { InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import type { Cast } from "../cast";
import type { Layer } from "../layers";
import type { Sight } from "./sight";

const COLOUR = "#7a3fd1";
const MAX_ELLIPSOIDS = 64;
/** Enlargement of ellipsoids; those of some millimetres would be invisible inside an object. */
const SCALE = 10;

export class Covariances implements Sight {
  readonly name = `Uncertainty of estimates (2σ, ${SCALE} times as large)`;
  readonly object: InstancedMesh;

  constructor(
    readonly layer: Layer,
    readonly cast: Cast,
  ) {
    const material = new MeshBasicMaterial({ color: COLOUR, transparent: true, opacity: 0.5, depthTest: false });
    this.object = new InstancedMesh(new SphereGeometry(1, 24, 16), material, MAX_ELLIPSOIDS);
    this.object.frustumCulled = false;
    this.object.renderOrder = 8;
  }

  update(time: number): void {
    let count = 0;
    for (const [body = -1, rx = 0, ry = 0, rz = 0, x = 0, y = 0, z = 0, w = 1] of this.layer.rowsAt(time)) {
      const frame = this.cast.figures[Math.round(body)]?.frame;
      if (!frame?.visible || count === MAX_ELLIPSOIDS) continue;
      const rotation = new Quaternion(x, y, z, w).normalize();
      this.object.setMatrixAt(count++, new Matrix4().compose(frame.position, rotation, new Vector3(rx, ry, rz).multiplyScalar(SCALE)));
    }
    this.object.count = count;
    this.object.instanceMatrix.needsUpdate = true;
  }
}
