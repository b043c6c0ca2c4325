// Types of the scene of a run, as sent to a page. Lengths in metres, times in seconds, quaternions as x y z w.

/** A model of the ensemble, and its colour. */
export interface Model {
  name: string;
  colour: string;
  main: boolean;
}

/** One piece of geometry of a body; `size` has the same meaning as in the shapes of a scene, `mesh` is an index or -1. */
export interface Part {
  kind: "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "mesh";
  size: number[];
  pose: number[];
  colour: [number, number, number, number];
  /** Whether it is visual geometry, as opposed to collision geometry. */
  drawn: boolean;
  collides: boolean;
  mesh: number;
}

/** An entity with a pose: an object, something static, a link or a hand. */
export interface Body {
  name: string;
  kind: "object" | "static" | "robot" | "link" | "hand" | "concept";
  parts: Part[];
}

/** An attribute of an entity, and the indices of the models that can be responsible for it. */
export interface Attribute {
  entity: string;
  attribute: string;
  candidates: number[];
}

/** Location of an array in the block behind the header: offset in bytes, and number of elements. */
export interface ArrayPlace {
  type: "f8" | "f4" | "u4" | "i4" | "i2" | "u1";
  offset: number;
  count: number;
}

export interface Mesh {
  vertices: ArrayPlace;
  faces: ArrayPlace;
}

/** Everything that is drawn, without poses. */
export interface Scene {
  name: string;
  models: Model[];
  bodies: Body[];
  meshes: Mesh[];
  attributes: Attribute[];
  /** Pairs of bodies that are connected by a bone, for robots without geometry. */
  bones: [number, number][];
}

/** Number of elements of a pose: x y z, qx qy qz qw. */
export const POSE = 7;
