// The camera goes along with something, and walls in front of what moves become see-through.

import { Box3, Material, type Mesh, Raycaster, Vector3 } from "three";
import type { Cast, Figure } from "./cast";
import type { Stage } from "./stage";

const SEEN_THROUGH = 0.12;
/** Looked at from so many times its size away when it is followed from now on. */
const AWAY = 7;
const NEAREST_M = 0.6;
const FARTHEST_M = 8;
/** At most so many things are kept in sight, those that move most. */
const MOST = 12;

/** Moves the camera of a stage along with an entity of its first cast. */
export class Following {
  #followed = "";
  readonly #last = new Vector3();

  constructor(readonly stage: Stage) {
    stage.beforeDrawing.push(() => this.#goAlong());
  }

  get followed(): string {
    return this.#followed;
  }

  /** Follow an entity from now on, and come near it; an empty name lets the camera stand. */
  follow(entity: string): void {
    this.#followed = entity;
    const place = this.#place();
    if (!place) return;
    const { camera, controls } = this.stage;
    const away = camera.position.clone().sub(controls.target).setLength(this.#distance());
    controls.target.copy(place);
    camera.position.copy(place).add(away);
    this.#last.copy(place);
    controls.update();
  }

  #goAlong(): void {
    const place = this.#place();
    if (!place) return;
    const moved = place.clone().sub(this.#last);
    this.stage.camera.position.add(moved);
    this.stage.controls.target.add(moved);
    this.#last.copy(place);
    this.stage.camera.lookAt(this.stage.controls.target);
  }

  #figure(): Figure | undefined {
    return this.#followed ? this.stage.casts[0]?.figure(this.#followed) : undefined;
  }

  #place(): Vector3 | undefined {
    const frame = this.#figure()?.frame;
    return frame?.visible ? frame.position.clone() : undefined;
  }

  #distance(): number {
    const size = new Box3().setFromObject(this.#figure()!.frame).getSize(new Vector3()).length();
    return Math.min(FARTHEST_M, Math.max(NEAREST_M, AWAY * (Number.isFinite(size) ? size : 0)));
  }
}

/** Makes what stands between the camera and what moves see-through. */
export class Walls {
  hidden = false;
  readonly #ray = new Raycaster();
  readonly #kept = new Map<Mesh, Material | Material[]>();
  readonly #faint = new Map<Material, Material>();

  /**
   * Args:
   *   stage: whose walls these are.
   *   moving: names of what is kept in sight.
   */
  constructor(
    readonly stage: Stage,
    readonly moving: () => string[],
  ) {
    stage.beforeDrawing.push(() => this.#look());
  }

  /** Whether parts of the scene that stand hide most of what moves. */
  hideMost(): boolean {
    return this.stage.casts.some((cast) => {
      const hits = this.#hits(cast);
      return hits.filter((meshes) => meshes.length).length > hits.length / 2;
    });
  }

  #look(): void {
    const front = new Set<Mesh>();
    if (this.hidden) for (const cast of this.stage.casts) for (const mesh of this.#inFront(cast)) front.add(mesh);
    for (const [mesh, material] of this.#kept) {
      if (front.has(mesh)) continue;
      mesh.material = material;
      this.#kept.delete(mesh);
    }
    for (const mesh of front) {
      if (this.#kept.has(mesh)) continue;
      this.#kept.set(mesh, mesh.material);
      mesh.material = this.#seenThrough([mesh.material].flat()[0]!);
    }
  }

  #inFront(cast: Cast): Set<Mesh> {
    return new Set(this.#hits(cast).flat());
  }

  /** For each thing that moves, what stands between it and the camera. */
  #hits(cast: Cast): Mesh[][] {
    const standing = cast.figures.filter(({ body, frame }) => body.kind === "static" && frame.visible);
    const walls = standing.flatMap(({ pieces }) => pieces.map(({ mesh }) => mesh)).filter((mesh) => mesh.visible);
    const eye = this.stage.camera.position;
    const found: Mesh[][] = [];
    for (const name of this.moving().slice(0, MOST)) {
      const frame = cast.figure(name)?.frame;
      if (!frame?.visible) continue;
      const box = new Box3().setFromObject(frame);
      const there = box.isEmpty() ? frame.position.clone() : box.getCenter(new Vector3());
      const towards = there.sub(eye);
      const far = towards.length();
      this.#ray.set(eye, towards.normalize());
      this.#ray.far = far;
      found.push(this.#ray.intersectObjects(walls, false).map((hit) => hit.object as Mesh));
    }
    return found;
  }

  #seenThrough(material: Material): Material {
    let faint = this.#faint.get(material);
    if (!faint) {
      faint = Object.assign(material.clone(), { transparent: true, opacity: SEEN_THROUGH, depthWrite: false });
      this.#faint.set(material, faint);
    }
    return faint;
  }
}
