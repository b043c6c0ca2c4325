// The time shown by all parts of a page: the current moment and the zoomed range.

/** A time range: start and end [s]. */
export type Range = readonly [number, number];

/** Synchronizes everything that a page draws over time; figures with the same whole range are zoomed together. */
export class SharedTime {
  /** Called with the moment that is now shown. */
  readonly onTime: ((time: number) => void)[] = [];
  /** Called with a moment that the user has selected. */
  readonly onSeek: ((time: number) => void)[] = [];
  /** Called with the whole range of the zoomed figures, and the part of it that is now shown. */
  readonly onZoom: ((whole: Range, part: Range) => void)[] = [];
  readonly #parts = new Map<string, Range>();
  time = NaN;

  show(time: number): void {
    this.time = time;
    for (const tell of this.onTime) tell(time);
  }

  seek(time: number): void {
    for (const tell of this.onSeek) tell(time);
  }

  /** Show a part of a whole range; without a part, show all of it. */
  zoom(whole: Range, part: Range = whole): void {
    this.#parts.set(`${whole}`, part);
    for (const tell of this.onZoom) tell(whole, part);
  }

  /** The part of a whole range that is shown. */
  partOf(whole: Range): Range {
    return this.#parts.get(`${whole}`) ?? whole;
  }
}

/** The instance of this page. */
export const pageTime = new SharedTime();
