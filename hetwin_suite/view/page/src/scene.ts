// What a page is told of a run's scene. Lengths in metres, times in seconds, quaternions as x y z w.

/** A model of the ensemble, and the colour in which it is drawn. */
export interface Model {
  name: string;
  colour: string;
  main: boolean;
}

/** One piece of geometry of a body; `size` means what it means in the scene's shapes, `mesh` is an index or -1. */
export interface Part {
  kind: "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "mesh";
  size: number[];
  pose: number[];
  colour: [number, number, number, number];
  /** Whether it is drawn when one looks at the scene as it is, and not at what collides. */
  drawn: boolean;
  collides: boolean;
  mesh: number;
}

/** An entity with a place: an object, something that stands, a link or a hand. */
export interface Body {
  name: string;
  kind: "object" | "static" | "robot" | "link" | "hand" | "concept";
  parts: Part[];
}

/** An attribute of an entity, and the models (indices) that can be responsible for it. */
export interface Attribute {
  entity: string;
  attribute: string;
  candidates: number[];
}

/** Where an array lies in the block behind the header: from which byte on, and how many numbers it has. */
export interface ArrayPlace {
  type: "f8" | "f4" | "u4" | "i4" | "i2" | "u1";
  offset: number;
  count: number;
}

export interface Mesh {
  vertices: ArrayPlace;
  faces: ArrayPlace;
}

/** All that is drawn, without where it is. */
export interface Scene {
  name: string;
  models: Model[];
  bodies: Body[];
  meshes: Mesh[];
  attributes: Attribute[];
  /** Pairs of bodies between which a robot without geometry has a bone. */
  bones: [number, number][];
}

/** Numbers of a pose: x y z, qx qy qz qw. */
export const POSE = 7;
