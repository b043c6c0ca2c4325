// Reads blocks: the length of a header, the header as JSON, and arrays that the header refers to; compressed (deflate).

import type { ArrayPlace } from "./scene";

type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Int16Array | Uint8Array;

/** Arrays are aligned to multiples of this number of bytes. */
const ALIGNED = 8;

/** A header and the arrays that follow it. */
export class Block<Header> {
  readonly header: Header;
  readonly #bytes: ArrayBuffer;
  readonly #start: number;

  constructor(bytes: ArrayBuffer) {
    const length = new DataView(bytes).getUint32(0, true);
    this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Header;
    this.#bytes = bytes;
    this.#start = Math.ceil((4 + length) / ALIGNED) * ALIGNED;
  }

  /** The numbers of an array, without copying them. */
  array(place: ArrayPlace): Numbers {
    const at = this.#start + place.offset;
    switch (place.type) {
      case "f8":
        return new Float64Array(this.#bytes, at, place.count);
      case "f4":
        return new Float32Array(this.#bytes, at, place.count);
      case "u4":
        return new Uint32Array(this.#bytes, at, place.count);
      case "i4":
        return new Int32Array(this.#bytes, at, place.count);
      case "i2":
        return new Int16Array(this.#bytes, at, place.count);
      case "u1":
        return new Uint8Array(this.#bytes, at, place.count);
    }
  }
}

/** Decompress a block. */
export async function readBlock<Header>(deflated: Uint8Array<ArrayBuffer>): Promise<Block<Header>> {
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Block<Header>(await new Response(stream).arrayBuffer());
}

/** The bytes encoded by a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
