// The bodies of one run in three.js: their geometry, poses and colours.

import { Box3, BufferGeometry, Color, DoubleSide, Group, Material, Mesh, MeshLambertMaterial, Vector3 } from "three";
import type { Block } from "./block";
import { Bones } from "./bones";
import { POSE, type Body, type Part, type Scene } from "./scene";
import { geometryOf, meshGeometry } from "./shapes";

/** Opacity of a ghost. */
const GHOST_OPACITY = 0.4;

/** The drawn mesh of a part. */
export interface Piece {
  part: Part;
  mesh: Mesh;
}

/** A drawn body: its frame, and the meshes in it. */
export interface Figure {
  body: Body;
  frame: Group;
  pieces: Piece[];
  /** Index of the model whose colour it has; -1 for its own colours. */
  tint: number;
}

/** All bodies of one run. */
export class Cast {
  readonly group = new Group();
  readonly figures: Figure[];
  readonly #numbers: Map<string, number>;
  readonly #bones: Bones;
  readonly #materials = new Map<string, Material>();
  #ghost = false;

  constructor(
    readonly scene: Scene,
    block: Block<unknown>,
  ) {
    const meshes = scene.meshes.map((mesh) =>
      meshGeometry(block.array(mesh.vertices) as Float32Array, block.array(mesh.faces) as Uint32Array),
    );
    this.figures = scene.bodies.map((body) => this.#figure(body, meshes));
    this.#numbers = new Map(scene.bodies.map((body, i) => [body.name, i]));
    for (const { frame } of this.figures) this.group.add(frame);
    this.#bones = new Bones(scene.bones.map(([a, b]) => [this.figures[a]!.frame, this.figures[b]!.frame]));
    this.group.add(this.#bones.group);
  }

  /** Set the poses of all bodies, seven numbers each; a body whose numbers are not finite is hidden. */
  pose(poses: Float32Array): void {
    this.figures.forEach(({ frame }, i) => {
      const at = i * POSE;
      const [x = NaN, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = poses.subarray(at, at + POSE);
      frame.visible = Number.isFinite(x);
      if (!frame.visible) return;
      frame.position.set(x, y, z);
      frame.quaternion.set(qx, qy, qz, qw);
    });
    this.#bones.place();
  }

  /** Give each object the colour of the model (index) responsible for its pose; the main model keeps the object's own. */
  own(owners: Int16Array): void {
    this.figures.forEach((figure, i) => {
      const owner = owners[i] ?? -1;
      const foreign = figure.body.kind === "object" && owner >= 0 && !this.scene.models[owner]?.main;
      this.#tint(figure, foreign ? owner : -1);
    });
  }

  /** Draw moving bodies transparent and hide static ones (a ghost), or draw everything normally. */
  set ghost(ghost: boolean) {
    this.#ghost = ghost;
    for (const figure of this.figures) {
      const { body, pieces, tint } = figure;
      for (const { part, mesh } of pieces) mesh.visible = part.drawn && !(ghost && body.kind === "static");
      figure.tint = NaN;
      this.#tint(figure, tint);
    }
  }

  /** The drawn body of an entity; undefined if nothing of it is drawn. */
  figure(entity: string): Figure | undefined {
    return this.figures[this.#numbers.get(entity) ?? -1];
  }

  /** Drawn pose of an entity, x y z qx qy qz qw; undefined if it is not drawn. */
  poseOf(entity: string): number[] | undefined {
    const frame = this.figure(entity)?.frame;
    return frame?.visible ? [...frame.position.toArray(), ...frame.quaternion.toArray()] : undefined;
  }

  /** Bounding box of a drawn entity in the world: minimum and maximum x y z; undefined if nothing of it is drawn. */
  extentOf(entity: string): number[] | undefined {
    const figure = this.figure(entity);
    if (!figure?.frame.visible) return undefined;
    figure.frame.updateWorldMatrix(true, true);
    const box = new Box3();
    for (const { mesh } of figure.pieces) if (mesh.visible) box.expandByObject(mesh, true);
    return box.isEmpty() ? undefined : [...box.min.toArray(), ...box.max.toArray()];
  }

  /** Drawn colour of an entity, as #rrggbb. */
  colourOf(entity: string): string | undefined {
    const piece = this.figure(entity)?.pieces.find((p) => p.mesh.visible);
    return piece && `#${(piece.mesh.material as MeshLambertMaterial).color.getHexString()}`;
  }

  #figure(body: Body, meshes: BufferGeometry[]): Figure {
    const frame = new Group();
    const pieces = body.parts.map((part) => ({ part, mesh: this.#mesh(part, meshes) }));
    for (const piece of pieces) frame.add(piece.mesh);
    frame.visible = false;
    return { body, frame, pieces, tint: -1 };
  }

  #mesh(part: Part, meshes: BufferGeometry[]): Mesh {
    const mesh = new Mesh(geometryOf(part, meshes), this.#material(part.colour));
    const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = part.pose;
    mesh.position.set(x, y, z);
    mesh.quaternion.set(qx, qy, qz, qw);
    mesh.visible = part.drawn;
    return mesh;
  }

  #tint(figure: Figure, owner: number): void {
    if (figure.tint === owner) return;
    figure.tint = owner;
    const model = this.scene.models[owner];
    for (const { part, mesh } of figure.pieces) {
      mesh.material = this.#material(model ? [...hex(model.colour), part.colour[3]] : part.colour);
    }
  }

  /** The material for a colour: red, green, blue and opacity, each 0 to 1. */
  #material(colour: [number, number, number, number]): Material {
    const key = `${colour.join(" ")} ${this.#ghost}`;
    let material = this.#materials.get(key);
    if (!material) {
      const [r, g, b, alpha] = colour;
      const opacity = this.#ghost ? GHOST_OPACITY * alpha : alpha;
      material = new MeshLambertMaterial({
        color: new Color().setRGB(r, g, b, "srgb"),
        opacity,
        transparent: opacity < 1,
        depthWrite: !this.#ghost,
        side: DoubleSide,
      });
      this.#materials.set(key, material);
    }
    return material;
  }
}

function hex(colour: string): [number, number, number] {
  const { r, g, b } = new Color(colour).getRGB({ r: 0, g: 0, b: 0 }, "srgb");
  return [r, g, b];
}

/** Objects farther than this from the median one are kept in reserve, out of sight [m]. */
const IN_RESERVE = 200;

/** Bounding box of all drawn objects and links except those in reserve: the part of the scene of interest. */
export function interesting(casts: Cast[]): Box3 {
  const boxes: Box3[] = [];
  for (const cast of casts) {
    for (const { body, frame, pieces } of cast.figures) {
      if (body.kind === "static" || !frame.visible) continue;
      const box = new Box3();
      for (const { part, mesh } of pieces) if (part.drawn) box.expandByObject(mesh);
      if (body.kind === "link") box.expandByPoint(frame.getWorldPosition(new Vector3()));
      if (!box.isEmpty()) boxes.push(box);
    }
  }
  const centres = boxes.map((box) => box.getCenter(new Vector3()));
  const middle = new Vector3(...([0, 1, 2] as const).map((axis) => median(centres.map((c) => c.getComponent(axis)))));
  const all = new Box3();
  boxes.forEach((box, i) => {
    if (centres[i]!.distanceTo(middle) <= IN_RESERVE) all.union(box);
  });
  return all;
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
