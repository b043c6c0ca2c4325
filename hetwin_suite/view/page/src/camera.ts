// Makes the camera follow an entity, and walls in front of moving things transparent.

import { Box3, Material, type Mesh, Raycaster, Vector3 } from "three";
import type { Cast, Figure } from "./cast";
import type { Stage } from "./stage";

const SEEN_THROUGH = 0.12;
/** Distance of the camera from an entity when it starts to follow it, as a multiple of the entity's size. */
const DISTANCE_IN_SIZES = 7;
const MIN_DISTANCE_M = 0.6;
const MAX_DISTANCE_M = 8;
/** Maximum number of moving things that are kept visible; those that move most are chosen. */
const MAX_VISIBLE = 12;

/** Makes the camera of a stage follow an entity of its first cast. */
export class Following {
  #followed = "";
  readonly #last = new Vector3();

  constructor(readonly stage: Stage) {
    stage.beforeDrawing.push(() => this.#goAlong());
  }

  get followed(): string {
    return this.#followed;
  }

  /** Move the camera near an entity and follow it from now on; with an empty name, stop following. */
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
    return Math.min(MAX_DISTANCE_M, Math.max(MIN_DISTANCE_M, DISTANCE_IN_SIZES * (Number.isFinite(size) ? size : 0)));
  }
}

/** Makes static parts between the camera and moving things transparent. */
export class Walls {
  hidden = false;
  readonly #ray = new Raycaster();
  readonly #kept = new Map<Mesh, Material | Material[]>();
  readonly #faint = new Map<Material, Material>();

  /**
   * Args:
   *   stage: stage whose static parts are made transparent.
   *   moving: returns the names of the things to be kept visible.
   */
  constructor(
    readonly stage: Stage,
    readonly moving: () => string[],
  ) {
    stage.beforeDrawing.push(() => this.#look());
  }

  /** Whether static parts of the scene hide most of the moving things. */
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

  /** For each moving thing, the static parts between it and the camera. */
  #hits(cast: Cast): Mesh[][] {
    const standing = cast.figures.filter(({ body, frame }) => body.kind === "static" && frame.visible);
    const walls = standing.flatMap(({ pieces }) => pieces.map(({ mesh }) => mesh)).filter((mesh) => mesh.visible);
    const eye = this.stage.camera.position;
    const found: Mesh[][] = [];
    for (const name of this.moving().slice(0, MAX_VISIBLE)) {
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
