// Data of a film other than bodies: rows of numbers that are valid from one time to the next.

import type { Block } from "./block";
import type { ArrayPlace } from "./scene";

export interface LayerHeader {
  name: string;
  columns: string[];
  /** Minimum and quantization step of each column. */
  low: number[];
  step: number[];
  /** Times at which the rows are replaced [s]. */
  times: ArrayPlace;
  /** Index of the first row of each time, and the total number of rows. */
  begins: ArrayPlace;
  /** Quantized numbers, column by column, starting at -32768. */
  numbers: ArrayPlace;
}

/** The smallest 16-bit integer. */
const LOWEST = -32768;

/** Rows of numbers over time. */
export class Layer {
  readonly #times: Float64Array;
  readonly #begins: Uint32Array;
  readonly #numbers: Int16Array;

  constructor(
    readonly header: LayerHeader,
    block: Block<unknown>,
  ) {
    this.#times = block.array(header.times) as Float64Array;
    this.#begins = block.array(header.begins) as Uint32Array;
    this.#numbers = block.array(header.numbers) as Int16Array;
  }

  /** The rows at a time; empty before the first time. */
  rowsAt(time: number): number[][] {
    let after = 0;
    while (after < this.#times.length && this.#times[after]! <= time + 1e-9) after++;
    const rows: number[][] = [];
    if (after) for (let row = this.#begins[after - 1]!; row < this.#begins[after]!; row++) rows.push(this.#row(row));
    return rows;
  }

  #row(row: number): number[] {
    const count = this.#begins[this.#begins.length - 1]!;
    const { low, step } = this.header;
    return low.map((least, column) => least + (this.#numbers[column * count + row]! - LOWEST) * step[column]!);
  }
}
