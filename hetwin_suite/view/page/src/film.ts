// A film: a scene, and the poses of everything in it over time.

import { fromBase64, readBlock, type Block } from "./block";
import type { CloudHeader } from "./clouds";
import type { Done } from "./course";
import { Layer, type LayerHeader } from "./layers";
import { POSE, type ArrayPlace, type Scene } from "./scene";

/** A happening. */
export interface Happening {
  time: number;
  kind: "event" | "action" | "handover" | "note";
  name: string;
  text: string;
  entity: string;
}

export interface FilmHeader {
  scene: Scene;
  start: number;
  end: number;
  /** Times of the states [s]. */
  times: ArrayPlace;
  /** Indices of moving bodies in the scene. */
  moving: number[];
  /** Poses of static bodies, seven numbers for each body; zeros for moving ones. */
  standing: ArrayPlace;
  /** Positions of moving bodies in `unit`, quaternions in 1/32767: by body, axis and time, as differences in byte planes. */
  positions: ArrayPlace;
  quaternions: ArrayPlace;
  unit: number;
  /** Index of the model initially responsible for each attribute of the scene. */
  owners: number[];
  /** Changes of the responsible model in order: time, index of the attribute, index of the model. */
  changes: [number, number, number][];
  happenings: Happening[];
  /** Actions of the robot's program, ordered by start, and other things with a duration, in lanes of their own. */
  doings: Done[];
  clouds: CloudHeader[];
  /** Data other than bodies. */
  layers: LayerHeader[];
}

/** A film that can be queried for the poses and responsible models at any time. */
export class Film {
  readonly header: FilmHeader;
  readonly times: Float64Array;
  readonly #positions: Int32Array;
  readonly #quaternions: Int16Array;
  readonly #standing: Float32Array;
  readonly #poseAttribute: number[];
  #layers: Layer[] | undefined;

  constructor(readonly block: Block<FilmHeader>) {
    this.header = block.header;
    const { header } = this;
    this.times = block.array(header.times) as Float64Array;
    this.#standing = block.array(header.standing) as Float32Array;
    const planes = (place: ArrayPlace) => block.array(place) as Uint8Array;
    this.#positions = summed(planes(header.positions), 4, this.times.length, Int32Array);
    this.#quaternions = summed(planes(header.quaternions), 2, this.times.length, Int16Array);
    const { bodies, attributes } = header.scene;
    this.#poseAttribute = bodies.map((body) =>
      attributes.findIndex((a) => a.entity === body.name && a.attribute === "pose"),
    );
  }

  /** Data other than bodies. */
  get layers(): Layer[] {
    return (this.#layers ??= (this.header.layers ?? []).map((layer) => new Layer(layer, this.block)));
  }

  get scene(): Scene {
    return this.header.scene;
  }

  /** Index of the state nearest to a time. */
  nearest(time: number): number {
    const after = this.#firstAfter(time);
    const before = Math.max(0, after - 1);
    const next = Math.min(after, this.times.length - 1);
    return Math.abs(this.times[before]! - time) <= Math.abs(this.times[next]! - time) ? before : next;
  }

  /** Write the poses of all bodies at a time, interpolated linearly between two states. */
  posesAt(time: number, out: Float32Array = new Float32Array(this.#standing.length)): Float32Array {
    const after = this.#firstAfter(time);
    const a = Math.max(0, after - 1);
    const b = Math.min(after, this.times.length - 1);
    const between = b > a ? (time - this.times[a]!) / (this.times[b]! - this.times[a]!) : 0;
    const share = Math.min(1, Math.max(0, between));
    out.set(this.#standing);
    this.header.moving.forEach((body, row) => this.#pose(row, a, b, share, out.subarray(body * POSE)));
    return out;
  }

  /** Index of the model responsible for each attribute at a time. */
  ownersAt(time: number): Int16Array {
    const owners = Int16Array.from(this.header.owners);
    for (const [at, attribute, model] of this.header.changes) {
      if (at > time) break;
      owners[attribute] = model;
    }
    return owners;
  }

  /** Index of the model responsible for the pose of each body at a time; -1 for none. */
  poseOwnersAt(time: number): Int16Array {
    const owners = this.ownersAt(time);
    return Int16Array.from(this.#poseAttribute, (attribute) => owners[attribute] ?? -1);
  }

  #firstAfter(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #pose(row: number, a: number, b: number, share: number, out: Float32Array): void {
    const n = this.times.length;
    for (let axis = 0; axis < 3; axis++) {
      const at = (row * 3 + axis) * n;
      const from = this.#positions[at + a]!;
      const to = this.#positions[at + b]!;
      out[axis] = from === MISSING || to === MISSING ? NaN : (from + share * (to - from)) * this.header.unit;
    }
    const quaternion = [0, 1, 2, 3].map((axis) => {
      const at = (row * 4 + axis) * n;
      return [this.#quaternions[at + a]!, this.#quaternions[at + b]!] as const;
    });
    const same = quaternion.reduce((sum, [p, q]) => sum + p * q, 0) < 0 ? -1 : 1;
    const turned = quaternion.map(([p, q]) => p + share * (same * q - p));
    const length = Math.hypot(...turned) || 1;
    turned.forEach((value, axis) => (out[3 + axis] = value / length));
  }
}

/** Code of a missing position. */
const MISSING = -(2 ** 31);

/** Decode rows of `length` numbers from differences along each row, stored as byte planes with the lowest byte first. */
function summed<Numbers extends Int32Array | Int16Array>(
  planes: Uint8Array,
  width: number,
  length: number,
  type: new (count: number) => Numbers,
): Numbers {
  const count = planes.length / width;
  const numbers = new type(count);
  for (let i = 0; i < count; i++) {
    let value = 0;
    for (let byte = 0; byte < width; byte++) value |= planes[byte * count + i]! << (8 * byte);
    numbers[i] = i % length ? numbers[i - 1]! + value : value;
  }
  return numbers;
}

/** Read a film from its base64 text. */
export async function readFilm(text: string): Promise<Film> {
  return new Film(await readBlock<FilmHeader>(fromBase64(text)));
}
